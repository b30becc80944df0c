// Fixes that wait to be promoted, held against the gate as it is today: it may be stricter than when they were applied.
import type { Edit } from '../fix/edit.ts';
import { judge } from '../io/gate/gate.ts';
import { type GitObjects, withObjects } from '../io/git-objects.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { failureRules } from '../mend/context.ts';
import { gateRules, repositoryFacts, unattendedFor } from '../mend/gate-rules.ts';
import type { Configuration } from '../stage/configuration.ts';
import { entryOf, type Ledger } from '../triage/ledger.ts';
import { snapshotOf } from '../worktree/read.ts';
import { openRepositoryReader } from '../worktree/repository-at.ts';
import type { StoryFix } from './story.ts';

/** The same fixes, each with what today's gate would do instead of applying it, or by which repairs it would. */
export async function judgeToday(home: string, config: Configuration, fixes: readonly StoryFix[]): Promise<StoryFix[]> {
  return withObjects(home, async (objects) => {
    const { ledger } = readLedger(layoutOf(home));
    const judged: StoryFix[] = [];
    for (const fix of fixes) {
      judged.push({ ...fix, ...(await verdictOn(home, config, objects, ledger, fix)) });
    }
    return judged;
  });
}

/** Nothing of a fix whose stage is not in the map any more; one that a person accepted is not asked about again. */
async function verdictOn(
  home: string,
  config: Configuration,
  objects: GitObjects,
  ledger: Ledger,
  fix: StoryFix,
): Promise<Partial<Pick<StoryFix, 'today' | 'shapes'>>> {
  const stage = config.map.stages[fix.stage];
  if (!stage) return {};
  const [then, now] = await Promise.all([
    snapshotOf({ objects }, `${fix.commit}^`),
    snapshotOf({ objects }, fix.commit),
  ]);
  const rules = {
    ...(await gateRules(home, config, stage, fix.tier, then)),
    unattended: unattendedFor(config, stage, fix.paths, then.files),
    ...failureRules(home, entryOf(ledger, fix.stage, fix.fingerprint)),
  };
  const edits = await Promise.all(
    fix.paths.map(async (path): Promise<Edit> => {
      const isNewlyExecutable = now.files.get(path)?.mode === '100755' && then.files.get(path)?.mode === '100644';
      return {
        path,
        before: (await then.text(path)) ?? null,
        after: (await now.text(path)) ?? '',
        ...(isNewlyExecutable && { executable: true as const }),
      };
    }),
  );
  const facts = await repositoryFacts(openRepositoryReader(), then, config.map);
  const verdict = await judge(edits, rules, facts);
  if (!verdict.ok) return { today: { verdict: 'refuse', code: verdict.code, reasons: verdict.reasons } };
  if (fix.accepted) return {};
  return verdict.ask ? { today: { verdict: 'ask', ...verdict.ask } } : { shapes: verdict.shapes };
}
