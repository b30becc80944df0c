// Cases in lines for people.
import type { ListedCase } from '../mend/case-store.ts';
import { type CaseSummary, caseCommands } from '../outbound/case-summary.ts';
import { fenceNote, nonceOf } from '../outbound/text.ts';
import { ago } from './words.ts';

/** In the order in which they are listed. */
export const CASE_WORDS: Readonly<Record<CaseSummary['state'], string>> = {
  open: 'waits for you',
  asked: 'went to an escalation',
  given_up: 'given up',
  answered: 'answered; applied when the failure comes back',
  closed: 'closed',
};

/** What waits first, what cannot be read last. */
export function caseLines(cases: readonly ListedCase[], now: number): string[] {
  const order = Object.keys(CASE_WORDS);
  const rank = (one: ListedCase) => ('summary' in one ? order.indexOf(one.summary.state) : order.length);
  return cases.toSorted((a, b) => rank(a) - rank(b)).flatMap((one) => listed(one, now));
}

function listed(one: ListedCase, now: number): string[] {
  if (!('summary' in one)) return [`${one.case}  cannot be read: ${one.problem}`];
  const { case: name, stage, class: failureClass, opened, state, why, patch, closed } = one.summary;
  return [
    `${name}  ${CASE_WORDS[state]}, ${ago(opened, now)}`,
    `    ${stage}: ${failureClass}${closed ? `; closed: ${closed.why}` : why ? `; ${why}` : ''}`,
    ...(state === 'open' || state === 'given_up'
      ? caseCommands(name, patch !== undefined).map((line) => `    ${line}`)
      : []),
  ];
}

/** A case: what broke, what was tried, its patch and what can be done with it; then the rest, as far as it fits or `all` of it. */
export function shownCase(
  summary: CaseSummary,
  text: string | undefined,
  patch: string | undefined,
  all = false,
): string[] {
  const { case: name, state, why } = summary;
  const [opening, ...sections] = text === undefined ? ['its text is gone'] : sectionsOf(text);
  const isFirst = (section: string) => FIRST.some((title) => section.startsWith(`# ${title}\n`));
  const change = patch?.trimEnd() || 'it changes no text, only who may run a file';
  const actions = caseActions(summary).map(({ what, command }) => `${what}: ${command}`);
  const first = [
    ...[opening ?? '', ...sections.filter(isFirst), ...(patch === undefined ? [] : [`# The patch\n\n${change}`])],
    ...(actions.length > 0 ? [actions.join('\n')] : []),
  ].flatMap((section) => ['', ...section.split('\n')]);
  const rest = sections.filter((section) => !isFirst(section)).flatMap((section) => ['', ...section.split('\n')]);
  const room = all ? rest.length : Math.max(0, MAX_LINES - first.length);
  const more =
    rest.length > room ? ['', `the rest, ${rest.length - room} lines: mendloop cases show ${name} --all`] : [];
  return [`case ${name}: ${CASE_WORDS[state]}${why ? ` (${why})` : ''}`, ...first, ...rest.slice(0, room), ...more];
}

/** The parts that a person decides by: shown first, and whole. */
const FIRST = ['The failure', 'Earlier attempts'];
/** So much is read on one screen or two. */
const MAX_LINES = 60;

/** What can be done with a case, and the command that does it; nothing for one that is over. */
export function caseActions({ case: name, state, patch, stage }: CaseSummary): { what: string; command: string }[] {
  const waits = state === 'open' || state === 'given_up';
  const actions: { what: string; command: string }[] = [];
  const add = (what: string, command: string) => actions.push({ what, command });
  if (waits && patch) add('to have the patch applied when the failure returns', `mendloop cases accept ${name}`);
  if (state === 'open') add('to go on without it', `mendloop cases decline ${name}`);
  if (state === 'answered') add('to take your answer back', `mendloop cases decline ${name}`);
  if (waits) {
    add('to answer with a patch of your own', `mendloop cases answer ${name} <file>`);
    add('to start anew without one', `mendloop reset ${stage}`);
  }
  return actions;
}

/** The case without the parts for a machine: data fences, of which the titles stay, and the answer format. */
export const forPerson = (text: string): string => sectionsOf(text).join('\n\n');

/** The same by its headings; one inside of data is none. */
function sectionsOf(text: string): string[] {
  const nonce = nonceOf(text);
  const forPeople = (text.split('\n# For a machine\n')[0] as string).trimEnd();
  if (nonce === undefined) return [forPeople];
  const sections: string[][] = [[]];
  let isData = false;
  for (const line of forPeople.replace(`${fenceNote(nonce)}\n\n`, '').split('\n')) {
    const title = line.startsWith(`[data ${nonce}: `) ? line.slice(`[data ${nonce}: `.length, -1) : undefined;
    const isEnd = line === `[end of data ${nonce}]`;
    if (title !== undefined || isEnd) isData = !isEnd;
    else if (!isData && line.startsWith('# ')) sections.push([]);
    if (!isEnd) sections.at(-1)?.push(title === undefined ? line : `[${title}]`);
  }
  return sections.map((lines) => lines.join('\n').trimEnd()).filter((section) => section !== '');
}
