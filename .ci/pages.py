"""Do links and pictures of the pages lead somewhere, has each plot a text for those who do not see it, and can the code that tutorials show be
copied (ruff finds names that it does not define)? `--run` also runs what each tutorial shows, in a fresh interpreter and an empty folder."""
import json, os, re, subprocess, sys, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NBS = ROOT/'nbs'

def cells(page): return json.loads(page.read_text(encoding='utf8'))['cells']

def text(page):
    "What a page says, without code"
    if page.suffix=='.md': return page.read_text(encoding='utf8')
    return '\n'.join(''.join(c['source']) for c in cells(page) if c['cell_type']=='markdown')

def slugs(page):
    "Anchors of a page's headings, and of the names it exports"
    heads = re.findall(r'^#+ +(.+?)(?: *\{#([\w-]+)\})?$', text(page), re.M)
    names = re.findall(r'^(?:def|class) (\w+)', '\n'.join(''.join(c['source']) for c in cells(page)), re.M) if page.suffix=='.ipynb' else []
    plain = lambda h: re.sub(r'\s+', '-', re.sub(r'[^\w\s.-]', '', h)).strip().lower()
    return {plain(h) for h,_ in heads} | {i for _,i in heads} | {n.lower() for n in names}

def broken(page):
    "Links to pages, anchors or pictures that are not there"
    body = re.sub(r'```.*?```|`[^`\n]*`(?!\])', '', text(page), flags=re.S)
    for link in re.findall(r'\]\(([^)\s]+)\)|src="([^"]+)"', body):
        path,_,anchor = (link[0] or link[1]).partition('#')
        if re.match(r'https?:|mailto:', path): continue
        target = (page.parent/path).resolve() if path else page
        if not target.exists(): yield f'{page.relative_to(ROOT)}: {path} is not there'
        elif anchor and target.suffix in ('.ipynb', '.md') and anchor.lower() not in slugs(target):
            yield f'{page.relative_to(ROOT)}: {path}#{anchor} has no such heading'

def untold(page):
    "Plots without an alternative text, and errors or paths of a machine among the outputs"
    for c in cells(page):
        outs,source = c.get('outputs', []),''.join(c['source'])
        if any(k.startswith('image/') for o in outs for k in o.get('data', {})) and 'fig-alt' not in source and '#| hide' not in source:
            yield f'{page.relative_to(ROOT)}: a picture without fig-alt: {source[:60]!r}'
        if any(o['output_type']=='error' for o in outs): yield f'{page.relative_to(ROOT)}: a stored error: {source[:60]!r}'

def shown(page):
    "The code that a page shows, as one script"
    code = (''.join(c['source']) for c in cells(page) if c['cell_type']=='code')
    return '\n\n'.join(s for s in code if '#| hide' not in s.splitlines()[:3])

def uncopied(page, run):
    "What ruff, or with `run` Python, says of the code that a page shows"
    with tempfile.TemporaryDirectory() as d:
        place = Path(d)/'nbs/tutorials'
        place.mkdir(parents=True)
        (Path(d)/'results').symlink_to(ROOT/'results')
        (place/'page.py').write_text(shown(page))
        ruff = [Path(sys.executable).with_name('ruff'), 'check', '-q', '--isolated', '--config', 'builtins=["get_ipython"]', '--select', 'F821,F405',
                'page.py']
        env = os.environ | dict(MPLBACKEND='agg', PYTHONPATH=str(ROOT))
        for command in [ruff] + [[sys.executable, '-W', 'ignore', 'page.py']]*run:
            done = subprocess.run(command, cwd=place, env=env, capture_output=True, text=True)
            if done.returncode: yield f'{page.name}: {(done.stdout+done.stderr)[-600:]}'

if __name__=='__main__':
    pages = [p for p in sorted([*NBS.rglob('*.ipynb'), *NBS.glob('*.md')]) if not p.name.startswith('.')]
    wrong = [m for p in pages for m in broken(p)] + [m for p in pages if p.suffix=='.ipynb' for m in untold(p)]
    wrong += [m for p in sorted(NBS.glob('tutorials/*.ipynb')) for m in uncopied(p, '--run' in sys.argv)]
    print('\n'.join(wrong) or f'{len(pages)} pages')
    sys.exit(bool(wrong))
