import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { namesIn } from '../../src/io/files.ts';
import { sweep } from '../../src/io/half-made.ts';
import { identify, originTag } from '../../src/io/identity.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { openLines, readLastLine, readLines } from '../../src/io/lines.ts';
import { withLock } from '../../src/io/lock.ts';
import {
  onDisk,
  ownFolder,
  privateFolder,
  readBytes,
  readChecked,
  readText,
  requireWritable,
  writeAtomic,
} from '../../src/io/store.ts';
import { folder, write } from '../environment.ts';
import { shortRefusal as refusal, refusal as wholeRefusal } from '../refusal.ts';

const isCount = (value: unknown): value is { n: number } =>
  typeof value === 'object' && value !== null && 'n' in value && typeof value.n === 'number';

test('what is left of an ignore file after a full disk or a power loss is written again; what its owner wrote stays', () => {
  const own = join(folder(), 'own');
  const ignore = join(own, '.gitignore');
  for (const left of ['', '\0\0', '*\0']) {
    ownFolder(own);
    writeFileSync(ignore, left);
    ownFolder(own);
    assert.is(readFileSync(ignore, 'utf8'), '*\n');
  }
  rmSync(ignore);
  symlinkSync('/nowhere', ignore);
  ownFolder(own);
  assert.is(readFileSync(ignore, 'utf8'), '*\n');
  writeFileSync(ignore, '*\n!kept.md\n');
  ownFolder(own);
  assert.is(readFileSync(ignore, 'utf8'), '*\n!kept.md\n');
});

test('a file is replaced whole, for its owner alone, and nothing is left beside it', () => {
  const dir = folder();
  const path = join(dir, 'state.json');
  writeAtomic(path, 'one');
  writeAtomic(path, 'twö');
  assert.is(readFileSync(path, 'utf8'), 'twö');
  assert.is(statSync(path).mode & 0o777, 0o600);
  assert.equal(readdirSync(dir), ['state.json']);
});

test('a replaced file was never empty or half: a link to the old one keeps its text', () => {
  const dir = folder();
  writeAtomic(join(dir, 'a'), 'old');
  const before = statSync(join(dir, 'a')).ino;
  writeAtomic(join(dir, 'a'), 'new');
  assert.is.not(statSync(join(dir, 'a')).ino, before);
});

test('what cannot be put in its place leaves the old file and no other', () => {
  const dir = folder();
  mkdirSync(join(dir, 'taken/inside'), { recursive: true });
  assert.throws(() => writeAtomic(join(dir, 'taken'), 'x'));
  assert.equal(readdirSync(dir), ['taken']);
});

test('reading checks the shape; no file is no error', () => {
  const dir = folder();
  assert.equal(readChecked(join(dir, 'none.json'), isCount), { found: false });
  write(dir, { 'good.json': '{"n":1}' });
  assert.equal(readChecked(join(dir, 'good.json'), isCount), { found: true, value: { n: 1 } });
});

test('what has not the right shape is moved aside as it was, and where to is told', () => {
  for (const text of ['', '{', 'null', '[]', '{"n":"1"}', '\u0000']) {
    const dir = folder();
    write(dir, { 'bad.json': text });
    const read = readChecked(join(dir, 'bad.json'), isCount);
    const aside = read.found ? undefined : read.quarantined;
    assert.ok(aside?.startsWith(join(dir, 'bad.json.corrupt-')));
    assert.is(readFileSync(aside ?? '', 'utf8'), text);
    assert.not(existsSync(join(dir, 'bad.json')));
    assert.equal(readChecked(join(dir, 'bad.json'), isCount), { found: false });
  }
});

test('text and bytes of a file, or undefined when there is none', () => {
  const dir = folder();
  writeFileSync(join(dir, 'f'), Buffer.from([0xc3, 0xbc, 0xff]));
  assert.is(readText(join(dir, 'f')), 'ü\ufffd');
  assert.equal([...(readBytes(join(dir, 'f')) ?? [])], [0xc3, 0xbc, 0xff]);
  assert.is(readText(join(dir, 'none')), undefined);
});

test('what the disk refuses becomes an error a person can act on; anything else stays what it is', () => {
  const refuse = (code: string) => () =>
    onDisk('ai/state/x', () => {
      throw Object.assign(new Error('raw'), { code });
    });
  for (const code of ['ENOSPC', 'EDQUOT']) {
    assert.is(refusal(refuse(code)), 'E_DISK_FULL the disk is full: ai/state/x could not be written');
  }
  for (const code of ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST']) {
    assert.is(refusal(refuse(code)), `E_STATE_UNWRITABLE ai/state/x cannot be written (${code})`);
  }
  assert.throws(refuse('EIO'), /^raw$/);
});

test('a private folder is its owner’s alone, and one of our own hides from git', () => {
  const dir = folder();
  privateFolder(join(dir, 'a/b'));
  assert.is(statSync(join(dir, 'a/b')).mode & 0o777, 0o700);
  ownFolder(join(dir, 'own'));
  assert.is(readFileSync(join(dir, 'own/.gitignore'), 'utf8'), '*\n');
  writeFileSync(join(dir, 'own/.gitignore'), 'mine\n');
  ownFolder(join(dir, 'own'));
  assert.is(readFileSync(join(dir, 'own/.gitignore'), 'utf8'), 'mine\n');
});

test('a root whose state cannot be written is refused before anything else', () => {
  const dir = folder();
  requireWritable(join(dir, 'ai/state'));
  assert.equal(readdirSync(join(dir, 'ai/state')), ['.gitignore']);
  write(dir, { 'file/x': '' });
  rmSync(join(dir, 'file'), { recursive: true });
  writeFileSync(join(dir, 'file'), 'not a folder');
  assert.match(
    refusal(() => requireWritable(join(dir, 'file/state'))),
    /^E_STATE_UNWRITABLE .*(ENOTDIR|EEXIST)/,
  );
  assert.match(
    refusal(() => requireWritable(join(dir, 'file'))),
    /^E_STATE_UNWRITABLE .*EEXIST/,
  );
  symlinkSync('nowhere', join(dir, 'dangling'));
  assert.is(
    wholeRefusal(() => requireWritable(join(dir, 'dangling'))),
    `error E_STATE_PLACE: ${dir}/dangling is a link that leads nowhere, or in a circle
  next:  look: ls -ld ${dir}/dangling
         move it away, then start again: mv ${dir}/dangling ${dir}/dangling.old`,
  );
});

test('a folder, a loop of links or a link to nowhere in the place of a file is named, whoever comes across it', () => {
  const dir = folder();
  mkdirSync(join(dir, 'folder'));
  symlinkSync('nowhere', join(dir, 'dangling'));
  symlinkSync('loop', join(dir, 'loop'));
  const uses: ((path: string) => unknown)[] = [
    readText,
    readLastLine,
    (path) => [...readLines(path)],
    (path) => readChecked(path, isCount),
    (path) => writeAtomic(path, 'x'),
    (path) => openLines(path, 0, true),
  ];
  for (const use of uses.slice(0, 4)) {
    const at = (name: string) => refusal(() => use(join(dir, name)));
    assert.is(at('folder'), `E_STATE_PLACE ${dir}/folder is a folder, where a file belongs`);
    for (const name of ['dangling', 'loop']) {
      assert.is(at(name), `E_STATE_PLACE ${dir}/${name} is a link that leads nowhere, or in a circle`);
    }
  }
  for (const use of uses.slice(4))
    assert.match(
      refusal(() => use(join(dir, 'folder'))),
      /^E_STATE_PLACE/,
    );
  for (const name of ['dangling', 'loop']) {
    const inside = join(dir, name, 'a/b');
    for (const use of uses.slice(4)) {
      assert.match(
        refusal(() => use(inside)),
        `E_STATE_PLACE ${dir}/${name} is a link`,
      );
    }
    assert.match(
      refusal(() => namesIn(join(dir, name))),
      `E_STATE_PLACE ${dir}/${name} is a link`,
    );
  }
  assert.equal(readdirSync(dir).sort(), ['dangling', 'folder', 'loop']);
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  for (const use of uses.filter((_, i) => i !== 0 && i !== 4)) {
    const text = refusal(() => use(join(dir, 'pipe')));
    assert.is(text, `E_STATE_PLACE ${dir}/pipe is a pipe, where a file belongs`);
  }
});

test('what a process with the same number left half-made is in nobody’s way', () => {
  const dir = folder();
  const left = [1, 2, 3].map((n) => `state.json.${process.pid}-${n}.tmp`);
  write(dir, Object.fromEntries(left.map((name) => [name, 'half'])));
  mkdirSync(join(dir, `.probe-${process.pid}`));
  writeAtomic(join(dir, 'state.json'), 'whole');
  requireWritable(dir);
  assert.is(readText(join(dir, 'state.json')), 'whole');
  assert.is(readText(join(dir, left[0] as string)), 'half');
});

const DEAD = 2 ** 22 - 1;
const halfMade = (pid: number, origin = originTag(), ending = 'tmp') => `.${pid}-${origin}-0a1b2c3d4e5f.${ending}`;

test('a sweep removes what dead processes of this host left half-made, what is a day old, and nothing else', () => {
  const dir = folder();
  const gone = [
    `stages.json${halfMade(DEAD)}`,
    `.probe${halfMade(DEAD)}`,
    `segment${halfMade(DEAD, undefined, 'draft')}`,
  ];
  const old = [
    `ledger.json${halfMade(process.pid)}`,
    `stages.json${halfMade(DEAD, '00000000')}`,
    'lock.json.0a1b2c3d4e5f',
    `run-1.log.${DEAD}.tmp`,
  ];
  const young = [...old.map((name) => `young-${name}`), 'lock.json.000000000000'];
  const others = [
    'lock.json',
    'lock.json.x0a1b2c3d4e5',
    'notes.tmp',
    `theirs.${DEAD}-1.tmp`,
    `x${halfMade(DEAD)}.mine`,
  ];
  write(dir, Object.fromEntries([...gone, ...old, ...young, ...others].map((name) => [name, ''])));
  write(dir, { [`plugins${halfMade(DEAD, undefined, 'draft')}/half`]: '' });
  for (const name of [...old, ...others]) utimesSync(join(dir, name), 1, 1);
  sweep(dir);
  assert.equal(readdirSync(dir).sort(), [...young, ...others].sort());
  sweep(join(dir, 'none'));
});

test('a start after one that was killed sweeps every folder of the loop, and none of a stage', async () => {
  const layout = layoutOf(folder());
  const left = [
    layout.state,
    layout.actions,
    `${layout.runs}/r/jobs`,
    `${layout.logs}/vms/a`,
    `${layout.logs}/executor`,
  ];
  const all = [...left, layout.patches, `${layout.escalations}/case-1`].map((path) => join(path, `x${halfMade(DEAD)}`));
  const ofStage = `${layout.out('vms', '')}/x${halfMade(DEAD)}`;
  const lock = { ...identify(DEAD), since: 'now', command: 'killed' };
  write('/', Object.fromEntries([...all, ofStage].map((path) => [path.slice(1), ''])));
  write('/', { [layout.lock.slice(1)]: JSON.stringify(lock) });
  await withLock(layout, 'next', async () => {});
  assert.equal(all.filter(existsSync), []);
  assert.ok(existsSync(ofStage));
});

test('a file of lines that was removed, replaced or written by another takes nothing more', () => {
  const changes: [string, (path: string) => void][] = [
    ['was removed', (path) => rmSync(path)],
    ['was removed', (path) => rmSync(dirname(path), { recursive: true })],
    ['was removed', (path) => renameSync(dirname(path), `${dirname(path)}.old`)],
    ['was replaced', (path) => writeAtomic(path, '1\n')],
    ['was written by another', (path) => appendFileSync(path, '2\n')],
    ['was written by another', (path) => writeFileSync(path, '')],
  ];
  for (const [what, change] of changes) {
    const path = join(folder(), 'run/events.jsonl');
    const lines = openLines(path, 0, true);
    lines.append([1]);
    change(path);
    const expected = `E_STATE_CHANGED ${path} ${what} while it was in use; nothing more was recorded`;
    for (const _ of [1, 2])
      assert.is(
        refusal(() => lines.append([3])),
        expected,
      );
    assert.not.match(readText(path) ?? '', '3');
  }
});

test('only the folder itself is private; what it stands in stays as open as the owner’s others', () => {
  const home = folder();
  ownFolder(join(home, 'ai/state'));
  const mode = (path: string) => statSync(join(home, path)).mode & 0o777;
  assert.equal([mode('ai'), mode('ai/state')], [0o777 & ~process.umask(), 0o700]);
});

test.run();
