// The work queue: its items with how each stands, and one of them.
import { formatProblem } from '../config/problem.ts';
import { listBacklog } from '../inspect/backlog.ts';
import { html } from '../page/html.ts';
import { stateHtml } from '../page/states.ts';
import { commandHtml, facts, href, link, missing, notice, type Params, row, rowsHtml, type View } from './frame.ts';
import type { Site } from './site.ts';

export async function backlogView(site: Site): Promise<View> {
  const { items, problems } = await listBacklog(site.layout);
  const done = items.filter(({ state }) => state === 'done').length;
  const rows = items.map((item) =>
    row(link(href('backlog', item.number), item.title), stateHtml('item', item.state), item.note, item.number),
  );
  return {
    title: 'Backlog',
    body: html`<h1>Backlog</h1><p class="lead">${done} of ${items.length} items done</p>
${problems.map((problem) => notice('warn', html`<p>${formatProblem(problem)}</p>`))}
<div data-live="list">${rowsHtml(rows, 'no items are committed in ai/backlog')}</div>`,
  };
}

export async function itemView(site: Site, { number = '' }: Params): Promise<View> {
  const item = (await listBacklog(site.layout)).items.find((one) => one.number === number);
  if (!item) return missing('There is no such item', link('/backlog', 'The items that there are'));
  const list = (rows: readonly string[]) => html`<ul>${rows.map((row) => html`<li><code>${row}</code></li>`)}</ul>`;
  return {
    title: item.title,
    menu: 'Backlog',
    body: html`<p class="crumbs">${link('/backlog', 'Backlog')}</p>
<h1>${item.title}</h1>
${facts([
  ['State', html`${stateHtml('item', item.state)} <span class="muted">${item.note}</span>`],
  ['File', html`<code>${item.file}</code>`],
  item.why !== '' && ['Why', item.why],
  ['May change', list(item.scope)],
])}
<section aria-labelledby="steps"><h2 id="steps">Steps</h2><ul>${item.steps.map(({ text, done }) => html`<li>${done ? '✓ done: ' : '○ to do: '}${text}</li>`)}</ul></section>
<section aria-labelledby="accept"><h2 id="accept">Accepted by</h2>${item.acceptance.map((command) => html`<pre tabindex="0">${command}</pre>`)}</section>
${item.state !== 'done' && commandHtml({ what: 'to have it worked on', command: `mendloop backlog run ${item.number}` })}`,
  };
}
