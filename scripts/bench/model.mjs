#!/usr/bin/env node
// How well a local model mends: sixty broken stages through the whole loop, counted by form of answer. For choosing a model.
// Times decide nothing; the exit code is 1 when something could not be measured, and 2 when nothing was begun.
import '../typescript.mjs';
import { trial } from './model/trial.mjs';

const { readOptions, USAGE } = await import('./model/options.ts');
const { EXAMS, examsNamed } = await import('./model/stages.ts');
const { countsOf, tableOf } = await import('./model/table.ts');

const LABEL =
  'RECORDED ANSWERS: no model was asked. These figures show that the bench works; they say nothing about any model.';

const options = readOptions(process.argv.slice(2), process.env);
if ('wrong' in options) giveUp(`${options.wrong}; npm run bench:model -- --help tells what there is`);
if (options.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const named = options.only.flatMap(examsNamed);
const exams = options.only.length === 0 ? EXAMS : EXAMS.filter((exam) => named.includes(exam));
if (exams.length === 0)
  giveUp(`no stage has ${options.only.join(' or ')} in its name; without --only all ${EXAMS.length} are run`);

const server = options.recorded ? await (await import('./model/recorded-host.ts')).startRecordedHost() : undefined;
const { findModel } = await import('./model/find-model.ts');
const found = await findModel(server?.url ?? options.host, server ? 'auto' : options.model);
if ('wrong' in found) giveUp(found.wrong);

const say = options.json ? () => {} : (line) => console.log(line);
if (server) say(LABEL);
say(
  `${server ? 'recorded answers' : `${found.model} (${found.why})`} at ${found.host}, ${exams.length} stages, ${options.formats.join(', ')}`,
);

const work = options.formats.flatMap((format) => exams.map((exam) => ({ format, exam })));
const trials = new Array(work.length);
let ended = 0;
const queue = [...work.entries()];
const worker = async () => {
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [number, { format, exam }] = next;
    const settings = { host: found.host, model: found.model, format, timeout: options.timeout, keep: options.keep };
    const { fault } = exam.stage;
    trials[number] = { format, group: exam.group, fault, ...(await trial(exam, settings, number)) };
    progress(trials[number], ++ended);
  }
};
await Promise.all(Array.from({ length: options.atOnce }, worker));
await server?.close();

if (options.json) {
  const formats = options.formats.map((format) => {
    const own = trials.filter((one) => one.format === format);
    const of = (group) => countsOf(own.filter((one) => one.group === group));
    return { format, ...countsOf(own), spelling: of('spelling'), reading: of('reading') };
  });
  const { host, model } = found;
  const label = server ? { recorded: true, label: LABEL } : { recorded: false };
  console.log(JSON.stringify({ ...label, host, model, formats, trials }, null, 2));
} else {
  say('');
  for (const line of tableOf(trials)) say(line);
  say(
    '  fixed: green, verified on the AI branch, and it does what the sound stage does; refused: nothing was applied;',
  );
  say('  wrong: applied, but not green, or green and not what was wanted; seconds are those of the whole loop');
  if (server) say(LABEL);
}
if (trials.some(({ outcome }) => outcome === 'not measured')) process.exitCode = 1;

/** A line for every stage; on a terminal one that moves on, and those that stay are about what was not fixed. */
function progress({ format, fault, outcome, why, ms }, count) {
  if (options.json) return;
  const bad = outcome === 'fixed' ? '' : `: ${why}`;
  const text = `${format}, ${fault}: ${outcome} in ${(ms / 1000).toFixed(1)} s${bad}`;
  if (!process.stdout.isTTY) return void console.log(`stage ${count} of ${work.length}, ${text}`);
  const told = (word) => `${word} ${trials.filter((one) => one?.outcome === word).length}`;
  const line = `stage ${count} of ${work.length}, ${told('fixed')}, ${told('refused')}, ${told('wrong')}; last: ${fault}`;
  const stays = bad === '' ? '' : `${text}\n`;
  process.stdout.write(`\r\u001b[K${stays}${line.slice(0, (process.stdout.columns || 80) - 1)}`);
  if (count === work.length) process.stdout.write('\n');
}

function giveUp(message) {
  console.error(`bench:model   ${message}`);
  process.exit(2);
}
