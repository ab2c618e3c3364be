"Make README.md from nbs/index.ipynb (what nbdev_readme does, without Quarto)."
import re, sys
from pathlib import Path

from execnb.nbio import read_nb

def cell_text(cell):
    if cell.cell_type=='markdown': return ''.join(cell.source)
    directives = set(re.findall(r'^#\|\s*(\S.*)$', cell.source, re.M))
    if 'hide' in directives: return ''
    code = re.sub(r'^#\|.*\n?', '', cell.source, flags=re.M).strip()
    out = [] if 'echo: false' in directives else [f'```python\n{code}\n```']
    for o in cell.outputs:
        data = o.get('data', {})
        text = data.get('text/html') or data.get('text/plain') or o.get('text') or ''
        text = ''.join(text)
        out.append(re.sub(r'<style.*?</style>\s*', '', text, flags=re.S) if 'text/html' in data else f'```\n{text.rstrip()}\n```')
    return '\n\n'.join(out)

root = Path(__file__).parent.parent
text = '\n\n'.join(filter(None, map(cell_text, read_nb(root/'nbs/index.ipynb').cells)))
text = re.sub(r'\]\((images/[^)]+|[\w/]+\.ipynb)\)', r'](nbs/\1)', text)
text = '<!-- Made from nbs/index.ipynb by .ci/readme.py: edit that notebook. -->\n\n' + text.strip() + '\n'
if '--check' in sys.argv: sys.exit(text!=(root/'README.md').read_text() and 'README.md is not what nbs/index.ipynb makes: run python .ci/readme.py')
(root/'README.md').write_text(text)
