"""Do the outputs that the notebooks store agree with those of the run just made? `python .ci/stored.py FOLDER [--update] [--pictures]`

FOLDER holds what .ci/record wrote. Numbers, times, hashes and names of processors are masked, because machines differ; words and shapes must agree.
`--update` stores the new outputs of the cells that no longer agree; with `--pictures` also those of all cells that draw, after the way of drawing was changed."""
import json, re, sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MASKS = [(r'\x1b\[[0-9;]*m', ''), (r'(?<![\w/])[\w./-]*/(?:tmp|T)[\w./-]*', 'PATH'), (r'\b[0-9a-f]{8,}\b', '#'),
         (r'(?i)[-+]?\b(?:\d[\d,_]*\.?\d*|\.\d+|nan|inf)(?:e[-+]?\d+)?', '#'), (r'#(?:[.,:]?#)+', '#'), (r'(?:AMD|Intel|Apple|ARM)[^\n,|]*', 'CPU'),
         (r'[-─━═█▏▎▍▌▋▊▉]{2,}', '-'), (r'\s+', ' ')]

def text(outputs):
    "The words of a cell's outputs: printed text and plain representations, without what differs between machines"
    out = []
    for o in outputs:
        t = o.get('text') if 'text' in o else o.get('data', {}).get('text/plain', '')
        if o.get('name')!='stderr': out.append(''.join(t))
    s = '\n'.join(out)
    for pattern,to in MASKS: s = re.sub(pattern, to, s)
    return s.replace('# ', '#').strip()

def kept(outputs):
    "Outputs without warnings, progress bars and names of temporary folders"
    outputs = json.loads(re.sub(r'(?:/private)?/(?:tmp|var/folders)/[\w./+-]*?tmp\w{8}', '…', json.dumps(outputs, ensure_ascii=False)))
    out = [o for o in outputs if o.get('name')!='stderr']
    for o in out:
        if 'text' not in o: continue
        lines = [l for l in ''.join(o['text']).split('\n') if '█' not in l and '\r' not in l]
        o['text'] = '\n'.join(lines).splitlines(True)
    return [o for o in out if 'text' not in o or ''.join(o['text']).strip()]

def draws(outputs): return any(k.startswith('image/') for o in outputs for k in o.get('data', {}))

def compare(folder, update=False, pictures=False):
    "Messages about cells whose stored outputs are not what the run gave"
    for f in sorted(Path(folder).glob('*.json')):
        path = ROOT/'nbs'/f.stem.replace('__', '/')
        nb,new = json.loads(path.read_text()),json.loads(f.read_text())
        changed = []
        for c in nb['cells']:
            if c['cell_type']!='code' or c['id'] not in new: continue
            was,now = text(c['outputs']),text(new[c['id']])
            if was==now and not (pictures and draws(new[c['id']])): continue
            changed.append(c['id'])
            if was!=now: yield f'{path.relative_to(ROOT)}, cell {c["id"]}: stored {was[:160]!r}, now {now[:160]!r}'
            c['outputs'] = kept(new[c['id']])
        if update and changed: path.write_text(json.dumps(nb, indent=1, ensure_ascii=False, sort_keys=True)+'\n')

if __name__=='__main__':
    found = list(compare(sys.argv[1], '--update' in sys.argv, '--pictures' in sys.argv))
    print('\n'.join(found))
    n = len(list(Path(sys.argv[1]).glob('*.json')))
    print(f'{n} notebooks compared with what they store: {len(found)} cells differ')
    sys.exit(bool(found) and '--update' not in sys.argv or not n)
