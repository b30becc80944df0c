import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Git, openGit } from '../../src/io/git.ts';
import { openBlobs } from '../../src/worktree/blobs.ts';
import { listTree } from '../../src/worktree/read.ts';
import { repository } from './repository.ts';

/** A git that counts what is started. */
function counted(dir: string): { git: Git; calls: string[][] } {
  const calls: string[][] = [];
  const git = openGit(dir);
  const note = <T>(work: (args: readonly string[], input?: string | Buffer) => Promise<T>) =>
    ((args: readonly string[], input?: string | Buffer) => {
      calls.push([...args]);
      return work(args, input);
    }) as typeof work;
  return { git: { ...git, run: note(git.run), bytes: note(git.bytes) }, calls };
}

const idsOf = async (home: string) => new Map([...(await listTree(home, 'HEAD'))].map(([path, { id }]) => [path, id]));

test('contents come back byte for byte, empty ones and those with line ends and NUL bytes too', async () => {
  const files: Record<string, string> = { a: '', b: 'x', c: 'one\ntwo\n\n', d: 'nul\u0000 blob 3\nx', e: 'ü\r\n' };
  const home = repository(files);
  const ids = await idsOf(home);
  const { git, calls } = counted(home);
  const blobs = openBlobs(git, 1000);
  const read = await Promise.all(
    Object.keys(files).map(async (path) => [path, (await blobs.read(ids.get(path) as string))?.toString('utf8')]),
  );
  assert.equal(Object.fromEntries(read), files);
  assert.is(calls.length, 2);
});

test('two hundred files are read by a handful of processes, one that is too large by none', async () => {
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${n}`, `text of ${n}\n`]));
  const home = repository({ ...files, large: 'x'.repeat(2000) });
  const ids = await idsOf(home);
  const { git, calls } = counted(home);
  const blobs = openBlobs(git, 1000);
  const all = await Promise.all([...ids.values()].map((id) => blobs.read(id)));
  assert.is(all.filter((bytes) => bytes === undefined).length, 1);
  assert.ok(calls.length <= 6, `${calls.length}`);
});

test('the same content asked for twice is given twice; a content that is not there is an error', async () => {
  const home = repository({ a: 'same\n', b: 'same\n' });
  const ids = await idsOf(home);
  const blobs = openBlobs(openGit(home), 1000);
  const [a, b] = await Promise.all([blobs.read(ids.get('a') as string), blobs.read(ids.get('b') as string)]);
  assert.equal([a?.toString(), b?.toString()], ['same\n', 'same\n']);
  const missing = blobs.read('0'.repeat(40)).then(
    () => 'read',
    (error: Error) => error.message,
  );
  assert.match(await missing, /no content 0{40}/);
});

test.run();
