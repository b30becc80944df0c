// A failure that keeps coming back → its case, as markdown: what a person reads first, and what an escalation is sent. Pure.

import { formatRule } from './answer-format.ts';
import type { CaseFacts, Spent } from './case-file/facts.ts';
import { toolLines } from './diagnostics/tools.ts';
import { type CasePart, caseParts } from './parts/case-parts.ts';
import { estimateTokens, fenceNote, oneLine } from './text.ts';

export const DEFAULT_BUDGET = 60_000;
/** With less, only the frame would fit. */
export const LEAST_BUDGET = 10_000;

const CHARS_PER_TOKEN = 4;
/** Every part gets so much at least: enough to say that it is not shown. */
const LEAST_ROOM = 25;
/** More than any case has. */
const ANY_ROOM = 1_000_000;
const SHORTENED = '(Shortened: there was no room for all of it.)';
const LEFT_OUT = '(Left out: there was no room for it.)';

/**
 * At most `budget` characters, however long the log and however many the files. What is told of `facts` is masked by whoever
 * gives them, and the case once more. Never throws.
 */
export function buildCase(facts: CaseFacts): string {
  const budget = Math.max(LEAST_BUDGET, facts.budget ?? DEFAULT_BUDGET);
  const [opening, rule] = [openingOf(facts), machineRule(facts.version)];
  const room = Math.floor((budget - opening.length - rule.length) / CHARS_PER_TOKEN) - 2;
  return [opening, ...said(caseParts(facts), room), rule].join('\n');
}

/** Each part gets its share first, then what the others left, in their order. */
function said(parts: readonly CasePart[], room: number): string[] {
  const wanted = parts
    .map((part) => ({ part, all: part.say(ANY_ROOM) }))
    .filter(({ all }) => all !== '')
    .map(({ part, all }) => ({ part, all, need: cost(part, all), given: 0 }));
  let left = room;
  const give = (want: (typeof wanted)[number], upTo: number): void => {
    const more = Math.max(0, Math.min(Math.min(want.need, upTo) - want.given, left));
    want.given += more;
    left -= more;
  };
  for (const want of wanted) give(want, LEAST_ROOM);
  for (const want of wanted) give(want, Math.floor(want.part.share * room));
  for (const want of wanted) give(want, want.need);
  return wanted.map(({ part, all, need, given }) => section(part, given >= need ? all : shortened(part, given)));
}

const section = ({ heading }: CasePart, text: string): string => `# ${heading}\n\n${text}\n`;
const cost = (part: CasePart, text: string): number => estimateTokens(section(part, text)) + 1;

function shortened(part: CasePart, given: number): string {
  const less = part.say(given - cost(part, `\n\n${SHORTENED}`));
  const text = less === '' ? LEFT_OUT : `${less}\n\n${SHORTENED}`;
  return cost(part, text) <= Math.max(given, LEAST_ROOM) ? text : LEFT_OUT;
}

function openingOf({ case: name, version, stage, step, failure, run, nonce, limits, ...spent }: CaseFacts): string {
  const { times_seen: times, first_seen: first, last_seen: last } = failure;
  const seen = times === 1 ? `once, ${last}` : `${times} times, first ${first}, last ${last}`;
  const most = limits.files === 1 ? 'at most one file and' : 'in as few files as it takes, at most';
  const asking = version === 1 ? ', ask for diagnostics,' : ',';
  const facts = [
    `- Case: ${name}, version ${version}`,
    `- Class: ${failure.class} · ended with ${oneLine(failure.ended)}`,
    `- Fingerprint: ${failure.fingerprint}, seen ${seen}`,
    `- Run: ${run}, ${counted(spent.attempts, 'attempt', 'attempts')} of ${oneLine(step ?? stage.name)} in it`,
    `- Spent: ${used(spent.tries_spent, 'try', 'tries')}, ${used(spent.calls_spent, 'escalation call', 'escalation calls')}`,
    ...(failure.log === undefined ? [] : [`- Whole log: ${oneLine(failure.log)}`]),
  ];
  return `# ${stage.name} failed: ${failure.class}, ${oneLine(failure.ended)}

What the loop could do by itself did not mend this. Find the cause. Then give the smallest change that mends it (${most}
${limits.changed_lines} lines, in the files that this stage may change)${asking} or say what a person has to do.

${facts.join('\n')}

${fenceNote(nonce)}
`;
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
const used = ({ spent, of }: Spent, one: string, many: string): string => `${spent} of ${counted(of, one, many)}`;

const MORE = `A request for diagnostics: one JSON object and nothing else, at most 8 commands, each a list of words without a shell.
They only look: what writes, follows, reads secrets or goes elsewhere is not run. The outputs come back with this case, once.

{"diagnostics": [["kubectl", "get", "pods", "-A"], ["talosctl", "services"]]}

What may be asked:`;

const HAND_OVER = `A hand-over to a person: one JSON object and nothing else.

{"hand_over": "what they have to do, and why no change to these files can"}`;

/** The answers that are accepted; the form of a patch stands last. */
export function machineRule(version: 1 | 2): string {
  const asking = version === 1 ? [MORE, ...toolLines().map((line) => `- ${line}`), ''] : [];
  const count = version === 1 ? 'three' : 'two (what was asked for has been run)';
  return [
    `# For a machine\n\nAnswer with one of ${count}: a patch, in the form at the end;${version === 1 ? ' diagnostics;' : ''} a hand-over.\n`,
    ...asking,
    HAND_OVER,
    '',
    patchRule(),
  ].join('\n');
}

/** As in a prompt, but who has no change hands over. */
const patchRule = (): string => `${formatRule('diff').split('\n\nWhen no change ')[0]?.trimEnd()}\n`;
