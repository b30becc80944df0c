// The cases, and one of them: what broke, the change that waits with its buttons or commands, what was tried; the rest folded.
import { CASE_WORDS, caseActions, forPerson, seenText, triedBefore } from '../console/case-lines.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { openCaseStore } from '../mend/case-store.ts';
import { html } from '../page/html.ts';
import { stateHtml } from '../page/states.ts';
import { entryOf } from '../triage/ledger.ts';
import { offered, proposal } from './case-parts.ts';
import {
  commandHtml,
  facts,
  href,
  link,
  liveRows,
  missing,
  notice,
  type Params,
  rowsHtml,
  timeHtml,
  type View,
} from './frame.ts';
import { caseRow } from './now.ts';
import type { Site } from './site.ts';

export function casesView(site: Site): View {
  const all = openCaseStore(site.layout).list();
  const broken = all.flatMap((one) => ('problem' in one ? [one] : []));
  const cases = all
    .flatMap((one) => ('summary' in one ? [one.summary] : []))
    .sort((a, b) => (a.opened < b.opened ? 1 : -1));
  const rows = (closed: boolean) =>
    cases.filter(({ state }) => (state === 'closed') === closed).map((one) => caseRow(one, site.now()));
  return {
    title: 'Cases',
    body: html`<h1>Cases</h1><p class="lead">What could not be mended, or is only done with your word.</p>
${broken.map((one) => notice('warn', html`<p>${one.case} cannot be read: ${one.problem}</p>`))}
<div data-live="open">${rowsHtml(rows(false), 'no case waits')}</div>
${liveRows('closed', 'Closed', rows(true))}`,
  };
}

export function caseView(site: Site, { name = '' }: Params): View {
  const store = openCaseStore(site.layout);
  const listed = store.read(name);
  if (!listed) return missing('There is no such case', link('/cases', 'The cases that there are'));
  if (!('summary' in listed)) return missing('This case cannot be read', listed.problem);
  const { summary } = listed;
  const { state, stage, fingerprint, opened, closed } = summary;
  const now = site.now();
  const text = store.texts(name).at(-1)?.text;
  const entry = entryOf(readLedger(site.layout).ledger, stage, fingerprint);
  const tried = triedBefore(entry);
  const seen = closed ? '' : seenText(opened, entry, now);
  const [first, ...others] = caseActions(summary);
  // The buttons say the first two.
  const actions = site.once ? others.slice(1) : others;
  return {
    title: name,
    menu: 'Cases',
    body: html`<p class="crumbs">${link('/cases', 'Cases')}</p>
<div data-live="head"><h1>${stage} failed: ${summary.class}</h1>
<p class="lead">${stateHtml('case', state, CASE_WORDS[state])} <span class="muted">since ${timeHtml(opened, now)}${seen && `, ${seen}`}</span></p>
${closed && html`<p>Closed ${timeHtml(closed.time, now)}: ${closed.why}</p>`}
${entry && html`<pre class="wrapped excerpt" tabindex="0">${entry.excerpt}</pre>`}
<section aria-labelledby="do"><h2 id="do">${state === 'open' ? 'What to do now' : 'The change'}</h2>
${proposal(summary)}
${offered(site, summary, true)}
${!site.once && first && summary.patch === undefined && commandHtml(first)}
${actions.length > 0 && html`<details><summary>Other ways</summary>${actions.map(commandHtml)}</details>`}</section></div>
${
  tried.length > 0 &&
  html`<section aria-labelledby="tried"><h2 id="tried">What was tried</h2><pre class="wrapped" tabindex="0">${tried.map((line) => line.slice(2)).join('\n')}</pre></section>`
}
${facts([
  ['Failure', link(href('failures', stage, fingerprint), fingerprint)],
  ['Run', link(href('runs', summary.run), summary.run)],
  ['Case', html`<code>${name}</code>`],
])}
<details><summary>All that a model was told</summary><pre class="wrapped" tabindex="0">${text === undefined ? 'its text is gone' : forPerson(text)}</pre></details>`,
  };
}
