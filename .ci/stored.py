"Run the pages that are drawn from the ledger and compare what their cells store with what they give now; `--update` stores it"
import json, os, re, sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ['04_ablations', 'results/*', 'differences']

def words(outputs):
    "Printed text and tables, without names that change from run to run"
    parts = [''.join(o.get('text', '') or next((v for k in ('text/html', 'text/markdown', 'text/plain') if (v := o.get('data', {}).get(k))), ''))
             for o in outputs if o.get('name')!='stderr']
    return re.sub(r'T_[0-9a-f]{5}| at 0x[0-9a-f]+|[\w./-]*/tmp[\w./-]*|\s+', ' ', ' '.join(parts)).strip()

def compare(page, update):
    "Cells of a page whose outputs are not those that it stores"
    from execnb.nbio import dict2nb
    from execnb.shell import CaptureShell
    os.chdir(page.parent)
    nb = json.loads(page.read_text(encoding='utf8'))
    shell,changed = CaptureShell(page.parent),[]
    for old in (c for c in nb['cells'] if c['cell_type']=='code'):
        cell = dict2nb(dict(nb, cells=[dict(old, outputs=[])])).cells[0]
        if re.search(r'^#\| *eval: *false', ''.join(old['source']), re.M): continue
        shell.cell(cell)
        new = json.loads(json.dumps(cell.outputs))
        if words(new)!=words(old['outputs']):
            changed.append(f"{page.relative_to(ROOT)}: {''.join(old['source'])[:50]!r}\n  stored: {words(old['outputs'])[:300]}\n  now:    {words(new)[:300]}")
            old['outputs'] = new
    if update and changed: page.write_text(json.dumps(nb, indent=1, ensure_ascii=False, sort_keys=True)+'\n', encoding='utf8')
    return changed

if __name__=='__main__':
    sys.path.insert(0, str(ROOT))
    found = [m for p in PAGES for f in sorted((ROOT/'nbs').glob(f'{p}.ipynb')) for m in compare(f, '--update' in sys.argv)]
    print('\n'.join(found) or 'all agree')
    sys.exit(bool(found) and '--update' not in sys.argv)
