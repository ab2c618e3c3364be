"""Are the sections of the paper that pages name the right ones? The sections of its tables are in fpt_nb/paper_tables.csv; what each section is
about stands here in a few words, and has to fit what that table says of its tables. A page that names a section has to speak of what it is about,
in the same paragraph, docstring or comment. `python .ci/sections.py` checks all pages, then names other sections and sees that it is found."""
import csv, json, re, sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ABOUT = { # words, of which at least one has to occur
    '2.1': 'task|bits|pixel|digits?|tokens|acid|expression|photograph|homology|cifar|mnist|listops', '2.2': 'linear|layers?|logits|architecture|model|parameters',
    '3.1': 'full|trained whole|compete|match|main|lstm|fpt', '3.2': 'pretrain|random|bit|vit|vision|images?|network|token table|word table|mnist|linear|initialis',
    '3.3': 'lstm|architecture', '3.4': 'converge|steps|level|arriv|sooner', '3.5': 'attention|attend', '3.6': 'generalis|overfit|memoris|training and test|training, validation|difference|gap',
    '3.7': 'size|larger|medium|scale|blocks', '3.8': 'statistic|standard deviation|mean and|initialis|token table|word table', '3.9': 'output|reservoir|linear|frozen part',
    '3.10': 'depth|blocks|layers?', '3.11': 'feed-?forward|attention|more param|trained as well', '3.12': 'group|ladder|orthogonal|input|layer ?norm|gain|ablat',
    '3.13': 'layer ?norm|finetuned', '3.14': 'bert|t5|longformer|language models'}
NAMED = re.compile(r'\bsections?\s+((?:\d\.\d+)(?:(?:,| and|, and)\s+\d\.\d+)*)', re.I)

def passages(cell):
    "The parts of a cell in which a section may be named: paragraphs, docstrings, runs of comments, other text"
    text = ''.join(cell['source'])
    if cell['cell_type']=='markdown': return re.split(r'\n\s*\n', text)
    return re.findall(r'"""(?:.|\n)*?"""|"[^"\n]*"|\'[^\'\n]*\'|(?:#(?!\|)[^\n]*\n?\s*)+', text)

def wrong(text, swap=lambda s: s):
    "Sections named in a passage that it does not speak of"
    for found in NAMED.finditer(text):
        rest = text[:found.start()] + text[found.end():]
        for s in map(swap, re.findall(r'\d\.\d+', found[1])):
            if s not in ABOUT: yield f'there is no section {s}'
            elif not re.search(rf'\b(?:{ABOUT[s]})', rest, re.I): yield f'section {s} is about {ABOUT[s]}, and this is not: {" ".join(rest.split())[:120]}'

def problems(swap=lambda s: s):
    for f in sorted((ROOT/'nbs').rglob('*.ipynb')):
        if '.ipynb_checkpoints' in f.parts: continue
        for c in json.loads(f.read_text(encoding='utf8'))['cells']:
            for p in passages(c):
                for m in wrong(p, swap): yield f'{f.relative_to(ROOT)}, cell {c["id"]}: {m}'

if __name__=='__main__':
    tables = list(csv.DictReader((ROOT/'fpt_nb/paper_tables.csv').open(encoding='utf8')))
    bad = [f"{t['slug']}: the words for section {t['section']} do not fit its description" for t in tables if re.fullmatch(r'\d\.\d+', t['section'])
           and not re.search(ABOUT[t['section']], t['description'] + t['slug'], re.I)]
    bad += problems()
    shifted = {s: list(ABOUT)[(i+7)%len(ABOUT)] for i,s in enumerate(ABOUT)}
    planted = len(list(problems(shifted.get)))
    named = sum(len(re.findall(r'\d\.\d+', m[1])) for f in (ROOT/'nbs').rglob('*.ipynb') if '.ipynb_checkpoints' not in f.parts
                for c in json.loads(f.read_text(encoding='utf8'))['cells'] for p in passages(c) for m in NAMED.finditer(p))
    print('\n'.join(bad))
    print(f'{named} mentions of a section: {len(bad)} problems; with other sections in their places, {planted} are found')
    sys.exit(bool(bad) or not named or planted < .5*named)
