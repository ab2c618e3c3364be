"How the notebooks read: lines a code cell, characters a line, words a prose cell. `python .ci/form.py [notebook ...]`, worst pages first; exits with 1 beyond the limits."
import json, sys
from pathlib import Path
from statistics import median, quantiles

ROOT = Path(__file__).resolve().parent.parent
LIMITS = {'median lines a code cell': 6, '90th percentile of lines a code cell': 14, '90th percentile of characters a line': 95,
          'percent of lines over 110 characters': 2, 'most lines a cell of C': 16, 'most exported lines a page': 600} # beyond that a module has more than one job

def p90(values): return quantiles(values, n=10)[-1] if len(values)>1 else max(values, default=0)

def measure(notebooks):
    "The figures of LIMITS, and of prose, over these notebooks"
    code,prose,exported,native = [],[],[0],[0] # native: C, whose functions are cut at the limit only
    for f in notebooks:
        exported.append(0)
        for c in json.loads(f.read_text(encoding='utf8'))['cells']:
            text = ''.join(c['source'])
            if c['cell_type']=='markdown': prose.append(len(text.split()))
            elif c['cell_type']=='code' and not text.startswith('#| hide'):
                lines = [l for l in text.splitlines() if l.strip() and not l.startswith('#|')]
                if lines and lines[0].startswith('_C '): native.append(len(lines))
                elif lines: code.append(lines)
                if text.startswith('#| export'): exported[-1] += len(lines)
    widths = [len(l) for lines in code for l in lines] or [0]
    counts = [len(lines) for lines in code] or [0]
    return {'median lines a code cell': median(counts), '90th percentile of lines a code cell': p90(counts),
            '90th percentile of characters a line': p90(widths), 'percent of lines over 110 characters': 100*sum(w>110 for w in widths)/len(widths),
            'most lines a cell of C': max(native), 'most exported lines a page': max(exported),
            'median words a prose cell': median(prose or [0]), '90th percentile of words a prose cell': p90(prose or [0]),
            'cells': len(code) + len(prose)}

if __name__=='__main__':
    named = [Path(a) for a in sys.argv[1:]]
    notebooks = named or sorted(p for p in (ROOT/'nbs').rglob('*.ipynb') if '.ipynb_checkpoints' not in p.parts)
    each = {f: measure([f]) for f in notebooks}
    for f,m in sorted(each.items(), key=lambda o: -o[1]['90th percentile of characters a line']):
        print(f"{str(f.relative_to(ROOT) if f.is_absolute() else f):44} {m['cells']:3} cells  lines {m['median lines a code cell']:4.0f} {m['90th percentile of lines a code cell']:4.0f}  "
              f"width {m['90th percentile of characters a line']:4.0f}  over 110 {m['percent of lines over 110 characters']:4.1f}%  words {m['median words a prose cell']:3.0f} {m['90th percentile of words a prose cell']:4.0f}")
    m = measure(notebooks)
    print(', '.join(f'{k} {v:.1f}' for k,v in m.items()))
    over = [f'{k}: {m[k]:.1f}, at most {v}' for k,v in LIMITS.items() if m[k]>v]
    if over: sys.exit('too much: ' + '; '.join(over))
