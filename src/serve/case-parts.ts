// The pieces of a case that several pages show: why a person is asked, and the change with its two buttons.
import { readText } from '../io/store.ts';
import { answerLeft } from '../mend/answers.ts';
import { openCaseStore } from '../mend/case-store.ts';
import type { CaseSummary } from '../outbound/case-summary.ts';
import { diffHtml } from '../page/diff.ts';
import { type Html, html } from '../page/html.ts';
import { caseShown } from './acts.ts';
import { button, commandHtml, href } from './frame.ts';
import type { Site } from './site.ts';

/** What is proposed, by whom, and why its owner is asked. */
export function proposal({ suggested, why }: CaseSummary): Html {
  if (!suggested) return html`<p>${why ?? 'it takes a person'}</p>`;
  const { plugin, note, ask } = suggested;
  return html`<p><strong>${plugin} proposes:</strong> ${note.fix}</p>
${ask && html`<p class="asked">You are asked: ${ask.reasons.join('; ')}</p>`}`;
}

const MAX_DIFF_LINES = 15;

/** The change, a long one folded, and the buttons; on a page without hands the commands. */
export function offered(site: Site, summary: CaseSummary, whole: boolean): Html {
  const { case: name, state, patch } = summary;
  const text = patch === undefined ? '' : (readText(`${openCaseStore(site.layout).folder(name)}/patch.diff`) ?? '');
  const lines = text.trimEnd().split('\n').length;
  const diff = text.trim() === '' ? html`<p>It changes no text, only who may run a file.</p>` : diffHtml(text);
  const isLong = !whole && lines > MAX_DIFF_LINES + 4;
  return html`${patch !== undefined && (isLong ? html`<details><summary>The change, ${lines} lines</summary>${diff}</details>` : diff)}
${answerButtons(site, summary)}
${state === 'open' && left(site, name)}`;
}

function answerButtons(site: Site, summary: CaseSummary): Html | false {
  const { case: name, state, patch } = summary;
  const waits = state === 'open' || state === 'given_up';
  const shown = caseShown(summary);
  const to = (what: string) => `${href('cases', name)}/${what}`;
  const apply = waits && patch !== undefined && { to: to('accept'), label: 'Apply', shown, look: 'main' as const };
  const decline = state !== 'given_up' &&
    state !== 'closed' &&
    state !== 'asked' && { to: to('decline'), label: 'Decline', shown };
  if (!site.once)
    return apply && commandHtml({ what: 'to have it tried now', command: `mendloop cases accept ${name} --run` });
  return html`<div class="acts">${apply && button(site, apply)}${decline && button(site, decline)}</div>`;
}

function left({ layout }: Site, name: string): Html | false {
  const what = answerLeft(layout, name);
  return (
    what !== undefined &&
    html`<p class="muted">Your answer (${what}) is with the run at work, or with the next one.</p>`
  );
}
