// What a notice shows of a case that waits for a word: the change in a few lines, and a one-time token by which it is answered.
import { readText } from '../io/store.ts';
import type { NoticeAsk } from '../plugin/contract.ts';
import type { Run } from '../stage/run.ts';
import { entryOf } from '../triage/ledger.ts';
import { newToken } from './answer-tokens.ts';
import { openCaseStore } from './case-store.ts';

const MAX_DIFF_LINES = 15;

/** Undefined when no change waits in the case. `mask`: over all that leaves. */
export function noticeAsk(
  { layout, journal, clock }: Pick<Run, 'layout' | 'journal' | 'clock'>,
  name: string,
  mask: (text: string) => string,
): NoticeAsk | undefined {
  const store = openCaseStore(layout);
  const listed = store.read(name);
  if (!listed || !('summary' in listed)) return undefined;
  const { state, patch, suggested, stage, fingerprint } = listed.summary;
  if (state !== 'open' || patch === undefined || !suggested) return undefined;
  const { plugin, note, ask } = suggested;
  const lines = changedLines(readText(`${store.folder(name)}/patch.diff`) ?? '');
  const excerpt = entryOf(journal.ledger, stage, fingerprint)?.excerpt ?? '';
  return {
    case: name,
    sentence: mask(`${stage} failed, and ${plugin} proposes: ${note.fix}`),
    error: mask(excerpt),
    reasons: (ask?.reasons ?? []).map(mask),
    diff: mask(lines.slice(0, MAX_DIFF_LINES).join('\n')),
    more: Math.max(0, lines.length - MAX_DIFF_LINES),
    ...newToken(layout, { case: name, patch }, clock.now()),
  };
}

/** A diff without its headers: the names of the files, and the lines with their signs. */
const changedLines = (diff: string): string[] =>
  diff
    .trimEnd()
    .split('\n')
    .filter((line) => !/^(?:diff --git |index |--- |@@ )/.test(line))
    .map((line) => line.replace(/^\+\+\+ (?:b\/)?/, ''));
