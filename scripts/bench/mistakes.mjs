#!/usr/bin/env node
// What a model would be given for real mistakes (test/fixtures/mistakes): whether the line that tells is among the error
// lines, whether the file to be changed is shown and ranked first, the size of the prompt, and what known fixes mend. A wrong
// known fix fails the benchmark. Names after `--` choose mistakes: npm run bench -- mistakes, or this file with words.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import '../typescript.mjs';
import { bench, median, ROOT, short } from './measure.mjs';

const { MISTAKES, contextInRepository, errorLinesOf, failureOf, isMended, knownFixFor, otherFiles } = await import(
  '../../test/fixtures/mistakes.ts'
);
const { buildPrompt } = await import('../../src/outbound/prompt.ts');
const { choicesFor, withChoice } = await import('../../src/outbound/choices.ts');
const { shownFiles } = await import('../../src/outbound/shown-files.ts');

/** Of the repository that each mistake is put into once more. */
const OTHERS = 3000;

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
    ['file, line and definition in the prompt', (row) => row.lacks === ''],
    [`the same prompt among ${OTHERS} other files`, (row) => row.isSame],
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
      ['prompt, mean', `${short(tokens.reduce((sum, one) => sum + one, 0) / tokens.length)} tokens`, ''],
      ['prompt, the same in all', `${Math.floor(commonStart(rows.map(({ text }) => text)) / 4)} tokens`, ''],
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

/** What of a fix a prompt does not have: its file, a line that it changes, or a word that it brings and the repository has. */
function lackOf(text, files, { path, old, new: now }) {
  const file = shownFiles(text).find((one) => one.path === path);
  if (!file) return path;
  const first = files[path].slice(0, files[path].indexOf(old)).split('\n').length;
  const [before, after] = [old.split('\n'), now.split('\n')];
  const changed = before.flatMap((line, i) =>
    line === after[i] || (i > 0 && after.includes(line)) ? [] : [first + i],
  );
  const hidden = changed.filter((line) => !file.lines.has(line));
  if (hidden.length > 0) return `${path}:${hidden}`;
  const words = (one) => one.match(/[A-Za-z_][\w.-]+\w/g) ?? [];
  const everywhere = Object.entries(files).flat().join('\n');
  const brought = words(now).filter((word) => !words(old).includes(word) && everywhere.includes(word));
  return brought.filter((word) => !text.includes(word)).join(' ');
}

/** How many characters all texts begin with alike. */
function commonStart([first = '', ...others]) {
  const isAlike = (at) => others.every((one) => one[at] === first[at]);
  let at = 0;
  while (at < first.length && isAlike(at)) at++;
  return at;
}

function list(rows) {
  return rows.map(({ name }) => name).join(', ');
}

async function measured(mistake) {
  const { name, culprit, also = [], decisive, trivial } = mistake;
  const lines = errorLinesOf(failureOf(mistake));
  const context = await contextInRepository(mistake);
  const began = process.cpuUsage();
  const choices = choicesFor(context, (one) => one);
  const { text, tokens } = buildPrompt(context, { ...options, choices }, (one) => one);
  // Of the processor: what else this machine does is not told.
  const { user, system } = process.cpuUsage(began);
  const ms = (user + system) / 1000;
  const among = await contextInRepository(mistake, otherFiles(mistake, OTHERS));
  const same = buildPrompt(among, { ...options, choices: choicesFor(among, (one) => one) }, (one) => one);
  const ways = [mistake.fix, ...also, ...(mistake.instead ?? [])].map((fix) => lackOf(text, mistake.files, fix));
  const needed = [culprit, ...also.map(({ path }) => path)];
  const rank = shownFiles(text).findIndex(({ path }) => needed.includes(path)) + 1;
  const proposal = await knownFixFor(mistake);
  const known = 'files' in proposal ? (isMended(mistake, proposal.files) ? 'fixed' : 'wrong') : 'none';
  const isRight = (choice) => isMended(mistake, { [choice.path]: withChoice(mistake.files[choice.path], choice) });
  const offered = choices.length === 0 ? 'none' : choices.some(isRight) ? 'right' : 'wrong';
  const more = { text, isSame: same.text === text, lacks: ways.includes('') ? '' : ways[0] };
  return {
    name,
    trivial,
    tokens,
    ms,
    rank,
    known,
    offered,
    ...more,
    decisive: lines.some((line) => line.includes(decisive)),
  };
}
