// The examples of every rule table: what each row must match, and what it must not.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GUARDS } from '../../../src/fix/gate/guard-rules.ts';
import { breaksRule, LINE_RULES } from '../../../src/fix/gate/line-rules.ts';
import { parseShell } from '../../../src/fix/gate/parsed-line.ts';
import { PATH_FAULTS, pathFault } from '../../../src/fix/gate/path-text.ts';
import { PROTECTED_NAMES, protectedAs } from '../../../src/fix/gate/protected-names.ts';
import { assertAllHaveExamples, examplesOf } from '../../fixtures/rules/examples.ts';
import { GUARD_EXAMPLES } from '../../fixtures/rules/gate-guards.ts';
import { LINE_EXAMPLES } from '../../fixtures/rules/gate-lines.ts';
import { PATH_FAULT_EXAMPLES, PROTECTED_EXAMPLES } from '../../fixtures/rules/gate-paths.ts';

/** A line with a key, a list or a brace is one of a data file; any other is one of a script. */
const pathOf = (line: string) =>
  /^\s*(?:- )?["'{]?[\w.-]+["']?:|^- \{/.test(line) && !line.includes('://') ? 'a.yaml' : 'a.sh';

const names = (rules: readonly { name: string }[]): string[] => rules.map(({ name }) => name);

test('every rule has examples, and every example a rule', () => {
  assertAllHaveExamples(LINE_EXAMPLES, names(LINE_RULES));
  assertAllHaveExamples(GUARD_EXAMPLES, names(GUARDS));
  assertAllHaveExamples(
    PATH_FAULT_EXAMPLES,
    PATH_FAULTS.map(({ why }) => why),
  );
  assertAllHaveExamples(
    PROTECTED_EXAMPLES,
    PROTECTED_NAMES.map(({ what }) => what),
  );
});

for (const rule of LINE_RULES) {
  const { matches, misses } = examplesOf(LINE_EXAMPLES, rule.name);
  test(`${rule.code}, ${rule.name}: every example`, () => {
    for (const line of matches) assert.ok(breaksRule(rule, pathOf(line), line), `should match: ${line}`);
    for (const line of misses) {
      const hit = LINE_RULES.find((other) => breaksRule(other, pathOf(line), line));
      assert.is(hit?.name, undefined, `should not match: ${line}`);
    }
  });
  test(`${rule.code}, ${rule.name}: every script line is also seen where another command runs it, and in a data file`, () => {
    for (const line of matches.filter((l) => pathOf(l) === 'a.sh' && !/["'$`\\]|^RUN|^\.\/|^\/usr/.test(l))) {
      assert.ok(breaksRule(rule, 'a.yaml', `  command: ${line}`) || /^tool|^run_it/.test(line), `as a value: ${line}`);
      assert.ok(breaksRule(rule, 'a.sh', `ssh root@pve1 "${line}"`) || /^tool/.test(line), `behind ssh: ${line}`);
      assert.ok(
        breaksRule(rule, 'a.sh', `if ${line}; then`) || /^\s*exit|^exec|^trap|^if|[|]/.test(line),
        `behind if: ${line}`,
      );
    }
  });
  test(`${rule.code}, ${rule.name}: none of it in a comment`, () => {
    for (const line of matches.filter((l) => !/["']/.test(l))) {
      for (const path of ['a.sh', 'a.yaml']) assert.not(breaksRule(rule, path, `  # ${line}`), `commented: ${line}`);
    }
  });
}

for (const guard of GUARDS) {
  const { matches, misses } = examplesOf(GUARD_EXAMPLES, guard.name);
  test(`guard ${guard.name}: every example`, () => {
    const count = (line: string) => guard.count(parseShell(line)[0] ?? { commands: [], line: '' }, line);
    for (const line of matches) assert.ok(count(line) > 0, `should count: ${line}`);
    for (const line of misses) assert.is(count(line), 0, `should not count: ${line}`);
  });
}

for (const { why, match } of PATH_FAULTS) {
  test(`path: ${why}`, () => {
    for (const path of examplesOf(PATH_FAULT_EXAMPLES, why).matches) assert.ok(match(path), JSON.stringify(path));
  });
}

test('plain paths have no fault, in any language', () => {
  const plain = [
    'a',
    'a/b.sh',
    '.mise.toml',
    'a b/c d.yaml',
    'café/été.yaml',
    'конфигурация/файл.yaml',
    '設定/値.yaml',
    'a-1_b+c@d,e=f.sh',
  ];
  plain.push('config/[x].yaml', 'a~b/c', 'größe.conf', 'ñandú.yaml', 'a..b/c', '..a/b', 'a$b');
  for (const path of plain) assert.is(pathFault(path), undefined, path);
});

for (const { what } of PROTECTED_NAMES) {
  const { matches, misses } = examplesOf(PROTECTED_EXAMPLES, what);
  test(`protected: ${what}`, () => {
    for (const path of matches) assert.ok(protectedAs(path), path);
    for (const path of misses) assert.is(protectedAs(path), undefined, path);
  });
}

test.run();
