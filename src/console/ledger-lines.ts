// What the ledger remembers of a failure, and what would come next, in lines for people.
import type { LedgerEntry } from '../triage/ledger.ts';
import type { Decision } from '../triage/situation.ts';
import { ago, count, spell } from './words.ts';

export function ledgerLines(entry: LedgerEntry, now: number): string[] {
  const { patches, verified_at, gave_up_at } = entry;
  const seen = entry.times_seen === 1 ? 'once' : `${entry.times_seen} times`;
  return [
    'ledger',
    `  seen ${seen}: first ${ago(entry.first_seen, now)} (${entry.first_seen}), last ${ago(entry.last_seen, now)} (${entry.last_seen})`,
    `  since it last started anew: ${count(entry.executor_tries, 'executor try', 'executor tries')}, ${count(entry.escalation_calls, 'escalation call')}`,
    ...(patches.length === 0 ? ['  no fix was tried'] : patches.flatMap(patchLines)),
    ...(entry.refused ?? []).map(
      ({ plugin, tier, code, reason }) => `  refused: an answer of ${plugin} (${tier}): ${code}: ${reason}`,
    ),
    ...(verified_at ? [`  a fix was verified ${ago(verified_at, now)}`] : []),
    ...(gave_up_at ? [`  given up ${ago(gave_up_at, now)}`] : []),
    ...(entry.case ? [`  open case ${entry.case}: mendloop cases show ${entry.case}`] : []),
    ...(entry.escalated && !entry.case ? [`  escalated as case ${entry.escalated}`] : []),
    ...(entry.last_reason ? [`  last decision: ${entry.last_tier}, ${entry.last_reason}`] : []),
  ];
}

const patchLines = ({ hash, outcome, tier, plugin, note, why }: LedgerEntry['patches'][number]): string[] => [
  `  fix ${hash.slice(0, 12)} by ${plugin} (${tier}): ${outcome}${why ? `, ${why}` : ''}`,
  ...(note ? [`    ${note.fix}`] : []),
];

export function nextLines(next: Decision | { unknown: string }): string[] {
  if ('unknown' in next) return ['next time', `  cannot be told while the configuration is not sound: ${next.unknown}`];
  return ['next time', `  ${what(next)}`, `  because: ${next.reason}`];
}

function what(next: Decision): string {
  switch (next.tier) {
    case 'wait':
      return `the loop waits ${spell(next.pause_ms)} and runs the stage again`;
    case 'executor':
      return next.reapply.length > 0
        ? 'fixes that were taken back are applied again'
        : 'the executors are asked for a fix';
    case 'escalation':
      return 'it is escalated';
    case 'give_up':
      return 'the loop gives up and hands over';
    case 'none':
      return next.exit === 3
        ? 'the stage ends failed and waits for you (exit 3)'
        : 'the stage ends failed (exit 1), and the next run tries it once more';
  }
}
