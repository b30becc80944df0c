// What all pages share: the document around them, links, times, commands to copy, and pages of a long list.
import { ago } from '../console/words.ts';
import { waitingCases } from '../inspect/waiting.ts';
import { type Html, html, type Part } from '../page/html.ts';
import { homeName, type Site } from './site.ts';

export interface View {
  readonly title: string;
  /** The entry of the menu that it belongs to, where that is not its title. */
  readonly menu?: string;
  readonly body: Html;
  readonly status?: 404 | 500;
  /** What happened to what was asked for just now. */
  readonly said?: Said;
}

export interface Said {
  readonly look: 'good' | 'bad';
  readonly text: string;
}

/** The query of a request. */
export type Query = Pick<URLSearchParams, 'get'>;
export type Params = Readonly<Record<string, string>>;
export type ViewOf = (site: Site, params: Params, query: Query) => View | Promise<View>;

const MENU = {
  '/': 'Now',
  '/runs': 'Runs',
  '/failures': 'Failures',
  '/fixes': 'Fixes',
  '/cases': 'Cases',
  '/backlog': 'Backlog',
};

/** The addresses of the page's files, with a hash of their content: they are cached for ever. */
export interface Assets {
  readonly style: string;
  readonly script: string;
}

/** A whole document. Without `site`, it has no menu and shows nothing of the home: for who is refused. */
export function documentOf(view: View, assets: Assets, site: Site | undefined): string {
  const place = site ? homeName(site) : '';
  const waiting = site ? waitingCases(site.layout).length : 0;
  const entries = Object.entries(MENU).map(([to, name]) => {
    const count = to === '/cases' && waiting > 0 && html` <span class="count">${waiting}</span>`;
    const current = name === (view.menu ?? view.title) && html` aria-current="page"`;
    return html`<li><a href="${to}"${current}>${name}${count}</a></li>`;
  });
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${[view.title, place, 'mendloop'].filter(Boolean).join(' · ')}</title>
<link rel="stylesheet" href="${assets.style}">
<link rel="icon" href="data:,">
${site && html`<script src="${assets.script}" defer></script>`}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="name" href="/">mendloop</a>
<span class="place" data-live="place">${place}</span>
${site && html`<nav aria-label="Pages" data-live="menu"><ul>${entries}</ul></nav>`}
</header>
<main id="main" tabindex="-1">
${view.said && html`<div class="notice said ${view.said.look}" role="status"><p>${view.said.text}</p></div>`}
${view.body}
</main>
${
  site &&
  html`<footer class="foot">
<p>${site.once ? 'What you start here goes on when this page is closed.' : 'This page only shows; what changes something is a command for you to type.'} <span data-keys hidden>Keys: <kbd>j</kbd> and <kbd>k</kbd> go through a list, <kbd>/</kbd> to the search.</span></p>
<p>mendloop ${site.version} · <a href="/metrics">metrics</a></p>
</footer>`
}
</body>
</html>
`.toString();
}

/** A path of the page; each part is encoded. */
export const href = (...parts: readonly (string | number)[]): string =>
  `/${parts.map((part) => encodeURIComponent(part)).join('/')}`;

/** The path with a query of the values that are set. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [[key, String(value)] as const],
  );
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(Object.fromEntries(pairs))}`;
}

export const link = (to: string, text: Part): Html => html`<a href="${to}">${text}</a>`;

/** `2026-11-17 10:13:35 UTC`. */
export const dateText = (time: string): string => time.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' UTC');

/** How long ago, with the exact time as a tooltip. */
export const timeHtml = (time: string, now: number): Html =>
  html`<time datetime="${time}" title="${dateText(time)}">${ago(time, now)}</time>`;

/** A section that page.js updates while the page is open. */
export const live = (name: string, title: string, content: Part): Html =>
  html`<section data-live="${name}" aria-labelledby="${name}"><h2 id="${name}">${title}</h2>
${content}
</section>`;

/** A row of a list: what it is, its state, what is worth a few words, when it was. */
export const row = (what: Part, state: Part, about: Part, when: Part): Html =>
  html`<span class="what">${what}</span>${state}<span class="about">${about}</span><span class="when">${when}</span>`;

/** Rows of a list; `none` where there are none. */
export const rowsHtml = (rows: readonly Html[], none: string): Html =>
  rows.length === 0
    ? html`<p class="muted">${none}</p>`
    : html`<ul class="rows">${rows.map((row) => html`<li>${row}</li>\n`)}</ul>`;

/** A live list with its title; nothing when it is empty. */
export const liveRows = (name: string, title: string, rows: readonly Html[]): Html | false =>
  rows.length > 0 && live(name, title, rowsHtml(rows, ''));

export const facts = (pairs: readonly (readonly [name: string, value: Part] | false)[]): Html =>
  html`<dl class="facts">${pairs.map((pair) => pair && html`<dt>${pair[0]}</dt><dd>${pair[1]}</dd>`)}</dl>`;

/** What to type, with what it does. */
export const commandHtml = ({ what, command }: { what: string; command: string }): Html =>
  html`<p class="small muted">${what}</p><div class="command"><pre tabindex="0" data-copy>${command}</pre></div>`;

/** A button that does something, as a form; nothing on a page without hands. `shown`: what it acts on, as ACTS tells. */
export function button(
  site: Site,
  { to, label, shown, look = 'plain' }: { to: string; label: string; shown: string; look?: 'main' | 'plain' },
): Html | false {
  if (!site.once) return false;
  const once = site.once.issue(decodeURIComponent(to), shown);
  return html`<form class="act" method="post" action="${to}"><input type="hidden" name="once" value="${once}"><button class="${look}">${label}</button></form>`;
}

export const notice = (look: 'bad' | 'warn', content: Part): Html => html`<div class="notice ${look}">${content}</div>`;

export const missing = (what: string, next: Part): View => ({
  title: 'Not here',
  status: 404,
  body: html`<h1>${what}</h1><p class="lead">${next}</p>`,
});

/** The rows of the requested page of a long list, and the links to the pages around it; `to` makes a link. */
export function pages(total: number, each: number, asked: string | null, to: (page: number) => string) {
  const last = Math.max(1, Math.ceil(total / each));
  const page = Math.min(last, Math.max(1, /^\d{1,6}$/.test(asked ?? '') ? Number(asked) : 1));
  const pager =
    last > 1 &&
    html`<nav class="pager" aria-label="More of this list">
${page > 1 && html`<a href="${to(page - 1)}" rel="prev">Newer</a>`}
<span class="muted">page ${page} of ${last}, ${total} in all</span>
${page < last && html`<a href="${to(page + 1)}" rel="next">Older</a>`}
</nav>`;
  return { from: (page - 1) * each, to: page * each, pager };
}
