import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ignoredBy } from '../../src/repository/repository.ts';

const IGNORES = new Map([
  [
    '.gitignore',
    '# no\n*.log\n!keep.log\n/root-only\nfolder/\na/b\n**/deep/x\nd/**/e\nf/**\n!f/in\nta\\ il\\ \n\\#hash\n\\!bang\n[ab]1\n[!c]2\n' +
      '{x,y}\n(p|q)\nz+\n*.TMP   \nname?\n.*.swp\n*.d/\n\n!\n/\nvendor/*\n!vendor/ours/\nm/n/\n@(s)\n',
  ],
  ['sub/.gitignore', '!*.log\n/here\nq/r\n*\n!*.txt\r\n'],
  ['folder/.gitignore', '!*\n'],
]);
const PATHS = (
  'a.log|x/a.log|keep.log|x/keep.log|root-only|x/root-only|folder/a|x/folder/a|a/b|a/b/c|x/a/b|deep/x|y/deep/x/z|d/e|d/1/2/e|f/1|f/in|' +
  'ta il |ta il|#hash|!bang|a1|c1|a2|c2|{x,y}|x|y|(p|q)|z+|zz|a.TMP|a.tmp|name1|name|name12|.a.swp|a.swp|k.d/x|vendor/a|vendor/ours|vendor/ours/a|' +
  'm/n/o|x/m/n/o|@(s)|s|sub/a.log|sub/here|sub/x/here|sub/q/r|sub/a.txt|sub/x/a.txt|sub/b|subs/here'
).split('|');

test('paths are ignored as git ignores them', () => {
  const home = mkdtempSync(join(tmpdir(), 'ignored-'));
  try {
    execFileSync('git', ['init', '-q', home]);
    for (const [path, text] of IGNORES) {
      mkdirSync(join(home, dirname(path)), { recursive: true });
      writeFileSync(join(home, path), text);
    }
    const isIgnored = ignoredBy(IGNORES);
    const asGit = (path: string) => {
      try {
        execFileSync('git', ['-C', home, '-c', 'core.excludesFile=', 'check-ignore', '-q', '--no-index', '--', path]);
        return true;
      } catch (error) {
        assert.is((error as { status?: number }).status, 1, path);
        return false;
      }
    };
    for (const path of PATHS) assert.is(isIgnored(path), asGit(path), path);
    for (const path of ['k.d']) assert.equal([isIgnored(path), asGit(path)], [true, false], `${path} may be a folder`);
  } finally {
    rmSync(home, { recursive: true });
  }
});

test.run();
