"""Write nbs/api.md: every public name, what it does in one line, and a link to its documentation. `python .ci/api.py` writes it, `--check` says
whether the file is what this script writes. `.ci/finish.py` puts the same names first in the site's search."""
import ast, importlib, inspect, json, re, sys
from configparser import ConfigParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CFG = ConfigParser(delimiters=['='], interpolation=None); CFG.read(ROOT/'settings.ini'); CFG = CFG['DEFAULT']
HEAD = """---
title: API
description: Every public name in one line, with a link to its documentation
---

A name leads to its signature, its parameters and its source. What most users need comes with `from fpt_nb.all import *`
([the front door](engine/front_door.ipynb)). Constants lead to the page that explains them. The search of this site knows all of these names.
"""

def default_exp(cells): # the module that a notebook exports to
    found = re.search(r'^#\|\s*default_exp\s+(\S+)', '\n'.join(c['source'] for c in cells), re.M)
    return found and found[1]

def symbols(source):
    "{page: [(name, whether it is a function or a class, its docstring)]} of all that is exported; `source` has the cells of each page"
    out = {}
    for page,cells in source.items():
        if not (exp := default_exp(cells)): continue
        mod = importlib.import_module(f"{CFG['lib_name']}.{exp}")
        own = defined(c['source'] for c in cells if re.search(r'^#\|\s*export', c['source'], re.M)) # what is passed on has a page of its own
        found = [(n, inspect.isroutine(o) or inspect.isclass(o), own_doc(o)) for n in mod.__all__ if n in own for o in [getattr(mod, n)]]
        for c in cells: # methods that are patched onto a class
            if not re.search(r'^#\|\s*export', c['source'], re.M): continue
            for f in ast.parse(c['source']).body:
                if isinstance(f, ast.FunctionDef) and any(re.match(r'patch\b', ast.unparse(d)) for d in f.decorator_list) and not re.match(r'_|(before|after)_', f.name):
                    owner = ast.unparse(f.args.args[0].annotation)
                    if not owner.startswith('_'): found.append((f'{owner}.{f.name}', True, ast.get_docstring(f)))
        out[page] = found
    return out

def defined(sources):
    "Names that these pieces of code define at their top level"
    nodes = [n for s in sources for n in ast.parse(s).body]
    return ({n.name for n in nodes if hasattr(n, 'name')} |
            {o.id for n in nodes if isinstance(n, (ast.Assign, ast.AnnAssign)) for o in ast.walk(n) if isinstance(o, ast.Name) and isinstance(o.ctx, ast.Store)})

def own_doc(o):
    d = o.__dict__.get('__doc__') if inspect.isclass(o) else getattr(o, '__doc__', None)
    return None if inspect.isclass(o) and d and d.startswith(o.__name__+'(') else d # what a dataclass writes by itself

def remark(source, name): # beside a constant
    m = re.search(rf'^{name}\s*=[^\n]*?[ \t]#[ \t]*(.+)$|^#[ \t]*([^|\n].*)\n{name}\s*=', source, re.M)
    return m and (m[1] or m[2]).strip()

def preview(value, most=70):
    "What a constant without a remark holds: a short value as it is, else its kind and the first of its entries"
    plain = lambda o: isinstance(o, (str, int, float)) or isinstance(o, (tuple, list)) and all(map(plain, o))
    code = lambda o: f"`{o!r}`".replace('\n', ' ')
    if plain(value) and len(repr(value))<=most and '`' not in repr(value): return code(value)
    kind = 'pattern' if isinstance(value, re.Pattern) else type(value).__name__
    if not isinstance(value, (dict, tuple, list)): return f'a {kind}'
    shown,rest = [],len(value)
    for o in value:
        if not plain(o) or len(', '.join([*shown, code(o)]))>most: break
        shown.append(code(o)); rest -= 1
    return f'a {kind} of {len(value)}' + ': '*bool(shown) + ', '.join(shown) + ' …'*bool(shown and rest)

def documented(cells):
    "{function or class: its docstring} as a page writes it; a decorator may add to what Python knows"
    nodes = [n for c in cells if re.search(r'^#\|\s*export', c['source'], re.M) for n in ast.parse(c['source']).body]
    return {n.name: ast.get_docstring(n) for n in reversed(nodes) if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(n)}

def one_line(text): # fit for a cell of a table
    text = re.sub(r'\s+', ' ', (text or '').strip())
    first = re.match(r'(.{20,}?[.;:])\s', text)
    text = (first[1].rstrip(';:') if first and len(text)>160 else text).removesuffix('.')
    parts = re.split(r'(`[^`]+`)', text) # code stays as it is, but for what would end the cell
    return ''.join(p.replace('|', r'\|') if i%2 else re.sub(r'([*^~$@<|_\[\]])', r'\\\1', p) for i,p in enumerate(parts))

def entries(contents):
    "Every page of the sidebar, in order"
    for e in contents:
        if isinstance(e, str): yield e
        else:
            if 'href' in e: yield e['href']
            yield from entries(e.get('contents', []))

def sections():
    "(module, page, [(name, anchor, line)]) in the order of the sidebar"
    import yaml
    listed = entries(yaml.safe_load((ROOT/'nbs/sidebar.yml').read_text())['website']['sidebar']['contents'])
    cells = {p: [dict(source=''.join(c['source'])) for c in json.loads((ROOT/'nbs'/p).read_text(encoding='utf8'))['cells'] if c['cell_type']=='code'] for p in listed if p.endswith('.ipynb')}
    for page,found in symbols(cells).items():
        source = '\n'.join(c['source'] for c in cells[page])
        module = f"{CFG['lib_name']}.{default_exp(cells[page])}"
        mod,docs = importlib.import_module(module),documented(cells[page])
        said = lambda n, doc: (docs[n] if (doc or '').startswith('---') else re.split(r'\s+Parameters\s+-{3,}', doc or '')[0]) # a type's dispatch has a table for its docstring
        held = lambda n: remark(source, n) or preview(getattr(mod, n))
        rows = [(n, '#'+n.lower() if is_callable else '', one_line(said(n, doc) if is_callable else held(n))) for n,is_callable,doc in found]
        if rows: yield module, page, rows

def draw():
    "The whole page"
    out = [HEAD]
    for module,page,rows in sections():
        table = '\n'.join(f'| [`{n}`]({page}{anchor}) | {line} |' for n,anchor,line in rows)
        out.append(f'## {module}\n\n| name | what it is |\n|:-----|:-----------|\n{table}\n')
    return '\n'.join(out)

if __name__=='__main__':
    file = ROOT/'nbs/api.md'
    text = draw()
    if '--check' in sys.argv: sys.exit('nbs/api.md is not what .ci/api.py writes: run it' if not file.exists() or file.read_text()!=text else 0)
    file.write_text(text)
    print(text.count('\n| ['), 'names')
