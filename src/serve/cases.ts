// The cases, and one of them to read: what broke, what was tried, the fix that waits, and the commands to answer with.
import { CASE_WORDS, caseActions, forPerson } from '../console/case-lines.ts';
import { readText } from '../io/store.ts';
import { openCaseStore } from '../mend/case-store.ts';
import { diffHtml } from '../page/diff.ts';
import { html } from '../page/html.ts';
import { stateHtml } from '../page/states.ts';
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
  const { state, stage, fingerprint, why, suggested, closed } = summary;
  const text = store.texts(name).at(-1)?.text;
  const patch = readText(`${store.folder(name)}/patch.diff`);
  const actions = caseActions(summary);
  return {
    title: name,
    menu: 'Cases',
    body: html`<p class="crumbs">${link('/cases', 'Cases')}</p>
<h1>${name}</h1>
<p class="lead">${stateHtml('case', state, CASE_WORDS[state])}</p>
${facts([
  why !== undefined && ['Why', why],
  closed !== undefined && ['Closed', html`${timeHtml(closed.time, site.now())}: ${closed.why}`],
  suggested !== undefined && ['Proposed', `${suggested.note.fix} (${suggested.plugin})`],
  suggested?.ask !== undefined && ['You are asked', suggested.ask.reasons.join('; ')],
  ['Failure', link(href('failures', stage, fingerprint), `${stage}: ${summary.class}`)],
  ['Opened', timeHtml(summary.opened, site.now())],
  ['Run', link(href('runs', summary.run), summary.run)],
])}
${actions.length > 0 && html`<section aria-labelledby="do"><h2 id="do">What you can do</h2>${actions.map(commandHtml)}</section>`}
${patch !== undefined && html`<section aria-labelledby="patch"><h2 id="patch">The patch</h2>${patch.trim() === '' ? html`<p>it changes no text, only who may run a file</p>` : diffHtml(patch)}</section>`}
<section aria-labelledby="text"><h2 id="text">All that is known</h2><pre class="wrapped" tabindex="0">${text === undefined ? 'its text is gone' : forPerson(text)}</pre></section>`,
  };
}
