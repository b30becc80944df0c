// The gate: one edit in, one verdict out. It sees only what the files are and would be, never what an answer says of itself.
import { type Edit, type Refusal, refuse } from '../edit.ts';
import { type ChangedLines, changedLines, editDistance } from './changed-lines.ts';
import { guardFindings } from './guard-rules.ts';
import { lineFindings } from './line-rules.ts';
import { parses } from './parses.ts';
import { pathFindings } from './path-rules.ts';
import { removalFindings } from './removal-rules.ts';
import { type Finding, type GateRules, refusalOf, type Verdict } from './rules.ts';

/** What the escalation tier hands over to a human instead of having it refused. */
const HANDED_OVER: ReadonlySet<string> = new Set(['installs', 'removes_resource', 'removes_much']);
const MAX_FILE_CHARS = 1024 * 1024;

/**
 * Whether `edited` may be written, by every rule that needs no parser. A refusal has all reasons of the first family
 * that is broken: paths, then size, then added lines and guards, then removals. Pure; never throws.
 */
export function judgeEdit(edited: readonly Edit[], rules: GateRules): Verdict {
  if (edited.length === 0) return { ok: false, code: 'no_change', reasons: ['no file is changed'] };
  const early = refusalOf(pathFindings(edited, rules)) ?? refusalOf(amountFindings(edited, rules));
  if (early) return early;
  const files = edited.map((file) => ({ file, changed: changedLines(file.before, file.after) }));
  const long = tooManyLines(files, rules);
  if (long) return long;
  const judges = rules.untouchable;
  const lines = files.flatMap(({ file, changed }) => lineFindings(file, changed, rules.protect));
  const guards = files.flatMap(({ file, changed }) => guardFindings(file.path, changed, file.after, judges));
  const firm = [...lines.filter(isFirm), ...guards];
  const loose = lines.filter((finding) => !isFirm(finding));
  const refusal = firm.length > 0 ? refusalOf([...firm, ...loose]) : undefined;
  if (refusal) return refusal;
  const last = refusalOf([...loose, ...files.flatMap((f) => removalFindings(f.file, f.changed, rules.tree))]);
  if (!last) return { ok: true };
  return rules.tier === 'escalation' ? { ...last, handOver: true } : last;
}

const isFirm = ({ code }: Finding): boolean => !HANDED_OVER.has(code);

/**
 * `judgeEdit`, then whether every file parses. `unparsed` names the files whose syntax is the failure to be mended: they
 * must be clean, not only no worse than before.
 */
export function judgeResult(edited: readonly Edit[], rules: GateRules, unparsed: readonly string[] = []): Verdict {
  const verdict = judgeEdit(edited, rules);
  if (!verdict.ok) return verdict;
  const findings = edited.flatMap((file) => parses(file.path, file.before, file.after, unparsed.includes(file.path)));
  return refusalOf(findings) ?? verdict;
}

function amountFindings(edited: readonly Edit[], { maxFiles }: GateRules): Finding[] {
  const many = `${edited.length} files are changed; at most ${maxFiles}`;
  return [
    ...(edited.length > maxFiles ? [{ code: 'too_many_files', reason: many } as const] : []),
    ...edited
      .filter(({ before, after }) => Math.max(after.length, before?.length ?? 0) > MAX_FILE_CHARS)
      .map(({ path }): Finding => ({ code: 'too_large', reason: `${path}: more than ${MAX_FILE_CHARS} characters` })),
  ];
}

function tooManyLines(files: readonly { changed: ChangedLines }[], { maxLines }: GateRules): Refusal | undefined {
  let total = 0;
  for (const { changed } of files) {
    total += editDistance(changed.before, changed.after, maxLines);
    if (total <= maxLines) continue;
    return refuse('too_many_lines', `more than ${maxLines} lines are added or removed; change only what is wrong`);
  }
  return undefined;
}
