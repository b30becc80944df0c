#!/usr/bin/env node
// What the board costs: processor time of the loop on a terminal while a stage prints 10,000 lines a second, beyond that of the same
// run whose lines go to a pipe. The terminal is that of `script`.
import { readFileSync } from 'node:fs';
import { bench, compare, ENTRY, repository, run, sideBySide } from './measure.mjs';

const SECONDS = 10;
const LINES = 10_000;
const ROUNDS = 3;
const TICKS_PER_SECOND = 100;
/** Percent of a core. */
const TARGET = 2;

const PRINTER = `const line = 'a line of output that is as long as such lines usually are, number ';
let n = 0;
const began = Date.now();
const timer = setInterval(() => {
  const due = Math.floor((Date.now() - began) * ${LINES / 1000});
  let text = '';
  while (n < due) text += line + n++ + '\\n';
  process.stdout.write(text);
  if (Date.now() - began > ${SECONDS * 1000}) clearInterval(timer);
}, 20);
`;

await bench('board', async () => {
  const command = JSON.stringify(`"${process.execPath}" print.mjs`);
  const map = `stages:\n  noisy: { command: ${command}, always: true }\n`;
  const home = await repository({ 'ai/context_map.yaml': map, 'print.mjs': PRINTER });
  const loop = [process.execPath, ENTRY];
  const onTerminal = ['script', ['-qec', `stty cols 120 rows 40; exec ${loop.join(' ')}`, '/dev/null']];
  await run(...onTerminal, { cwd: home, more: { TERM: 'xterm' } });
  const took = await sideBySide(
    { ours: () => share(onTerminal, home), peer: () => share([loop[0], loop.slice(1)], home) },
    { rounds: ROUNDS, warmUp: 0 },
  );
  const board = took.ours.percent - took.peer.percent;
  return {
    rows: [
      compare(
        'board',
        '%',
        board,
        TARGET,
        `(on a terminal ${took.ours.range.percent}, without ${took.peer.range.percent})`,
      ),
    ],
    notes: [
      `processor time while a stage prints ${LINES} lines a second for ${SECONDS} s; median of ${ROUNDS} rounds`,
      'ours: more than the same run takes without a terminal; peer: the most it may take',
    ],
  };
});

/** How much of a core the loop takes between the second and the last second of the stage. */
async function share([program, args], cwd) {
  const samples = [];
  let pid;
  const timer = setInterval(() => {
    pid ??= started.pid && loopBelow(started.pid);
    const ticks = pid && ticksOf(pid);
    if (ticks !== undefined) samples.push({ at: performance.now(), ticks });
  }, 100);
  const started = {};
  await run(program, args, {
    cwd,
    more: { TERM: 'xterm' },
    watch: (of) => {
      started.pid = of;
    },
  });
  clearInterval(timer);
  const end = samples.at(-1).at;
  const during = samples.filter(({ at }) => at > end - (SECONDS - 1) * 1000 && at < end - 1000);
  const [first, last] = [during[0], during.at(-1)];
  const percent = (((last.ticks - first.ticks) / TICKS_PER_SECOND) * 1000 * 100) / (last.at - first.at);
  return { percent };
}

/** The loop itself: the first node at or below a process. */
function loopBelow(pid) {
  try {
    if (readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('node')) return pid;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return children.map(loopBelow).find(Boolean);
  } catch {
    return undefined;
  }
}

/** Its own user and system time. */
function ticksOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return undefined;
  }
}
