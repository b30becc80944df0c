// A repository with fixes on its AI branch, as runs would have left them: commits and ledger, without the runs.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FixOutcome, NewEvent } from '../../src/events.ts';
import { systemClock } from '../../src/io/clock.ts';
import { openGit } from '../../src/io/git.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { requireWritable } from '../../src/io/store.ts';
import { recordAction } from '../../src/journal/journal.ts';
import { loadStages } from '../../src/journal/load-stages.ts';
import { acceptPromotion, showPromotion } from '../../src/promote/promote.ts';
import { type RollbackRequest, rollBack } from '../../src/promote/rollback.ts';
import { findBase } from '../../src/worktree/base.ts';
import { commitFix } from '../../src/worktree/commit-fix.ts';
import { fixMessage } from '../../src/worktree/fix-message.ts';
import { rehearse } from '../../src/worktree/on-base.ts';
import { failuresIn, homelab } from '../run/homelab.ts';
import { AI, git, numbers, open, read, refusal } from '../worktree/repository.ts';

export const PORTS = { clock: systemClock, graceMs: 300 };
export const PLAIN = { hooks: false, sign: false };

type Outcome = 'applied' | FixOutcome;

export interface FixOptions {
  stage?: string;
  fingerprint?: string;
  run?: string;
  outcome?: Outcome;
  note?: string;
  hash?: string;
  executable?: true;
  unseen?: string[];
}

/** Stages `a` and `b` with a file each, a.txt and b.txt, thirty lines long; the owner is known to git. */
export async function fixedHome({ loop = {}, files = {} }: { loop?: object; files?: Record<string, string> } = {}) {
  const stage = (name: string) => ({ command: 'true', files: [`${name}.txt`, 'new/'] });
  const home = homelab({ a: stage('a'), b: stage('b') }, loop, {
    'a.txt': numbers(),
    'b.txt': numbers(),
    'new/keep': '',
    ...files,
  });
  git(home, 'config', 'user.name', 'Olga Owner');
  git(home, 'config', 'user.email', 'olga@example.org');
  await open(home);
  requireWritable(layoutOf(home).state);
  let serial = 0;

  /** A fix of one file; what was changed by hand stays with the next `open`. */
  async function fix(path: string, text: string, options: FixOptions = {}): Promise<string> {
    const { stage = 'a', fingerprint = 'f1', run = 'run-1', outcome = 'kept', note, executable, unseen } = options;
    const tree = await open(home);
    serial += 1;
    const hash = options.hash ?? `hash-${serial}-${path}`;
    const story = { stage, step: stage, fingerprint, class: 'unknown', tier: 'executor' as const, plugin: 'probe' };
    const said = { fix: note ?? `Mend ${path} ${serial}`, reason: 'It broke' };
    const commit = await commitFix(
      tree,
      [{ path, text, ...(executable && { executable }) }],
      fixMessage({ ...story, note: said, attempt: 1, run, hash }),
      PLAIN,
    );
    remember(stage, fingerprint, hash, outcome, commit, unseen);
    return commit;
  }

  function remember(
    stage: string,
    fingerprint: string,
    hash: string,
    outcome: Outcome,
    commit = '',
    unseen?: string[],
  ): void {
    const note = { fix: 'x', reason: 'y' };
    const fixed = { fingerprint, hash, tier: 'executor' as const, plugin: 'probe', note, reason: '', commit };
    const base = git(home, 'rev-parse', 'main');
    if (outcome === 'applied') {
      const data = { ...fixed, class: 'unknown', paths: [], tried: true };
      record({ type: 'fix.committed', stage, data });
    } else record({ type: 'fix.judged', stage, data: { ...fixed, outcome, base, ...(unseen && { unseen }) } });
  }

  function record(...events: NewEvent[]): void {
    const layout = layoutOf(home);
    recordAction({ layout, stages: loadStages(layout).state, clock: systemClock }, ...events);
  }

  const request = { home, command: 'test', env: {}, dryRun: false };
  const tip = () => git(home, 'rev-parse', AI);
  const ready = async () => (await rehearse(openGit(home), await findBase(home, { branch: AI })))?.to ?? '';
  return {
    home,
    fix,
    remember,
    record,
    tip,
    /** How the ledger has a fix. */
    outcome: (hash: string) =>
      failuresIn(home)
        .flatMap(({ patches }) => patches)
        .find((patch) => patch.hash === hash)?.outcome,
    git: (...args: string[]) => git(home, ...args),
    read: (path: string) => read(home, path),
    tree: (path: string) => read(home, join('ai/worktree', path)),
    show: async () => showPromotion(home, await findBase(home, { branch: AI }), true),
    /** Where the branch is once it is on its base. */
    ready,
    accept: async (commit?: string, squash = false) =>
      acceptPromotion({ ...request, squash }, commit ?? (await ready()), PORTS),
    dryAccept: async (commit?: string) =>
      acceptPromotion({ ...request, dryRun: true }, commit ?? (await ready()), PORTS),
    rollBack: (what: RollbackRequest['what'], { dryRun = false, yes = true } = {}) =>
      rollBack({ home, command: 'test', what, dryRun, yes }, PORTS),
    /** Every ref, HEAD, status and byte of the checkouts: whatever is refused must not change it. */
    state,
    /** That `work` is refused and changes nothing; its text and exit code. */
    async refused(work: () => Promise<unknown>): Promise<{ text: string; exit: number }> {
      const before = state();
      const told = await refusal(work());
      const after = state();
      if (JSON.stringify(after) !== JSON.stringify(before)) {
        throw new Error(`it changed something:\n${JSON.stringify(before, null, 1)}\n${JSON.stringify(after, null, 1)}`);
      }
      return told;
    },
  };

  function state() {
    const listed = git(home, 'worktree', 'list', '--porcelain').split('\n');
    const trees = listed.filter((line) => line.startsWith('worktree ')).map((line) => line.slice('worktree '.length));
    const paths = trees.filter((path) => existsSync(join(path, '.git')));
    const { ledgerJournal } = layoutOf(home);
    return {
      refs: git(home, 'for-each-ref', '--format=%(refname) %(objectname)').split('\n'),
      checkouts: paths.map((path) => ({
        head: git(path, 'log', '-1', '--format=%H %D'),
        status: git(path, 'status'),
        index: git(path, 'ls-files', '-s'),
        files: filesOf(path),
      })),
      ledger: existsSync(ledgerJournal) ? readFileSync(ledgerJournal, 'utf8') : '',
    };
  }
}

/** Path and bytes of everything tracked or not, the loop's own folders apart. */
function filesOf(dir: string): string {
  const found = git(dir, 'ls-files', '-c', '-o', '-z').split('\0');
  const paths = [...new Set(found)].filter((path) => !/^ai\/(state|worktree|patches)\//.test(path));
  const hash = createHash('sha256');
  for (const path of paths.sort()) if (existsSync(join(dir, path))) hash.update(path).update(bytesOf(join(dir, path)));
  return hash.digest('hex');
}

const bytesOf = (path: string): Buffer | string => (statSync(path).isFile() ? readFileSync(path) : 'folder');
