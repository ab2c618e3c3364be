"""Do the outputs that the notebooks store agree with those of the run just made? `python .ci/stored.py FOLDER [--update] [--pictures] [--figures]`

FOLDER holds what .ci/test.py wrote with FPT_RECORD=FOLDER. Numbers, times, hashes, paths, names of processors and the line that tells of bfloat16 are masked, because machines differ;
words must agree, and on the pages of LEDGER figures too. A page that left something out for want of data (`skipped: …`) is not compared. `--update` stores the new outputs of the cells that
no longer agree. With `--pictures` also those of all cells that draw. With `--figures` figures must agree everywhere: for the pages of a change of the statistics. A cell with a `fig-alt` stores a picture. Without a folder, faults are planted in the stored outputs themselves, to see that they are found and that masked ones are not."""
import json, re, sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MASKS = [(r'In bf16, which is fast here; --precision float32 for float32\.\n?', ''), # on the processors where it is
         (r' at 0x[0-9a-f]+', ''), (r'\x1b\[[0-9;]*m', ''), (r'…(?:/[\w./-]*)?', 'PATH'), (r'\bthreads?\b', 'threads'), (r'\b(?:seconds?|minutes?|hours?)\b', 's'), (r'(?<![\w/])[\w./-]*/(?:tmp|T)[\w./-]*', 'PATH'), (r'\b[0-9a-f]{8,}\b', '#'),
         (r'(?i)[-+]?\b(?:\d[\d,_]*\.?\d*|\.\d+|nan|inf)(?:e[-+]?\d+)?', '#'), (r'#(?:[.,:]?#)+', '#'), (r'(?:AMD|Intel|Apple|ARM)[^\n,|]*', 'CPU'),
         (r'[-─━═█▏▎▍▌▋▊▉]{2,}', '-'), (r'#(?:[\s,;:+-]*#)+', '#'), (r'\s+', ' ')]
PATHS = [(r'\bT_[0-9a-f]{5}', 'T'), (r'…(?:/[\w./-]*)?', 'PATH'), (r'(?<![\w/])[\w./-]*/(?:tmp|T)[\w./-]*', 'PATH'), (r'\s+', ' ')] # and figures agree
LEDGER = ('04_ablations', 'results/*', 'differences', 'lab/claims', 'lab/comparison', 'lab/suites', 'data/paper') # pages that are drawn from the ledger alone

def lasting(t):
    "The lines of a text that stay on a screen: what a progress bar wrote is overwritten, and what is printed after it is not"
    lines = [(l, l.rstrip('\r').rpartition('\r')[2].rstrip()) for l in t.split('\n')]
    return [last for l,last in lines if '█' not in last and '|---' not in last and (last or '\r' not in l)]

def text(outputs, exact=False):
    "A cell's outputs: printed text and plain representations; what a reader sees on a page of the ledger, and where the plain one only names an object"
    out = []
    for o in outputs:
        data = o.get('data', {})
        named = re.fullmatch(r'<[\w.]+( object)?( at 0x[0-9a-f]+)?>', ''.join(data.get('text/plain', '')))
        shown = ('text/html', 'text/markdown') if exact else ('text/markdown',) if named else ()
        t = o.get('text') if 'text' in o else next((v for k in (*shown, 'text/plain') if (v := data.get(k))), '')
        if o.get('name')!='stderr': out.append(''.join(t))
    return '\n'.join(lasting('\n'.join(out)))

def masked(s, exact=False):
    "A text without what differs between machines"
    for pattern,to in PATHS if exact else MASKS: s = re.sub(pattern, to, s)
    return s.replace('# ', '#').strip()

def agree(a, b, exact=False):
    "Whether two texts say the same: as a whole, or line by line in any order, since workers finish in any"
    masked_ = lambda s: masked(s, exact)
    lines = lambda s: {masked_(l) for l in s.splitlines() if l.strip()}
    return masked_(a)==masked_(b) or lines(a)==lines(b)

def kept(outputs):
    "Outputs without warnings, progress bars and names of temporary folders"
    outputs = json.loads(re.sub(r'(?:/private)?/(?:tmp|var/folders)/[\w./+-]*?tmp\w{8}', '…', json.dumps(outputs, ensure_ascii=False)))
    out = [o for o in outputs if o.get('name')!='stderr']
    for o in out:
        if 'text' in o: o['text'] = '\n'.join(lasting(''.join(o['text']))).splitlines(True)
    return [o for o in out if 'text' not in o or ''.join(o['text']).strip()]

def draws(outputs): return any(k.startswith('image/') for o in outputs for k in o.get('data', {}))

def compare(folder, update=False, pictures=False, figures=False):
    "Messages about cells whose stored outputs are not what the run gave"
    for f in sorted(Path(folder).glob('*.json')):
        if f.with_suffix('.skipped').exists(): continue
        path = ROOT/'nbs'/f.stem.replace('__', '/')
        nb,new = json.loads(path.read_text()),json.loads(f.read_text())
        changed,exact = [],figures or any(path.match(f'nbs/{p}.ipynb') for p in LEDGER)
        for c in nb['cells']:
            if c['cell_type']!='code' or c['id'] not in new: continue
            was,now = text(c['outputs'], exact),text(new[c['id']], exact)
            same = agree(was, now, exact)
            if same and not (pictures and draws(new[c['id']])): continue
            changed.append(c['id'])
            if not same: yield (f'{path.relative_to(ROOT)}, cell {c["id"]}: '
                                f'stored {masked(was, exact)[:160]!r}, now {masked(now, exact)[:160]!r}')
            c['outputs'] = kept(new[c['id']])
        if update and changed: path.write_text(json.dumps(nb, indent=1, ensure_ascii=False, sort_keys=True)+'\n')

def undrawn():
    "Messages about cells that say what can be seen in their picture and store none"
    for path in sorted((ROOT/'nbs').rglob('*.ipynb')):
        for c in json.loads(path.read_text())['cells']:
            if c['cell_type']=='code' and re.search(r'^#\| *fig-alt:', ''.join(c['source']), re.M) and not draws(c['outputs']):
                yield f'{path.relative_to(ROOT)}, cell {c["id"]}: it has a fig-alt, and stores no picture'

def stream(s): return [dict(name='stdout', output_type='stream', text=s)]
def shown(s): return [dict(output_type='display_data', data={'text/plain': '<IPython.core.display.Markdown object>', 'text/markdown': s})]
ALIKE = [('bars:\nIn bf16, which is fast here; --precision float32 for float32.\nstep 1 of 2', 'bars:\nstep 1 of 2'),
         ('12.5 s on an AMD EPYC 9R14, 2 threads', '7 s on an Intel Xeon, 1 threads'), ('[0.1, 0.25]', '[0.1, 0.2, 0.3]'), ('run 0123456789abcdef', 'run fedcba9876543210'),
         ('/tmp/tmpabcd1234/x is damaged', '/var/folders/T/tmpzyxw9876/x is damaged')]
FIGURES = [('80 claims, 79 without repeats', '80 claims, 76 without repeats')] # on a page of the ledger the second is another
OTHER = [('1 record', 'no record yet'), ('3 of 4 there', '3 of 4 missing'), ('FPTError: lr=0', 'ValueError: lr=0')]

if __name__=='__main__':
    wrong = [f'masked, and found: {a!r}, {b!r}' for a,b in ALIKE if not agree(text(stream(a)), text(stream(b)))]
    wrong += [f'found in words, not in figures: {a!r}, {b!r}' for a,b in FIGURES if not agree(a, b) or agree(a, b, exact=True)]
    wrong += [f'not found: {a!r}, {b!r}' for a,b in OTHER for make in (stream, shown) if agree(text(make(a)), text(make(b)))]
    folder = next((a for a in sys.argv[1:] if not a.startswith('-')), None)
    pages = sorted(Path(folder).glob('*.json')) if folder else []
    found = list(compare(folder, *(f'--{o}' in sys.argv for o in ('update', 'pictures', 'figures')))) if folder else []
    found += undrawn()
    print('\n'.join(wrong + found))
    left = sum(f.with_suffix('.skipped').exists() for f in pages)
    print(f'{len(pages)-left} notebooks compared with what they store, {left} not compared for want of data: {len(found)} cells differ; '
          f'{len(ALIKE)+len(OTHER)+len(FIGURES)} planted: {len(wrong)} wrong')
    sys.exit(bool(wrong) or bool(found) and '--update' not in sys.argv or bool(folder) and not pages)
