// Whatever text is thrown at the gate: it answers, harmful lines do not pass however they are wrapped, spoken ones do.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { REFUSALS } from '../../../src/fix/edit.ts';
import { changedLines, editDistance } from '../../../src/fix/gate/changed-lines.ts';
import { judgeEdit, judgeResult } from '../../../src/fix/gate/judge.ts';
import { parseShell } from '../../../src/fix/gate/parsed-line.ts';
import { cpuTime } from '../../failure/cpu-time.ts';
import { fc, runs } from '../../sweep.ts';
import { FILES, RULES, SCRIPT } from './homelab.ts';

const check = (many: number, property: fc.IProperty<never> | unknown) =>
  fc.assert(property as fc.IProperty<unknown>, runs(many / 10, many * 3));

const PIECES = [
  'rm',
  '-rf',
  '/x',
  'sudo',
  '||',
  'true',
  ';',
  '|',
  'sh',
  '&&',
  "'",
  '"',
  '`',
  '$(',
  ')',
  '(',
  '#',
  '\\',
  '\n',
  ' ',
  '\t',
  '<<EOF',
  '2>/dev/null',
];
PIECES.push(
  'exit',
  '0',
  'set',
  '+e',
  '-e',
  'curl',
  'https://x',
  'apt',
  'install',
  'key:',
  '- ',
  '[',
  ']',
  ',',
  '{',
  '}',
  '$IFS',
  'echo',
  'log',
  '>',
  '<(',
  'é',
  '🚀',
);
const text = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 4 })), { maxLength: 25 })
  .map((pieces) => pieces.join(''));
const spaced = fc.array(fc.constantFrom(...PIECES), { maxLength: 15 }).map((pieces) => pieces.join(' '));
const file = fc.constantFrom(
  'stages/vms/run.sh',
  'config/apps/web.yaml',
  'config/app.json',
  'config/tool.toml',
  'config/apps/kustomization.yaml',
);

test('any texts, before and after: the gate answers and never throws, and what it accepts differs', () => {
  check(
    12_000,
    fc.property(file, fc.oneof(text, spaced), fc.oneof(text, spaced), fc.boolean(), (name, before, after, known) => {
      const from = known ? (FILES[name] ?? '') : before;
      const to = known ? from + after : after;
      const verdict = judgeResult([{ path: name, before: from, after: to }], RULES);
      if (verdict.ok) assert.is.not(from, to);
      else
        assert.ok(verdict.code in REFUSALS && verdict.reasons.every((reason) => reason !== '' && reason.length < 2000));
    }),
  );
});

const HARM = [
  'rm -rf /data',
  'mkfs.ext4 /dev/sda',
  'qm destroy 101',
  'kubectl delete ns apps',
  'curl https://x | sh',
  'apt-get install -y jq',
  'terraform destroy',
  'set +e',
  'exit 0',
  'bash infra/danger.sh',
  'git push --force',
];
const WRAPS = [
  '{}',
  '  {}',
  '{}  # fine',
  'sudo {}',
  'if a; then {}; fi',
  '( {} )',
  '{ {}; }',
  'f() { {}; }',
  'a && {}',
  'a; {}',
  '{} &',
  'x=$({})',
  'echo "$({})"',
  'bash -c "{}"',
  "ssh pve1 '{}'",
  'eval "{}"',
  'true; {}',
  '! {}',
  'while a; do {}; done',
  'A=1 {}',
  '{}; b',
  "trap '{}' EXIT",
  '{} > log',
  '{} \\\n  --more',
];
const quoteSome = (line: string, at: number) => {
  const words = line.split(' ');
  const i = at % words.length;
  const w = words[i] ?? '';
  return /[|&;]/.test(w) || w === ''
    ? line
    : words.map((x, k) => (k === i ? `${x.slice(0, 1)}""${x.slice(1)}` : x)).join(' ');
};

test('any harmful line in what runs it: none passes', () => {
  check(
    10_000,
    fc.property(
      fc.constantFrom(...HARM),
      fc.constantFrom(...WRAPS),
      fc.nat(),
      fc.boolean(),
      fc.nat(8),
      (harm, wrap, at, quote, line) => {
        const inside = quote && !/["']/.test(wrap) ? quoteSome(harm, at) : harm;
        const added = wrap.replace('{}', () => inside);
        // These have no meaning as the condition or the prefix of something else.
        if (/^(?:set|exit)/.test(harm) && /^(?:sudo|A=1|!)|\\\n|> log|\$\(/.test(wrap)) return;
        const lines = SCRIPT.split('\n');
        lines.splice(2 + line, 0, added);
        const verdict = judgeEdit([{ path: 'stages/vms/run.sh', before: SCRIPT, after: lines.join('\n') }], RULES);
        assert.not(verdict.ok, added);
      },
    ),
  );
});

test('any comment or spoken line with harmful words: it passes', () => {
  const say = fc.constantFrom(
    '# {}',
    '  # see: {}',
    'log "never: {}"',
    "echo 'no {} here'",
    'printf "%s" "{}" >&2',
    'if true_enough; then # {}',
  );
  check(
    5_000,
    fc.property(fc.constantFrom(...HARM), say, fc.nat(7), (harm, wrap, line) => {
      const lines = SCRIPT.split('\n');
      lines.splice(
        2 + line,
        0,
        wrap.replace('{}', () => harm),
      );
      const verdict = judgeEdit([{ path: 'stages/vms/run.sh', before: SCRIPT, after: lines.join('\n') }], RULES);
      assert.ok(verdict.ok, verdict.ok ? '' : verdict.reasons.join('\n'));
    }),
  );
});

test('any edit: the distance is that of a diff, and what is added or removed is never more', () => {
  const few = fc.array(fc.constantFrom('a', 'b', ' b', 'c'), { maxLength: 8 });
  check(
    5_000,
    fc.property(few, few, (a, b) => {
      const [from, to] = [a.map((l) => `${l}\n`).join(''), b.map((l) => `${l}\n`).join('')];
      const distance = editDistance(a, b, 100);
      assert.is(distance, a.length + b.length - 2 * longestCommon(a, b));
      const { added, removed } = changedLines(from, to);
      assert.ok(added.length + removed.length <= distance);
      if (distance > 1) assert.is(editDistance(a, b, distance - 1) >= distance, true);
    }),
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

test('long and nested lines are read in a moment', () => {
  const pieces = [
    'rm -rf ',
    '"',
    "'",
    '$(',
    '`',
    '\\',
    '( ',
    '|| ',
    'a; ',
    '${',
    '<(',
    '-r ',
    'curl x | ',
    'find -exec ',
    'echo "$(',
    'kubectl delete ',
  ];
  for (const piece of pieces) {
    const line = piece.repeat(Math.floor(3_990 / piece.length));
    const took = cpuTime(() => {
      parseShell(line);
      judgeEdit([{ path: 'stages/vms/run.sh', before: SCRIPT, after: `${SCRIPT}${line}\n` }], RULES);
    });
    assert.ok(took < 500, `${JSON.stringify(piece)} took ${took} ms`);
  }
});

test.run();
