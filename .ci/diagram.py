"""Draw nbs/images/fpt.svg: what goes into a frozen pretrained transformer, what is frozen, what is trained, what comes out.
`python .ci/diagram.py` writes it, `--check` says whether the file is what this script draws. All text stands on filled boxes,
so that it can be read on a light page and on a dark one."""
import sys
from html import escape
from pathlib import Path

TRAINED,FROZEN,DATA,INK,LINE = '#f6c98f','#bcd3ea','#e4e4e4','#1a1a1a','#808080'
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

if __name__=='__main__':
    file = Path(__file__).resolve().parent.parent/'nbs/images/fpt.svg'
    if '--check' in sys.argv: sys.exit(file.read_text()!=draw() and f'{file.name} is not what .ci/diagram.py draws: run it')
    file.write_text(draw())
