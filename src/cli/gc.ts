// `mendloop gc`: forget what is old, as `retention` in ai/loop.yaml or the options say.

import { sizeText, table } from '../console/words.ts';
import { failUsage } from '../errors.ts';
import { systemClock } from '../io/clock.ts';
import { openGit } from '../io/git.ts';
import { removeFile } from '../io/store.ts';
import { openLedger, readLedger } from '../journal/ledger-file.ts';
import { USUAL, USUAL_COMMAND } from '../journal/reclaimable.ts';
import { byKind, type Collected, collect } from '../run/gc.ts';
import { withLockForWork } from '../run/lock-for-work.ts';
import { baseOf, configurationNow } from '../stage/configuration.ts';
import { counted } from '../triage/words.ts';
import { commitOf } from '../worktree/base.ts';
import { committedFixes } from '../worktree/find-fix.ts';
import type { Answer, CommandInput } from './command.ts';
import { numberOption } from './run-options.ts';

const NEXT = 'for example: mendloop gc --days 90, or retention: {days: 90} in ai/loop.yaml';
const UNASKED = `note: ai/loop.yaml has no retention; this is what ${USUAL_COMMAND} would do`;

export async function run({ options, dry, layout: findLayout, line }: CommandInput): Promise<Answer> {
  const layout = findLayout();
  const number = (name: string) => numberOption(options, name, NEXT) ?? null;
  const asked = { days: number('days'), keep_runs: number('keep-runs'), max_mb: number('max-mb') };
  const isAsked = Object.values(asked).some((value) => value !== null);
  const written = isAsked ? asked : (await configurationNow(layout.home)).config.loop.retention;
  if (written === null && !dry) failUsage('nothing says what may go: ai/loop.yaml has no retention', NEXT);
  const policy = written ?? USUAL;
  const given = { policy, now: Date.now() };
  const notices: string[] = [];
  const done = dry
    ? collect(layout, { ...given, ledger: readLedger(layout).ledger, unpromoted: await unpromoted() })
    : await withLockForWork(layout, systemClock, line, async (earlier) => {
        notices.push(...earlier);
        return remove(await unpromoted());
      });
  return {
    text: [...notices.map((text) => `note: ${text}`), ...(written ? [] : [UNASKED]), ...lines(done, dry)],
    json: { ...done, dry_run: dry, policy },
  };

  function remove(fixes: Awaited<ReturnType<typeof unpromoted>>): Collected {
    const { ledger, compact, close } = openLedger(layout, given.now);
    try {
      removeFile(layout.reclaimable);
      return collect(layout, { ...given, ledger, unpromoted: fixes, compact });
    } finally {
      close();
    }
  }

  async function unpromoted() {
    const git = openGit(layout.home);
    const base = await baseOf(layout.home);
    const head = await commitOf(git, `refs/heads/${base.branch}`);
    return head === undefined ? [] : committedFixes(git, base.commit, head);
  }
}

function lines({ gone, ledger, total, left }: Collected, dry: boolean): string[] {
  const shortened = ledger > 0 ? [{ what: "the ledger's journal, shortened", files: 1, bytes: ledger }] : [];
  const rows = [...byKind(gone), ...shortened];
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  return [
    rows.length === 0
      ? `nothing to remove: ${sizeText(total)} in all`
      : `${dry ? 'would free' : 'freed'} ${sizeText(bytes)} of ${sizeText(total)}`,
    ...table(rows.map((row) => [`  ${row.what}`, counted(row.files, 'file'), sizeText(row.bytes)])),
    ...left.map(({ name, reason }) => `note: ${name} could not be removed: ${reason}`),
  ];
}
