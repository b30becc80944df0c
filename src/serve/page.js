// Runs in the browser: updates the page, follows a log, copies commands, handles a few keys. Without it the page shows the same, as
// of when it was loaded.

const MAX_LOG_LETTERS = 2_000_000;
const REFRESH_MS = 60_000;
/** The shortest time between two updates. */
const SETTLE_MS = 400;

const every = (selector, root = document) => [...root.querySelectorAll(selector)];

// Updates: fetches the page again, and replaces the marked parts that differ.

let pending;
function refreshSoon() {
  if (pending === undefined) pending = setTimeout(refresh, SETTLE_MS);
}

async function refresh() {
  const answer = await fetch(location.href, { headers: { Accept: 'text/html' } }).catch(() => undefined);
  pending = undefined;
  if (!answer) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  if (!answer.ok) return void document.querySelector('main').replaceChildren(...page.querySelector('main').childNodes);
  const parts = every('[data-live]');
  const isSame = (name) => parts.some((part) => part.dataset.live === name);
  // A new part needs a reload, but not while something has the focus.
  if (every('[data-live]', page).some((part) => !isSame(part.dataset.live)) && document.activeElement === document.body)
    return void location.reload();
  for (const part of parts) {
    const now = page.querySelector(`[data-live="${part.dataset.live}"]`);
    if (!now || now.outerHTML === part.outerHTML) continue;
    const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
    part.replaceWith(now);
    // The link in the list; the graph has the same links.
    const same = every('a[href]:not([tabindex])', now).find((one) => one.getAttribute('href') === focused);
    if (focused !== null) same?.focus();
  }
  addCopyButtons();
}

// One connection, only while the page is visible: browsers allow few.
let events;
function listen() {
  events?.close();
  events = undefined;
  if (document.hidden || every('[data-live]').length < 3) return;
  events = new EventSource('/events');
  events.addEventListener('changed', refreshSoon);
  events.addEventListener('alive', ({ data }) => showLines(JSON.parse(data)));
}

// A running step: its last line as it comes, and how long it runs.

function showLines(steps) {
  for (const { step, line } of steps)
    for (const shown of every('[data-alive]'))
      if (shown.dataset.alive === step) shown.querySelector('[data-line]').textContent = line;
  if (steps.some(({ step }) => every('[data-alive]').every((shown) => shown.dataset.alive !== step))) refreshSoon();
}

function tick() {
  for (const shown of every('[data-alive]')) {
    const seconds = Math.max(0, Math.round((Date.now() - Date.parse(shown.dataset.since)) / 1000));
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    const rest =
      hours > 0 ? `${hours} h ${minutes} min` : minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
    shown.querySelector('[data-elapsed]').textContent = rest;
  }
}
setInterval(tick, 1000);

// A log: what is written now.

/** Each line as one of the log's own; the first piece may go on with the last line. Returns how many letters came. */
function addLines(log, text) {
  for (const line of text.split(/(?<=\n)/)) {
    const last = log.lastElementChild;
    if (last && !last.textContent.endsWith('\n')) last.append(line);
    else {
      const one = document.createElement('span');
      one.className = 'l';
      if (last?.dataset.n || !last) one.dataset.n = Number(last?.dataset.n ?? 0) + 1;
      one.textContent = line;
      log.append(one);
    }
  }
  return text.length;
}

function follow(log) {
  const button = document.createElement('button');
  const note = document.createElement('span');
  note.className = 'muted';
  note.setAttribute('role', 'status');
  let source;
  let next = log.dataset.follow;
  let letters = log.textContent.length;
  const stop = (why = '') => {
    source?.close();
    source = undefined;
    button.textContent = 'Follow';
    note.textContent = why;
  };
  const start = () => {
    button.textContent = 'Stop';
    note.textContent = 'shows what is written now';
    source = new EventSource(next);
    // Do not let EventSource reconnect: it would start from where the page did.
    source.addEventListener('error', () => stop('the connection was lost'));
    source.addEventListener('gone', () => stop('the log is gone, or was written anew'));
    source.addEventListener('message', ({ data, lastEventId }) => {
      const { text, skipped } = JSON.parse(data);
      if (lastEventId !== '') next = next.replace(/from=\d+/, `from=${lastEventId}`);
      const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
      if (skipped > 0) addLines(log, `\n… ${skipped} bytes that came faster than they can be shown …\n`);
      letters += addLines(log, text);
      while (letters > MAX_LOG_LETTERS && log.childNodes.length > 1) {
        letters -= log.firstChild.textContent.length;
        log.firstChild.remove();
      }
      if (isAtEnd) log.scrollTop = log.scrollHeight;
    });
  };
  button.type = 'button';
  button.addEventListener('click', () => (source ? stop() : start()));
  log.previousElementSibling.append(button, note);
  log.scrollTop = log.scrollHeight;
  if ('now' in log.dataset) start();
  else stop();
}

// Commands to copy.

function addCopyButtons() {
  if (!navigator.clipboard) return;
  for (const text of every('[data-copy]:not([data-ready])')) {
    text.dataset.ready = '';
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', `Copy ${text.textContent}`);
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = 'Copied';
      setTimeout(() => (button.textContent = 'Copy'), 1500);
    });
    text.after(button);
  }
}

// Keys: j and k through a list, / to the search.

function move(step) {
  const links = every('.rows > li, .card').flatMap((row) => row.querySelector('a[href]') ?? []);
  const at = links.indexOf(document.activeElement?.closest('.rows > li, .card')?.querySelector('a[href]'));
  const next = links[at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.('input, select, textarea')) return;
  const search = document.querySelector('input[type="search"], form.filter select');
  const act = { j: () => move(1), k: () => move(-1), '/': search && (() => search.focus()) }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

for (const element of every('[data-keys]')) element.hidden = false;
for (const log of every('[data-follow]')) follow(log);
addCopyButtons();
listen();
document.addEventListener('visibilitychange', () => {
  listen();
  if (!document.hidden && events) refreshSoon();
});
setInterval(() => !document.hidden && events && refreshSoon(), REFRESH_MS);
