// The examples of every family of rules: changes that it stops, with the verdict, and changes like them that it does not.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PATH_FAULTS, pathFault } from '../../../src/fix/gate/path-text.ts';
import { PROTECTED_NAMES, protectedAs } from '../../../src/fix/gate/protected-names.ts';
import { assertAllHaveExamples, examplesOf } from '../../fixtures/rules/examples.ts';
import { DATA_EXAMPLES } from '../../fixtures/rules/gate-data.ts';
import { CHANGE_EXAMPLES } from '../../fixtures/rules/gate-guards.ts';
import { LINE_EXAMPLES } from '../../fixtures/rules/gate-lines.ts';
import { PATH_FAULT_EXAMPLES, PROTECTED_EXAMPLES } from '../../fixtures/rules/gate-paths.ts';
import { adding, isAcceptedOrNew, replacing, rulesFor } from './homelab.ts';

const RUN = 'stages/vms/run.sh';

/** Every example whose verdict is another one, with both; that what is fine may be new work has examples of its own. */
function surprises<T>(
  stopped: Readonly<Record<string, readonly T[]>>,
  fine: readonly T[],
  verdict: (one: T) => string,
) {
  const all = [...Object.entries(stopped), ['ok', fine] as const];
  return all.flatMap(([expected, examples]) =>
    examples.flatMap((one) => {
      const actual = verdict(one);
      return actual === expected || (expected === 'ok' && isAcceptedOrNew(actual))
        ? []
        : [`${JSON.stringify(one)}: ${actual} instead of ${expected}`];
    }),
  );
}

test('every kind of path has examples, and every example a kind', () => {
  assertAllHaveExamples(
    PATH_FAULT_EXAMPLES,
    PATH_FAULTS.map(({ why }) => why),
  );
  assertAllHaveExamples(
    PROTECTED_EXAMPLES,
    PROTECTED_NAMES.map(({ what }) => what),
  );
});

for (const [family, { stopped, fine }] of Object.entries(LINE_EXAMPLES)) {
  test(`added lines: ${family}`, () => {
    assert.equal(
      surprises(stopped, fine, (line) => adding(RUN, line)),
      [],
    );
  });
  test(`added lines: ${family}: none of it in a comment`, () => {
    const comments = Object.values(stopped).flatMap((lines) =>
      lines.map((line) => `# ${line.replaceAll('\n', '\n# ')}`),
    );
    assert.equal(
      surprises({}, comments, (line) => adding(RUN, line)),
      [],
    );
  });
}

test('what may not run plainly may not run behind, inside or beside other commands', () => {
  const plain = Object.values(LINE_EXAMPLES).flatMap(({ stopped }) => stopped.destroys ?? []);
  const wrapped = plain
    .filter((line) => !/[\n"'`\\$|<>]|^\.\//.test(line))
    .flatMap((line) => [
      `ssh root@pve1 "${line}"`,
      `if ${line}; then log a; fi`,
      `log a && ${line}`,
      `x=$(${line})`,
      `sudo -n ${line}`,
      `bash -ec '${line}'`,
      `cat <<END | bash\n${line}\nEND`,
    ]);
  assert.equal(
    surprises({ destroys: wrapped }, [], (line) => adding(RUN, line)),
    [],
  );
});

for (const [family, { path, before, failed, stopped, fine }] of Object.entries({
  ...CHANGE_EXAMPLES,
  ...DATA_EXAMPLES,
})) {
  test(`changes: ${family}`, () => {
    const tree = { files: [path, 'apps/web/kustomization.yaml'] };
    const rules = { ...rulesFor(path), tree, ...(failed !== undefined && { failed }) };
    const verdict = (change: readonly [string, string]) => replacing(path, before, change, rules);
    assert.equal(surprises(stopped, fine, verdict), []);
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
  plain.push('config/[x].yaml', 'a~b/c', 'größe.conf', 'ñandú.yaml', 'a..b/c', '..a/b', 'a$b', 'a'.repeat(1024));
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
