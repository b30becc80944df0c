// Cases in lines for people.
import type { ListedCase } from '../mend/case-store.ts';
import { type CaseSummary, caseCommands } from '../outbound/case-summary.ts';
import { fenceNote, nonceOf } from '../outbound/text.ts';
import { entryOf, type Ledger, type LedgerEntry } from '../triage/ledger.ts';
import { triedLines } from './failure-report.ts';
import { ago } from './words.ts';

/** In the order in which they are listed. */
export const CASE_WORDS: Readonly<Record<CaseSummary['state'], string>> = {
  open: 'waits for you',
  asked: 'went to an escalation',
  given_up: 'given up',
  answered: 'answered; tried before its stage runs again',
  closed: 'closed',
};

/** What waits first, what cannot be read last. */
export function caseLines(cases: readonly ListedCase[], ledger: Ledger, now: number): string[] {
  const order = Object.keys(CASE_WORDS);
  const rank = (one: ListedCase) => ('summary' in one ? order.indexOf(one.summary.state) : order.length);
  return cases.toSorted((a, b) => rank(a) - rank(b)).flatMap((one) => listed(one, ledger, now));
}

function listed(one: ListedCase, ledger: Ledger, now: number): string[] {
  if (!('summary' in one)) return [`${one.case}  cannot be read: ${one.problem}`];
  const { case: name, stage, fingerprint, class: failureClass, opened, state, why, patch, closed } = one.summary;
  const seen = closed ? '' : seenText(opened, entryOf(ledger, stage, fingerprint), now);
  return [
    `${name}  ${CASE_WORDS[state]}, ${ago(opened, now)}${seen && `, ${seen}`}`,
    `    ${stage}: ${failureClass}${closed ? `; closed: ${closed.why}` : why ? `; ${why}` : ''}`,
    ...(state === 'open' || state === 'given_up'
      ? caseCommands(name, patch !== undefined).map((line) => `    ${line}`)
      : []),
  ];
}

/** When the failure of a case came back after it was opened; empty for one that did not. */
export function seenText(opened: string, entry: LedgerEntry | undefined, now: number): string {
  if (!entry || Date.parse(entry.last_seen) - Date.parse(opened) < SAME_TIME_MS) return '';
  return `last seen ${ago(entry.last_seen, now)}`;
}

/** A case is opened at the end of the tries that follow its sighting. */
const SAME_TIME_MS = 60_000;

/** What a person decides by, above the change: the failure, who proposes what, why they are asked. */
export function caseOpening(
  { stage, class: failureClass, opened, why, suggested, closed, case: name }: CaseSummary,
  entry: LedgerEntry | undefined,
  now: number,
  { bold }: { bold(text: string): string } = { bold: (text) => text },
): string[] {
  const seen = seenText(opened, entry, now);
  return [
    bold(`${stage} failed: ${failureClass}`),
    `${name}, ${ago(opened, now)}${seen && `, ${seen}`}`,
    ...(entry?.excerpt.split('\n') ?? []).map((line) => `| ${line}`),
    ...(suggested ? [`${suggested.plugin} proposes: ${suggested.note.fix}`, `because: ${suggested.note.reason}`] : []),
    ...(suggested?.ask ? suggested.ask.reasons.map((reason) => `you are asked: ${reason}`) : why ? [why] : []),
    ...(closed ? [`closed ${ago(closed.time, now)}: ${closed.why}`] : []),
  ];
}

export interface CaseParts {
  readonly summary: CaseSummary;
  readonly text: string | undefined;
  readonly patch: string | undefined;
  /** What is known of its failure. */
  readonly entry: LedgerEntry | undefined;
}

/** A case: what broke, what was tried, the change and what can be done; `all`: with what a model was told. */
export function shownCase({ summary, text, patch, entry }: CaseParts, now: number, all = false): string[] {
  const { case: name, state } = summary;
  const sections = text === undefined ? [] : sectionsOf(text);
  const tries = triedBefore(entry);
  const tried = tries.length > 0 ? [['what was tried', ...tries].join('\n')] : [];
  const change = patch?.trimEnd() || 'it changes no text, only who may run a file';
  const actions = caseActions(summary).map(({ what, command }) => `${what}: ${command}`);
  const parts = [
    ...tried,
    ...(patch === undefined ? [] : [change]),
    ...(actions.length > 0 ? [actions.join('\n')] : []),
  ];
  const rest = sections.flatMap((section) => ['', ...section.split('\n')]);
  const folded =
    rest.length === 0
      ? ['its text is gone']
      : [`what a model was told, ${rest.length} lines: mendloop cases show ${name} --all`];
  return [
    `case ${name}: ${CASE_WORDS[state]}`,
    '',
    ...caseOpening(summary, entry, now),
    ...parts.flatMap((section) => ['', ...section.split('\n')]),
    ...(all && rest.length > 0 ? rest : ['', ...folded]),
  ];
}

/** What was tried before, and why it did not help; nothing of the change that waits. */
export function triedBefore(entry: LedgerEntry | undefined): string[] {
  const refused = entry?.refused?.filter(({ code }) => code !== 'ask') ?? [];
  return entry && entry.patches.length + refused.length > 0 ? triedLines({ ...entry, refused }) : [];
}

/** What can be done with a case, the likeliest first, and the command that does it; nothing for one that is over. */
export function caseActions({ case: name, state, patch, stage }: CaseSummary): { what: string; command: string }[] {
  const waits = state === 'open' || state === 'given_up';
  const actions: { what: string; command: string }[] = [];
  const add = (what: string, command: string) => actions.push({ what, command });
  if (waits && patch) add('to have the change tried now', `mendloop cases accept ${name} --run`);
  if (state === 'open' && patch) add('to go on without it', `mendloop cases decline ${name}`);
  if (state === 'answered') add('to have your answer tried now', `mendloop ${stage}`);
  if (state === 'answered') add('to take your answer back', `mendloop cases decline ${name}`);
  if (waits) {
    if (state === 'open') add('once you have mended it yourself and committed that', `mendloop ${stage}`);
    else add('to start anew, once you have mended it yourself', `mendloop reset ${stage}`);
    add('to answer with a patch of your own', `mendloop cases answer ${name} <file>`);
  }
  if (state === 'open' && !patch) add('to close it and go on', `mendloop cases decline ${name}`);
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
