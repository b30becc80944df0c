// The exams of the model bench are what they say they are, without the loop: broken they are told from mended by what
// stands in for their tools, in whatever words they are mended; and there is a recorded answer to each.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { leftToDo, sameEffect } from '../../scripts/bench/model/effect.ts';
import type { StandIn } from '../../scripts/bench/model/exam.ts';
import { EXAMS, twelveOf } from '../../scripts/bench/model/exams.ts';
import { OUTSIDE } from '../../scripts/bench/model/outside.ts';
import { recordedAnswer } from '../../scripts/bench/model/recorded-answers.ts';
import { pathMatcher } from '../../src/config/paths.ts';
import { identify } from '../../src/failure/fingerprint.ts';

const of = (group: string) => EXAMS.filter((exam) => exam.group === group);
const standIns = (group: string) =>
  of(group).flatMap((exam) => ('standIn' in exam.judge ? [{ exam, standIn: exam.judge.standIn }] : []));

test('43 are mended by the letter and 20 by reading, the others are of real size, each under a name of its own', () => {
  assert.equal([of('spelling').length, of('reading').length], [43, 20]);
  assert.ok(of('real').length >= 62 && of('declined').length >= 10);
  assert.is(new Set(EXAMS.map(({ name }) => name)).size, EXAMS.length);
  const lines = (text = '') => text.split('\n').length;
  assert.ok(of('real').some(({ right: [one] }) => lines(one?.before) > 400));
  assert.ok(of('real').some(({ right }) => right.length > 1));
});

test('what stands in for tools takes every right way, also in other words, and no other change', () => {
  for (const { exam, standIn } of standIns('real')) {
    const { files, ways } = standIn;
    assert.is.not(leftToDo(files, ways, files).length, 0, exam.name);
    for (const way of ways) {
      const now = { ...files };
      for (const { path, old, new: text } of way) now[path] = (now[path] ?? '').replace(old, () => text);
      assert.equal(leftToDo(files, ways, now), [], exam.name);
      const other = Object.keys(files).find((path) => way.every((one) => one.path !== path)) as string;
      assert.is.not(leftToDo(files, ways, { ...now, [other]: 'other' }).length, 0, exam.name);
    }
  }
});

test('texts are the same by what they say: data as data, others by words, and by lines where spacing is the mistake', () => {
  const yaml = (now: string) => sameEffect('a.yaml', 'a: 8989\nb: [x]\n', 'a: "8989"\nb: [x]\n', now);
  assert.ok(yaml("# a port\nb:\n  - x\na: '8989'\n"));
  assert.not.ok(yaml('a: 8989\nb: [x] # quoted\n'));
  assert.not.ok(yaml('a: "8989"\n'));
  assert.not.ok(yaml('a: "8989\nb: [x]\n'));
  const text = (now: string) => sameEffect('a.conf', 'x = @NAM@\n', 'x = @NAME@\n', now);
  assert.ok(text('# the name\nx  = @NAME@\n'));
  assert.not.ok(text('#x = @NAME@\n'));
  const spacing = (now: string) => sameEffect('a.tf', 'type = string\n', 'type        = string\n', now);
  assert.ok(spacing('type        = string  \n'));
  assert.not.ok(spacing('type  = string\n'));
});

const made = mkdtempSync(join(tmpdir(), 'mendloop-exams-'));
const PROGRAM = resolve(import.meta.dirname, '../../scripts/bench/model/stand-in.mjs');

/** What stands in for the tools, in a folder with these files. */
function standInSays(standIn: StandIn, files: StandIn['files'], command = standIn.command) {
  const folder = mkdtempSync(join(made, 's-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const facts = join(made, 'facts.json');
  writeFileSync(facts, JSON.stringify(standIn));
  const { status, stdout } = spawnSync(process.execPath, [PROGRAM, facts, command], { cwd: folder, encoding: 'utf8' });
  return { status, stdout: stdout.replaceAll(folder, 'HERE'), folder };
}

test("a stand-in prints the tools' words at the place of the checkout, of a check only its own, and of two files the next", () => {
  const named = (name: string) => standIns('real').find(({ exam }) => exam.name === name)?.standIn as StandIn;
  const two = named('kustomize-two-entries');
  const [first] = two.ways[0] ?? [];
  const path = first?.path ?? '';
  const next = { ...two.files, [path]: (two.files[path] ?? '').replace(first?.old ?? '', first?.new ?? '') };
  const told = standInSays(two, next);
  assert.is(told.status, 1);
  assert.match(told.stdout, 'HERE/apps/base/freshrss/deploy.yaml: no such file');
  assert.not.match(told.stdout, 'homepage');
  const lint = named('render-yamllint-only');
  const check = 'yamllint -c .yamllint.yaml build/k8s';
  assert.match(standInSays(lint, lint.files).stdout, /^rendered [\s\S]*\nconfigured\n$/);
  const failed = standInSays(lint, lint.files, check);
  assert.is(failed.status, 1);
  assert.match(failed.stdout, /^build\/k8s\/ingress\.yaml\n +24:13/);
  const hosts = named('ansible-no-hosts-matched');
  const [fix] = hosts.ways[0] ?? [];
  const site = (hosts.files['site.yml'] ?? '').replace(fix?.old ?? '', fix?.new ?? '');
  const green = standInSays(hosts, { ...hosts.files, 'site.yml': site });
  assert.equal([green.status, green.stdout, existsSync(join(green.folder, 'build/nuc1/config.yaml'))], [0, '', true]);
});

test('what must be declined: the file at fault would be editable but is protected, or the failure is one that a model is asked about', () => {
  for (const { stage, protectedFiles, right, name } of of('declined')) {
    assert.equal(right, [], name);
    assert.ok(protectedFiles.every(pathMatcher(stage.files)), name);
  }
  for (const { name, log, exit_code } of OUTSIDE) {
    const ended = { exit_code, signal: null, timed_out: false };
    const { external } = identify({ stage: 'web', ended, log: { text: log, cut: false } });
    assert.not.ok(external, name);
  }
});

test('there is an answer in every exam in every form, and only one of them is empty', () => {
  for (const format of ['diff', 'whole-file', 'search-replace', 'json'] as const) {
    for (const told of [false, true]) {
      const answers = EXAMS.map((exam) => recordedAnswer(exam, format, told));
      assert.is(answers.filter((answer) => answer === '').length, 1);
    }
  }
});

test('the twelve of a quick look are different ones, of what known fixes leave', () => {
  const left = EXAMS.map((exam) => ({ ...exam, left: exam.group !== 'spelling' }));
  const twelve = twelveOf(left);
  assert.is(new Set(twelve.map(({ name }) => name)).size, 12);
  assert.ok(twelve.every((exam) => exam.left));
  assert.ok(new Set(twelve.filter(({ group }) => group === 'real').map(({ name }) => name.split('-')[0])).size >= 6);
});

test.run();
