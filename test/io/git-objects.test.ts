import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatError } from '../../src/errors.ts';
import { GitError } from '../../src/io/git.ts';
import { openObjects, withObjects } from '../../src/io/git-objects.ts';
import { setEnv } from '../environment.ts';
import { commit, folder, git, repository, script } from '../worktree/repository.ts';

const ROOT = `${resolve(import.meta.dirname, '../..')}/`;

/** Runs `work` with a git on PATH that notes each start; returns the arguments of each. */
async function startsOf(work: () => Promise<void>): Promise<string[]> {
  const dir = folder();
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  script(join(dir, 'git'), `echo "$*" >> ${dir}/starts\nexec ${real} "$@"`);
  const undo = setEnv({ PATH: `${dir}:${process.env.PATH}` });
  await work().finally(undo);
  return readFileSync(join(dir, 'starts'), 'utf8').trimEnd().split('\n');
}

test('contents come back byte for byte, empty ones and those with line ends and NUL bytes too', async () => {
  const files: Record<string, string> = { a: '', b: 'x', c: 'one\ntwo\n\n', d: 'nul\u0000 blob 3\nx', e: 'ü\r\n' };
  const home = repository(files);
  await withObjects(home, async (objects) => {
    const entries = [...(await objects.files('HEAD'))];
    const read = entries.map(async ([path, { id }]) => [path, (await objects.read(id)).toString('utf8')]);
    assert.equal(Object.fromEntries(await Promise.all(read)), files);
  });
});

test('two hundred files, their sizes and the commits they are of are read by one process', async () => {
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`d${n % 7}/f${n}`, `text of ${n}\n`]));
  const home = repository({ ...files, large: 'x'.repeat(3_000_000) });
  const head = git(home, 'rev-parse', 'HEAD');
  const starts = await startsOf(() =>
    withObjects(home, async (objects) => {
      const list = await objects.files('main');
      assert.is(list.size, 201);
      const all = await Promise.all([...list.values()].map(({ id }) => objects.read(id)));
      assert.is(Math.max(...all.map(({ length }) => length)), 3_000_000);
      assert.is((await objects.info('HEAD:large'))?.size, 3_000_000);
      assert.is((await objects.info('refs/heads/main^{commit}'))?.id, head);
    }),
  );
  assert.is(starts.length, 1, starts.join('\n'));
});

test('the same content asked for twice is given twice; a content that is not there is an error', async () => {
  const home = repository({ a: 'same\n', b: 'same\n' });
  await withObjects(home, async (objects) => {
    const list = await objects.files('HEAD');
    const ids = ['a', 'b'].map((path) => list.get(path)?.id as string);
    const [a, b] = await Promise.all(ids.map((id) => objects.read(id)));
    assert.equal([a?.toString(), b?.toString()], ['same\n', 'same\n']);
    const failure = (promise: Promise<unknown>) => promise.catch((error: Error) => error) as Promise<GitError>;
    const missing = await failure(objects.read('0'.repeat(40)));
    assert.instance(missing, GitError);
    assert.match(formatError(missing), /no content 0{40}/);
    assert.instance(await failure(objects.files('nothing')), GitError);
    for (const name of ['nothing', 'a b', '-x', 'HEAD:none', 'HEAD\nHEAD', '']) {
      assert.is(await objects.info(name), undefined, JSON.stringify(name));
    }
    assert.is((await objects.info('HEAD:a'))?.size, 5, 'no answer was taken for another');
  });
});

test('a branch that moves is seen, and a commit that was listed stays as it was', async () => {
  const home = repository({ a: '1' });
  await withObjects(home, async (objects) => {
    const first = git(home, 'rev-parse', 'HEAD');
    assert.equal([...(await objects.files('main')).keys()], ['a']);
    commit(home, { b: '2' });
    assert.equal([...(await objects.files('main')).keys()], ['a', 'b']);
    assert.equal([...(await objects.files(first)).keys()], ['a']);
  });
});

test('a repository with longer ids is read alike', async () => {
  const home = folder();
  git(home, 'init', '-q', '-b', 'main', '--object-format=sha256');
  commit(home, { 'a/b': 'deep', c: 'top' });
  await withObjects(home, async (objects) => {
    const list = await objects.files('HEAD');
    assert.equal([...list.keys()], ['a/b', 'c']);
    assert.is((await objects.read(list.get('a/b')?.id as string)).toString(), 'deep');
  });
});

/** The running processes that read the objects of `home`, and the folder each is in. */
function readers(home: string): { pid: number; cwd: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        if (!readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`--git-dir=${home}/`)) return [];
        return [{ pid: Number(name), cwd: readlinkSync(`/proc/${name}/cwd`) }];
      } catch {
        return [];
      }
    });
}

test('its process stays out of the repository, where it would pass for one that holds a lock, and ends when closed', async () => {
  const home = repository();
  const objects = openObjects(home);
  assert.equal(readers(home), [], 'nothing is started before it is asked');
  await objects.info('HEAD');
  assert.equal(
    readers(home).map(({ cwd }) => cwd),
    ['/'],
  );
  objects.close();
  for (const until = Date.now() + 5000; readers(home).length > 0 && Date.now() < until; ) {
    await new Promise((done) => setTimeout(done, 10));
  }
  assert.equal(readers(home), []);
  const late = await objects.info('HEAD').catch((error) => error.message);
  assert.is(late, "git's objects are closed, and asked for HEAD", 'nothing is started that nobody would end');
  assert.equal(readers(home), []);
});

test('a process that was killed is replaced at the next question', async () => {
  const home = repository();
  const objects = openObjects(home);
  await objects.info('HEAD');
  const before = new Set(readers(home).map(({ pid }) => pid));
  for (const pid of before) process.kill(pid, 'SIGKILL');
  for (const until = Date.now() + 5000; readers(home).length > 0 && Date.now() < until; ) {
    await new Promise((done) => setTimeout(done, 10));
  }
  assert.is((await objects.info('HEAD'))?.type, 'commit');
  objects.close();
});

test('variables that point git elsewhere are not passed on; what is no repository is an error', async () => {
  const home = repository();
  const undo = setEnv({ GIT_DIR: '/nonexistent' });
  assert.ok(await withObjects(home, (objects) => objects.info('HEAD')));
  undo();
  const error = await withObjects(folder(), (objects) => objects.info('HEAD')).catch((caught) => caught);
  assert.instance(error, GitError);
  assert.match(error.stderr, 'not a git repository');
});

test('objects that nobody closes keep no process alive', () => {
  const home = repository();
  const code = `const { openObjects } = await import('./src/io/git-objects.ts');
    console.log((await openObjects(${JSON.stringify(home)}).info('HEAD')).type);`;
  const args = ['--import', './scripts/typescript.mjs', '--input-type=module', '-e', code];
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', timeout: 20_000 });
  assert.equal([stdout, status], ['commit\n', 0]);
});

test.run();
