// What only the disk and git's attributes tell against a file that a fix would write.
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { unwritable } from '../../src/worktree/on-disk.ts';
import { bring, commit, git, open, repository, write } from './repository.ts';

test('a new file is refused where anything stands, in the worktree or in the owner’s checkout', async () => {
  const home = repository({ 'conf/a.txt': 'a\n', '.gitignore': '*.ignored\n' });
  const tree = await open(home);
  write(tree.path, { 'conf/made.txt': 'by a stage\n', 'conf/x.ignored': 'precious\n' });
  write(home, { 'conf/own.ignored': 'precious\n' });
  mkdirSync(join(tree.path, 'conf/folder'));
  symlinkSync('nowhere', join(tree.path, 'conf/dangling'));
  symlinkSync('conf', join(tree.path, 'way'));
  const made = (path: string) => unwritable(tree, [{ path, before: null, after: 'x\n' }]);
  for (const path of ['made.txt', 'x.ignored', 'folder', 'dangling']) {
    assert.equal(await made(`conf/${path}`), {
      code: 'in_the_way',
      reasons: [`conf/${path}: something that git does not hold stands there in ai/worktree; no fix may replace it`],
    });
  }
  assert.is((await made('way/new.txt'))?.code, 'in_the_way');
  assert.match((await made('conf/own.ignored'))?.reasons[0] ?? '', "stands there in the owner's checkout");
  assert.is(await made('conf/new.txt'), undefined);
  assert.is(await unwritable(tree, [{ path: 'conf/a.txt', before: 'a\n', after: 'b\n' }]), undefined);
});

const CRLF = 'one\r\n';
const LF = 'one\n';
/** An attribute, the text of the fix, and whether git would change it. */
const ATTRIBUTES: [string, string, string | undefined][] = [
  ['filter=git-crypt', LF, 'filter'],
  ['filter=lfs -text', LF, 'filter'],
  ['-filter', LF, undefined],
  ['working-tree-encoding=UTF-16', LF, 'working-tree-encoding'],
  ['ident', LF, 'ident'],
  ['-ident', LF, undefined],
  ['text eol=crlf', LF, 'eol=crlf'],
  ['eol=crlf', CRLF, 'eol=crlf'],
  ['text eol=lf', LF, undefined],
  ['text eol=lf', CRLF, 'text, and it has line ends of Windows'],
  ['eol=lf', CRLF, 'text, and it has line ends of Windows'],
  ['text', CRLF, 'text, and it has line ends of Windows'],
  ['text=auto', CRLF, undefined],
  ['-text', CRLF, undefined],
  ['binary', CRLF, undefined],
  ['diff=python', CRLF, undefined],
];

test('a file that git filters, re-encodes or expands is refused, tracked or new', async () => {
  const home = repository({ 'conf/a.txt': 'a\n' });
  for (const [i, [attribute, after, why]] of ATTRIBUTES.entries()) {
    commit(home, { '.gitattributes': `# ${i}\nconf/* ${attribute}\n` });
    const tree = await bring(home);
    const files = [
      { path: 'conf/a.txt', before: 'a\n', after },
      { path: 'conf/new.txt', before: null, after },
      { path: 'plain.txt', before: null, after },
    ];
    const reasons = ['conf/a.txt', 'conf/new.txt'].map(
      (path) => `${path}: git would not store it as it is (${why} in .gitattributes)`,
    );
    const expected = why === undefined ? undefined : { code: 'converted', reasons };
    assert.equal(await unwritable(tree, files), expected, attribute);
  }
});

test('attributes count as committed, and those of the repository’s own git folder do too', async () => {
  const home = repository({ 'a.txt': 'a\n', '.gitattributes': '*.txt ident\n' });
  const tree = await open(home);
  write(tree.path, { '.gitattributes': '' });
  const files = [{ path: 'a.txt', before: 'a\n', after: 'b\n' }];
  assert.is((await unwritable(tree, files))?.code, 'converted');
  git(tree.path, 'checkout', '-q', '.gitattributes');
  commit(home, { '.gitattributes': '\n' });
  const again = await bring(home);
  assert.is(await unwritable(again, files), undefined);
  write(home, { '.git/info/attributes': 'a.txt filter=secret\n' });
  assert.is((await unwritable(again, files))?.code, 'converted');
});

test.run();
