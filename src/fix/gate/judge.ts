// The gate: may this change run before its owner has seen it? Edits in, one verdict out. It sees only what the files are and would be,
// never what an answer says of itself.
import { diffArrays } from 'diff';
import type { Repository } from '../../repository/definition.ts';
import type { Vocabularies } from '../../repository/vocabulary/vocabulary.ts';
import { ALWAYS_ASKED, type Edit, type Refusal, refuse } from '../edit.ts';
import { evidenceOf } from '../repair/evidence.ts';
import { repairsOf } from '../repair/shapes.ts';
import type { ParseShell, ShellNode } from '../shell/node.ts';
import { newDestroying } from './destroys.ts';
import { parses } from './parses.ts';
import { pathFindings } from './path-rules.ts';
import { clip, type Finding, type GateRules, listed, type Verdict } from './rules.ts';

const MAX_FILE_CHARS = 1024 * 1024;
const MAX_LINE_CHARS = 4_000;
const CONTROL = /(?!\t)\p{Cc}|\p{Cs}/u;
const NOT_SEEN = /[\u200b\u2060\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ue000-\ue102]/u;
/** Encrypted by sops, whatever it is called: its own block with a checksum, or a value in its form. */
const SOPS = /^\s*"?sops"?:\s*\{?$[\s\S]*^\s*"?mac"?:|\bENC\[AES256|^sops_mac=/m;

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
  return refusalByForm(edits, rules) ?? judgeByMeaning(edits, rules, library, unparsed);
}

/** Why no machine may make this change, whoever agrees: where it is, how much, and what no eye sees. Cheap. */
export function refusalByForm(edits: readonly Edit[], rules: GateRules): Refusal | undefined {
  if (edits.length === 0) return refuse('no_change', 'no file is changed');
  return (
    refusalOf([...pathFindings(edits, rules), ...edits.flatMap(encryptedFindings)]) ??
    refusalOf(amountFindings(edits, rules)) ??
    refusalOf(edits.flatMap(textFindings))
  );
}

function judgeByMeaning(
  edits: readonly Edit[],
  { failed = '', log = '', programs = [], unattended }: GateRules,
  { parse: parseShell, repository, vocabulary }: Library,
  unparsed: readonly string[],
): Verdict {
  const parse = onceEach(parseShell);
  const evidence = evidenceOf(`${log}\n${failed}`);
  const isFailure = (path: string) => unparsed.includes(path) || evidence.complainsOf(path, '');
  const refusal =
    refusalOf(edits.flatMap((edit) => destroyFindings(edit, parse))) ??
    refusalOf(edits.flatMap(({ path, before, after }) => parses(path, before, after, isFailure(path))));
  if (refusal) return refusal;
  const grounds = { repository, vocabulary, evidence, programs };
  const repairs = edits.map((edit) => repairsOf(edit, grounds, parse));
  const shapes = listed(repairs.flatMap((each) => each.shapes));
  const decisions = repairs.flatMap((each) => each.decisions);
  const asked = decisions.filter(({ code, isNew }) => unattended !== 'all' || isNew || ALWAYS_ASKED.has(code));
  const reasons = asked.map(({ sentence }) => sentence);
  if (unattended === 'none') reasons.unshift('its owner asked to be shown every change');
  const code = unattended === 'none' ? 'every_change' : asked[0]?.code;
  return { ok: true, shapes, ...(code && { ask: { code, reasons: listed(reasons) } }) };
}

/** Several rules look at a text: it is read once for a verdict. */
function onceEach(parse: ParseShell): ParseShell {
  const trees = new Map<string, ShellNode>();
  return (text) => {
    const tree = trees.get(text) ?? parse(text);
    trees.set(text, tree);
    return tree;
  };
}

/** The refusal that all findings make together, under the code of the first. */
const refusalOf = (findings: readonly Finding[]): Refusal | undefined =>
  findings[0] && refuse(findings[0].code, ...listed(findings.map(({ reason }) => reason)));

const encryptedFindings = ({ path, before, after }: Edit): Finding[] =>
  SOPS.test(before ?? '') || SOPS.test(after)
    ? [{ code: 'protected', reason: `${path}: it is encrypted, or would be; no fix may change it` }]
    : [];

function amountFindings(edits: readonly Edit[], { maxFiles, maxLines }: GateRules): Finding[] {
  const findings: Finding[] = [];
  if (edits.length > maxFiles)
    findings.push({ code: 'too_many_files', reason: `${edits.length} files are changed; at most ${maxFiles}` });
  for (const { path, before, after } of edits)
    if (Math.max(after.length, before?.length ?? 0) > MAX_FILE_CHARS)
      findings.push({ code: 'too_large', reason: `${path}: more than ${MAX_FILE_CHARS} characters` });
  if (findings.length > 0) return findings;
  const lines = edits.reduce((sum, { before, after }) => sum + editDistance(before, after, maxLines), 0);
  const reason = `more than ${maxLines} lines are added or removed; change only what is wrong`;
  return lines > maxLines ? [{ code: 'too_many_lines', reason }] : [];
}

/** Characters that no eye sees, and lines that nobody reads to their end. */
const textFindings = ({ path, before, after }: Edit): Finding[] =>
  addedLines(before, after).flatMap(({ text, number }): Finding[] => {
    const seen = number === 1 ? text.replace(/^\ufeff/, '') : text;
    const at = (why: string) => `${path}:${number}: ${why}: ${clip(seen.trim())}`;
    if (CONTROL.test(seen) || NOT_SEEN.test(seen))
      return [{ code: 'unsafe_text', reason: at('has characters that are not seen') }];
    if (seen.length <= MAX_LINE_CHARS) return [];
    return [{ code: 'too_large', reason: at(`a line of more than ${MAX_LINE_CHARS} characters`) }];
  });

function destroyFindings(edit: Edit, parse: ParseShell): Finding[] {
  // What could not be read before may stand there all the same.
  const before = new Set((edit.before ?? '').split('\n'));
  const after = edit.after.split('\n');
  const come = newDestroying(edit, parse).filter(({ line }) => !before.has(after[line - 1] ?? ''));
  return come.map(({ line, words }) => ({ code: 'destroys', reason: `${edit.path}:${line}: destroys: ${words}` }));
}

const linesOf = (text: string): string[] => {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
};

/** The lines of `after` that `before` has not as often, wherever they stand and however they are indented; counted from 1. */
export function addedLines(before: string | null, after: string): { number: number; text: string }[] {
  const left = new Map<string, number>();
  const essence = (line: string) => line.replace(/^[ \t]+/, '');
  for (const line of linesOf(before ?? '').map(essence)) left.set(line, (left.get(line) ?? 0) + 1);
  return linesOf(after).flatMap((text, i) => {
    const count = left.get(essence(text)) ?? 0;
    left.set(essence(text), count - 1);
    return count > 0 ? [] : [{ number: i + 1, text }];
  });
}

/** How many lines a diff adds and removes together; more than `max` is only said to be more. A moved line counts twice. */
export function editDistance(before: string | null, after: string, max: number): number {
  const parts = diffArrays(linesOf(before ?? ''), linesOf(after), { maxEditLength: max });
  if (!parts) return max + 1;
  return parts.reduce((sum, { added, removed, count }) => sum + (added || removed ? count : 0), 0);
}
