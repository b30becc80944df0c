import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openScreen } from '../../src/io/screen.ts';
import { program } from '../program.ts';
import { shownBy, writtenBy } from './terminal.ts';

test('a row put in between, or taken out, leaves all others where they belong', () => {
  const frames = ['abcd', 'ab-cd', 'aB--cd', 'acd'].map((rows) => [...rows]);
  for (let last = 1; last <= frames.length; last++) {
    const shown = shownBy(() => {
      const screen = openScreen();
      for (const frame of frames.slice(0, last)) screen.draw(frame);
      screen.done();
    });
    assert.equal(shown, frames[last - 1]);
  }
});

test('what is printed above stands there, and after a clear where the drawing was', () => {
  const shown = shownBy(() => {
    const screen = openScreen();
    screen.clear();
    screen.draw(['a', 'b']);
    screen.above(() => process.stdout.write('first\n'), ['a', 'B']);
    screen.clear();
    screen.clear();
    process.stdout.write('note\n');
    screen.draw(['a', 'b']);
    screen.done();
    process.stdout.write('end\n');
  });
  assert.equal(shown, ['first', 'note', 'a', 'b', 'end']);
});

test('only rows that changed are written, nothing where none did, and all of them after a resize', () => {
  const { stdout } = process;
  const before = { columns: stdout.columns, rows: stdout.rows };
  const wide = 'x'.repeat(70);
  const screen = openScreen();
  const frame = (rows: string[], columns: number) => {
    Object.assign(stdout, { columns, rows: 24 });
    return writtenBy(() => screen.draw(rows));
  };
  frame(['one', wide, 'three'], 80);
  assert.is(frame(['one', wide, 'three'], 80), '');
  const changed = frame(['one', wide, 'THREE'], 80);
  assert.ok(changed.includes('\u001b[3A\n\nTHREE') && !changed.includes('one'), JSON.stringify(changed));
  const narrower = frame(['one', 'xxx…', 'THREE'], 40);
  assert.ok(narrower.includes('\u001b[4Aone'), 'the wide row was broken into two lines');
  writtenBy(screen.done);
  Object.assign(stdout, before);
});

test('stopped by Ctrl-Z it gives the cursor back, and goes on below what the shell has printed since', async () => {
  const command = [process.execPath, ...program('draws')].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qefc', `exec ${command}`, '/dev/null'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  const until = async (isTrue: () => boolean, what: string) => {
    for (let i = 0; i < 400 && !isTrue(); i++) await sleep(25);
    assert.ok(isTrue(), `${what}: ${JSON.stringify(out.slice(-300))}`);
  };
  const [shown, hidden, end] = ['\u001b[?25h', '\u001b[?25l', '\u001b[?2026l'];
  let pid = 0;
  try {
    await until(() => out.includes('row 3'), 'it draws');
    pid = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')[0]);
    process.kill(pid, 'SIGTSTP');
    await until(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') T '), 'it stops');
    // script stops with what it runs.
    for (const stopped of [pid, child.pid as number]) process.kill(stopped, 'SIGCONT');
    await until(() => out.split(shown)[1]?.includes(end) === true, 'it goes on');
    const [before = '', after = ''] = out.split(shown);
    const [first = ''] = after.split(end);
    assert.ok(before.includes(hidden) && first.includes(`${hidden}\rfirst`), JSON.stringify(first));
  } finally {
    for (const started of [pid, child.pid]) if (started) process.kill(started, 'SIGKILL');
  }
});

test.run();
