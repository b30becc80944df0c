// Whatever happens to the files of state: nothing runs twice, nothing that lives is overlooked, nothing is written to nowhere.
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MendError } from '../../src/errors.ts';
import { systemClock } from '../../src/io/clock.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { loadStages, openRun } from '../../src/journal/load-stages.ts';
import { closeOpenRun } from '../../src/run/close-run.ts';
import { fc, runs } from '../sweep.ts';
import { cutOff, homelab, journalIn, NOTE, ranSteps, reconfigure, run } from './homelab.ts';

const linesIn = (path: string) => readFileSync(path, 'utf8').split('\n').filter(Boolean);
const writeLines = (path: string, lines: readonly string[]) =>
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
const spoilLine = (path: string, type: string) =>
  writeLines(
    path,
    linesIn(path).map((line) => (line.includes(`"type":"${type}"`) ? 'nonsense' : line)),
  );
const codeOf = (error: unknown) => (error instanceof MendError ? error.code : String(error));
const refused = (home: string) => run(home).then(() => 'nothing', codeOf);

/** A process as a stage of this run would have left it. */
async function stray(home: string, of: string, step: string, attempt: number): Promise<ChildProcess> {
  const marks = { MENDLOOP_RUN: of, MENDLOOP_STEP: step, MENDLOOP_ATTEMPT: String(attempt) };
  const env = { PATH: process.env.PATH, MENDLOOP_HOME: home, ...marks };
  const child = spawn('sleep', ['60'], { env, stdio: 'ignore', detached: true });
  await new Promise((resolve) => child.once('spawn', resolve));
  return child;
}

const isAlive = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;
const ended = (child: ChildProcess) =>
  isAlive(child) ? new Promise((resolve) => child.once('exit', resolve)) : Promise.resolve();

test('a stage that lives is found by its marks and ended, also when the line that named it is lost', async () => {
  for (const isProjected of [true, false]) {
    const home = homelab({ a: { command: NOTE }, b: { command: NOTE, needs: ['a'] } });
    const layout = layoutOf(home);
    const { run: name } = await run(home);
    const projection = readFileSync(layout.stages, 'utf8');
    cutOff(home, name, (e) => e.type === 'attempt.started' && e.step === 'b');
    for (const type of ['step.started', 'attempt.started']) spoilLine(layout.journal(name), type);
    if (isProjected) writeFileSync(layout.stages, projection);
    const [living, service] = [await stray(home, name, 'b', isProjected ? 2 : 1), await stray(home, name, 'a', 1)];
    try {
      const { exit, run: again } = await run(home);
      assert.equal([exit, again], [0, name]);
      await ended(living);
      assert.ok(isAlive(service), 'what an attempt left that has ended stays');
    } finally {
      for (const child of [living, service]) child.kill('SIGKILL');
    }
  }
});

test('a run whose first line is lost is closed: what it left is ended, what it had begun is recorded as cut off', async () => {
  const home = homelab({ a: { command: NOTE, rerun: false }, b: { command: NOTE } });
  const layout = layoutOf(home);
  const { run: name } = await run(home);
  cutOff(home, name, (e) => e.type === 'attempt.started' && e.step === 'b');
  spoilLine(layout.journal(name), 'run.started');
  const living = await stray(home, name, 'b', 1);
  const { exit, run: next, events } = await run(home);
  await ended(living);
  assert.ok(exit === 0 && next !== name);
  const notes = events.flatMap((e) => (e.type === 'notice' ? [String(e.data.text)] : [])).join('\n');
  assert.match(notes, `run ${name} was cut off and is closed: what it was asked for is lost`);
  assert.match(notes, `the journal of run ${name} has unreadable lines (1): what they said is lost, all else is kept`);
  assert.equal(
    journalIn(home, name)
      .slice(-3)
      .map(({ type, step }) => `${type} ${step}`),
    ['attempt.ended b', 'step.interrupted b', 'run.ended undefined'],
  );
  assert.equal(ranSteps(home), ['a', 'b', 'b']);
});

test('a stage of a run that nobody knows of halts every start until it is over, or a person says that it may stay', async () => {
  const home = homelab({ a: { command: NOTE } });
  const layout = layoutOf(home);
  const unknown = '20260101-000000-abcd';
  const [living, check] = [await stray(home, unknown, 'a', 1), await stray(home, '20260101-000000-0000', 'a', 0)];
  try {
    assert.is(await refused(home), 'E_LEFTOVER');
    assert.ok(isAlive(living) && ranSteps(home).length === 0);
    await closeOpenRun(loadStages(layout), 'abandoned', { layout, clock: systemClock, graceMs: 300 }, true);
    assert.is((await run(home)).exit, 0);
    assert.ok(isAlive(living), 'it is left alone');
    await ended(check);
  } finally {
    for (const child of [living, check]) child.kill('SIGKILL');
  }
});

test('a run that ended is not gone on with though the last line of its journal is lost', async () => {
  const home = homelab({ a: { command: NOTE }, b: { command: `${NOTE}; exit 1`, needs: ['a'] } });
  const layout = layoutOf(home);
  for (const lost of [1, 2, 3]) {
    const { run: name } = await run(home);
    writeLines(layout.journal(name), [...linesIn(layout.journal(name)).slice(0, -lost), ...Array(lost).fill('{}')]);
    assert.is(openRun(loadStages(layout, { look: true })), undefined);
    assert.ok((await run(home)).run > name);
  }
});

const REMOVALS: [what: string, error: RegExp][] = [
  ['ai/state', /^(E_LOCK_LOST|E_STATE_CHANGED)$/],
  ['ai/state/runs', /^E_STATE_CHANGED$/],
  ['ai/state/runs/$MENDLOOP_RUN/events.jsonl', /^E_STATE_CHANGED$/],
  ['ai/state/lock.json', /^E_LOCK_LOST$/],
];

test('a stage that removes the state halts the run before anything else starts, and the next start goes on', async () => {
  for (const [what, error] of REMOVALS) {
    const home = homelab({
      a: { command: `test -e "$MENDLOOP_HOME/a" || rm -r "$MENDLOOP_HOME/${what}"; touch "$MENDLOOP_HOME/a"` },
      b: { command: 'touch "$MENDLOOP_HOME/b"', needs: ['a'] },
    });
    assert.match(await refused(home), error, what);
    assert.not(existsSync(join(home, 'b')), what);
    assert.not(
      existsSync(join(home, 'ai/state/stages.json')) && what === 'ai/state',
      'nothing is written to a new place',
    );
    assert.is((await run(home)).exit, 0, what);
    assert.ok(existsSync(join(home, 'b')));
  }
});

test('a folder, a loop or a link to nowhere in the place of any file of state is told, and nothing runs', async () => {
  const home = homelab({ a: { command: NOTE, always: true } });
  const layout = layoutOf(home);
  const { run: name } = await run(home);
  const count = ranSteps(home).length;
  for (const path of [
    layout.stages,
    layout.ledger,
    layout.ledgerJournal,
    layout.journal(name),
    layout.lock,
    layout.runs,
  ]) {
    const before = existsSync(path) && path !== layout.runs ? readFileSync(path) : undefined;
    for (const put of [
      () => void (path === layout.runs || mkdirSync(path)),
      () => symlinkSync(path, path),
      () => symlinkSync('nowhere', path),
    ]) {
      if (path === layout.runs && existsSync(path)) rmSync(path, { recursive: true });
      rmSync(path, { recursive: true, force: true });
      put();
      const error = await run(home).then(
        () => 'nothing',
        (thrown) => thrown,
      );
      if (path === layout.runs && error === 'nothing') continue;
      assert.is(codeOf(error), 'E_STATE_PLACE', path);
      assert.is(error.message.split(' is a ')[0], path);
    }
    rmSync(path, { recursive: true, force: true });
    if (before) writeFileSync(path, before);
  }
  assert.ok(ranSteps(home).length <= count + 1, 'only where no folder of runs was there at all');
});

/** Ways to damage a file of lines, at a line. */
const DAMAGES: readonly ((lines: readonly string[], at: number) => string[])[] = [
  (lines, at) => lines.with(at, 'nonsense'),
  (lines, at) => lines.filter((_, i) => i !== at),
  (lines, at) => lines.slice(0, at),
  (lines, at) => [...lines.slice(0, at + 1), ...lines.slice(at)],
  (lines, at) => lines.with(at, (lines[at] ?? '').slice(0, 40) + (lines[at + 1] ?? '')).filter((_, i) => i !== at + 1),
];

test('property: rerun: false runs once, whatever is lost of journal and projection, and retry runs it again', async () => {
  const stage = (more: object) => ({ once: { command: NOTE, rerun: false, ...more }, other: { command: NOTE } });
  const damage = fc.record({
    ending: fc.constantFrom('green', 'failed', 'cut off'),
    how: fc.constantFrom(...DAMAGES),
    at: fc.nat(30),
    projection: fc.constantFrom('kept', 'removed', 'garbage'),
    other: fc.constantFrom('kept', 'removed'),
  });
  await fc.assert(
    fc.asyncProperty(damage, async ({ ending, how, at, projection, other }) => {
      const home = homelab(stage(ending === 'failed' ? { command: `${NOTE}; exit 1`, on_failure: 'skip' } : {}));
      const layout = layoutOf(home);
      const { run: name } = await run(home);
      if (ending === 'cut off') cutOff(home, name, (e) => e.type === 'attempt.started' && e.step === 'once');
      const path = layout.journal(name);
      const lines = linesIn(path);
      writeLines(path, how(lines, at % lines.length));
      if (projection === 'removed') rmSync(layout.stages, { force: true });
      if (projection === 'garbage') writeFileSync(layout.stages, '{"version":1');
      if (other === 'removed') rmSync(layout.runFile(name), { force: true });
      const ran = () => ranSteps(home).filter((step) => step === 'once').length;
      const second = await run(home);
      await run(home);
      assert.is(ran(), 1, JSON.stringify(second.trail));
      if (second.exit !== 0) assert.is(second.exit, 3);
      reconfigure(home, stage({ description: 'mended' }));
      await run(home, { stages: ['once'], forced: true });
      assert.is(ran(), 2);
    }),
    runs(8, 100),
  );
});

test('a stage whose state is lost altogether waits for a person when logs of it are there, until a reset', async () => {
  const home = homelab({ once: { command: NOTE, rerun: false } });
  const layout = layoutOf(home);
  await run(home);
  writeFileSync(join(home, 'ran'), '');
  rmSync(layout.state, { recursive: true });
  const { exit, events } = await run(home);
  assert.equal([exit, ranSteps(home)], [3, []]);
  assert.is(
    events.find((e) => e.type === 'step.failed')?.data.reason,
    'not run again by itself (rerun: false): it has a log of an attempt that its state does not know',
  );
  appendFileSync(join(home, 'ran'), '');
  const { resetStages } = await import('../../src/run/reset-stages.ts');
  await resetStages({ home, stages: ['once'], command: 'test' }, { clock: systemClock, graceMs: 300 });
  assert.equal([(await run(home)).exit, ranSteps(home)], [0, ['once']]);
});

test.run();
