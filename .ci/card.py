"Draw nbs/images/card.png, which links to the site show, from results/xor_steps.jsonl"
import json, sys
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

root = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root))
from fpt_nb.palette import MUTED, line

runs = [json.loads(line) for line in (root/'results/xor_steps.jsonl').read_text().splitlines()]
curves = {}
for r in runs:
    c = r['config']
    if (c['steps'], c['lr'], c.get('control'))==(1000, 3e-3, None):
        curves[c['init'],c['seed']] = {p['step']: 100*p['accuracy'] for p in r['curve']}
curves = pd.DataFrame(curves).sort_index().ffill() # a run that stopped when it had solved the task stays solved
assert set(curves.columns.levels[0])=={'pretrained', 'random'}, 'results/xor_steps.jsonl lacks runs'

fig,ax = plt.subplots(figsize=(12, 6.3))
fig.subplots_adjust(left=.09, right=.97, top=.72, bottom=.13)
fig.text(.05, .88, 'fpt_nb', size=44, weight='bold'); fig.text(.05, .79, 'Frozen, a transformer learns XOR: sooner if it read English', size=23)
for init in ('pretrained', 'random'):
    ax.plot(curves[init], lw=1, alpha=.5, **line(init)); ax.plot(curves[init].mean(axis=1), lw=4, label=f'{init} weights, frozen', **line(init))
ax.axhline(50, color=MUTED, ls=':'); ax.text(790, 50.7, 'chance', color=MUTED, size=15, ha='right'); ax.legend(loc='center right', bbox_to_anchor=(1, .24), frameon=False, fontsize=18)
ax.set(xlim=(0, 800), ylim=(45, 103)); ax.tick_params(labelsize=14); ax.spines[['top', 'right']].set_visible(False)
ax.set_xlabel('gradient steps', size=17); ax.set_ylabel('accuracy (% of bits)', size=17)
fig.savefig(root/'nbs/images/card.png', dpi=100, metadata={'Software': None})
