"""Does every public function and class say what it does and what it takes? `python .ci/docs.py [module ...]`, exits with 1 beyond the limits.

A name is public if its module lists it in `__all__`. It needs a docstring; each of its parameters needs a type and a comment (a docment), and
each field of a dataclass a comment; so does a method that is patched into a class. For a method inside a class a docstring or a
comment will do. Docstrings with bare asterisks or underscores are found too: Markdown would eat them."""
import ast, re, sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMITS = {'docstring': 0, 'type': 0, 'comment': 0, 'markdown': 0}
# fastai, PyTorch and transformers define these, call them, and document them
HOOKS = re.compile(r'(before|after)_\w+|forward|decodes|activation|reset|accumulate|value|n_inp|[gs]et_input_embeddings'
                   r'|create_batches|decode_batch|show_batch|show_results|new')

def exported(tree):
    "The names in `__all__` of a module"
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], 'id', None)=='__all__': return set(ast.literal_eval(node.value))
    return set()

def parameters(f, method=False):
    "The parameters of a function, without self and cls"
    a = f.args
    out = [*a.posonlyargs, *a.args][method:]
    return out + [o for o in (a.vararg,) if o] + a.kwonlyargs + [o for o in (a.kwarg,) if o]

def eaten(doc):
    "The part of a docstring that Markdown would take for emphasis, or nothing"
    text = re.sub(r'`[^`]*`', '', doc)
    found = re.search(r'\S*\*\S[^*\n]*\*\S*|(?<!\w)_\w[^_\n]*_(?!\w)|(?<![\w`])__\w+__', text)
    return found and found[0]

def commented(node, lines, first=0):
    "Whether a comment ends the line of a parameter or a field, or stands above it, after line `first` of its function"
    above = lines[node.lineno-2].strip() if node.lineno-1>first else ''
    return bool(re.search(r'#\s*\S', lines[node.end_lineno-1][node.end_col_offset:])) or above.startswith('#')

def named(node):
    "The last name of a decorator, a base class or an annotation"
    node = getattr(node, 'func', node)
    return getattr(node, 'id', getattr(node, 'attr', ''))

def of_parameters(f, lines, method=False):
    "Faults of a function's parameters"
    found = parameters(f, method)
    for p,after in zip(found, [*found[1:], None]):
        if p.annotation is None: yield 'type', p.arg
        alone = after is None or after.lineno>p.end_lineno # a comment belongs to the last parameter of its line
        if not (alone and commented(p, lines, f.lineno)): yield 'comment', p.arg

def of_function(f, lines, method=False):
    "Faults of a function or a method"
    doc = ast.get_docstring(f)
    if not doc: yield 'docstring', ''
    elif eaten(doc): yield 'markdown', eaten(doc)
    yield from of_parameters(f, lines, method)

def fields(c):
    "The public fields of a dataclass"
    if 'dataclass' not in map(named, c.decorator_list): return []
    return [n for n in c.body if isinstance(n, ast.AnnAssign) and not n.target.id.startswith('_')]

def inherited(c, classes):
    "Names of the methods that the bases of a class have, as far as they are in the package"
    found = set()
    for b in filter(None, (classes.get(named(b)) for b in c.bases)):
        found |= {n.name for n in b.body if isinstance(n, ast.FunctionDef)} | inherited(b, classes)
    return found

def of_class(c, lines, classes):
    "Faults of a class: its fields, its constructor, and its public methods that no base class has"
    doc = ast.get_docstring(c)
    if not doc: yield 'docstring', ''
    elif eaten(doc): yield 'markdown', eaten(doc)
    for n in fields(c):
        if not commented(n, lines): yield 'comment', n.target.id
    above = inherited(c, classes)
    for n in c.body:
        if not isinstance(n, ast.FunctionDef): continue
        if n.name=='__init__': yield from of_parameters(n, lines, True)
        elif not (n.name.startswith('_') or HOOKS.fullmatch(n.name) or n.name in above or ast.get_docstring(n)):
            if not any('# ' in l for l in lines[n.lineno-1:n.body[0].lineno]): yield 'docstring', n.name

def patched(f):
    "The class that a function is patched into, or nothing"
    if not isinstance(f, ast.FunctionDef) or 'patch' not in map(named, f.decorator_list): return None
    return named(f.args.args[0].annotation)

def faults(source, classes):
    "(kind, line, name, what) of the source of one module"
    tree,lines = ast.parse(source),source.splitlines()
    public = exported(tree)
    for n in tree.body:
        if not isinstance(n, (ast.FunctionDef, ast.ClassDef)) or n.name.startswith('_'): continue
        owner = patched(n)
        if owner and not HOOKS.fullmatch(n.name): found,name = of_function(n, lines, True),f'{owner}.{n.name}'
        elif n.name not in public: continue
        else: found,name = of_function(n, lines) if isinstance(n, ast.FunctionDef) else of_class(n, lines, classes),n.name
        for kind,what in found: yield kind, n.lineno, name, what

PLANTED = '''
__all__ = ['f', 'C', 'D']
def f(a, # said
      b:int, c:int=1, # said of the last one only
     ):
    "The product 2*3*4"
class C:
    "Said"
    def __init__(self, a:int): pass
    def plain(self): return 1
@dataclass
class D:
    a:int # said
    b:int=0
@patch
def g(self:C): return self
def private(x): return x
'''
FOUND = ['type a', 'comment b', 'markdown 2*3*4', 'comment a', 'docstring plain', 'docstring ', 'comment b', 'docstring ']

if __name__=='__main__':
    found = [f'{kind} {what}' for kind,_,_,what in faults(PLANTED, {})]
    assert sorted(found)==sorted(FOUND), f'planted faults: found {found}'
    modules = [Path(a).resolve() for a in sys.argv[1:]] or sorted((ROOT/'fpt_nb').rglob('*.py'))
    sources = {m: m.read_text(encoding='utf8') for m in (ROOT/'fpt_nb').rglob('*.py')}
    classes = {n.name: n for s in sources.values() for n in ast.parse(s).body if isinstance(n, ast.ClassDef)}
    counts = dict.fromkeys(LIMITS, 0)
    for m in modules:
        for kind,line,name,what in faults(sources[m], classes):
            counts[kind] += 1
            print(f'{m.relative_to(ROOT)}:{line} {name}: {kind} {what}')
    print(', '.join(f'{k} {v}' for k,v in counts.items()))
    over = [f'{k}: {v}, at most {LIMITS[k]}' for k,v in counts.items() if v>LIMITS[k]]
    if over: sys.exit('too many: ' + '; '.join(over))
