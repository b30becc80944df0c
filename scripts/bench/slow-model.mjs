#!/usr/bin/env node
// Whether a model as slow as a 7B on an N100 gets to answer: a stand-in that reads 20 tokens a second and writes 5, in real time, is
// asked with the prompt of every recorded mistake, all side by side, for it only sleeps. It answers rightly, where it is shown enough.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import '../typescript.mjs';
import { bench, median, ROOT, short } from './measure.mjs';

const READS = 20;
const WRITES = 5;
const MAX_ROUNDS = 3;

const { MISTAKES, contextOf, factsOf, isMended } = await import('../../test/fixtures/mistakes.ts');
const { buildPrompt } = await import('../../src/outbound/prompt.ts');
const { choicesFor, withChoice } = await import('../../src/outbound/choices.ts');
const { readAnswer } = await import('../../src/fix/read-answer.ts');
const { applyChanges } = await import('../../src/fix/apply-changes.ts');
const { startOllamaServer } = await import('../../src/testing/ollama-server.ts');
const { say } = await import('./model/recorded-forms.ts');
const { formOf } = await import('./model/recorded-host.ts');
const { default: ollama } = await import('../../plugins/executors/ollama.ts');

const instructions = readFileSync(join(ROOT, 'ai/executor_instructions.md'), 'utf8');
const named = process.argv.slice(2);

await bench('slow-model', async () => {
  const chosen = MISTAKES.filter(({ name }) => named.length === 0 || named.some((word) => name.includes(word)));
  const nameOf = (number) => `stand-in:${number}`;
  const server = await startOllamaServer({
    models: chosen.map((_, number) => ({ name: nameOf(number), size: 1e9, parameters: '7B', context: 32_768 })),
    script: ({ body }) => answer(chosen[Number(body.model.split(':')[1])], body),
    idleMs: 3_600_000,
  });
  // Made before the first is asked, so that nothing but the stand-in is waited for.
  const prompts = chosen.map(promptOf);
  const rows = await Promise.all(
    chosen.map((mistake, number) => asked(mistake, prompts[number], { host: server.url, model: nameOf(number) })),
  );
  await server.close();
  const of = (is) => `${rows.filter(is).length} of ${rows.length}`;
  const without = (is) =>
    rows
      .filter((row) => !is(row))
      .map(({ name, why }) => `${name} (${why})`)
      .join(', ');
  const seconds = rows.map((row) => row.ms / 1000);
  const silent = rows.map((row) => row.silent / 1000);
  if (rows.some((row) => !row.used)) process.exitCode = 1;
  return {
    rows: [
      ['answered', of((row) => row.answered), without((row) => row.answered)],
      ['answered and used', of((row) => row.used), without((row) => row.used)],
      ['used at its first answer', of((row) => row.used && row.rounds === 1), ''],
      ['a question with its answers', `${short(median(seconds))} s, at most ${short(Math.max(...seconds))} s`, ''],
      ['until its first word', `${short(median(silent))} s, at most ${short(Math.max(...silent))} s`, ''],
    ],
    notes: [
      `a stand-in that reads ${READS} and writes ${WRITES} tokens a second, in real time; it keeps nothing that it has read`,
    ],
  };
});

/** The right change, in the form that is asked for; where changes are offered, the number of the right one. */
function answer(mistake, { messages, format }) {
  const text = messages.map(({ content }) => content).join('\n');
  const { path, old, new: now } = mistake.fix;
  const before = mistake.files[path];
  const change = { path, before, after: before.replace(old, () => now), fix: 'Put it right', reason: 'It was wrong' };
  const choices = choicesFor(contextOf(mistake), (one) => one);
  const isRight = (choice) => isMended(mistake, { [choice.path]: withChoice(mistake.files[choice.path], choice) });
  const isChoice = /"choice"/.test(JSON.stringify(format) ?? '');
  const said = isChoice
    ? JSON.stringify({ reason: 'it is so called', choice: choices.findIndex(isRight) + 1 })
    : say(format === undefined ? formOf(messages.at(-1).content) : 'json', [change], 0);
  return { text: said, delayMs: (text.length / 4 / READS) * 1000, gapMs: 1000 / WRITES };
}

function promptOf(mistake) {
  const context = contextOf(mistake);
  const choices = choicesFor(context, (one) => one);
  const { text: prompt } = buildPrompt(context, { instructions, format: 'diff', choices }, (one) => one);
  return { prompt, choices };
}

async function asked(mistake, asking, where) {
  const [speeds, began] = [[], performance.now()];
  const reporting = {
    ...{ say() {}, progress() {}, used() {}, mask: (one) => one, timeLeft: () => Number.POSITIVE_INFINITY },
    speeds: { of: () => speeds, add: (_, speed) => speeds.push(speed) },
  };
  const given = { ...factsOf(mistake), ...asking, ...reporting };
  const options = ollama.options.parse(where);
  const refused = [];
  let after = {};
  // As in a conversation of the loop: what cannot be placed is told, and asked for once more.
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const ended = await ollama
      .propose({ ...given, refused, options, signal: new AbortController().signal })
      .catch((error) => ({ pass: error.message, failed: true }));
    after = 'answer' in ended ? applied(ended.answer, mistake) : (ended.files ?? { why: ended.pass, ...ended });
    if (after.code === undefined) break;
    refused.push({ code: after.code, reasons: [after.why] });
  }
  const used = !('why' in after) && isMended(mistake, after);
  const first = speeds.find(({ read }) => read)?.read.ms ?? 0;
  const ms = performance.now() - began;
  const rounds = refused.length + 1;
  return {
    name: mistake.name,
    answered: !after.failed,
    used,
    why: after.why ?? 'another change',
    ms,
    rounds,
    silent: first,
  };
}

function applied(text, mistake) {
  const read = readAnswer(text);
  const placed = read.ok ? applyChanges(read.changes, (path) => mistake.files[path]) : read;
  if (!placed.ok) return { code: placed.code, why: placed.reasons.join('; ') };
  return Object.fromEntries(placed.files.map(({ path, after }) => [path, after]));
}
