"""What Quarto runs after it has rendered (`post-render` in _quarto.yml): definitions go first into the search, and README.md is what .ci/readme.py
makes. nbdev has Quarto render a README of its own, whose links lead nowhere on GitHub; here it is replaced before nbdev moves it into place."""
import json, os, re, shutil, subprocess, sys, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

def html_name(page):
    "Where the site has a page: nbdev leaves out the number of a chapter"
    folder,_,name = page.rpartition('/')
    return f'{folder}/'*bool(folder) + re.sub(r'^\d+_', '', name).removesuffix('.ipynb').removesuffix('.md') + '.html'

def definitions(api):
    "Entries for the search: one for each name on nbs/api.md"
    module = ''
    for line in api.splitlines():
        if line.startswith('## '): module = line[3:]
        m = re.match(r'\| \[`([^`]+)`\]\(([^)#]+)(#[^)]*)?\) \| (.*) \|$', line)
        if not m: continue
        href = html_name(m[2]) + (m[3] or '')
        text = re.sub(r'\\(.)', r'\1', m[4])
        yield dict(objectID=f'definition-{module}.{m[1]}', href=href, title=m[1], section='', text=f'{module}: {text}', crumbs=['API', module])

def index_search(file):
    "Put the definitions before everything else; doing it twice changes nothing"
    entries = [e for e in json.loads(file.read_text(encoding='utf8')) if not e['objectID'].startswith('definition-')]
    names = list(definitions((ROOT/'nbs/api.md').read_text(encoding='utf8')))
    file.write_text(json.dumps(names+entries, ensure_ascii=False), encoding='utf8')
    return len(names)

def tried():
    """What nbdev_docs and nbdev_prepare do, with a Quarto that makes a README of its own and then runs this script: afterwards README is ours. And the
    definitions stand first in the search, however often it is made"""
    readme = (ROOT/'README.md').read_text(encoding='utf8')
    with tempfile.TemporaryDirectory() as d:
        out = Path(d)/'_docs'; out.mkdir()
        (out/'README.md').write_text('[Tasks](tasks.html)')
        (out/'search.json').write_text(json.dumps([dict(objectID='index.html', href='index.html', title='fpt_nb', section='', text='get_task')]))
        for _ in range(2): subprocess.run([sys.executable, __file__], env=os.environ | dict(QUARTO_PROJECT_OUTPUT_DIR=str(out)), check=True, capture_output=True)
        moved = shutil.move(out/'README.md', Path(d)/'README.md') # as nbdev does
        assert moved.read_text(encoding='utf8')==readme==(ROOT/'README.md').read_text(encoding='utf8'), 'README.md is not what .ci/readme.py makes'
        entries = json.loads((out/'search.json').read_text(encoding='utf8'))
    names = [e['title'] for e in entries]
    assert names.count('get_task')==1 and names.index('get_task') < names.index('fpt_nb')==len(names)-1, 'definitions are not first in the search'
    assert next(e for e in entries if e['title']=='get_task')['href']=='data/registry.html#get_task'
    config = (ROOT/'_quarto.yml').read_text()
    assert 'post-render: ../.ci/finish.py' in config, '_quarto.yml does not name this script'
    print(f'README.md is right after Quarto, {len(names)-1} definitions come first in the search')

if __name__=='__main__':
    if '--try' in sys.argv: sys.exit(tried())
    out = Path(os.environ.get('QUARTO_PROJECT_OUTPUT_DIR') or sys.argv[1]).resolve()
    if (out/'search.json').exists(): print(index_search(out/'search.json'), 'definitions in the search')
    subprocess.run([sys.executable, str(ROOT/'.ci/readme.py'), *[str(out/'README.md')]*(out/'README.md').exists()], check=True)
