// The fixes of the AI branch, and those that landed or were dropped, each with how it stands. Reads only.
import type { AnsweredAt, FixState } from '../events.ts';
import { type Git, openGit } from '../io/git.ts';
import type { Layout } from '../io/layout.ts';
import { cellNames } from '../plan/matrix.ts';
import { entryOf, fixesIn, type Ledger, type LedgerFix, type Patch, patchIn } from '../triage/ledger.ts';
import { type Base, commitOf } from '../worktree/base.ts';
import { type CommittedFix, committedFixes } from '../worktree/find-fix.ts';
import { type CommitFate, rehearse } from '../worktree/on-base.ts';

export type FixFacts = ReturnType<typeof fixFacts>;

export interface ListedFix extends FixFacts, LedgerFacts {
  /** As branch, base and ledger have it; `landed`: the base has it. */
  outcome: FixState | 'landed' | 'unknown';
  /** It is on the AI branch. */
  on_branch?: true;
  /** The base has it until the commit that takes it back is promoted. */
  on_base?: true;
  diff?: string;
}

/** What the ledger adds to how a fix stands. */
export interface LedgerFacts {
  /** The names of the cells that it did not help, where it helped others. */
  left?: string;
  /** Only an exit code verified it. */
  unchecked?: true;
  /** Whose suggestion a person accepted. */
  proposed_by?: string;
  /** Where a person answered. */
  answered_at?: AnsweredAt;
}

/** Newest first, those of the branch before all others; nothing when there is no AI branch yet. Throws a GitError. */
export async function listFixes(layout: Layout, base: Base, ledger: Ledger, withDiff: boolean): Promise<ListedFix[]> {
  const git = openGit(layout.home);
  const put = await rehearse(git, base);
  if (put === undefined) return [];
  const all = put.fates.flatMap((fate) => (fate.fix ? [{ ...fate, fix: fate.fix }] : [])).reverse();
  const undone = new Map(all.flatMap(({ fix, fate }) => (fix.reverts ? [[fix.reverts, fate] as const] : [])));
  const here = all.filter(({ fix, fate }) => fix.reverts === undefined && fate !== 'left_out');
  const isHere = (fix: LedgerFix) => here.some((one) => isSame(one.fix, fix));
  const over = fixesIn(ledger).filter((fix) => outcomeNow(fix, undone) !== undefined && !isHere(fix));
  const rows: ListedFix[] = [
    ...here.map(({ fix, fate }) => onBranch(fix, fate, patchIn(ledger, fix))),
    ...(await Promise.all(over.toReversed().map((fix) => fromLedger(git, fix, ledger, undone)))),
  ];
  if (!withDiff) return rows;
  return Promise.all(rows.map(async (row) => ({ ...row, diff: await fixDiff(layout, row.commit) })));
}

/** The change that a fix made, as its commit has it; empty where git has that commit no longer. */
export const fixDiff = async ({ home }: Layout, commit: string): Promise<string> =>
  (await openGit(home).attempt(['show', '--format=', '--no-color', '--no-ext-diff', commit])).stdout;

const isSame = (a: CommittedFix, b: LedgerFix): boolean =>
  a.stage === b.stage && a.fingerprint === b.fingerprint && a.hash === b.hash;

function onBranch(fix: CommittedFix, fate: CommitFate['fate'], patch: Patch | undefined): ListedFix {
  const outcome = fate === 'carried' ? (patch?.outcome ?? 'unknown') : fate === 'landed' ? 'landed' : 'superseded';
  return { ...fixFacts(fix), outcome, ...(fate === 'carried' && { on_branch: true }), ...ledgerFacts(patch) };
}

/** Fixes that were dropped. */
const DROPPED: readonly FixState[] = ['declined', 'superseded'];

/** How a fix stands that is not on the branch; undefined for one that never helped, which is in the story of its failure. */
function outcomeNow({ commit, outcome, landed }: LedgerFix, undone: ReadonlyMap<string, CommitFate['fate']>) {
  if (DROPPED.includes(outcome) || undone.has(commit)) return undone.has(commit) ? 'declined' : outcome;
  return landed === undefined ? undefined : 'landed';
}

async function fromLedger(
  git: Git,
  fix: LedgerFix,
  ledger: Ledger,
  undone: ReadonlyMap<string, CommitFate['fate']>,
): Promise<ListedFix> {
  const { commit, time, stage, fingerprint, plugin, run = '', note } = fix;
  const patch = patchIn(ledger, fix);
  const [committed] = (await commitOf(git, `${commit}^`)) ? await committedFixes(git, `${commit}^`, commit) : [];
  const noted = { commit, time, stage, fingerprint, plugin, run, ...note };
  const known = { class: entryOf(ledger, stage, fingerprint)?.class ?? '', paths: [], shapes: patch?.shapes ?? [] };
  return {
    ...(committed ? fixFacts(committed) : { ...noted, ...known }),
    outcome: outcomeNow(fix, undone) ?? 'unknown',
    ...(undone.get(commit) === 'carried' && { on_base: true }),
    ...ledgerFacts(patch),
  };
}

export const ledgerFacts = (patch: Patch | undefined): LedgerFacts => ({
  ...(patch?.left && { left: cellNames(patch.left) }),
  ...(patch?.unchecked && { unchecked: true }),
  ...(patch?.proposed_by !== undefined && { proposed_by: patch.proposed_by }),
  ...(patch?.answered_at !== undefined && { answered_at: patch.answered_at }),
});

/** A fix as its commit has it. */
export function fixFacts(fix: CommittedFix) {
  const { commit, time, stage, fingerprint, plugin, run, paths, shapes, note } = fix;
  return { commit, time, stage, fingerprint, class: fix.class, plugin, run, paths, shapes, ...note };
}
