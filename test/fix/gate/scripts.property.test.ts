// Scripts drawn from a grammar: a forbidden act never applies, in whatever spelling and wherever it stands; and the gate always
// answers.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ASKS, type Edit, REFUSALS } from '../../../src/fix/edit.ts';
import { changedLines, editDistance } from '../../../src/fix/gate/changed-lines.ts';
import { fc, runs } from '../../sweep.ts';
import { edit, FILES, judge, RULES, verdictOf } from './homelab.ts';
import { ACTS, disguised, scripts, scriptText } from './scripts.ts';

const RUN = 'stages/vms/run.sh';

function assertAnswers(change: Edit): void {
  const verdict = judge([change]);
  const { code, reasons } = verdict.ok ? (verdict.ask ?? { code: 'softer', reasons: ['none'] }) : verdict;
  assert.ok(code in REFUSALS || code in ASKS, code);
  assert.ok(reasons.length > 0 && reasons.every((reason) => reason !== '' && reason.length < 2_000));
}

for (const [family, acts] of Object.entries(ACTS)) {
  test(`scripts: an act that ${family} never applies`, () => {
    const act = fc.constantFrom(...acts).chain((words) => disguised(words));
    fc.assert(
      fc.property(scripts, act, fc.nat(), (script, text, at) => {
        const change = edit(RUN, scriptText(script, { at, text }), scriptText(script));
        assert.is.not(verdictOf(judge([change])), 'apply', change.after);
      }),
      runs(100, 20_000),
    );
  });
}

test('scripts: one becomes another, and the gate answers', () => {
  fc.assert(
    fc.property(scripts, scripts, (before, after) => assertAnswers(edit(RUN, scriptText(after), scriptText(before)))),
    runs(100, 20_000),
  );
});

const PIECES = [
  ...['rm', '-rf', '/x', 'sudo', '||', 'true', ';', '|', 'sh', '&&', "'", '"', '`', '$(', ')', '(', '#', '\\', '\n'],
  ...[' ', '\t', '<<EOF', 'EOF', '2>/dev/null', 'exit', '0', 'set', '+e', 'curl', 'https://x', 'key:', '- ', '[', ']'],
  ...[',', '{', '}', '$IFS', 'echo', '>', '<(', '{{', '}}', '{%', '%}', 'if', 'then', 'fi', 'case', 'esac', 'é', '🚀'],
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 4 })), { maxLength: 25 })
  .map((pieces) => pieces.join(''));
const file = fc.constantFrom(...Object.keys(FILES).filter((path) => /^config|run\.sh$/.test(path)));

test('any texts, before and after: the gate answers, and what applies differs', () => {
  fc.assert(
    fc.property(file, text, text, fc.boolean(), (path, before, after, isAdded) => {
      const from = isAdded ? (FILES[path] ?? '') : before;
      const to = isAdded ? from + after : after;
      assertAnswers({ path, before: from, after: to });
      if (from === to) assert.not(judge([{ path, before: from, after: to }]).ok);
    }),
    runs(250, 20_000),
  );
});

test('any comment or spoken line with harmful words applies', () => {
  const say = fc.constantFrom('# {}', '  # see: {}', 'log "never: {}"', "echo 'no {} here'", 'printf "%s" "{}" >&2');
  const act = fc.constantFrom(...Object.values(ACTS).flat()).map((words) => words.join(' '));
  fc.assert(
    fc.property(scripts, act, say, fc.nat(), (script, words, wrap, at) => {
      const change = edit(RUN, scriptText(script, { at, text: wrap.replace('{}', () => words) }), scriptText(script));
      assert.equal(judge([change], { ...RULES, maxLines: 5 }), { ok: true }, change.after);
    }),
    runs(80, 10_000),
  );
});

test('any edit: the distance is that of a diff, and what is added or removed is never more', () => {
  const few = fc.array(fc.constantFrom('a', 'b', ' b', 'c'), { maxLength: 8 });
  fc.assert(
    fc.property(few, few, (a, b) => {
      const [from, to] = [a.map((l) => `${l}\n`).join(''), b.map((l) => `${l}\n`).join('')];
      const distance = editDistance(a, b, 100);
      assert.is(distance, a.length + b.length - 2 * longestCommon(a, b));
      const { added, removed } = changedLines(from, to);
      assert.ok(added.length + removed.length <= distance);
      if (distance > 1) assert.ok(editDistance(a, b, distance - 1) >= distance);
    }),
    runs(250, 15_000),
  );
});

function longestCommon(a: readonly string[], b: readonly string[]): number {
  const row = new Array<number>(b.length + 1).fill(0);
  for (const x of a) {
    let diagonal = 0;
    for (const [j, y] of b.entries()) {
      const above = row[j + 1] ?? 0;
      row[j + 1] = x === y ? diagonal + 1 : Math.max(above, row[j] ?? 0);
      diagonal = above;
    }
  }
  return row[b.length] ?? 0;
}

test.run();
