// Damaged diffs of this repository's own files: what comes out is what was meant, or nothing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { applyChanges } from '../../src/fix/apply-changes.ts';
import { readAnswer } from '../../src/fix/read-answer.ts';
import { cpuTime } from '../failure/cpu-time.ts';
import { cases } from '../sweep.ts';
import { DAMAGES, diffOf, edited, moved, randomOf } from './damage.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILES = [
  'CONTRIBUTING.md',
  'README.md',
  'ai/context_map.yaml',
  'biome.json',
  'config/ingress/routes.yaml',
  'scripts/test.mjs',
  'scripts/install_test_tools.sh',
  'src/errors.ts',
  'src/failure/classify.ts',
  'src/failure/clean.ts',
  'src/plan/run-state.ts',
  'stages/lab/charts/kube-prometheus-stack.yaml',
].map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

const EACH = cases(3, 400);

function answered(answer: string, path: string, before: string): string | undefined {
  const read = readAnswer(answer, { path });
  const applied = read.ok ? applyChanges(read.changes, (asked) => (asked === path ? before : undefined)) : read;
  return applied.ok ? applied.files[0]?.after : undefined;
}

function sample(seed: number) {
  const random = randomOf(seed);
  const { path, text } = FILES[Math.floor(random() * FILES.length)] as (typeof FILES)[number];
  const after = edited(text, random);
  return { random, path, before: text, after, diff: diffOf(path, text, after) };
}

test('a damaged diff gives exactly what was meant or is refused, and seldom the latter', () => {
  const wrong: string[] = [];
  let tried = 0;
  let exact = 0;
  for (const [d, [name, damage]] of Object.entries(DAMAGES).entries()) {
    for (let i = 0; i < EACH; i++) {
      const seed = d * 10_000 + i;
      const { random, path, before, after, diff } = sample(seed);
      if (before === after || (name === 'no hunk header' && diff.pieces.length > 1)) continue;
      tried++;
      const result = answered(damage(diff, random), path, before);
      if (result === after) exact++;
      else if (result !== undefined) wrong.push(`${name}, seed ${seed}, ${path}`);
    }
  }
  assert.ok(wrong.length <= tried * 0.005, wrong.join('\n'));
  assert.ok(exact >= tried * 0.95, `${exact} of ${tried}`);
});

test('a diff for another file, for one that changed since, or for one that has it already changes nothing', () => {
  const wrong: string[] = [];
  let tried = 0;
  for (const [d, [name, damage]] of Object.entries(DAMAGES).entries()) {
    for (let i = 0; i < EACH; i++) {
      const seed = d * 10_000 + 5000 + i;
      const { random, path, before, after, diff } = sample(seed);
      const other = FILES[(FILES.findIndex((file) => file.path === path) + 1 + i) % FILES.length];
      const removes = diff.pieces.some(({ lines }) => lines.some((line) => /^-.*\w{3}/.test(line)));
      if (before === after || other?.path === path) continue;
      const answer = damage(diff, random);
      const files = [after, other?.text ?? '', ...(removes ? [moved(before, diff, random)] : [])];
      for (const now of files) {
        tried++;
        const result = answered(answer, path, now);
        if (result !== undefined && result !== now) wrong.push(`${name}, seed ${seed}, ${path}`);
      }
    }
  }
  assert.ok(wrong.length <= tried * 0.005, wrong.join('\n'));
});

test('hostile input takes bounded time: one line fifty thousand times, and a megabyte of answer', () => {
  const repeated = (count: number, line: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => line(i)).join('');
  const same = repeated(50_000, () => 'on: true\n');
  const counted = repeated(50_000, (i) => `on: ${i % 97}\n`);
  const answers: [string, string][] = [
    [`@@ ... @@\n${repeated(60_000, () => ' on: true\n')}-on: true\n+off\n`, same],
    [`@@ ... @@\n${repeated(30_000, (i) => ` on: ${i % 89}\n`)}-on: 5\n+off\n`, counted],
    [`@@\n${repeated(30_000, (i) => `-on: ${i}\n`)}${repeated(30_000, (i) => `+off: ${i}\n`)}`, counted],
    [repeated(15_000, (i) => `@@ -${i} @@\n-on: true\n+off\n`), same],
    [`@@\n${repeated(40_000, (i) => (i % 2 ? ' ...\n' : '-on: true\n'))}`, same],
    [repeated(15_000, () => '<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n'), same],
    [repeated(100_000, () => '```\n'), same],
    [`\`\`\`\n${repeated(50_000, (i) => `off: ${i}\n`)}\`\`\`\n`, counted],
  ];
  for (const [answer, file] of answers) {
    const took = cpuTime(() => answered(answer, 'x', file));
    assert.ok(took < 4000, `${took} ms: ${answer.slice(0, 60)}`);
  }
});

test.run();
