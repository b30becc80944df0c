// A landing that is killed anywhere, its git too, and whose owner goes on working before the next command: what they have is as
// before, or as landed, and their next commit has what they changed.
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { loadStages } from '../../src/journal/load-stages.ts';
import { cases, fc, SEED } from '../sweep.ts';
import { git, write } from '../worktree/repository.ts';
import {
  assertOwnCommit,
  assertWhole,
  closeIn,
  type Kill,
  type LandingLab,
  landIn,
  landingLab,
  locksIn,
  nextCommand,
  statusOf,
  type Where,
} from './landing-lab.ts';

/** The git that writes. */
const WRITES: Readonly<Record<Where, string>> = { here: 'merge', elsewhere: 'merge', nowhere: 'update-ref' };

for (const where of ['here', 'elsewhere', 'nowhere'] as const) {
  test(`killed before or after any git command, with the base checked out ${where}: as before, or landed by the next command`, async () => {
    const { calls, code } = await landIn(landingLab(where));
    assert.is(code, 0);
    const writes = calls.findIndex((call) => call.includes(` ${WRITES[where]} `)) + 1;
    const few = [writes - 1, writes, calls.length];
    for (const call of cases(
      few,
      calls.map((_, i) => i + 1),
    )) {
      for (const how of ['loop before', 'loop after'] as const) {
        const lab = landingLab(where);
        const words = `${how} ${calls[call - 1]}`;
        assert.is((await landIn(lab, { call, how })).signal, 'SIGKILL', words);
        await nextCommand(lab);
        assert.is(assertWhole(lab, words), call < writes ? 'as before' : 'landed', words);
        assertOwnCommit(lab, words);
      }
    }
  });
}

/** What an owner may do before the next command. Returns the files that are theirs then, with what they hold. */
const EDITS: Readonly<Record<string, (dir: string) => Record<string, string | undefined>>> = {
  nothing: () => ({}),
  'another file': (dir) => appended(dir, 'other.txt'),
  'a file of the landing': (dir) => appended(dir, 'a.txt'),
  'a file of the landing is gone': (dir) => {
    rmSync(join(dir, 'c d.txt'), { force: true });
    return { 'c d.txt': undefined };
  },
  'a file that the landing brings': (dir) => {
    write(dir, { 'new/e.txt': 'mine\n' });
    return { 'new/e.txt': 'mine\n' };
  },
  'another file, staged': (dir) => {
    const mine = appended(dir, 'other.txt');
    typed(dir, 'add', 'other.txt');
    return mine;
  },
  'a commit': (dir) => {
    appended(dir, 'other.txt');
    return typed(dir, 'commit', '-q', '-am', 'mine') ? {} : appended(dir, 'other.txt');
  },
  'another branch': (dir) => {
    typed(dir, 'switch', '-q', '-c', 'side');
    return {};
  },
  'all put back': (dir) => {
    rmSync(join(git(dir, 'rev-parse', '--absolute-git-dir'), 'index.lock'), { force: true });
    typed(dir, 'reset', '-q', '--hard');
    return {};
  },
};

function appended(dir: string, path: string): Record<string, string | undefined> {
  appendFileSync(join(dir, path), 'mine\n');
  return { [path]: read(dir, path) };
}

/** Whether git did it: a lock that was left is in its way. */
function typed(dir: string, ...args: string[]): boolean {
  try {
    git(dir, ...args);
    return true;
  } catch {
    return false;
  }
}

const read = (dir: string, path: string): string | undefined =>
  existsSync(join(dir, path)) ? readFileSync(join(dir, path), 'utf8') : undefined;

const anyKill = fc.record({
  where: fc.constantFrom<Where>('here', 'here', 'elsewhere'),
  how: fc.constantFrom<Kill['how']>('git', 'both', 'both', 'both', 'loop before'),
  after: fc.integer({ min: 0, max: 60 }).map((ms) => ms / 1000),
  again: fc.option(fc.constantFrom('restore', 'update-ref', 'update-index')),
  edit: fc.constantFrom(...Object.keys(EDITS)),
});

test('git or all of it killed while it writes files, and again while that is finished: nothing of the owner is lost', async () => {
  const seen = new Map<string, number>();
  for (const drawn of fc.sample(anyKill, { numRuns: cases(8, 100), seed: SEED })) {
    const words = JSON.stringify(drawn);
    const { where, how, after, again, edit } = drawn;
    const lab = landingLab(where, { lines: 100_000 });
    const dir = lab.checkout as string;
    const { code } = await landIn(lab, { call: 'merge', how, after });
    if (again) await closeIn(lab, { call: again, how: 'both', after: after / 4 });
    const main = git(lab.home, 'rev-parse', 'main');
    const mine = EDITS[edit]?.(dir) ?? {};
    const isOpen = landingOf(lab) !== undefined;
    const said = await nextCommand(lab);
    const end = landedOrLeft(lab, mine, said, { words, hadLanded: main === lab.to });
    const key = `${code === 1 ? 'failed' : code === 0 ? 'ended' : 'killed'}, ${isOpen ? 'open' : 'closed'}: ${end}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  if (process.env.TEST_LONG === '1') console.log(Object.fromEntries([...seen].sort()));
});

const landingOf = ({ home }: LandingLab) => loadStages(layoutOf(home), { look: true }).state.landing;

/** Types what was advised, and sees that what is left are the owner's own changes. */
function landedOrLeft(
  lab: LandingLab,
  mine: Record<string, string | undefined>,
  said: readonly string[],
  { words, hadLanded }: { words: string; hadLanded: boolean },
) {
  const dir = lab.checkout as string;
  assert.is(landingOf(lab), undefined, words);
  assert.equal(locksIn(lab), [], words);
  const [advice] = said.flatMap((text) => /^some of it is left in .*?; to take that away: (.*)$/.exec(text)?.[1] ?? []);
  if (advice) execFileSync('bash', ['-e', '-c', advice], { cwd: lab.home, stdio: 'pipe' });
  const isLanded = git(lab.home, 'rev-parse', 'main') === lab.to;
  for (const [path, text] of Object.entries(mine)) {
    // A file that is missing from a landing that had begun may be git's doing: it is there again when that is finished.
    const isFinished = text === undefined && isLanded && !hadLanded;
    assert.is(read(dir, path), isFinished ? 'one\ntwo\n' : text, `${path} ${words}`);
  }
  const changed = statusOf(dir)
    .split('\n')
    .filter(Boolean)
    .map((line) => line.slice(2).trim().replace(/"/g, ''));
  for (const path of changed) assert.ok(path in mine, `${path} changed ${said.join(' ')} ${words}`);
  if (changed.length > 0) {
    git(dir, 'commit', '-q', '--allow-empty', '-am', 'mine');
    const committed = git(dir, 'diff', '--name-only', 'HEAD^', 'HEAD').split('\n').filter(Boolean);
    for (const path of committed) assert.ok(path.replace(/"/g, '') in mine, `${path} committed ${words}`);
  }
  return advice ? 'left, and taken away' : isLanded ? 'landed' : 'as before';
}

test.run();
