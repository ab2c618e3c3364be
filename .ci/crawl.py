"""Crawl the HTML that Quarto has built: `python .ci/crawl.py _docs`. Links, anchors, alt texts, ids, titles, descriptions and social pictures are read from the
files; width on a telephone and contrast of the text in both themes are measured in Chromium, where there is one. Then a small site with one fault of
each kind is crawled, and every fault has to be found. `.ci/site.py` calls this where `quarto` is on PATH."""
import functools, json, os, re, shutil, subprocess, sys, tempfile, threading
from collections import Counter
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote

PHONE,CONTRAST,LARGE = 390,4.5,3 # pixels; ratios for text and for large text (WCAG 2.2)

class Page(HTMLParser):
    "What has to be known of one page"
    def __init__(self, text):
        super().__init__()
        self.links,self.ids,self.images,self.meta,self.title,self.in_title = [],[],[],{},'',False
        self.feed(text)
    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if 'id' in a and tag!='link': self.ids.append(a['id'])
        if tag in ('a', 'link') and a.get('href'): self.links.append(a['href'])
        if tag in ('img', 'script') and a.get('src'): self.links.append(a['src'])
        if tag=='img': self.images.append((a.get('src', ''), a.get('alt')))
        if tag=='meta': self.meta[a.get('name') or a.get('property')] = a.get('content', '')
        if tag=='title' and not self.title: self.in_title = True
    def handle_data(self, data):
        if self.in_title: self.title += data
    def handle_endtag(self, tag):
        if tag=='title': self.in_title = False

def static(folder, host=''):
    "Faults that can be read from the files; `host` is the address at which the site will be"
    pages = {str(f.relative_to(folder)): Page(f.read_text(encoding='utf8')) for f in sorted(folder.rglob('*.html')) if 'site_libs' not in f.parts}
    files = {str(f.relative_to(folder)) for f in folder.rglob('*') if f.is_file()}
    for name,page in pages.items():
        for l in sorted(set(page.links)):
            path = re.sub(r'^https?://[^/]*', '', host)+'/' # what is written from the root, as on the page for errors
            if host and l.startswith((host, path)): l,base = l.removeprefix(host).removeprefix(path).lstrip('/') or 'index.html',''
            elif re.match(r'[\w-]+:|//', l): continue
            else: base = dirname(name)
            to,_,at = unquote(l).partition('#')
            target = normpath(join(base, to.split('?')[0])) if to else name
            if target.endswith('.') or target+'/index.html' in files: target = normpath(target+'/index.html')
            if target.lstrip('/') not in files: yield f'{name}: broken link {l}'
            elif at and target in pages and at not in pages[target].ids and not re.match(r'category=|L\d', at): yield f'{name}: no such anchor {l}'
        for i,n in Counter(page.ids).items():
            if n>1: yield f'{name}: id {i} stands {n} times'
        for src,alt in page.images:
            if alt is None or len(alt)<3: yield f'{name}: image without alt text {src[:60]}'
        if not page.title.strip(): yield f'{name}: no title'
        if not page.meta.get('description') and not page.meta.get('og:description'): yield f'{name}: no description'
        for k in ('og:image', 'twitter:image'):
            picture = page.meta.get(k)
            if not picture: yield f'{name}: no social picture ({k})'
            elif host and picture.startswith(host) and picture[len(host):].lstrip('/') not in files: yield f'{name}: social picture is not there: {picture}'
            elif not re.match(r'https?:', picture) and normpath(join(dirname(name), picture)) not in files: yield f'{name}: social picture is not there: {picture}'

MEASURE = r"""<!doctype html><meta charset="utf-8"><title>crawl</title><script>
const luminance = c => { const f = v => { v /= 255; return v <= .03928 ? v/12.92 : ((v+.055)/1.055)**2.4 }; return .2126*f(c[0]) + .7152*f(c[1]) + .0722*f(c[2]) };
const parse = s => { const m = s.match(/[\d.]+/g).map(Number); if (s.startsWith('color(')) return [m[0]*255, m[1]*255, m[2]*255, m[3] ?? 1]; return [m[0], m[1], m[2], m[3] ?? 1] };
const over = (a, b) => [0, 1, 2].map(i => a[i]*a[3] + b[i]*(1-a[3])).concat(1);
function ground(e, win) { const layers = []; for (; e; e = e.parentElement) { const c = parse(win.getComputedStyle(e).backgroundColor); if (c[3]) layers.push(c); if (c[3]===1) break }
  return layers.reverse().reduce((b, c) => over(c, b), [255, 255, 255, 1]) }
function faint(doc, win) { const out = [], seen = new Set(), walk = doc.createTreeWalker(doc.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) { const text = walk.currentNode.textContent.trim(), e = walk.currentNode.parentElement;
    if (!text || !/[\p{L}\p{N}]/u.test(text) || e.closest('script,style,noscript,svg,[aria-hidden=true],.visually-hidden,mjx-container,template')) continue;
    if (!e.getClientRects().length || win.getComputedStyle(e).visibility === 'hidden') continue;
    const s = win.getComputedStyle(e); let alpha = 1; for (let p = e; p; p = p.parentElement) alpha *= +win.getComputedStyle(p).opacity;
    if (!alpha) continue;
    const b = ground(e, win), c = parse(s.color); c[3] *= alpha; const f = over(c, b), [x, y] = [luminance(f), luminance(b)].sort((p, q) => q-p);
    const ratio = (x+.05)/(y+.05), size = parseFloat(s.fontSize), large = size >= 24 || size >= 18.66 && +s.fontWeight >= 700;
    const key = s.color + b + (e.className || e.tagName); if (ratio < (large ? LARGE : CONTRAST) - .01 && !seen.has(key)) { seen.add(key); out.push([text.slice(0, 40), ratio.toFixed(2), e.tagName + '.' + e.className]) } }
  return out.slice(0, 6) }
const wait = ms => new Promise(r => setTimeout(r, ms));
async function main() { const found = [], frame = document.createElement('iframe'); document.body.append(frame); frame.style.border = 0;
  for (const theme of ['default', 'alternate']) for (const page of PAGES) { localStorage.setItem('quarto-color-scheme', theme);
    frame.style.width = PHONE + 'px'; frame.style.height = '844px';
    await new Promise(r => { frame.onload = r; frame.src = '/' + page }); await wait(150);
    const doc = frame.contentDocument, win = frame.contentWindow;
    if (theme === 'default') { const w = doc.documentElement.scrollWidth; if (w > PHONE + 1) { let worst = '';
      for (const e of doc.body.querySelectorAll('main *, nav *, header *, footer *')) { const r = e.getBoundingClientRect(); if (r.right > PHONE + 1 && r.width) { worst = e.tagName + '.' + e.className; break } }
      found.push(`${page}: scrolls sideways on a telephone, ${w} pixels, ${worst}`) } }
    for (const [text, ratio, where] of faint(doc, win)) found.push(`${page}: contrast ${ratio} in the ${theme === 'default' ? 'light' : 'dark'} theme: ${text} (${where})`) }
  await fetch('/__found', {method: 'POST', body: JSON.stringify(found)}) }
addEventListener('load', main)</script><body></body>"""

def measured(folder, browser, limit=900):
    "Faults that show only when a page is laid out"
    pages = [str(f.relative_to(folder)) for f in sorted(Path(folder).rglob('*.html')) if 'site_libs' not in f.parts]
    script = MEASURE.replace('PAGES', json.dumps(pages)).replace('PHONE', str(PHONE)).replace('CONTRAST', str(CONTRAST)).replace('LARGE', str(LARGE))
    found,done = [],threading.Event()
    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *a): pass
        def do_GET(self):
            if self.path!='/__crawl': return super().do_GET()
            self.send_response(200); self.send_header('Content-Type', 'text/html'); self.end_headers(); self.wfile.write(script.encode())
        def do_POST(self):
            found.extend(json.loads(self.rfile.read(int(self.headers['Content-Length']))))
            self.send_response(204); self.end_headers(); done.set()
    server = ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as profile:
        process = subprocess.Popen([browser, '--headless=new', '--no-sandbox', '--disable-gpu', f'--user-data-dir={profile}', '--window-size=1280,1000',
                                    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', f'http://127.0.0.1:{server.server_port}/__crawl'],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ok = done.wait(limit)
        process.terminate(); process.wait(30); server.shutdown()
    return found if ok else [*found, f'{browser} did not answer within {limit} seconds']

def browser(): return next(filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'))), None)
def problems(folder, host=''):
    folder = Path(folder)
    if not any(folder.rglob('*.html')): return [f'{folder} has no pages']
    return [*static(folder, host), *(measured(folder, browser()) if browser() else [])]

# -- and would it be found?

HEAD = '<title>t</title><meta name="description" content="d"><meta property="og:image" content="p.png"><meta name="twitter:image" content="p.png">'
DARK = '<script>if (localStorage.getItem("quarto-color-scheme") === "alternate") document.documentElement.style.cssText = "background:#171717;color:#dcdfe3"</script>'
SOUND = f'<!doctype html><html><head>{HEAD}{DARK}</head><body><h1 id="a">Text</h1><a href="#a">up</a><p>FAULT</p></body></html>'.replace('<a ', '<a style="color:inherit" ')
FAULTS = {'a link to nowhere': (('FAULT', '<a style="color:inherit" href="no.html">x</a>'), 'broken link no.html'),
          'an anchor that is not there': (('FAULT', '<a style="color:inherit" href="#no">x</a>'), 'no such anchor #no'),
          'a picture without alt text': (('FAULT', '<img src="p.png">'), 'image without alt text'),
          'an id that stands twice': (('FAULT', '<b id="a"></b>'), 'id a stands 2 times'),
          'a page without title': (('<title>t</title>', ''), 'no title'),
          'a page without description': (('<meta name="description" content="d">', ''), 'no description'),
          'a social picture that is not there': (('content="p.png"', 'content="q.png"'), 'social picture is not there'),
          'a page without a social picture': (('property="og:image"', 'property="x"'), 'no social picture'),
          'a page that is too wide': (('FAULT', '<div style="width:900px">wide</div>'), 'scrolls sideways'),
          'faint text in the light theme': (('FAULT', '<p style="color:#bbb">faint</p>'), 'in the light theme: faint'),
          'white on white in the dark theme': (('FAULT', '<p style="background:#f8f9fa">row</p>'), 'in the dark theme: row')}
IN_BROWSER = {'a page that is too wide', 'faint text in the light theme', 'white on white in the dark theme'}

def not_found():
    "Names of planted faults that the crawl does not see, and of sound pages that it blames"
    with tempfile.TemporaryDirectory() as d:
        (Path(d)/'p.png').write_bytes(b'')
        names = {f'{i}.html': n for i,n in enumerate(FAULTS)}
        for file,n in names.items(): (Path(d)/file).write_text(SOUND.replace(*FAULTS[n][0]).replace('FAULT', ''))
        (Path(d)/'sound.html').write_text(SOUND.replace('FAULT', 'fine'))
        said = problems(d)
    for file,n in names.items():
        if n in IN_BROWSER and not browser(): continue
        if not any(m.startswith(file) and FAULTS[n][1] in m for m in said): yield f'a planted fault is not found: {n}'
    yield from (f'a sound page is blamed: {m}' for m in said if m.startswith('sound.html'))

if __name__=='__main__':
    host = sys.argv[2] if len(sys.argv)>2 else ''
    wrong = [*problems(sys.argv[1], host), *not_found()]
    print('\n'.join(wrong))
    n = len(list(Path(sys.argv[1]).rglob('*.html')))
    print(f'{n} pages of HTML, {len(FAULTS)} planted faults{"" if browser() else ", without a browser"}: {len(wrong)} problems')
    sys.exit(bool(wrong))
