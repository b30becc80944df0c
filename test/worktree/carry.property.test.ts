// However carry and git change hands over the same paths: the owner's files stay, and what was opened is what carry says.
import { existsSync, lstatSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MendError } from '../../src/errors.ts';
import { excludedPath, excludeLine, plainPath } from '../../src/worktree/carry.ts';
import { fc, runs } from '../sweep.ts';
import { git, open, repository, write } from './repository.ts';

const OWN = { 'conf/a.yml': 'a\n', 'conf/b.yml': 'b\n', 'conf/deep/c.yml': 'c\n', '.env': 'x\n', 'st[a]te *': 's\n' };
const PATHS = [...Object.keys(OWN), 'conf', 'conf/deep'];

const step = fc.oneof(
  fc.record({ carry: fc.subarray(PATHS) }),
  fc.record({ track: fc.constantFrom(...Object.keys(OWN)) }),
  fc.record({ untrack: fc.constantFrom(...Object.keys(OWN)) }),
  // What a stage may do to the worktree.
  fc.record({ remove: fc.constantFrom(...PATHS) }),
);

const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** Through a link it would be the stage that takes the owner's file away, not the loop. */
function removeFrom(tree: string, path: string): void {
  const above = path.split('/').slice(0, -1);
  if (above.some((_, i) => isLink(join(tree, ...above.slice(0, i + 1))))) return;
  rmSync(join(tree, path), { recursive: true, force: true });
}

test('nothing of the owner’s is lost, whatever is carried, tracked, dropped and removed in which order', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
    const home = repository({ 'z.txt': 'z\n' });
    write(home, OWN);
    let carry: string[] = [];
    for (const one of steps) {
      if ('carry' in one) carry = one.carry;
      else if ('track' in one) git(home, '--literal-pathspecs', 'add', '-f', one.track);
      else if ('untrack' in one)
        git(home, '--literal-pathspecs', 'rm', '-q', '--cached', '--ignore-unmatch', one.untrack);
      else removeFrom(join(home, 'ai/worktree'), one.remove);
      git(home, 'commit', '-q', '--allow-empty', '-m', 'step');
      const tree = await open(home, { carry }).catch((error) => {
        if (!(error instanceof MendError)) throw error;
        return undefined;
      });
      for (const [path, text] of Object.entries(OWN)) assert.is(readFileSync(join(home, path), 'utf8'), text, path);
      if (!tree) continue;
      for (const path of carry) assert.is(readlinkSync(join(tree.path, path)), join(home, path));
      assert.is(git(tree.path, 'status', '--porcelain'), '');
      for (const path of PATHS.filter((name) => !carry.includes(name) && isLink(join(tree.path, name)))) {
        assert.ok(
          carry.some((name) => path.startsWith(`${name}/`)),
          `${path} is still a link`,
        );
      }
      assert.ok(existsSync(join(tree.path, 'z.txt')));
    }
  });
  await fc.assert(property, runs(8, 300));
});

test('the line of an exclude file tells its path again', () => {
  const property = fc.property(fc.string({ unit: fc.constantFrom(...'a[]*? \\/!#.\t\'"é') }), (text) => {
    const path = plainPath(text);
    if (path !== undefined) assert.is(excludedPath(excludeLine(path)), path);
  });
  fc.assert(property, runs(200, 5000));
});

test.run();
