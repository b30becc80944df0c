// The message of the merge that lands fixes: what it brings, and trailers that name every fix. Pure.
import type { Story, StoryFix } from './promote-story.ts';

const SUBJECT = 72;

export function promoteMessage({ branch, base, tip, fixes, undone, others }: Story): string {
  const trailers = [
    ...fixes.map(({ commit }) => `Promoted-fix: ${commit}`),
    ...undone.map(({ reverts }) => `Undone-fix: ${reverts}`),
    `Promoted-tip: ${tip}`,
  ];
  return [
    clip(subject(fixes, undone, others.length)),
    '',
    `Merges ${branch} into ${base}.`,
    '',
    ...fixes.map((fix) => `- ${fix.stage}: ${fix.fix} (${fix.commit.slice(0, 12)}, ${fix.plugin}, ${fix.fingerprint})`),
    ...undone.map((fix) => `- ${fix.stage}: ${fix.fix} (${fix.commit.slice(0, 12)}, ${fix.fingerprint})`),
    ...others.map(({ commit, subject: text }) => `- ${text} (${commit.slice(0, 12)})`),
    '',
    ...trailers,
    '',
  ].join('\n');
}

function subject(fixes: readonly StoryFix[], undone: readonly StoryFix[], others: number): string {
  const many = (n: number, one: string, more: string) => (n === 0 ? [] : [`${n} ${n === 1 ? one : more}`]);
  const what = [
    ...many(fixes.length, 'fix', 'fixes'),
    ...many(undone.length, 'rollback', 'rollbacks'),
    ...many(others, 'other commit', 'other commits'),
  ];
  const stages = [...new Set([...fixes, ...undone].map(({ stage }) => stage))];
  return `Promote ${what.join(', ')}${stages.length > 0 ? ` of ${stages.join(', ')}` : ''}`;
}

const clip = (text: string): string => (text.length > SUBJECT ? `${text.slice(0, SUBJECT - 1)}…` : text);
