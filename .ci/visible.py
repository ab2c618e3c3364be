"""Can a reader copy a tutorial? The code cells that a page shows (not `#| hide`) are put together, and every name that they use has to be
defined or imported in them, before it is used at the top level. `python .ci/visible.py` checks all tutorials, then plants faults and sees
that they are found. `--run` also runs what is shown, each tutorial in a fresh interpreter and an empty folder (minutes)."""
import ast, builtins, json, os, subprocess, symtable, sys, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TUTORIALS = sorted((ROOT/'nbs/tutorials').glob('*.ipynb'))
GIVEN = set(dir(builtins)) | {'__name__', '__file__', 'get_ipython'} # get_ipython installs the package where it is missing

def visible(nb):
    "The code that a notebook shows, as one script"
    cells = [''.join(c['source']) for c in nb['cells'] if c['cell_type']=='code']
    return '\n\n'.join(s for s in cells if '#| hide' not in s.splitlines()[:3])

def bound(node):
    "Names that a top-level statement defines"
    table = symtable.symtable(ast.unparse(node), 'visible', 'exec')
    return {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}

def used(table):
    "Names that this scope and those inside it take from the top level"
    top = table.get_type()=='module'
    for s in table.get_symbols():
        if s.is_referenced() and (top or s.is_global()): yield s.get_name()
    for t in table.get_children(): yield from used(t)

def lacking(script):
    "Messages about names that are used and not there"
    known,tree = set(GIVEN),ast.parse(script)
    everything = known.union(*map(bound, tree.body))
    for node in tree.body:
        for star in (n for n in ast.walk(node) if isinstance(n, ast.ImportFrom) and n.names[0].name=='*'):
            yield f'line {node.lineno}: from {star.module} import *: name what is imported'
        table = symtable.symtable(ast.unparse(node), 'visible', 'exec')
        later = isinstance(node, (ast.FunctionDef, ast.ClassDef)) # what its body uses may be defined further down
        for name in sorted(set(used(table)) - bound(node) - (everything if later else known)): yield f'line {node.lineno}: {name} is not defined'
        known |= bound(node)

def problems(pages):
    "Messages about all these notebooks, by file name"
    return [f'{name}: {m}' for name,nb in pages.items() for m in lacking(visible(nb))]

def run(name, nb):
    "Run what a page shows; the last words of an error, or nothing"
    with tempfile.TemporaryDirectory() as d:
        place = Path(d)/'nbs/tutorials'; place.mkdir(parents=True)
        (Path(d)/'results').symlink_to(ROOT/'results') # what one page would clone
        (place/'page.py').write_text(visible(nb))
        env = os.environ | dict(MPLBACKEND='agg', PYTHONPATH=str(ROOT), FPT_CACHE=f'{d}/cache')
        done = subprocess.run([sys.executable, '-W', 'ignore', 'page.py'], cwd=place, env=env, capture_output=True, text=True)
    return [f'{name}: {done.stderr[-600:]}'] if done.returncode else []

def cell(source): return dict(cell_type='code', source=source)
FAULTS = {
    'a name from a hidden cell': ([cell('#| hide\nhome = 1'), cell('print(home)')], 'home is not defined'),
    'an import that is hidden': ([cell('#| hide\nfrom fastcore.test import *'), cell('test_eq(1, 1)')], 'test_eq is not defined'),
    'a name used in a function': ([cell('def f(): return missing')], 'missing is not defined'),
    'a name used before it is defined': ([cell('print(x)'), cell('x = 1')], 'x is not defined'),
    'a star import': ([cell('from fastcore.test import *')], 'name what is imported'),
}
SOUND = [cell('import math, os.path as p\ntry: import a\nexcept ImportError as e: print(e)'),
         cell('class A:\n    n = 1\n    def f(self): return later(self.n)\nf = lambda x, *a: [x+i+math.pi for i in a]'),
         cell('def later(x):\n    y = x\n    return lambda: (y, __name__, p)\nwith open("x") as g: print(f"{g!r}", A, f, later)\nfor i,(j,k) in {}: print(i, j, k)')]

if __name__=='__main__':
    pages = {f.name: json.loads(f.read_text(encoding='utf8')) for f in TUTORIALS}
    wrong = problems(pages)
    for name,(cells,message) in FAULTS.items():
        if not any(message in m for m in problems({'x': dict(cells=cells)})): wrong.append(f'a planted fault is not found: {name}')
    wrong += [f'sound code is blamed: {m}' for m in problems({'x': dict(cells=SOUND)})]
    if '--run' in sys.argv: wrong += [m for name,nb in pages.items() for m in run(name, nb)]
    print('\n'.join(wrong))
    print(f'{len(pages)} tutorials, {len(FAULTS)} planted faults: {len(wrong)} problems')
    sys.exit(bool(wrong) or not pages)
