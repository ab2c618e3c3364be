"""Make README.md from nbs/index.ipynb. `--check` says whether it is in step; with a file as argument that is written too (.ci/finish.py has nbdev use it)."""
import json, re, sys
from pathlib import Path

def cell_text(cell):
    source = ''.join(cell['source'])
    if cell['cell_type']=='markdown': return source
    directives = set(re.findall(r'^#\|\s*(\S.*)$', source, re.M))
    if 'hide' in directives: return ''
    code = re.sub(r'^#\|.*\n?', '', source, flags=re.M).strip()
    out = [] if 'echo: false' in directives else [f'```python\n{code}\n```']
    for o in cell['outputs']:
        data = o.get('data', {})
        text = data.get('text/markdown') or data.get('text/html') or data.get('text/plain') or o.get('text') or ''
        text = ''.join(text)
        out.append(re.sub(r'<style.*?</style>\s*', '', text, flags=re.S) if {'text/html', 'text/markdown'} & {*data} else f'```\n{text.rstrip()}\n```')
    return '\n\n'.join(out)

root = Path(__file__).parent.parent
text = '\n\n'.join(filter(None, map(cell_text, json.loads((root/'nbs/index.ipynb').read_text(encoding='utf8'))['cells'])))
text = re.sub(r'\]\((images/[^)]+|[\w/]+\.(?:ipynb|md))\)', r'](nbs/\1)', text)
text = re.sub(r'src="(images/)', r'src="nbs/\1', text)
text = re.sub(r'^:::.*\n', '', text, flags=re.M) # boxes of the site
text = '<!-- Made from nbs/index.ipynb by .ci/readme.py: edit that notebook. -->\n\n' + text.strip() + '\n'
if '--check' in sys.argv: sys.exit(text!=(root/'README.md').read_text() and 'README.md is not what nbs/index.ipynb makes: run python .ci/readme.py')
for file in (root/'README.md', *map(Path, sys.argv[1:])): file.write_text(text)
