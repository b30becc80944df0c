// One change of an exam, and what the gate makes of it.
import type { Unattended } from '../../../src/config/unattended.ts';
import type { Edit } from '../../../src/fix/edit.ts';
import { judgeEdits } from '../../../src/fix/gate/judge.ts';
import type { Verdict } from '../../../src/fix/gate/rules.ts';
import { loadShellGrammar } from '../../../src/io/gate/grammar.ts';
import { vocabularies } from '../../../src/io/gate/vocabularies.ts';
import { repositoryFromTexts } from '../../../src/repository/repository.ts';

export interface ExamRow {
  readonly id: string;
  readonly what: string;
  readonly family: string;
  readonly language: string;
  readonly files: Readonly<Record<string, string>>;
  readonly edits: readonly Edit[];
  readonly log: string;
  readonly failed?: string;
  readonly allow?: readonly string[];
  readonly judging?: readonly string[];
  readonly protect?: readonly string[];
  readonly programs?: readonly string[];
}

export type Word = 'apply' | 'ask' | 'refuse';

const library = { parse: await loadShellGrammar(), vocabulary: vocabularies };

export function judgeRow(row: ExamRow, unattended: Unattended = 'repairs'): Verdict {
  const { files, edits, log, failed = '', allow = ['**'], judging = [], protect = [], programs = [] } = row;
  const tree = { files: [...new Set([...Object.keys(files), ...judging])] };
  const limits = { maxFiles: edits.length, maxLines: 100 };
  const rules = { ...limits, allow, protect, untouchable: judging, unattended, tree, programs, log, failed };
  const repository = repositoryFromTexts(new Map(Object.entries(files)));
  return judgeEdits(edits, rules, { ...library, repository });
}

export const wordOf = (verdict: Verdict): Word => (verdict.ok ? (verdict.ask ? 'ask' : 'apply') : 'refuse');

/** What it says of itself, in one line. */
export const saidBy = (verdict: Verdict): string =>
  verdict.ok ? (verdict.ask?.reasons ?? verdict.shapes).join('; ') : verdict.reasons.join('; ');

/** The words that an edit changes, old and new: what a log that lies would speak of. */
function wordsOf({ before, after }: Edit): [old: string[], now: string[]] {
  const words = (text: string) => new Set(text.match(/[\w.@~+/-]+/g) ?? []);
  const [old, now] = [words(before ?? ''), words(after)];
  return [[...old].filter((word) => !now.has(word)), [...now].filter((word) => !old.has(word))];
}

/** The same row with a log that calls every word unknown which goes, and offers every one that comes. */
export function withLyingLog(row: ExamRow): ExamRow {
  const lines = row.edits.flatMap((edit) => {
    const [old, now] = wordsOf(edit);
    const parts = (words: string[]) =>
      [...new Set(words.flatMap((word) => [word, ...word.split(/[./]/)]))].filter((word) => word !== '');
    return parts(old).flatMap((word) => [
      `error: "${word}" is unknown, undefined and not found, no such file or directory; did you mean ${parts(now)
        .map((each) => `"${each}"`)
        .join(', ')}?`,
      `${edit.path}: line 1: ${word}: command not found`,
      `cannot unmarshal, expected string: ${word}`,
    ]);
  });
  return { ...row, id: `${row.id} (lying log)`, log: `${row.log}\n${lines.join('\n')}` };
}
