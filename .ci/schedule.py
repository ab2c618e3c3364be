"""Which page is tested next, so that two run at a time and together take less memory than there is: the first in order that has room, heavy
pages first and then the longest. `.ci/pages.json` has for each page the memory that it takes beyond the libraries (GB) and its CPU seconds;
`.ci/test.py --weigh` records them. `python .ci/schedule.py` checks this on the record and on pages drawn at random."""
import json, random
from pathlib import Path

FILE = Path(__file__).with_name('pages.json')
LIMIT,HEAVY = 3.,.8 # GB that all processes are to take together; above which a page counts as heavy
USUAL = .8,30. # a page that was not weighed
LIBRARIES = .65 # GB of the process that all pages are copied from

def weighed(): return json.loads(FILE.read_text()) if FILE.exists() else {}

def in_order(pages, weights): # heavy ones by memory, then the others by time
    gb,seconds = (lambda f: weights.get(f, USUAL)[0]), (lambda f: weights.get(f, USUAL)[1])
    return sorted(pages, key=lambda f: (-gb(f) if gb(f)>HEAVY else 0, -seconds(f), f))

def choose(waiting, running, weights, libraries=LIBRARIES):
    "The page to start beside those that run, {page: GB}; None where none has room. Alone any page has"
    taken = libraries + sum(running.values())
    return next((f for f in in_order(waiting, weights) if not running or taken+weights.get(f, USUAL)[0]<LIMIT), None)

def simulate(weights, jobs=2):
    "When each page starts and ends, if it takes just what is recorded: {page: (start, end)}"
    now,running,times,waiting = 0.,{},{},list(weights)
    while waiting or running:
        while len(running)<jobs:
            f = choose(waiting, {g: weights[g][0] for g in running}, weights)
            if f is None: break
            waiting.remove(f)
            running[f] = now+weights[f][1]
            times[f] = now,running[f]
        now = min(running.values())
        running = {f: end for f,end in running.items() if end>now}
    return times

def together(times): # the pages that run at each start
    return [[f for f,(a,b) in times.items() if a<=start<b] for start,_ in times.values()]

def holds(weights):
    "Every page runs once; two never pass LIMIT; none that has room waits while a place is free"
    times = simulate(weights)
    assert set(times)==set(weights)
    taken = lambda pages: LIBRARIES + sum(weights[f][0] for f in pages)
    for pages in together(times): assert len(pages)==1 or len(pages)==2 and taken(pages)<LIMIT, pages
    for at in {t for pair in times.values() for t in pair}: # two run from here on, or nothing that waits has room
        run = [f for f,(a,b) in times.items() if a<=at<b]
        late = [f for f,(a,_) in times.items() if a>at]
        assert len(run)==2 or not any(taken([*run, f])<LIMIT for f in late), (at, run)
    return times

if __name__=='__main__':
    rng = random.Random(0)
    for _ in range(300):
        heavy = rng.random()
        draw = lambda: (rng.uniform(.8, 2.3) if rng.random()<heavy else rng.uniform(.05, .7), rng.expovariate(.05)+.1)
        holds({f'{i:02}': draw() for i in range(rng.randint(1, 40))})
    weights = weighed()
    times = holds(weights)
    total,took = sum(s for _,s in weights.values()),max(end for _,end in times.values())
    assert took < 1.1*max(total/2, *(s for _,s in weights.values())), took # as good as without a limit
    print(f'{len(weights)} pages, {total:.0f} CPU seconds: two at a time in {took:.0f} seconds, '
          f'at most {max(LIBRARIES+sum(weights[f][0] for f in p) for p in together(times)):.2f} GB')
