// The fixes on the AI branch with what became of them, and one of them with its diff.

import { fixOutcome } from '../console/fix-outcome.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { diffHtml } from '../page/diff.ts';
import { html } from '../page/html.ts';
import { stateHtml } from '../page/states.ts';
import { fixDiff, listFixes } from '../promote/list-fixes.ts';
import { baseOf } from '../stage/configuration.ts';
import { authorOf } from '../triage/words.ts';
import { short } from '../worktree/messages.ts';
import { commandHtml, facts, href, link, missing, type Params, row, rowsHtml, timeHtml, type View } from './frame.ts';
import type { Site } from './site.ts';

async function readFixes({ layout }: Site) {
  const base = await baseOf(layout.home);
  return { base, fixes: await listFixes(layout, base, readLedger(layout).ledger, false) };
}

export async function fixesView(site: Site): Promise<View> {
  const { base, fixes } = await readFixes(site);
  const now = site.now();
  const rows = fixes.map((fix) =>
    row(
      link(href('fixes', fix.commit), fix.fix || 'a change'),
      stateHtml('fix', fix.outcome),
      html`${fix.stage}: ${fixOutcome(fix).join('; ')}<br><span class="small">by ${authorOf(fix)}, in ${fix.paths.join(', ')}</span>`,
      timeHtml(fix.time, now),
    ),
  );
  const isAny = fixes.some(({ outcome }) => outcome === 'kept');
  return {
    title: 'Fixes',
    body: html`<h1>Fixes</h1><p class="lead">What is on ${base.branch}, what has landed on ${base.name}, and what became of the rest.</p>
<div data-live="list">${rowsHtml(rows, `no fix is on ${base.branch}, and none has landed`)}
${isAny && html`<p>${link('/promote', 'What landing them would bring, and how to land them')}</p>`}</div>`,
  };
}

export async function fixView(site: Site, { commit = '' }: Params): Promise<View> {
  const { fixes } = await readFixes(site);
  const fix = fixes.find((one) => one.commit === commit);
  if (!fix)
    return missing(
      'There is no such fix',
      html`It may have landed on your branch since. ${link('/fixes', 'The fixes that there are')}`,
    );
  const diff = await fixDiff(site.layout, fix.commit);
  return {
    title: fix.fix || 'Fix',
    menu: 'Fixes',
    body: html`<p class="crumbs">${link('/fixes', 'Fixes')}</p>
<h1>${fix.fix || 'A change'}</h1>
<p class="lead">${stateHtml('fix', fix.outcome, '')} ${fixOutcome(fix).join('; ')}</p>
${facts([
  ['Why', fix.reason],
  ['For', link(href('failures', fix.stage, fix.fingerprint), `${fix.stage}: ${fix.class}`)],
  ['By', authorOf(fix)],
  ['Run', link(href('runs', fix.run), fix.run)],
  ['Made', timeHtml(fix.time, site.now())],
  ['Commit', html`<code>${short(fix.commit)}</code>`],
])}
<section aria-labelledby="change"><h2 id="change">The change</h2>${diffHtml(diff)}</section>
${
  (fix.on_branch || fix.outcome === 'landed') &&
  html`<section aria-labelledby="do"><h2 id="do">What you can do</h2>
${commandHtml({ what: 'to see what landing it would bring', command: 'mendloop promote' })}
${commandHtml({ what: 'to take it back', command: `mendloop rollback ${short(fix.commit)}` })}</section>`
}`,
  };
}
