"""Run the Python snippets that a reader copies: those of README.md, as one script, and that of the model card which a saved model is given.
Each in a fresh interpreter and an empty folder. `python .ci/snippets.py` says how long each took; exits with 1 if one fails."""
import os, re, subprocess, sys, tempfile, time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

def snippets(text):
    "The blocks of Python in a Markdown text, as one script"
    return '\n\n'.join(re.findall(r'^```python\n(.*?)^```', text, re.S | re.M))

def run(name, script, folder):
    "Messages if a script fails in this folder"
    start,env = time.time(),os.environ | dict(PYTHONPATH=str(ROOT), MPLBACKEND='agg')
    done = subprocess.run([sys.executable, '-W', 'ignore', '-c', script], cwd=folder, env=env, capture_output=True, text=True)
    print(f'{name}: {len(script.splitlines())} lines, {time.time()-start:.0f} s', *done.stdout.strip().splitlines()[-2:], sep='\n  ')
    return [f'{name}: {done.stderr.strip()[-600:]}'] if done.returncode or not script.strip() else []

SAVE = """from transformers import GPT2Config
from fpt_nb.model import FPT
from fpt_nb.tasks import bit_memory, bit_xor
from fpt_nb.data.listops import listops
for task in (bit_xor(), listops()):
    FPT(task, GPT2Config(n_embd=32, n_layer=1, n_head=2), 'random').save_pretrained(task.name)
"""
if __name__=='__main__':
    with tempfile.TemporaryDirectory() as d:
        wrong = run('a model is saved', SAVE, d)
        for card in sorted(Path(d).glob('*/README.md')):
            text = card.read_text().replace('a-folder-or-hub-id', card.parent.name)
            given = 'item = model.task.data("test").batch([0], None)[0][0]\nprint(' # an input of the reader's
            wrong += run(f'the model card of {card.parent.name}', snippets(text).replace('print(', given), d)
    with tempfile.TemporaryDirectory() as d: wrong += run('README.md', snippets((ROOT/'README.md').read_text()), d)
    if not run('a planted fault', 'undefined', '.'): wrong.append('a planted fault is not found')
    print('\n'.join(wrong) or 'every snippet runs')
    sys.exit(bool(wrong))
