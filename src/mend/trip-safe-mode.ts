// The loop turns safe mode on when its fixes do more harm than good.

import type { Stage } from '../config/context-map.ts';
import { PERSON } from '../events.ts';
import { recordOf } from '../journal/stages.ts';
import { inputFiles } from '../plan/inputs.ts';
import type { Run } from '../stage/run.ts';
import type { Incident } from '../triage/incident.ts';
import { type Ledger, patchIn } from '../triage/ledger.ts';
import { type CommittedFix, committedFixes, standingFixes } from '../worktree/find-fix.ts';
import { short } from '../worktree/messages.ts';
import { treeGit } from '../worktree/tree.ts';
import { notify } from './notify.ts';
import { readSafeMode, setSafeMode } from './safe-mode.ts';

const MAX_REVERTED = 3;

/** Why safe mode goes on: fixes of too many failures were reverted in this run. What was withdrawn does not count. */
export function tooManyReverted(ledger: Ledger, run: string): string | undefined {
  const reverted = Object.values(ledger.entries).filter(({ patches }) =>
    patches.some((p) => p.run === run && p.plugin !== PERSON && (p.outcome === 'no_effect' || p.outcome === 'broke')),
  );
  if (reverted.length < MAX_REVERTED) return undefined;
  return `fixes on ${reverted.length} different failures were reverted in this run`;
}

/** Turns safe mode on when a fix of another stage broke a step that was green before it. */
export async function tripSafeModeIfFixBroke(run: Run, incident: Incident): Promise<void> {
  const { transient, external } = incident.failure;
  if (transient || external || run.journal.failures.openFixes(incident.stage).length > 0) return;
  const culprit = await culpritFix(run, incident);
  if (!culprit) return;
  const by = `the fix ${short(culprit.commit)} of ${culprit.stage}: ${culprit.note.fix}`;
  trip(run, `a fix turned a green stage red: ${incident.step} (by ${by})`);
}

/** Turns safe mode on when fixes on too many failures were reverted. */
export function tripSafeModeIfReverted(run: Run): void {
  const why = tooManyReverted(run.journal.ledger, run.id);
  if (why !== undefined) trip(run, why);
}

function trip(run: Run, why: string): void {
  if (readSafeMode(run.layout) !== undefined) return;
  setSafeMode(run.layout, { since: new Date(run.clock.now()).toISOString(), by: 'loop', why, run: run.id });
  run.journal.append({ type: 'safe_mode.on', data: { why } });
  const text = `the AI changes nothing more: ${why}\nto leave it: mendloop safe-mode off`;
  notify(run, { reason: 'safe_mode', title: 'safe mode is on', text });
}

/** The verified fix of another stage that changed this step's inputs since it was green and still stands. Throws a GitError. */
async function culpritFix(
  { journal, config, tree }: Run,
  { stage, step }: Incident,
): Promise<CommittedFix | undefined> {
  const { reopened, green_head } = recordOf(journal.stages, step) ?? {};
  if (!reopened || green_head === undefined || green_head === tree.head) return undefined;
  const since = standingFixes(await committedFixes(treeGit(tree), green_head, tree.head));
  const inputs = new Set(inputFiles(config.map.stages[stage] as Stage, await tree.files()));
  return since.find(
    (fix) =>
      fix.stage !== stage &&
      patchIn(journal.ledger, fix)?.outcome === 'verified' &&
      fix.paths.some((path) => inputs.has(path)),
  );
}
