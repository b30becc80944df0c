// Carried paths that git tracks: the same error, with both ways out, from validate and doctor as from a run.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatError, MendError } from '../../src/errors.ts';
import { examine } from '../../src/inspect/doctor.ts';
import { validateHome } from '../../src/inspect/validate.ts';
import { run } from '../run/homelab.ts';
import { commit, git, repository } from '../worktree/repository.ts';

const PORTS = { env: { PATH: process.env.PATH }, labTools: '/nonexistent' };
const map = (carry: unknown) => JSON.stringify({ carry, stages: { a: { command: 'true' } } });
const told = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing',
    (error) => (error instanceof MendError ? formatError(error) : Promise.reject(error)),
  );

const OVERLAP = `error E_CARRY_TRACKED: carry is for files that git does not track; these are tracked
  - inventory
  next:  take them out of carry in ai/context_map.yaml, or out of git (your files stay):
         git rm -r --cached inventory`;

function overlapping(): string {
  return repository({
    'ai/context_map.yaml': map(['inventory', '.env']),
    '.gitignore': '.env\n',
    'inventory/hosts.yml': 'all: {}\n',
    'inventory2.yml': 'x\n',
  });
}

const problems = async (home: string) =>
  (await examine(home, { env: { PATH: process.env.PATH ?? '' }, labTools: '/nonexistent' }))
    .filter(({ level }) => level === 'problem')
    .map(({ what, next }) => [what, next]);

test('a carried path that git tracks is the same error from validate, doctor and a run', async () => {
  const home = overlapping();
  assert.is(await told(validateHome(home, PORTS)), OVERLAP);
  assert.is(await told(run(home)), OVERLAP);
  assert.equal(await problems(home), [
    [
      'E_CARRY_TRACKED carry is for files that git does not track; these are tracked\ninventory',
      'take them out of carry in ai/context_map.yaml, or out of git (your files stay):\ngit rm -r --cached inventory',
    ],
  ]);
});

test('each way out ends it: out of carry, or out of git; what is only not committed yet is said', async () => {
  const one = overlapping();
  commit(one, { 'ai/context_map.yaml': map(['.env']) });
  const other = overlapping();
  git(other, 'rm', '-rq', '--cached', 'inventory');
  assert.equal((await validateHome(other, PORTS)).differs, [
    'inventory is carried and still tracked on main: a run reads the committed tree (git commit)',
  ]);
  git(other, 'commit', '-qm', 'inventory out');
  for (const home of [one, other]) {
    assert.equal((await validateHome(home, PORTS)).differs, []);
    assert.equal(await problems(home), []);
    assert.is((await run(home)).exit, 0);
  }
});

test.run();
