// The set of mistakes that error lines, prompts and known fixes are measured with is what it says it is.
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildPrompt } from '../../src/outbound/prompt.ts';
import { shownFiles } from '../../src/outbound/shown-files.ts';
import { contextOf, editableOf, isMended, MISTAKES } from '../fixtures/mistakes.ts';

test('each mistake tells itself in its log, stands once in a file that the stage may change, and can be mended there', () => {
  assert.ok(MISTAKES.length >= 32);
  for (const mistake of MISTAKES) {
    const { name, log, decisive, culprit, fix, also = [], instead = [], files } = mistake;
    assert.ok(
      log.split('\n').some((line) => line.includes(decisive)),
      `${name}: the decisive line`,
    );
    assert.is(fix.path, culprit, name);
    for (const { path, old } of [fix, ...also, ...instead]) {
      assert.is(files[path]?.split(old).length, 2, `${name}: ${path}`);
      assert.ok(editableOf(mistake).includes(path), `${name}: ${path} may not be changed`);
    }
    const mended = files[culprit]?.replace(fix.old, () => fix.new) ?? '';
    assert.ok(isMended(mistake, { [culprit]: mended }), name);
    assert.not.ok(isMended(mistake, { [culprit]: `${mended}#\n` }), name);
    assert.not.ok(isMended(mistake, {}), name);
  }
});

test('of real mistakes the file to be changed is ranked first in four of five, in a prompt that a small model reads', () => {
  const instructions = readFileSync(new URL('../../ai/executor_instructions.md', import.meta.url), 'utf8');
  const prompts = MISTAKES.map((mistake) => {
    const prompt = buildPrompt(contextOf(mistake), { instructions, format: 'diff' }, (text) => text);
    const needed = [mistake.culprit, ...(mistake.also ?? []).map(({ path }) => path)];
    const files = shownFiles(prompt.text).map(({ path }) => path);
    return {
      ...prompt,
      isFirst: needed.includes(files[0] ?? ''),
      isShown: files.some((path) => needed.includes(path)),
    };
  });
  const tokens = prompts.map((prompt) => prompt.tokens).sort((a, b) => a - b);
  assert.ok(prompts.filter(({ isFirst }) => isFirst).length >= 0.8 * MISTAKES.length);
  assert.ok(prompts.filter(({ isShown }) => isShown).length >= 0.95 * MISTAKES.length);
  assert.ok((tokens[tokens.length >> 1] as number) < 3000 && (tokens.at(-1) as number) <= 5000);
});

test.run();
