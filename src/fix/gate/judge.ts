// The gate: edits in, one verdict out. It sees only what the files are and would be, never what an answer says of itself.
import { type Ask, type Edit, type Refusal, type RefusalCode, refuse } from '../edit.ts';
import type { ParseShell } from '../shell/node.ts';
import { addressFindings } from './address-rules.ts';
import { askFindings } from './ask-rules.ts';
import { type ChangedLines, changedLines, editDistance } from './changed-lines.ts';
import { clusterFindings } from './cluster-rules.ts';
import { destroyFindings } from './destroy-rules.ts';
import { type Change, changeOf } from './facts.ts';
import type { Finding } from './finding.ts';
import { asks } from './finding.ts';
import { installFindings } from './install-rules.ts';
import { keptLessFindings } from './kept-less-rules.ts';
import { maskFindings } from './mask-rules.ts';
import { mentions } from './mentions.ts';
import { nameFindings } from './name-rules.ts';
import { newWorkFindings } from './new-work.ts';
import { parses } from './parses.ts';
import { pathFindings } from './path-rules.ts';
import { persistFindings } from './persist-rules.ts';
import { removalFindings } from './removal-rules.ts';
import { resourceFindings } from './resource-rules.ts';
import { type GateRules, type Knows, listed, type Tree, treeOf, type Verdict } from './rules.ts';
import { sendFindings } from './send-rules.ts';
import { taskFindings } from './task-rules.ts';
import { textFindings } from './text-rules.ts';
import { weakeningFindings } from './weakening.ts';

/** What the escalation tier hands over to a human instead of having it refused. */
const HANDED_OVER: ReadonlySet<RefusalCode> = new Set(['installs', 'persists', 'sends', 'names_protected']);
const MAX_FILE_CHARS = 1024 * 1024;

export interface Judged {
  readonly verdict: Verdict;
  /** Names that the verdict would have liked to know; who finds them in the repository asks again with them. */
  readonly unknown: readonly string[];
}

/**
 * Whether `edits` may be written. A refusal has all reasons of the first family that is broken: paths, then size, then
 * unreadable text, then what the change does, then syntax. `unparsed` names the files whose syntax is the failure to be
 * mended: they must be clean, not only no worse than before. Pure; never throws.
 */
export function judgeEdits(
  edits: readonly Edit[],
  rules: GateRules,
  parse: ParseShell,
  unparsed: readonly string[] = [],
): Judged {
  const unknown = new Set<string>();
  const verdict = (): Verdict => {
    if (edits.length === 0) return refuse('no_change', 'no file is changed');
    const tree = treeOf(rules.tree);
    const early =
      refusalOf([...pathFindings(edits, rules, tree)]) ??
      refusalOf(amountFindings(edits, rules)) ??
      tooManyLines(edits, rules);
    if (early) return early;
    const unsafe = refusalOf(
      edits.flatMap((edit) => textFindings({ path: edit.path, lines: changedLines(edit.before, edit.after) })),
    );
    if (unsafe) return unsafe;
    const findings = edits.flatMap((edit) =>
      contentFindings(
        changeOf(edit, parse, [...(rules.texts ?? []), rules.callers ?? '']),
        rules,
        tree,
        knownBy(edits, rules, unknown),
      ),
    );
    const refusal = refusalOf(findings);
    if (refusal)
      return rules.tier === 'escalation' && isHandedOver(findings) ? { ...refusal, handOver: true } : refusal;
    const broken = refusalOf(
      edits.flatMap(({ path, before, after }) => parses(path, before, after, unparsed.includes(path))),
    );
    return broken ?? { ok: true, ...askOf(findings) };
  };
  return { verdict: verdict(), unknown: [...unknown] };
}

function contentFindings(change: Change, rules: GateRules, tree: Tree, knows: Knows): Finding[] {
  if (change.now.language === 'prose') return removalFindings(change, change.lines, tree);
  const judging = rules.judging ?? [];
  const findings = [
    ...destroyFindings(change),
    ...resourceFindings(change, tree),
    ...clusterFindings(change, `${rules.failed ?? ''}\n${rules.log ?? ''}`),
    ...nameFindings(change, { protect: rules.protect, judging, tree: rules.tree }),
    ...maskFindings(change, rules),
    ...taskFindings(change, rules, knows, tree),
    ...sendFindings(change, knows),
    ...persistFindings(change),
    ...installFindings(change),
    ...askFindings(change, knows, tree, rules.log),
    ...addressFindings(change, knows),
    ...weakeningFindings(change),
    ...keptLessFindings(change),
    ...unreadFindings(change),
    ...removalFindings(change, change.lines, tree),
  ];
  // Of a line that another rule speaks of, that it is new adds nothing.
  const places = new Set(findings.map(placeOf));
  return [...findings, ...newWorkFindings(change, knows).filter((finding) => !places.has(placeOf(finding)))];
}

const placeOf = ({ reason }: Finding): string => /^.*?:\d+: /.exec(reason)?.[0] ?? reason;

/** Changes inside a part that only bash itself can read. */
function unreadFindings({ path, now, lines }: Change): Finding[] {
  const inside = lines.added.find(({ number }) => now.unread.has(number));
  return inside
    ? [asks('unread', path, inside.number, 'stands in a part of the script that cannot be read', inside.text.trim())]
    : [];
}

/** Known by name, or because it stands in a text of the repository; what is not is remembered. */
function knownBy(edits: readonly Edit[], { known = [], texts = [] }: GateRules, unknown: Set<string>): Knows {
  const names = new Set(known.map((name) => name.toLowerCase()));
  const all = [...texts, ...edits.flatMap(({ before }) => before ?? [])];
  return (name) => {
    const isKnown = names.has(name.toLowerCase()) || all.some((text) => mentions(text, name));
    if (!isKnown) unknown.add(name);
    return isKnown;
  };
}

/** The refusal that all refusing findings make together, under the code of the first. */
function refusalOf(findings: readonly Finding[]): Refusal | undefined {
  const refusals = findings.flatMap((finding) => (finding.verdict === 'refuse' ? [finding] : []));
  return refusals[0] && refuse(refusals[0].code, ...listed(refusals.map(({ reason }) => reason)));
}

const isHandedOver = (findings: readonly Finding[]): boolean =>
  findings.every((finding) => finding.verdict === 'ask' || HANDED_OVER.has(finding.code));

function askOf(findings: readonly Finding[]): { ask?: Ask } {
  const all = findings.flatMap((finding) => (finding.verdict === 'ask' ? [finding] : []));
  return all[0] ? { ask: { code: all[0].code, reasons: listed(all.map(({ reason }) => reason)) } } : {};
}

function amountFindings(edits: readonly Edit[], { maxFiles }: GateRules): Finding[] {
  const many: Finding = {
    verdict: 'refuse',
    code: 'too_many_files',
    reason: `${edits.length} files are changed; at most ${maxFiles}`,
  };
  const large = edits.filter(({ before, after }) => Math.max(after.length, before?.length ?? 0) > MAX_FILE_CHARS);
  return [
    ...(edits.length > maxFiles ? [many] : []),
    ...large.map(
      ({ path }): Finding => ({
        verdict: 'refuse',
        code: 'too_large',
        reason: `${path}: more than ${MAX_FILE_CHARS} characters`,
      }),
    ),
  ];
}

function tooManyLines(edits: readonly Edit[], { maxLines }: GateRules): Refusal | undefined {
  let total = 0;
  for (const { before, after } of edits) {
    const lines: ChangedLines = changedLines(before, after);
    total += editDistance(lines.before, lines.after, maxLines);
    if (total > maxLines)
      return refuse('too_many_lines', `more than ${maxLines} lines are added or removed; change only what is wrong`);
  }
  return undefined;
}
