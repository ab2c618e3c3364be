"""Draw nbs/images/fpt.svg, what goes into a frozen pretrained transformer, what is frozen, what is trained, what comes out; and from the same
colours the logo, a frozen block between two trained layers. `python .ci/diagram.py` writes them, `--check` says whether the files are what this
script draws. All text stands on filled boxes, so that it can be read on a light page and on a dark one."""
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from fpt_nb.palette import DATA, FROZEN, INK, LINE, TRAINED
WIDTH = 480
out = []

def box(x, y, w, h, fill, *lines, dashed=False):
    "A box with one line of text, or a bold one above a plain one"
    dash = ' stroke-dasharray="5 4"' if dashed else ''
    out.append(f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="6" fill="{fill}" stroke="{LINE}"{dash}/>')
    for i,line in enumerate(lines):
        bold = ' font-weight="600"' if i==0 else ''
        at = y + h/2 + 5 + (i-(len(lines)-1)/2)*17
        out.append(f'<text x="{x+w/2}" y="{at:g}"{bold}>{escape(line)}</text>')

def arrow(y, to): out.append(f'<path d="M{WIDTH/2} {y}V{to-2}" marker-end="url(#head)"/>')

def draw():
    "The whole picture, from what goes in to what comes out"
    out.clear()
    box(90, 8, 300, 44, DATA, 'a sequence of vectors', 'bits, pixels, amino acids, your data')
    arrow(52, 70)
    box(90, 70, 300, 32, TRAINED, 'linear input layer')
    arrow(102, 120)
    box(90, 120, 300, 32, TRAINED, '+ position embeddings')
    arrow(152, 174)
    box(30, 174, 420, 176, 'none', dashed=True)
    box(70, 186, 340, 24, DATA, 'each block of the backbone (GPT-2: 12)')
    for y,name in ((218, 'self-attention'), (288, 'feed-forward layers')):
        box(90, y, 300, 24, TRAINED, 'layer norm')
        box(90, y+24, 300, 32, FROZEN, name)
    arrow(274, 288)
    arrow(350, 370)
    box(90, 370, 300, 32, TRAINED, 'layer norm, linear output layer')
    arrow(402, 420)
    box(90, 420, 300, 44, DATA, 'logits', 'for the sequence, or for each token')
    box(90, 482, 140, 28, TRAINED, 'trained')
    box(250, 482, 140, 28, FROZEN, 'frozen')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} 518" width="{WIDTH}" height="518" role="img" '
            'aria-labelledby="t"><title id="t">A frozen pretrained transformer</title>\n'
            f'<defs><marker id="head" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            f'<path d="M0 0L8 4L0 8z" fill="{LINE}" stroke="none"/></marker></defs>\n'
            f'<g font-family="system-ui, sans-serif" font-size="14" text-anchor="middle" fill="{INK}" stroke="none">\n'
            + '\n'.join(o.replace('<path', f'<path fill="none" stroke="{LINE}" stroke-width="2"') for o in out) + '\n</g>\n</svg>\n')

def logo():
    "A frozen block between two trained layers, in colours that stand on a light ground and on a dark one"
    bars = ((4, 6, TRAINED), (12, 11, FROZEN), (25, 6, TRAINED))
    rects = ''.join(f'<rect x="5" y="{y-2}" width="22" height="{h}" rx="1.5" fill="{fill}" stroke="{LINE}"/>' for y,h,fill in bars)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="32" height="32" role="img"><title>fpt_nb</title>{rects}</svg>\n'

if __name__=='__main__':
    drawn = {ROOT/'nbs/images/fpt.svg': draw(), ROOT/'nbs/images/logo.svg': logo(), ROOT/'nbs/favicon.svg': logo()}
    if '--check' in sys.argv:
        stale = [f.name for f,text in drawn.items() if not f.exists() or f.read_text()!=text]
        sys.exit(f'{stale} are not what .ci/diagram.py draws: run it' if stale else 0)
    for f,text in drawn.items(): f.write_text(text)
