"""Run notebooks as nbdev_test does, each in a copy of one process that has the libraries loaded: nothing is imported twice, and what
a notebook leaves behind goes with its process. Prints CPU seconds and peak memory by notebook and of them all; fails above MOST.
Arguments are notebooks, all of them where there are none; `-j1` runs one at a time instead of two; `--weigh` records their memory and
seconds, by which `.ci/schedule.py` chooses two that have room together. The outputs of every cell are written into the folder FPT_RECORD
where that is set, for `.ci/stored.py`. A page that takes longer than LONGEST fails, and its log says where it stood."""
import faulthandler, gc, json, os, re, resource, signal, sys, tempfile, threading, time, warnings
from multiprocessing import get_context
from pathlib import Path

os.environ.setdefault('OMP_NUM_THREADS', '1') # small models are slower on more threads
root = Path(__file__).resolve().parent.parent
os.chdir(root); sys.path.insert(0, str(root))
print(f'{time.strftime("%H:%M:%S")}: installed; loading libraries', flush=True)
faulthandler.dump_traceback_later(300) # says where, if that does not end
warnings.simplefilter('default') # tests look at warnings, whatever -W says
import psutil, schedule
from execnb.shell import CaptureShell
from nbdev.config import get_config
from nbdev.doclinks import nbglob
from nbdev.test import test_nb

def cpu(): # seconds of this process and of those that it has waited for
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))

def own(process): # bytes of a process; pages that several share are divided among them
    try: return process.memory_full_info().pss if psutil.LINUX else process.memory_info().rss
    except psutil.Error: return 0 # it has just ended

def family(process): # a process and its descendants
    try: return [process, *process.children(recursive=True)]
    except psutil.Error: return []

def memory(process): # bytes of a process and its descendants
    return sum(map(own, family(process)))

def emptied(cell, shell, c, **kwargs): # in place of CaptureShell.cell, which keeps old outputs where a cell now has none
    c.outputs = []
    cell(shell, c, **kwargs)

def recorded(run_all, shell, nb, **kwargs): # in place of CaptureShell.run_all
    try: run_all(shell, nb, **kwargs)
    finally:
        cells = {c.id: c.get('outputs', []) for c in nb.cells if c.cell_type=='code'}
        (Path(os.environ['FPT_RECORD'])/shell.record).write_text(json.dumps(cells, default=str))

def stop(process): # a page that does not end, with what it has started
    mine,*theirs = family(process)
    mine.send_signal(signal.SIGABRT)
    for o in theirs: o.kill()

MOST,LONGEST = 5.,1200. # GB that all processes may take together; seconds of a page
weights = schedule.weighed()
def name(notebook): return str(notebook.relative_to(root))
def beyond(processes): # {page's process: GB beyond the libraries, whose memory the copies share with the first process}
    shared = (libraries-own(psutil.Process()))/len(processes) if processes else 0
    return {p: (memory(psutil.Process(p.pid))-shared)/1e9 for p in processes}
def following(): # the notebook to start beside those that run
    taken = {name(f): max(weights.get(name(f), schedule.USUAL)[0], heaviest.get(p, 0)) for p,(f,*_) in running.items()}
    return schedule.choose(queue, taken, weights, libraries/1e9)

LEFT_OUT = '^skipped: (?!published weights|the hub is out|a run with Weights)' # these were left out when outputs were stored, too
def run(notebook, log): # in a process of its own
    out = os.open(log, os.O_CREAT|os.O_WRONLY)
    os.dup2(out, 1)
    os.dup2(out, 2)
    faulthandler.enable() # `stop` makes it say where it stands
    if os.environ.get('FPT_RECORD'):
        CaptureShell.record = '__'.join(notebook.relative_to(root/'nbs').parts) + '.json'
        run_all,cell = CaptureShell.run_all,CaptureShell.cell
        CaptureShell.cell = lambda shell, c, **kwargs: emptied(cell, shell, c, **kwargs)
        CaptureShell.run_all = lambda shell, nb, **kwargs: recorded(run_all, shell, nb, **kwargs)
    ok,_ = test_nb(notebook, skip_flags=get_config().tst_flags.split(), basepath=root)
    if os.environ.get('FPT_RECORD') and re.search(LEFT_OUT, Path(log).read_text(errors='replace'), re.M):
        (Path(os.environ['FPT_RECORD'])/CaptureShell.record).with_suffix('.skipped').touch() # its outputs are not those of a run with the data
    Path(f'{log}.cpu').write_text(f'{cpu():.0f}')
    threading._shutdown() # a forked process would close the queues of a pool before the pool, and wait for its workers for ever
    sys.exit(not ok)

jobs = 1 if '-j1' in sys.argv else 2
asked = [Path(a).absolute() for a in sys.argv[1:] if not a.startswith('-')]
queue = [name(f) for f in asked or (Path(f).absolute() for f in nbglob(None, as_path=True))]
os.chdir(get_config().nbs_path)
import fpt_nb.analysis, fpt_nb.lab.transfer # the top layers: all the others come with them
gc.collect(); gc.freeze() # no copy searches what was there before it
libraries = own(psutil.Process())
faulthandler.cancel_dump_traceback_later()
print(f'{time.strftime("%H:%M:%S")}: {len(queue)} pages', flush=True)
start,peak,looking,failed,running,heaviest = time.time(),0,0,[],{},{}
with tempfile.TemporaryDirectory() as logs:
    while queue or running:
        while len(running)<jobs and (f := following()):
            queue.remove(f); f = root/f; log = f'{logs}/{f.parent.name}-{f.stem}'
            p = get_context('fork').Process(target=run, args=(f, log)); p.start(); running[p] = f,log,time.time()
        time.sleep(max(.5, 9*looking)) # to look takes at most a tenth of the processor
        before = time.process_time()
        now = beyond([p for p in running if p.exitcode is None])
        peak,looking = max(peak, libraries/1e9 + sum(now.values())), time.process_time()-before
        for p in now:
            if time.time()-running[p][2] > LONGEST: stop(psutil.Process(p.pid))
        for p,n in now.items(): heaviest[p] = max(heaviest.get(p, 0), n)
        for p in [p for p in running if p.exitcode is not None]:
            f,log,_ = running.pop(p)
            print(Path(log).read_text(errors='replace'), end='')
            seconds = Path(f'{log}.cpu').read_text() if os.path.exists(f'{log}.cpu') else '?'
            print(f'{f.relative_to(root)}: ' + (f'{seconds} CPU seconds, {heaviest.get(p, 0):.2f} GB beyond the libraries' if p.exitcode==0 else f'FAILED, exit code {p.exitcode}'), flush=True)
            if p.exitcode: failed.append(f)
            elif '--weigh' in sys.argv: weights[name(f)] = [round(heaviest.get(p, 0), 2), max(float(seconds), .5)]
            p.join()
print('Failed:' if failed else 'Success.', *(f'\n\t{f.relative_to(root)}' for f in failed), sep='')
print(f'{cpu()/60:.1f} CPU minutes in {(time.time()-start)/60:.1f} minutes, peak memory {peak:.2f} GB')
if '--weigh' in sys.argv: schedule.FILE.write_text(json.dumps(dict(sorted(weights.items()))).replace('], ', '],\n ') + '\n')
if peak > schedule.LIMIT: print(f'More than the {schedule.LIMIT} GB that the notebooks are meant to take.')
if too_much := peak > MOST: print(f'FAILED: more than {MOST} GB of memory')
gc.unfreeze() # for an orderly end
sys.exit(bool(failed) or too_much)
