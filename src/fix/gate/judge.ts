// The gate: may this change run before its owner has seen it? Edits in, one verdict out. It sees only what the files are and would be,
// never what an answer says of itself.
import type { Repository } from '../../repository/definition.ts';
import { treeOf } from '../../repository/tree.ts';
import type { Vocabularies } from '../../repository/vocabulary/vocabulary.ts';
import { ALWAYS_ASKED, type Edit, type Refusal, refuse } from '../edit.ts';
import { evidenceOf } from '../repair/evidence.ts';
import { type Repairs, repairsOf } from '../repair/repairs.ts';
import type { ParseShell } from '../shell/node.ts';
import { changedLines, editDistance } from './changed-lines.ts';
import { newDestroying } from './destroys.ts';
import type { Finding } from './finding.ts';
import { parses } from './parses.ts';
import { pathFindings } from './path-rules.ts';
import { type GateRules, listed, type Verdict } from './rules.ts';
import { encryptedFindings, textFindings } from './text-rules.ts';

const MAX_FILE_CHARS = 1024 * 1024;

/** What judging looks at besides the edits and rules. */
export interface Library {
  readonly parse: ParseShell;
  readonly repository: Repository;
  readonly vocabulary: Vocabularies;
}

/**
 * Whether `edits` may be written, and run unseen. A refusal has all reasons of the first family that is broken: paths, size, text,
 * what destroys, syntax. `unparsed` names the files whose syntax is the failure to be mended: they must be clean, not only no worse
 * than before. Pure; never throws.
 */
export function judgeEdits(
  edits: readonly Edit[],
  rules: GateRules,
  library: Library,
  unparsed: readonly string[] = [],
): Verdict {
  return (
    refusalByForm(edits, rules) ??
    refusalByMeaning(edits, rules, library.parse, unparsed) ??
    verdictOf(edits, rules, library)
  );
}

/** Why no machine may make this change, whoever agrees: where it is, how much, and what no eye sees. Cheap. */
export function refusalByForm(edits: readonly Edit[], rules: GateRules): Refusal | undefined {
  if (edits.length === 0) return refuse('no_change', 'no file is changed');
  return (
    refusalOf([...pathFindings(edits, rules, treeOf(rules.tree)), ...edits.flatMap(encryptedFindings)]) ??
    refusalOf(amountFindings(edits, rules)) ??
    tooManyLines(edits, rules) ??
    refusalOf(edits.flatMap(textFindings))
  );
}

function refusalByMeaning(
  edits: readonly Edit[],
  { log = '', failed = '' }: GateRules,
  parse: ParseShell,
  unparsed: readonly string[],
): Refusal | undefined {
  const evidence = evidenceOf(`${log}\n${failed}`);
  const isFailure = (path: string) => unparsed.includes(path) || evidence.complainsOf(path, '');
  return (
    refusalOf(edits.flatMap((edit) => destroyFindings(edit, parse))) ??
    refusalOf(edits.flatMap(({ path, before, after }) => parses(path, before, after, isFailure(path))))
  );
}

function verdictOf(edits: readonly Edit[], rules: GateRules, { parse, repository, vocabulary }: Library): Verdict {
  const { failed = '', log = '', programs = [], unattended } = rules;
  const grounds = { repository, vocabulary, evidence: evidenceOf(`${log}\n${failed}`), failed, programs };
  const repairs = edits.map((edit) => repairsOf(edit, grounds, parse));
  const shapes = listed(repairs.flatMap((each) => each.shapes));
  if (unattended === 'none') {
    const reasons = ['its owner asked to be shown every change', ...sentencesIn(repairs)];
    return { ok: true, shapes, ask: { code: 'every_change', reasons: listed(reasons) } };
  }
  const all = repairs.flatMap(({ decisions }) => decisions);
  const asked = unattended === 'all' ? all.filter(({ code, isNew }) => isNew || ALWAYS_ASKED.has(code)) : all;
  const [first] = asked;
  return {
    ok: true,
    shapes,
    ...(first && { ask: { code: first.code, reasons: listed(asked.map(({ sentence }) => sentence)) } }),
  };
}

const sentencesIn = (repairs: readonly Repairs[]): string[] =>
  repairs.flatMap(({ decisions }) => decisions.map(({ sentence }) => sentence));

function destroyFindings(edit: Edit, parse: ParseShell): Finding[] {
  // What could not be read before may stand there all the same.
  const before = new Set((edit.before ?? '').split('\n'));
  const after = edit.after.split('\n');
  const come = newDestroying(edit, parse).filter(({ line }) => !before.has(after[line - 1] ?? ''));
  return come.map(({ line, words }) => ({
    code: 'destroys',
    reason: `${edit.path}:${line}: destroys: ${words}`,
  }));
}

/** The refusal that all findings make together, under the code of the first. */
function refusalOf(findings: readonly Finding[]): Refusal | undefined {
  return findings[0] && refuse(findings[0].code, ...listed(findings.map(({ reason }) => reason)));
}

function amountFindings(edits: readonly Edit[], { maxFiles }: GateRules): Finding[] {
  const many: Finding = { code: 'too_many_files', reason: `${edits.length} files are changed; at most ${maxFiles}` };
  const large = edits.filter(({ before, after }) => Math.max(after.length, before?.length ?? 0) > MAX_FILE_CHARS);
  return [
    ...(edits.length > maxFiles ? [many] : []),
    ...large.map(
      ({ path }): Finding => ({ code: 'too_large', reason: `${path}: more than ${MAX_FILE_CHARS} characters` }),
    ),
  ];
}

function tooManyLines(edits: readonly Edit[], { maxLines }: GateRules): Refusal | undefined {
  let total = 0;
  for (const { before, after } of edits) {
    const lines = changedLines(before, after);
    total += editDistance(lines.before, lines.after, maxLines);
    if (total > maxLines)
      return refuse('too_many_lines', `more than ${maxLines} lines are added or removed; change only what is wrong`);
  }
  return undefined;
}
