#!/usr/bin/env node
// How well a local model mends: failing stages through the whole loop, and what it made of them. For choosing a model.
// Times decide nothing; the exit code is 1 when something could not be measured, and 2 when nothing was begun.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import '../typescript.mjs';
import { ROOT } from './measure.mjs';
import { trial } from './model/trial.mjs';

const { readOptions, USAGE } = await import('./model/options.ts');

const LABEL =
  'RECORDED ANSWERS: no model was asked. These figures show that the bench works; they say nothing about any model.';

const options = readOptions(process.argv.slice(2), process.env);
if ('wrong' in options) giveUp(`${options.wrong}; --help tells what there is`);
if (options.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const { findModel } = await import('./model/find-model.ts');
const recorded = options.recorded ? await import('./model/recorded-host.ts') : undefined;
const server = await recorded?.startRecordedHost();
const found = server ? { host: server.url, model: 'recorded answers' } : await findModel(options.host, options.model);
if ('wrong' in found) giveUp(found.wrong);

const { chooseExams } = await import('./model/exams.ts');
const { isSameTrial, remember } = await import('./model/remembered.ts');
const { ROWS, countsOf, refusalsBy, tableOf } = await import('./model/table.ts');

const exams = await chooseExams(options);
if (exams.length === 0)
  giveUp(`no exam has ${options.only.join(' or ')} in its name; leave out --only to run them all`);
const repeats = Array.from({ length: options.repeat }, (_, n) => n + 1);
const work = options.formats.flatMap((format) =>
  repeats.flatMap((repeat) => exams.map((exam) => ({ format, repeat, exam }))),
);

// Recorded answers come from another port each time.
const conditions = { host: server ? '' : found.host, model: found.model, timeout: options.timeout };
const cache = existsSync(join(ROOT, 'node_modules'))
  ? join(ROOT, 'node_modules/.cache')
  : join(homedir(), '.cache/mendloop');
const state = options.state ?? join(cache, 'bench-model.jsonl');
const remembered = remember(state, conditions, { root: ROOT, fresh: options.fresh });
const trials = work.map(({ exam, format, repeat }) =>
  remembered.trials.find((one) => isSameTrial(one, { exam: exam.name, format, repeat })),
);

const say = options.json ? () => {} : (line) => console.log(line);
if (server) say(LABEL);
say(`${found.model}${found.why ? ` (${found.why})` : ''} at ${found.host}, ${exams.length} exams, ${asked()}`);
const before = trials.filter(Boolean).length;
if (before > 0) say(`${before} of ${work.length} were measured before this was interrupted; --fresh begins anew`);
process.on('exit', (code) => {
  const count = trials.filter(Boolean).length;
  if (code === 130)
    console.error(`bench:model   interrupted; ${count} of ${work.length} are kept: the same command goes on`);
});

let ended = before;
const queue = [...work.entries()].filter(([number]) => !trials[number]);
const worker = async () => {
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [number, { format, repeat, exam }] = next;
    const model = recorded?.modelOf(exam.name) ?? found.model;
    const { timeout, keep } = options;
    const result = await trial(exam, { host: found.host, model, format, repeat, timeout, keep }, number);
    trials[number] = { format, group: exam.group, exam: exam.name, left: exam.left, repeat, ...result };
    if (result.outcome !== 'not measured') remembered.add(trials[number]);
    progress(trials[number], ++ended);
  }
};
await Promise.all(Array.from({ length: options.atOnce }, worker));
await server?.close();

const isWhole = trials.every(({ outcome }) => outcome !== 'not measured');
if (isWhole) remembered.forget();
else process.exitCode = 1;
if (options.json) console.log(JSON.stringify(asJson(), null, 2));
else {
  for (const format of options.formats) printTable(format);
  say('tokens and seconds each: all that were spent, also in vain, for one that was mended or rightly declined;');
  say('seconds are those of the whole loop; how it is judged: --help');
  if (!isWhole) say('what was not measured is tried again by the same command, and the rest is kept');
  if (server) say(LABEL);
}

function asked() {
  return [...options.formats, ...(options.repeat > 1 ? [`${options.repeat} times each`] : [])].join(', ');
}

function asJson() {
  const formats = options.formats.map((format) => {
    const own = trials.filter((one) => one.format === format);
    const rows = ROWS.map(([exams, has]) => ({ exams, ...countsOf(own.filter(has)) }));
    return { format, ...countsOf(own), refusals: refusalsBy(own), rows };
  });
  const label = server ? { recorded: true, label: LABEL } : { recorded: false };
  return { ...label, host: found.host, model: found.model, repeat: options.repeat, formats, trials };
}

function printTable(format) {
  const own = trials.filter((one) => one.format === format);
  const codes = Object.entries(refusalsBy(own)).map(([code, count]) => `${code} ${count}`);
  say(`\n**${found.model}**, answers as ${format}\n`);
  for (const line of tableOf(own)) say(line);
  say(`\nanswers not taken, by code: ${codes.join(', ') || 'none'}`);
  const hidden = new Set(own.filter(({ shown }) => shown === false).map(({ exam }) => exam));
  if (hidden.size > 0) say(`the prompt did not show what has to change: ${[...hidden].join(', ')}`);
  say('');
}

/** A line for every exam; on a terminal one that moves on, and those that stay are about what was not mended. */
function progress({ format, exam, outcome, why, ms }, count) {
  if (options.json) return;
  const bad = why === '' ? '' : `: ${why}`;
  const text = `${format}, ${exam}: ${outcome} in ${(ms / 1000).toFixed(1)} s${bad}`;
  if (!process.stdout.isTTY) return void console.log(`exam ${count} of ${work.length}, ${text}`);
  const told = (word) => `${word} ${trials.filter((one) => one?.outcome === word).length}`;
  const line = `exam ${count} of ${work.length}, ${told('fixed')}, ${told('refused')}, ${told('wrong')}; last: ${exam}`;
  const stays = bad === '' ? '' : `${text}\n`;
  process.stdout.write(`\r\u001b[K${stays}${line.slice(0, (process.stdout.columns || 80) - 1)}`);
  if (count === work.length) process.stdout.write('\n');
}

function giveUp(message) {
  console.error(`bench:model   ${message}`);
  process.exit(2);
}
