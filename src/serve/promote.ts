// What would land on the owner's branch, whole, and the button that lands exactly that.
import { fixOutcome } from '../console/fix-outcome.ts';
import { runAtWork } from '../io/lock.ts';
import { diffHtml } from '../page/diff.ts';
import { type Html, html } from '../page/html.ts';
import { stateHtml } from '../page/states.ts';
import { acceptLine, refusedFixes, type Story, type StoryFix, whyNot } from '../promote/story.ts';
import { authorOf, counted } from '../triage/words.ts';
import { short } from '../worktree/messages.ts';
import { storyOf, storyShown } from './acts.ts';
import { button, commandHtml, href, link, notice, row, rowsHtml, timeHtml, type View } from './frame.ts';
import type { Site } from './site.ts';

export async function promoteView(site: Site): Promise<View> {
  const story = await storyOf(site);
  const { branch, base, fixes, others, undone, diff = '' } = story;
  const title = story.nothing ? 'Nothing to promote' : `Promote to ${base}`;
  const rest = [
    ...undone.map(({ stage, fix }) => `rolled back: ${stage}, ${fix}`),
    ...others.map((one) => one.subject),
  ];
  return {
    title,
    menu: 'Fixes',
    body: html`<p class="crumbs">${link('/fixes', 'Fixes')}</p>
<h1>${title}</h1>
<p class="lead">${story.nothing ? `${base} has all that ${branch} could bring` : `${counted(fixes.length, 'fix', 'fixes')} of ${branch}, and what is known of each`}</p>
${landing(site, story)}
${
  fixes.length > 0 &&
  rowsHtml(
    fixes.toReversed().map((fix) => fixRow(fix, site.now())),
    '',
  )
}
${rest.length > 0 && html`<h2>With it come</h2><ul>${rest.map((text) => html`<li>${text}</li>`)}</ul>`}
${diff !== '' && html`<section aria-labelledby="change"><h2 id="change">All that changes on ${base}</h2>${diffHtml(diff)}</section>`}`,
  };
}

function fixRow(fix: StoryFix, now: number): Html {
  const against = whyNot(fix);
  return row(
    link(href('fixes', fix.commit), fix.fix || 'a change'),
    stateHtml('fix', fix.outcome),
    html`${fix.stage}: ${fixOutcome(fix).join('; ')}${fix.not_seen && html`<br>not seen with it: ${fix.not_seen.join(', ')}`}
${against !== undefined && html`<br><strong>not to land: ${against}</strong>`}<br><span class="small">by ${authorOf(fix)}</span>`,
    timeHtml(fix.time, now),
  );
}

/** The button, or why there is none. */
function landing(site: Site, story: Story): Html | false {
  const { base, tip, nothing, stuck } = story;
  if (nothing) return false;
  if (runAtWork(site.layout)) return notice('warn', html`<p>A run is at work: look again after it.</p>`);
  if (stuck.length > 0)
    return notice('bad', html`<p>Commits of yours do not apply to ${base} any more: mendloop says what to type.</p>`);
  const line = acceptLine(story);
  if (line === undefined) {
    const names = refusedFixes(story).map(({ stage }) => stage);
    return notice('warn', html`<p>Not yet: a run has to judge ${[...new Set(names)].join(', ')} first.</p>`);
  }
  return (
    button(site, {
      to: '/promote',
      label: `Land exactly ${short(tip ?? '')} on ${base}`,
      shown: storyShown(story),
      look: 'main',
    }) || commandHtml({ what: 'to land exactly this', command: line })
  );
}
