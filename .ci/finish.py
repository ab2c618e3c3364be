"""What Quarto runs after it has rendered (`post-render` in _quarto.yml): definitions go first into the search, the header marks the part of the
site that a page is in, and README.md is what .ci/readme.py makes. nbdev has Quarto render a README of its own, whose links lead nowhere on GitHub; here it is replaced before nbdev moves it into place."""
import json, os, re, shutil, subprocess, sys, tempfile
from pathlib import Path
from posixpath import dirname, join, normpath

import yaml

ROOT = Path(__file__).resolve().parent.parent

def html_name(page):
    "Where the site has a page: nbdev leaves out the number of a chapter"
    folder,_,name = page.rpartition('/')
    return f'{folder}/'*bool(folder) + re.sub(r'^\d+_', '', name).removesuffix('.ipynb').removesuffix('.md') + '.html'

def definitions(api):
    """Entries for the search: one for each name on nbs/api.md. Quarto's search groups what it finds by the address before '#', and puts the page above its
    sections. With its name in the address each definition is a group of its own, and stands where its score puts it"""
    module = ''
    for line in api.splitlines():
        if line.startswith('## '): module = line[3:]
        m = re.match(r'\| \[`([^`]+)`\]\(([^)#]+)(#[^)]*)?\) \| (.*) \|$', line)
        if not m: continue
        href = f'{html_name(m[2])}?name={m[1]}{m[3] or ""}'
        text = re.sub(r'\\(.)', r'\1', m[4]).replace('`', '') # shown as it is
        yield dict(objectID=f'definition-{module}.{m[1]}', href=href, title=m[1], section='', text=f'{module}: {text}', crumbs=['API', module])

def index_search(file):
    "Put the definitions before everything else; doing it twice changes nothing"
    entries = [e for e in json.loads(file.read_text(encoding='utf8')) if not e['objectID'].startswith('definition-')]
    names = list(definitions((ROOT/'nbs/api.md').read_text(encoding='utf8')))
    file.write_text(json.dumps(names+entries, ensure_ascii=False), encoding='utf8')
    return len(names)

def sections(folder=ROOT/'nbs'):
    "{entry of the header: its pages}, from the sidebar, which nbdev renames while Quarto makes its README; all of the reference is under API"
    out,file = {},next(f for f in (folder/'sidebar.yml', folder/'sidebar.yml.bak') if f.exists())
    for s in yaml.safe_load(file.read_text(encoding='utf8'))['website']['sidebar']['contents']:
        part = 'API' if s['section'].startswith('Reference') else s['section']
        out.setdefault(part, []).extend(html_name(e['href'] if isinstance(e, dict) else e) for e in s['contents'])
    return out

def marked(html, page, parts):
    "A page whose header marks its own part of the site; Quarto marks the first entry on every page"
    def one(m):
        href,rest,name = m.groups()
        active = ' active'*(page in parts.get(name.strip(), ()))
        current = ' aria-current="page"'*(normpath(join(dirname(page), href))==page)
        return f'<a class="nav-link{active}" href="{href}"{current}>{rest}{name}</span>'
    return re.sub(r'<a class="nav-link(?: active)?" href="([^"#]+)"(?: aria-current="page")?>(\s*<span class="menu-text">)([^<]*)</span>', one, html)

def without_cdn(html):
    "A page without the scripts that Quarto has every notebook's page load from elsewhere for widgets, of which there are none"
    return re.sub(r'<script src="https://cdnjs[^"]*/(?:jquery|require)\.min\.js"[^>]*></script>|<script[^>]*>define\(.jquery.[^<]*</script>', '', html)

CELL,ROW = (re.compile(rf'(<{t}[^>]*>)(.*?)(</{t}>)', re.S) for t in ('t[hd]', 'tr'))
# also with its error and its seeds: 99.5 ± 0.0 (4); or in the place of one
NUMBER = re.compile(r'([-+\u2212]?(\d[\d,]*(\.\d+)?|\.\d+)(e[-+]\d+)?[%×]?( ± [\d.]+)?( \(\d+\))?[†*]*|not solved|NaN|nan)')

def one_head(table):
    "A table of pandas whose names of rows stand in the last row of its head, and not in a row of their own that is empty but for them"
    head = re.search(r'<thead>.*?</thead>', table, re.S)
    rows = list(ROW.finditer(head[0])) if head else []
    if len(rows)<2: return table
    above,names = ([list(c) for c in CELL.findall(r[2])] for r in rows[-2:])
    n = sum(bool(c[1].strip()) for c in names)
    if not 0<n<len(names)==len(above) or any(c[1].strip() for c in above[:n]+names[n:]): return table
    above[:n] = names[:n]
    merged = rows[-2][1] + '\n' + '\n'.join(map(''.join, above)) + '\n' + rows[-2][3]
    return table.replace(head[0], head[0][:rows[-2].start()] + merged + head[0][rows[-1].end():])

def right_numbers(table):
    "A table whose columns of numbers are flush right, under names that are, too"
    if '<tbody>' not in table: return table
    head,body = table.split('<tbody>')
    columns = zip(*(CELL.findall(r[1])[::-1] for r in ROW.findall(body))) # from the right: a name may stand for several rows
    flush = {-1-i for i,c in enumerate(columns) if 'cell-role="th"' not in c[0][0] and any(t for _,t,_ in c)
             and all(NUMBER.fullmatch(t.replace('&nbsp;', ' ').replace('\xa0', ' ').strip() or 'nan') for _,t,_ in c)}
    last = ROW.findall(head)[-1][1]
    theirs = {i-len(CELL.findall(last)) for i,c in enumerate(CELL.findall(last)) if 'paper' in c[1]}
    spans = next(([int((re.findall(r'colspan="(\d+)"', c[0]) or [1])[0]) for c in CELL.findall(r[1])] for r in ROW.findall(head) if 'colspan' in r[1]), [])
    ends = {-sum(spans[i:]) - 1 for i in range(2, len(spans))} # the last column of each group but the last
    def one(row):
        if 'colspan' in row[2]: return row[0]
        at = iter(range(-len(CELL.findall(row[2])), 0))
        def cell(c):
            i = next(at)
            more = ' class="of-paper"'*(i in theirs & flush or i in ends) + ' style="text-align: right"'*(i in flush)
            return c[1][:-1] + more + '>' + c[2] + c[3]
        return row[1] + CELL.sub(cell, row[2]) + row[3]
    return ROW.sub(one, head) + '<tbody>' + ROW.sub(one, body)

def tables(html):
    "A page whose tables of pandas have one head, and numbers flush right; doing it twice changes nothing"
    return re.sub(r'<table[^>]*>(?:(?!</table>).)*data-quarto-table-cell-role(?:(?!</table>).)*</table>', lambda m: right_numbers(one_head(m[0])) if 'text-align: right' not in m[0] else m[0],
                  html, flags=re.S)

def printed(html):
    "A page whose printed tables have a class of their own, for their lines must not wrap, as those of sentences do; doing it twice changes nothing"
    def one(m):
        columns = len(re.findall(r'\S {2,}\S.*$', m[2], re.M))
        return m[1] + ('<pre class="columns">' if columns>1 and 2*columns>m[2].count('\n') else '<pre>') + m[2]
    return re.sub(r'(<div class="cell-output cell-output-stdout"[^>]*>\s*)<pre>(.*?</pre>)', one, html, flags=re.S)

def mark_all(out):
    "Mark the header and the printed tables of all pages, and put their tables in order; doing it twice changes nothing"
    parts = sections()
    for f in sorted(f for f in out.rglob('*.html') if 'site_libs' not in f.parts):
        html = f.read_text(encoding='utf8')
        new = tables(printed(without_cdn(marked(html, f.relative_to(out).as_posix(), parts))))
        if new!=html: f.write_text(new, encoding='utf8')

CDN = ('<script src="https://cdnjs.cloudflare.com/ajax/libs/jquery/3.5.1/jquery.min.js" integrity="sha" crossorigin="anonymous"></script>'
       '<script type="application/javascript">define(\'jquery\', [],function() {return window.jQuery;})</script>')
ENTRY = '<a class="nav-link{}" href="../{}.html"{}>\n <span class="menu-text">{}</span></a>'
TD,TH = '<td{}>{}</td>','<th data-quarto-table-cell-role="th"{}>{}</th>'
def small_table(head, right): # as Quarto writes one of pandas, or as it is to be
    name = ' rowspan="2" data-quarto-table-cell-role="th"'
    rows = '\n'.join(f'<tr class="odd">\n{TD.format(name, "a")*(i==0)}{TD.format("", "b c")}{TD.format(right, v)}\n</tr>' for i,v in enumerate(('1,200&nbsp;±&nbsp;30.5 (3)†', '−3.5')))
    return f'<table class="dataframe">\n<thead>\n{head}\n</thead>\n<tbody>\n{rows}\n</tbody>\n</table>'
STDOUT = '<div class="cell-output cell-output-stdout">\n<pre{}><code>{}</code></pre>\n</div>'
GROUPS = ('<thead>\n<tr>{0}<th data-quarto-table-cell-role="th" colspan="2">b</th><th data-quarto-table-cell-role="th" colspan="2">c</th></tr>\n'
          '<tr>{0}{4}{1}{4}{0}</tr>\n</thead>\n<tbody><tr>{0}<td{3}>.5</td><td{2}>1 to 2</td><td{3}>not&nbsp;solved</td><td>3 to 4</td></tr></tbody>')
PRINTED = 'task      steps\nbit_xor   300', 'two  spaces\nin words\nalone'
def tried():
    """What nbdev_docs and nbdev_prepare do, with a Quarto that makes a README of its own and then runs this script: afterwards README is ours. And the
    definitions stand first in the search, however often it is made"""
    readme = (ROOT/'README.md').read_text(encoding='utf8')
    with tempfile.TemporaryDirectory() as d:
        out = Path(d)/'_docs'; out.mkdir()
        (out/'README.md').write_text('[Tasks](tasks.html)')
        (out/'search.json').write_text(json.dumps([dict(objectID='index.html', href='index.html', title='fpt_nb', section='', text='get_task')]))
        (out/'results').mkdir()
        start,results = ('index', 'Start'),('results/index', 'Results')
        words,right = ('task', 'model', 'steps (paper)'),' class="of-paper" style="text-align: right"'
        heads = [''.join(TH.format(r, w) for w,r in zip(o, ('', '', r))) for o,r in ((('', '', words[2]), ''), ((*words[:2], ''), ''), (words, right))]
        two = f'<tr class="header">\n{heads[0]}\n</tr>\n<tr class="even">\n{heads[1]}\n</tr>'
        (out/'results/table.html').write_text(small_table(two, ''))
        (out/'printed.html').write_text(''.join(STDOUT.format('', t) for t in PRINTED))
        (out/'results/holds.html').write_text(CDN + ENTRY.format(' active', start[0], ' aria-current="page"', start[1]) + ENTRY.format('', results[0], '', results[1]))
        for _ in range(2): subprocess.run([sys.executable, __file__], env=os.environ | dict(QUARTO_PROJECT_OUTPUT_DIR=str(out)), check=True, capture_output=True)
        shutil.copy(ROOT/'nbs/sidebar.yml', Path(d)/'sidebar.yml.bak') # as nbdev renames it
        assert sections(Path(d))==sections(), 'the sidebar is not found while nbdev has Quarto make its README'
        moved = shutil.move(out/'README.md', Path(d)/'README.md') # as nbdev does
        assert moved.read_text(encoding='utf8')==readme==(ROOT/'README.md').read_text(encoding='utf8'), 'README.md is not what .ci/readme.py makes'
        entries = json.loads((out/'search.json').read_text(encoding='utf8'))
        marks = (out/'printed.html').read_text(encoding='utf8')
        header = (out/'results/holds.html').read_text(encoding='utf8')
        table = re.sub(r'\s*\n\s*', '', (out/'results/table.html').read_text(encoding='utf8'))
    assert marks==''.join(STDOUT.format(c, t) for c,t in zip((' class="columns"', ''), PRINTED)), f'a printed table is not marked, or a sentence is: {marks}'
    wanted = re.sub(r'\s*\n\s*', '', small_table(f'<tr class="header">{heads[2]}</tr>', right))
    grouped = lambda *more: GROUPS.format(TH.format('', 'a'), *more)
    right = ' style="text-align: right"'
    made = right_numbers(grouped(TH.format('', 'a'), '', '', TH.format('', 'a')))
    assert made==grouped(TH.format(' class="of-paper"', 'a'), ' class="of-paper"', right, TH.format(right, 'a')), f'a group of columns has no room behind it, or its numbers are not flush right: {made}'
    assert table==wanted, f'a table has not one head and numbers flush right: {table}, expected {wanted}'
    assert header==ENTRY.format('', start[0], '', start[1]) + ENTRY.format(' active', results[0], '', results[1]), f'the header marks the wrong part of the site: {header}'
    names = [e['title'] for e in entries]
    assert names.count('get_task')==1 and names.index('get_task') < names.index('fpt_nb')==len(names)-1, 'definitions are not first in the search'
    assert next(e for e in entries if e['title']=='get_task')['href']=='data/registry.html?name=get_task#get_task'
    groups = {(e['title'], e['href'].split('#')[0]) for e in entries}
    assert len({g for _,g in groups})==len(groups), 'two names share a group of the search'
    config = (ROOT/'_quarto.yml').read_text()
    assert 'post-render: ../.ci/finish.py' in config, '_quarto.yml does not name this script'
    print(f'README.md is right after Quarto, {len(names)-1} definitions come first in the search, the header marks the part of the site, tables have one head')

if __name__=='__main__':
    if '--try' in sys.argv: sys.exit(tried())
    out = Path(os.environ.get('QUARTO_PROJECT_OUTPUT_DIR') or sys.argv[1]).resolve()
    mark_all(out)
    if (out/'search.json').exists(): print(index_search(out/'search.json'), 'definitions in the search')
    subprocess.run([sys.executable, str(ROOT/'.ci/readme.py'), *[str(out/'README.md')]*(out/'README.md').exists()], check=True)
