#!/usr/bin/env node
// What a model would be given for real mistakes (test/fixtures/mistakes): whether the line that tells is among the error
// lines, whether the file to be changed is shown and ranked first, the size of the prompt, and what known fixes mend. A wrong
// known fix fails the benchmark. Names after `--` choose mistakes: npm run bench -- mistakes, or this file with words.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import '../typescript.mjs';
import { bench, median, ROOT, short } from './measure.mjs';

const { MISTAKES, contextOf, errorLinesOf, failureOf, isMended, knownFixFor } = await import(
  '../../test/fixtures/mistakes.ts'
);
const { buildPrompt } = await import('../../src/outbound/prompt.ts');
const { choicesFor, withChoice } = await import('../../src/outbound/choices.ts');
const { shownFiles } = await import('../../src/outbound/shown-files.ts');

const named = process.argv.slice(2);
const instructions = readFileSync(join(ROOT, 'ai/executor_instructions.md'), 'utf8');
const options = { instructions, format: 'diff' };

await bench('mistakes', async () => {
  const chosen = MISTAKES.filter(({ name }) => named.length === 0 || named.some((word) => name.includes(word)));
  const rows = [];
  for (const mistake of chosen) rows.push(await measured(mistake));
  const of = (list, is) => `${list.filter(is).length} of ${list.length}`;
  const missing = (is) => rows.filter((row) => !is(row)).map(({ name }) => name);
  const misses = (is) => (missing(is).length === 0 ? '' : `without: ${missing(is).join(', ')}`);
  const counts = [
    ['decisive line among the error lines', (row) => row.decisive],
    ['file to be changed ranked first', (row) => row.rank === 1],
    ['file to be changed shown', (row) => row.rank > 0],
  ];
  const tokens = rows.map((row) => row.tokens);
  const fixed = rows.filter(({ known }) => known === 'fixed');
  const wrong = rows.filter(({ known }) => known === 'wrong').map(({ name }) => name);
  if (wrong.length > 0) process.exitCode = 1;
  const largest = rows.toSorted((a, b) => b.tokens - a.tokens).slice(0, 3);
  const trivial = rows.filter((row) => row.trivial);
  return {
    rows: [
      ...counts.map(([what, is]) => [what, of(rows, is), misses(is)]),
      ['prompt', `${short(median(tokens))} tokens, at most ${Math.max(...tokens)}`, list(largest)],
      [
        'prompt, made with',
        `${short(median(rows.map(({ ms }) => ms)))} ms, at most ${short(Math.max(...rows.map(({ ms }) => ms)))} ms`,
        '',
      ],
      ['offered changes', of(rows, ({ offered }) => offered !== 'none'), ''],
      [
        'offered changes with the right one',
        of(rows, ({ offered }) => offered === 'right'),
        list(rows.filter(({ offered }) => offered === 'right')),
      ],
      [
        'offered changes, none of them right',
        of(rows, ({ offered }) => offered === 'wrong'),
        list(rows.filter(({ offered }) => offered === 'wrong')),
      ],
      ['known fixes mend', `${fixed.length} of ${rows.length}`, list(fixed)],
      [
        'known fixes mend of the trivial',
        of(trivial, ({ known }) => known === 'fixed'),
        `without: ${list(trivial.filter(({ known }) => known !== 'fixed'))}`,
      ],
      ['known fixes are wrong', `${wrong.length}`, wrong.join(', ')],
    ],
  };
});

function list(rows) {
  return rows.map(({ name }) => name).join(', ');
}

async function measured(mistake) {
  const { name, culprit, also = [], decisive, trivial } = mistake;
  const lines = errorLinesOf(failureOf(mistake));
  const context = contextOf(mistake);
  const began = process.cpuUsage();
  const choices = choicesFor(context, (one) => one);
  const { text, tokens } = buildPrompt(context, { ...options, choices }, (one) => one);
  // Of the processor: what else this machine does is not told.
  const { user, system } = process.cpuUsage(began);
  const ms = (user + system) / 1000;
  const needed = [culprit, ...also.map(({ path }) => path)];
  const rank = shownFiles(text).findIndex(({ path }) => needed.includes(path)) + 1;
  const proposal = await knownFixFor(mistake);
  const known = 'files' in proposal ? (isMended(mistake, proposal.files) ? 'fixed' : 'wrong') : 'none';
  const isRight = (choice) => isMended(mistake, { [choice.path]: withChoice(mistake.files[choice.path], choice) });
  const offered = choices.length === 0 ? 'none' : choices.some(isRight) ? 'right' : 'wrong';
  return { name, trivial, tokens, ms, rank, known, offered, decisive: lines.some((line) => line.includes(decisive)) };
}
