// A proposal → the files as they would be, our own diff of them and what the owner must be asked about it, or why it is
// refused. Nothing is written.

import { pathMatcher } from '../config/paths.ts';
import type { Unattended } from '../config/unattended.ts';
import { type AnsweredAt, type FixTier, NO_NOTE } from '../events.ts';
import { spellings } from '../fix/apply-changes.ts';
import { cleanDiff, patchHash } from '../fix/clean-diff.ts';
import type { Ask, Edit, Note, Refusal } from '../fix/edit.ts';
import { refuse } from '../fix/edit.ts';
import { editsOf } from '../fix/edits-of.ts';
import { editablePaths } from '../fix/gate/path-rules.ts';
import type { GateRules } from '../fix/gate/rules.ts';
import { type ShellCheck, wantsShellCheck } from '../fix/gate/shell-check.ts';
import { refuseNearCopy } from '../fix/near-copy.ts';
import { noteIn, readAnswer } from '../fix/read-answer.ts';
import { haveSameEffect } from '../fix/same-effect.ts';
import { judge } from '../io/gate/gate.ts';
import { breakForms, putBackForms } from '../outbound/chat-forms.ts';
import type { Redactor } from '../outbound/redact/redactor.ts';
import type { Change } from '../plugin/contract.ts';
import type { RepositoryFacts } from '../repository/repository.ts';
import type { Patch, RefusedAnswer } from '../triage/ledger.ts';
import type { Files, Snapshot } from '../worktree/read.ts';

export interface SoundFix {
  ok: true;
  files: Edit[];
  diff: string;
  hash: string;
  note: Note;
  /** Why the owner must be asked about it. */
  ask?: Ask | undefined;
  /** The repairs that it consists of: the shape of each, and why. */
  shapes: readonly string[];
}

/** The author of a fix, and whether it counts as a try of the executors. */
export interface FixOrigin {
  plugin: string;
  tier: FixTier;
  tried: boolean;
  /** The case it answers. */
  case?: string;
  /** It was judged when it was first proposed, and no one is asked again. */
  judged?: true;
  /** A person agreed to it. */
  accepted?: boolean;
  /** The plugin whose suggestion they accepted as their answer. */
  proposed_by?: string | undefined;
  /** Where they did. */
  answered_at?: AnsweredAt | undefined;
}

/** A fix that passed the gate. */
export interface ProposedFix {
  sound: SoundFix;
  origin: FixOrigin;
}

/** What a proposal is judged by. */
export interface ProposalContext {
  rules: GateRules;
  snapshot: Snapshot;
  shellCheck: ShellCheck;
  /** The patches that were tried on this failure. */
  patches: readonly Patch[];
  /** The answers about it that were not taken, as of now. */
  refused?(): readonly Pick<RefusedAnswer, 'code' | 'hash'>[];
  /** The diff of one of these, where it is kept. */
  diffOf?(hash: string): string | undefined;
  /** The files that do not parse, by this failure's error lines. */
  unparsed: readonly string[];
  /** Masks what was sent, for the answer is about masked texts; undefined when nothing was sent. */
  redactor?: Redactor | undefined;
  /** What the repository defines. */
  repository(): Promise<RepositoryFacts>;
  /** Why these files cannot be written, by the disk and git's attributes. */
  unwritable(files: readonly Edit[]): Promise<Pick<Refusal, 'code' | 'reasons'> | undefined>;
  /** Whether these texts would take back a fix that is on the branch. */
  isReversal(files: readonly Edit[]): Promise<boolean>;
  /** What may run unattended of a change of these paths, where `rules` do not say it of all. */
  unattendedFor?(paths: readonly string[]): Unattended;
  /** Stages that must not run twice and are made from one of these files; absent where a person has agreed already. */
  madeOnceFrom?(paths: readonly string[]): Promise<readonly string[]>;
}

/** Why a change is not taken; with the change itself, where it could be read. */
export type RefusedFix = Refusal & {
  note?: Note | undefined;
  proposed?: Pick<SoundFix, 'files' | 'diff' | 'hash'>;
  /** It was tried or refused before, or takes back what helped: whoever proposes it has nothing new. */
  repeated?: true;
};

/** Never throws for what was proposed. */
export async function judgeProposal(proposal: Change, context: ProposalContext): Promise<SoundFix | RefusedFix> {
  const read = 'answer' in proposal ? await readText(proposal, context) : await readFiles(proposal, context);
  if (!read.ok) return { ...read, note: proposal.note ?? ('answer' in proposal ? noteIn(proposal.answer) : undefined) };
  const { files, note } = read;
  const paths = files.map(({ path }) => path);
  const { unattended } = context.rules;
  const rules = { ...context.rules, unattended: context.unattendedFor?.(paths) ?? unattended };
  const verdict = await judge(files, rules, await context.repository(), context.unparsed);
  const refusal = verdict.ok ? await whyNotWritten(files, context) : verdict;
  const isLarge = files.some(({ before, after }) => after.length + (before?.length ?? 0) > MAX_STORED_CHARS);
  if (refusal && (isLarge || UNSTORED.has(refusal.code))) return { ...refusal, note };
  const diff = cleanDiff(files);
  const hash = patchHash(diff, executables(files));
  const isSame = (other: string): boolean => other === hash || haveSameEffect(diff, context.diffOf?.(other) ?? '');
  const before = context.patches.find((patch) => wasTried(patch) && isSame(patch.hash));
  if (before) {
    const ended = before.outcome === 'declined' ? 'a person did not want it' : `ended ${before.outcome}`;
    const what = before.hash === hash ? 'this very change' : 'a change that does the same';
    const tried = refuse('already_tried', `${what} was tried by ${before.plugin} and ${ended}; ${WHAT_DIFFERS}`);
    return { ...tried, note, proposed: { files, diff, hash: before.hash }, repeated: true };
  }
  if (refusal) {
    const earlier = context.refused?.().find((one) => one.code !== 'ask' && one.hash !== undefined && isSame(one.hash));
    const proposed = { files, diff, hash: earlier?.hash ?? hash };
    return { ...refusal, note, proposed, ...(earlier && { repeated: true }) };
  }
  if (await context.isReversal(files)) {
    const reversal = refuse('reversal', 'this takes back a fix that is on the branch; find a change that keeps it');
    return { ...reversal, note, proposed: { files, diff, hash }, repeated: true };
  }
  if (!verdict.ok) return verdict;
  const once = (await context.madeOnceFrom?.(paths)) ?? [];
  const { shapes, ask = changesOnce(once) } = verdict;
  return { ok: true, files, diff, hash, note, shapes, ...(ask && { ask }) };
}

/** Refused changes beyond this are not kept. */
const MAX_STORED_CHARS = 200_000;
/** Refusals of what is no change of a text file. */
const UNSTORED: ReadonlySet<string> = new Set(['no_change', 'too_large', 'unsafe_text', 'bad_path', 'unsupported']);

/** Why a change that the gate lets through cannot be written; undefined when it can. */
async function whyNotWritten(files: readonly Edit[], context: ProposalContext): Promise<Refusal | undefined> {
  const copy = await nearCopy(files, context.rules.allow, context.snapshot);
  if (copy) return copy;
  const unwritable = await context.unwritable(files);
  if (unwritable) return refuse(unwritable.code, ...unwritable.reasons);
  const problems = await shellProblems(files, context.shellCheck);
  return problems.length > 0 ? refuse('does_not_parse', ...problems) : undefined;
}

const WHAT_DIFFERS =
  'find another: other comments, messages, white space or another order of lines do not make it different';

/** What the owner is asked about a change to the inputs of `stages`, none of which may run twice. */
export function changesOnce(stages: readonly string[]): Ask | undefined {
  if (stages.length === 0) return undefined;
  const reason = `changes what ${stages.join(', ')} is made from, which must not run twice (rerun: false)`;
  return { code: 'changes_once', reasons: [reason] };
}

/** Why a new file is refused: an editable one of `all` is nearly the same. */
async function nearCopy(files: readonly Edit[], allow: readonly string[], all: Files) {
  if (files.every(({ before }) => before !== null)) return undefined;
  const editable = [...all.files.keys()].filter(pathMatcher(allow));
  return refuseNearCopy(
    files,
    await Promise.all(editable.map(async (path) => [path, (await all.text(path)) ?? ''] as const)),
  );
}

const TRIED: ReadonlySet<string> = new Set(['applied', 'no_effect', 'broke', 'declined', 'undone']);

const wasTried = ({ outcome, unjudged }: Patch): boolean => TRIED.has(outcome) && !unjudged;

type Read = { ok: true; files: Edit[]; note: Note } | Refusal;

async function readText(
  { answer, note }: Extract<Change, { answer: string }>,
  { snapshot, redactor, rules }: ProposalContext,
): Promise<Read> {
  const editable = editablePaths([...snapshot.files.keys()], rules);
  const read = readAnswer(answer, { files: editable });
  const named = read.ok ? read.changes.flatMap(({ path }) => (path === undefined ? [] : spellings(path))) : [];
  const texts = new Map<string, string | undefined>();
  const masked = new Set<string>();
  const load = async (path: string): Promise<void> => {
    const text = await snapshot.text(path);
    // The answer is about what was sent: the text with its secrets masked.
    const hidden = text !== undefined && redactor ? redactor.redact(text) : text;
    texts.set(path, redactor && hidden !== undefined ? breakForms(hidden) : hidden);
    if (hidden !== text) masked.add(path);
  };
  for (const path of named) await load(path);
  const text = (path: string) => texts.get(path);
  const isOpen =
    !read.ok || read.changes.some(({ path }) => !spellings(path ?? '').some((spelling) => texts.get(spelling)));
  let applied = isOpen ? undefined : editsOf(answer, text, { editable: editable.filter((path) => texts.has(path)) });
  if (!applied?.ok) {
    // Find the file by its content: the others are read only for that.
    for (const path of editable) if (!texts.has(path)) await load(path);
    applied = editsOf(answer, text, { editable });
  }
  if (!applied.ok) return applied;
  const whole = applied.files.find(({ path, rewritten }) => rewritten && masked.has(path));
  if (whole) return refuse('placeholder', `${whole.path}: it holds masked values; answer with a diff`);
  const files = redactor ? await restored(applied.files, redactor, snapshot) : applied;
  return files.ok ? { ok: true, files: files.files, note: note ?? applied.note ?? NO_NOTE } : files;
}

/** The files with all put back that was not sent as it is. */
async function restored(files: readonly Edit[], redactor: Redactor, { text }: Snapshot): Promise<Read> {
  const back: Edit[] = [];
  for (const file of files) {
    const before = file.before === null ? null : putBackForms(file.before);
    const whole = redactor.restoreEdit({ ...file, before, after: putBackForms(file.after) });
    if (!whole.ok) return refuse('placeholder', ...whole.reasons);
    if (whole.before !== ((await text(file.path)) ?? null))
      return refuse('placeholder', `${file.path}: it could not be sent in a form that can be put back`);
    back.push({ ...file, before: whole.before, after: whole.after });
  }
  return { ok: true, files: back, note: NO_NOTE };
}

async function readFiles(
  { files, executable = [], note }: Extract<Change, { files: object }>,
  { snapshot }: ProposalContext,
): Promise<Read> {
  const edited: Edit[] = [];
  for (const path of new Set([...Object.keys(files), ...executable])) {
    const before = (await snapshot.text(path)) ?? null;
    const after = (Object.hasOwn(files, path) ? files[path] : before) ?? null;
    if (after === null) return refuse('missing_file', `${path}: there is no such file`);
    edited.push({ path, before, after, ...(executable.includes(path) ? { executable: true as const } : {}) });
  }
  return { ok: true, files: edited, note };
}

const executables = (files: readonly Edit[]): string[] =>
  files.filter(({ executable }) => executable).map(({ path }) => path);

/** Problems that a shell reports for the scripts among them and did not report before. */
export async function shellProblems(files: readonly Edit[], check: ShellCheck): Promise<string[]> {
  const checks = files
    .filter(({ path, after }) => wantsShellCheck(path, after))
    .map(({ path, before, after }) => check(path, before, after));
  return (await Promise.all(checks)).flat();
}
