"""Build the site's pages as nbdev does before Quarto takes over, and check them: links, images, sidebar, symbols, alt text, tutorials, works and names of other libraries.

`python .ci/site.py` builds and checks, then plants one fault of each kind and sees that it is found. `--built` takes the pages that are in _proc already.
Where `quarto` is on PATH the site is also rendered, and its HTML crawled (.ci/crawl.py)."""
import ast, copy, os, re, shutil, subprocess, sys
from pathlib import Path
from posixpath import dirname, join, normpath

import yaml
from execnb.nbio import read_nb

import crawl
from api import CFG, ROOT, entries, symbols
from fpt_nb.engine.pages import elsewhere, names_on

REPO,HOST = (f"https://{h}/{CFG['lib_name']}" for h in (f"github.com/{CFG['user']}", f"{CFG['user']}.github.io"))
COLAB = REPO.replace('https://github.com', 'https://colab.research.google.com/github')+f"/blob/{CFG['branch']}/"

def build():
    "What `nbdev_proc_nbs` does, but for installing Quarto where there is none"
    from nbdev.doclinks import _build_modidx
    from nbdev.serve import proc_nbs
    _build_modidx(); proc_nbs(force=True)

# -- what is there: pages as plain data, so that faults can be planted

def slug(heading): return re.sub(r'\s+', '-', re.sub(r'[^\w\s.-]', '', re.sub(r'[`*]|\[([^]]*)\]\([^)]*\)', r'\1', heading)).strip().lower())

def cell_data(c):
    text = lambda o, k: ''.join(o.get('data', {}).get(k, ''))
    outs = c.get('outputs', [])
    return dict(kind=c.cell_type, source=''.join(c.get('source', '')), md=[text(o, 'text/markdown') for o in outs], html=[text(o, 'text/html') for o in outs],
                text=[text(o, 'text/plain')+''.join(o.get('text', '')) for o in outs], error=any(o.output_type=='error' for o in outs),
                mimes={k for o in outs for k in o.get('data', {})},
                picture=sum(any(k.startswith('image/') for k in o.get('data', {})) for o in outs))

def load(proc):
    "Pages by path, the files beside them, the configuration and the exported symbols"
    pages = {str(f.relative_to(proc)): [cell_data(c) for c in read_nb(f).cells] for f in sorted(proc.rglob('*.ipynb')) if '_docs' not in f.parts}
    pages |= {str(f.relative_to(proc)): [dict(kind='markdown', source=f.read_text(), md=[], html=[], text=[], error=False, mimes=set(), picture=0)] for f in sorted(proc.rglob('*.md')) if '_docs' not in f.parts}
    source = {p: [cell_data(c) for c in read_nb(ROOT/'nbs'/p).cells] for p in pages if p.endswith('.ipynb')}
    files = {str(f.relative_to(proc)) for f in proc.rglob('*') if f.is_file() and '_docs' not in f.parts}
    workflows = {f.name: f.read_text() for f in sorted((ROOT/'.github/workflows').glob('*.y*ml'))}
    return dict(workflows=workflows, pages=pages, source=source, files=files, quarto=yaml.safe_load((proc/'_quarto.yml').read_text()),
                sidebar=yaml.safe_load((proc/'sidebar.yml').read_text())['website']['sidebar']['contents'], symbols=symbols(source))

# -- what may be wrong with it: each yields messages

def prose(cell): # markdown without code
    texts = ([cell['source']] if cell['kind']=='markdown' else []) + cell['md']
    # what a link shows is kept, and taken as a pair: else its last mark would pair with the first of the next one, and what is between them be lost
    return [re.sub(r'```.*?```|(?<!`)`[^`\n]+`(?!`)', lambda m: m[0] if m.string[m.end():m.end()+1]==']' else '', t, flags=re.S) for t in texts]

def anchors(cells):
    heads = [h for c in cells for t in ([c['source']] if c['kind']=='markdown' else [])+c['md'] for h in re.findall(r'^#+ +(.+?)(?: *\{.*\})?$', t, re.M)]
    return {slug(h) for h in heads}

def output_file(page, cells): # where Quarto will put it
    name = re.search(r'^output-file: (\S+)', cells[0]['source'], re.M)
    return join(dirname(page), name[1]) if name else re.sub(r'\.\w+$', '.html', page)

def check_links(site):
    html = {}
    for p,cells in site['pages'].items():
        if (o := output_file(p, cells)) in html: yield f'{p}: {html[o]} becomes {o} too'
        html[o] = p
    heads = {p: anchors(c) for p,c in site['pages'].items()}
    for page,cells in site['pages'].items():
        for c in cells:
            links = [l for t in prose(c) for l in re.findall(r'\]\(\s*<?([^)\s>]+)', t)+re.findall(r'(?:href|src)="([^"]+)"', t)]
            links += [l for t in c['html'] for l in re.findall(r'(?:href|src)="([^"]+)"', t) if not l.startswith('data:')]
            for l in links:
                to,_,at = l.partition('#')
                if l.startswith(COLAB): ok = (ROOT/l.removeprefix(COLAB)).exists() and (l==COLAB+'nbs/'+page or not page.startswith('tutorials/'))
                elif to.startswith(HOST): ok = (p := html.get(to.removeprefix(HOST).strip('/') or 'index.html')) is not None and (not at or at in heads[p])
                elif m := re.match(rf'{REPO}/(?:blob|tree)/{CFG["branch"]}/(.*)', to):
                    f = ROOT/m[1]; line = re.match(r'L(\d+)', at)
                    ok = f.exists() and (not line or int(line[1]) <= len(f.read_text().splitlines()))
                elif re.match(r'\w+:', l): continue # the rest of the world
                else:
                    target = normpath(join(dirname(page), to)) if to else page
                    ok = target in site['files'] and (not at or target not in heads or at in heads[target])
                if not ok: yield f'{page}: broken link {l}'

def check_pictures(site):
    for page,cells in site['pages'].items():
        for c in cells:
            try: options = yaml.safe_load('\n'.join(re.findall(r'^#\|\s*(fig-alt:.+)$', c['source'], re.M))) or {}
            except yaml.YAMLError as e: options = {}; yield f'{page}: options that are no YAML: {e}'
            alts = options.get('fig-alt') or []
            alts = [a for a in alts if a] if isinstance(alts, list) else [alts] # a list has nothing for outputs that are no pictures
            if c['picture'] and any(len(a)<20 for a in alts or ['']): yield f'{page}: a picture without alt text, of the cell {c["source"][:60]!r}'
            if c['picture']>1 and len(set(alts))!=c['picture']: yield f'{page}: {c["picture"]} pictures share {len(set(alts))} alt texts, in the cell {c["source"][:60]!r}'
            for t in prose(c):
                for a,src in re.findall(r'!\[([^]]*)\]\(([^)\s]+)', t):
                    if len(a)<12: yield f'{page}: image {src} without alt text'
                if re.search(r'^\[!\[[^]]*\]\([^)]*\)\]\([^)]*\)[ \t]*(?:\n[ \t]*\n|\n?\Z)', t, re.M): yield f'{page}: a badge alone in its paragraph, which Quarto makes a figure with a caption'
            for t in [*prose(c), *c['html']]:
                for tag in re.findall(r'<img [^>]*>', t):
                    if not re.search(r'alt="[^"]{12,}"', tag): yield f'{page}: image without alt text in {tag[:60]}'

def check_navigation(site):
    listed = list(entries(site['sidebar']))
    for e in listed:
        if e not in site['pages']: yield f'sidebar: {e} is no page'
        if listed.count(e)>1: yield f'sidebar: {e} is listed twice'
    for p in site['pages']:
        if p not in listed and p!='404.md': yield f'sidebar: {p} is not listed'
    q,w = site['quarto'],site['quarto']['website']
    named = [w['favicon'], *(i.removeprefix(HOST+'/') for i in (w['image'], w['open-graph']['image'], w['twitter-card']['image'])), w['navbar']['logo'], *themes(q), *q['metadata-files'],
             *(e['href'] for side in ('left', 'right') for e in w['navbar'].get(side, []) if not e['href'].startswith('http'))]
    for f in named:
        if f not in site['files']: yield f'_quarto.yml: {f} is not there'

    if CFG['version'] not in w['page-footer']['left']: yield f"_quarto.yml: the footer has another version than settings.ini, {CFG['version']}"

def themes(quarto): # the files of both themes
    theme = quarto['format']['html']['theme']
    return [f for t in theme.values() for f in ([t] if isinstance(t, str) else t) if f.endswith('.scss')]

def check_symbols(site):
    for page,found in site['symbols'].items():
        cells = site['pages'][page]
        headed = [t for c in cells for t in [c['source']]*(c['kind']=='markdown') + c['md']]
        shown = {h for t in headed for h in re.findall(r'^#+ \[?`?([\w.]+)`?(?:\]\(\S+\))?\s*$', t, re.M)}
        words = ' '.join(c['source']+' '.join(c['md']) for c in cells)
        for name,callable_,doc in found:
            if callable_ and not (doc or '').strip(): yield f'{page}: {name} has no docstring'
            if name not in shown if callable_ else not re.search(rf'\b{name}\b', words): yield f'{page}: {name} is exported and on no page'

def check_tutorials(site):
    for page,cells in site['source'].items():
        if not page.startswith('tutorials/'): continue
        if not any('colab-badge.svg' in c['source'] and f'{COLAB}nbs/{page})' in c['source'] for c in cells if c['kind']=='markdown'): yield f'{page}: no badge for Colab'
        first = next((c['source'] for c in cells if c['kind']=='code'), '')
        try: guard = ast.parse(first).body[0]
        except SyntaxError: guard = None
        ok = (isinstance(guard, ast.Try) and 'fpt_nb' in ast.unparse(guard.body[0]) and isinstance(guard.body[0], ast.Import)
              and ast.unparse(guard.handlers[0].type)=='ImportError' and 'pip install' in first and REPO in first)
        if not ok: yield f'{page}: its first cell of code is no guarded installation'
        if not any('assert' in c['source'] or 'test_' in c['source'] for c in cells if c['kind']=='code'): yield f'{page}: it asserts nothing'

def check_outputs(site):
    for page,cells in site['source'].items():
        if any(c['error'] for c in cells): yield f'{page}: an error is stored'
        if any(c['kind']=='code' for c in cells) and not any(any(c['text']) or c['picture'] for c in cells): yield f'{page}: no outputs are stored'
        for c in cells:
            for t in [*c['text'], *c['html']]:
                if m := re.search(r'(?<![\w.:/])/(?:tmp|home|work|root|Users)/[\w./-]*', t): yield f'{page}: a path of one machine in an output: {m[0]}'
                if 'Traceback (most recent call last)' in t: yield f'{page}: a traceback in an output'
                if m := re.search(r'\w*Warning: .{0,60}', t): yield f'{page}: a warning in an output: {m[0]}'
                if m := JUNK.search(t): yield f'{page}: junk in an output: {m[0]!r}'
            if m := c['mimes'] & {'application/vnd.jupyter.widget-view+json', 'application/javascript'}: yield f'{page}: a live widget in an output: {min(m)}'

# progress bars, messages of libraries, representations that only programs read
JUNK = re.compile(r'█|\d+%\|[ #]*\||it/s\]|\[transformers\]|np\.(?:float|int)\d+\(|Writing model shards|<progress|<style>\s*progress')

COLOUR = re.compile(r"tab:\w+|'C\d'|f'C\{|#[0-9a-fA-F]{6}\b|cm\.viridis\(")
def check_colours(site): # one palette: nbs/engine/palette.ipynb
    for page,cells in site['source'].items():
        if page=='engine/palette.ipynb': continue
        for c in cells:
            if c['kind']!='code': continue
            if m := COLOUR.search(c['source']): yield f'{page}: a colour that is not from the palette: {m[0]}'

def check_signatures(site): # nbdev links what stands in backticks, and code shows a link as it is written
    for page,cells in site['pages'].items():
        for c in cells:
            for block in (b for t in c['md'] for b in re.findall(r'```.*?```', t, re.S)):
                if m := re.search(r'\[`?([\w.]+)`?\]\(http', block): yield f'{page}: a link in a signature: no backticks in comments on parameters, {m[1]}'

AUTHORS = r"(?:[A-Z][\w'’-]+(?:,\s+[A-Z][\w'’-]+)*\s+(?:et\s+al\.|and\s+[A-Z][\w'’-]+)|(?<=\()[A-Z][\w'’-]+)"
NAMED = re.compile(rf"{AUTHORS}(?:,\s+|\s+\()(?:19|20)\d\d\b")
def check_works(site): # works are linked where a page names them first
    for page,cells in site['pages'].items():
        if page.endswith('.md'): continue
        seen = set()
        for t in (t for c in cells for t in prose(c)):
            links = [(m.start(), m.end()) for m in re.finditer(r'\[[^]]*\]\([^)]*\)', t)]
            for m in NAMED.finditer(t):
                work = re.sub(r'\W+', ' ', m[0])
                if work in seen: continue
                seen.add(work)
                if not any(a<=m.start()<b or 0<=m.start()-b<=2 for a,b in links): yield f'{page}: a work without a link, {work}' # or right behind its title

def check_names(site): # classes of other libraries lead to their documentation
    for page,cells in site['pages'].items():
        if page.endswith('.md'): continue
        known = names_on([dict(cell_type='code', source=c['source']) for c in site['source'].get(page, ()) if c['kind']=='code'])
        for t in (t for c in cells for t in [c['source']]*(c['kind']=='markdown') + c['md']):
            t = re.sub(r'```.*?```|^#+ .*?$', '', t, flags=re.S|re.M)
            for name in re.findall(r'(?<![\[`])`([A-Z]\w*)`(?![`\]])', t):
                if name not in known and elsewhere(name): yield f'{page}: no link to the documentation of {name}'

def check_workflows(site): # a tag can be moved, a commit cannot
    for file,text in site['workflows'].items():
        for action in re.findall(r'uses:\s*(\S+)', text):
            if not re.search(r'@[0-9a-f]{40}$', action): yield f'{file}: an action that is not pinned to a commit, {action}'

HOOKS = re.compile(r'after_create:|before_fit:NoneType')
def check_reference(site): # what fpt_nb.engine.pages mends
    for page,cells in site['pages'].items():
        for c in cells:
            for t in c['md']:
                if 'Call self as a function' in t: yield f'{page}: Call self as a function'
                if HOOKS.search(t): yield f'{page}: a callback with all its hooks in the signature'
                if m := re.search(r'\[\[`[^`]+`\]\([^)]*\)\]', t): yield f'{page}: a link in a link, {m[0][:60]}'
                for block in re.split(r'```.*?```', t, flags=re.S)[1:]:
                    if m := re.search(r'(?<![`\\*\w])\w+\*\w+\*\w+', re.sub(r'`[^`\n]*`', '', block)): yield f'{page}: Markdown eats the stars of {m[0]}'

CHECKS = (check_links, check_pictures, check_navigation, check_symbols, check_tutorials, check_outputs, check_signatures, check_colours, check_reference, check_works, check_names, check_workflows)
def problems(site): return [m for c in CHECKS for m in c(site)]

# -- and would it be found?

def first(site, page, has): return next(c for c in site['pages'][page] if has(c))
def replaced(key, page, old, new):
    def plant(site):
        for c in site[key][page]: c['source'] = re.sub(old, new, c['source'], flags=re.M)
    return plant
def more(md): return lambda site: site['pages']['index.ipynb'].append(dict(kind='markdown', source=md, md=[], html=[], text=[], error=False, mimes=set(), picture=0))

TUTORIAL = 'tutorials/your_own_data.ipynb'
FAULTS = {
    'a link to a page that is not there': (more('[x](00_task.ipynb)'), 'broken link 00_task.ipynb'),
    'a link to a heading that is not there': (more('[x](00_tasks.ipynb#no-such)'), 'broken link 00_tasks.ipynb#no-such'),
    'a broken link between names in code': (more('a [`b`](index.ipynb): [`c`](no_page.ipynb), `d`'), 'broken link no_page.ipynb'),
    'a symbol on the wrong page': (more(f'[x]({HOST}/tasks.html#fpt)'), 'broken link https'),
    'a line that the source does not have': (more(f'[x]({REPO}/blob/main/fpt_nb/tasks.py#L99999)'), 'broken link https'),
    'an image file that is not there': (lambda s: s['files'].discard('images/result.png'), 'broken link images/result.png'),
    'an image without alt text': (more('![](images/result.png)'), 'without alt text'),
    'a picture without alt text': (replaced('pages', '04_ablations.ipynb', r'^#\| fig-alt.*\n', ''), 'a picture without alt text'),
    'pictures that share an alt text': (replaced('pages', '04_ablations.ipynb', r'^#\| fig-alt.*\n', '#| fig-alt: "bars of something or other"\n'), 'pictures share 1 alt texts'),
    'a work without a link': (more('as Doe et al. (2020) found, and [others](https://x.y)'), 'a work without a link, Doe et al 2020'),
    'a class of fastai without a link': (more('a `TensorBoardCallback` does it'), 'no link to the documentation of TensorBoardCallback'),
    'a class of transformers without a link': (more('a `TrainingArguments` does it'), 'no link to the documentation of TrainingArguments'),
    'an action by its tag': (lambda s: s['workflows'].update({'docs.yaml': 'uses: actions/checkout@v6'}), 'not pinned to a commit, actions/checkout@v6'),
    'two pages of one name': (lambda s: s['pages'].update({'07_tasks.ipynb': s['pages']['00_tasks.ipynb']}), 'becomes tasks.html too'),
    'a sidebar entry without its page': (lambda s: s['sidebar'].append('07_more.ipynb'), 'sidebar: 07_more.ipynb is no page'),
    'a page that the sidebar lacks': (lambda s: s['pages'].update({'more.md': []} | {'more.md': s['pages']['changelog.md']}), 'sidebar: more.md is not listed'),
    'a card that is not there': (lambda s: s['files'].discard('images/card.png'), 'images/card.png is not there'),
    'a function without docstring': (lambda s: s['symbols']['00_tasks.ipynb'].append(('get_task', True, None)), 'get_task has no docstring'),
    'a function on no page': (lambda s: s['symbols']['00_tasks.ipynb'].append(('get_tusk', True, 'Doc')), 'get_tusk is exported and on no page'),
    'a constant on no page': (lambda s: s['symbols']['00_tasks.ipynb'].append(('TUSKS', False, None)), 'TUSKS is exported and on no page'),
    'a tutorial without badge': (replaced('source', TUTORIAL, 'colab-badge', 'badge'), f'{TUTORIAL}: no badge'),
    'a badge for another page': (replaced('source', TUTORIAL, r'your_own_data\.ipynb\)', 'your_data.ipynb)'), f'{TUTORIAL}: no badge'),
    'an installation without guard': (replaced('source', TUTORIAL, '^try: import fpt_nb.*\n', ''), 'no guarded installation'),
    'an error in an output': (lambda s: s['source'][TUTORIAL][2].update(error=True), 'an error is stored'),
    'a path in an output': (lambda s: s['source'][TUTORIAL][2]['text'].append('saved in /home/me/x'), 'a path of one machine'),
    'a link in a signature': (lambda s: s['pages']['00_tasks.ipynb'][2]['md'].append('```python\ndef f(x): # a [`Task`](https://x.y)\n```'), 'a link in a signature'),
    'a badge that becomes a figure': (more('[![Open in Colab](https://x.y/badge.svg)](https://x.y)\n\nText'), 'a badge alone in its paragraph'),
    'a picture in an output without alt text': (lambda s: s['pages']['results/holds.ipynb'][2]['md'].append('<p><img src="data:image/png;base64,x"></p>'), 'image without alt text in <img'),
    'a footer with an old version': (lambda s: s['quarto']['website']['page-footer'].update(left='fpt_nb 0.0.0'), 'the footer has another version'),
    'a theme that is not there': (lambda s: s['files'].discard('dark.scss'), 'dark.scss is not there'),
    'a progress bar in an output': (lambda s: s['source'][TUTORIAL][2]['text'].append(' 43%|████      | 3/7'), 'junk in an output'),
    'a message of transformers in an output': (lambda s: s['source'][TUTORIAL][2]['text'].append('[transformers] loading'), 'junk in an output'),
    'a NumPy scalar in an output': (lambda s: s['source'][TUTORIAL][2]['text'].append('[np.float64(0.5)]'), 'junk in an output'),
    'a live widget': (lambda s: s['source'][TUTORIAL][2].update(mimes={'application/vnd.jupyter.widget-view+json'}), 'a live widget'),
    'a colour of its own': (replaced('source', '03_train.ipynb', r'\*\*line\(init\)', "color='tab:blue'"), 'a colour that is not from the palette'),
    'a callback with all hooks': (lambda s: s['pages']['00_tasks.ipynb'][2]['md'].append('```python\ndef C(after_create:NoneType=None):\n```'), 'a callback with all its hooks'),
    'a docstring of Python': (lambda s: s['pages']['00_tasks.ipynb'][2]['md'].append('Call self as a function.'), 'Call self as a function'),
    'a link in a link': (lambda s: s['pages']['00_tasks.ipynb'][2]['md'].append('[[`Task`](x.html)](y.html)'), 'a link in a link'),
    'stars that Markdown eats': (lambda s: s['pages']['00_tasks.ipynb'][2]['md'].append('```python\ndef f():\n```\n\n4*4*3 = 48'), 'Markdown eats the stars'),
    'a page that was not run': (lambda s: [c.update(text=[], picture=0) for c in s['source'][TUTORIAL]], 'no outputs are stored'),
}

def not_found(site):
    "Names of planted faults that no check sees"
    before = set(problems(site))
    for name,(plant,message) in FAULTS.items():
        s = copy.deepcopy(site); plant(s)
        if not any(message in m for m in set(problems(s))-before): yield name

def rendered():
    "Faults of the HTML that Quarto makes, or nothing where there is no Quarto"
    if not shutil.which('quarto'): return []
    env = os.environ | dict(QUARTO_PYTHON=sys.executable)
    done = subprocess.run(['quarto', 'render', '--no-cache', '--to', 'html'], cwd=ROOT/'_proc', env=env, capture_output=True, text=True)
    if done.returncode: return [f'quarto render: {done.stderr[-800:]}']
    return [*crawl.problems(ROOT/'_proc'/CFG['doc_path'], HOST), *crawl.not_found()]

if __name__=='__main__':
    if '--built' not in sys.argv: build()
    site = load(ROOT/'_proc')
    wrong = problems(site) + [f'a planted fault is not found: {n}' for n in not_found(site)] + rendered()
    print('\n'.join(wrong))
    n = sum(map(len, site['symbols'].values())); pictures = sum(c['picture'] for p in site['pages'].values() for c in p)
    html = f', crawled as HTML with {len(crawl.FAULTS)} more' if shutil.which('quarto') else ', not rendered (no quarto)'
    print(f"{len(site['pages'])} pages, {n} symbols, {pictures} cells with pictures, {len(FAULTS)} planted faults{html}: {len(wrong)} problems")
    sys.exit(bool(wrong))
