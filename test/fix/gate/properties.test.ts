// Whatever is thrown at the gate: it answers, and nothing gets through that is not allowed.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pathMatcher } from '../../../src/config/globs.ts';
import { isWipeScript } from '../../../src/config/words.ts';
import { REFUSALS } from '../../../src/fix/edit.ts';
import { changedLines, editDistance } from '../../../src/fix/gate/changed-lines.ts';
import { judgeEdit, judgeResult } from '../../../src/fix/gate/judge.ts';
import { readShell } from '../../../src/fix/gate/reading.ts';
import type { GateRules } from '../../../src/fix/gate/rules.ts';
import { FILES, LINKS, RULES, SCRIPT } from './homelab.ts';

const seed = 20_261;
const check = (runs: number, property: fc.IProperty<never> | unknown) =>
  fc.assert(property as fc.IProperty<unknown>, { numRuns: runs, seed });

const ODD = [
  '..',
  '.',
  '',
  ' ',
  '...',
  '.git',
  '.GIT',
  'git~1',
  'GIT~1',
  '.gіt',
  '.g\u200cit',
  '．git',
  'ai',
  'AI',
  'аi',
  'plugins',
  'Plugins',
];
ODD.push(
  '.env',
  '.ENV',
  '.husky',
  '.github',
  'wipe.sh',
  'Wipe_Proxmox.sh',
  'infra',
  'danger.sh',
  'DANGER.sh',
  'danger.sh.',
  'danger.sh ',
);
ODD.push(
  'C:',
  '~',
  '\\',
  '%2e%2e',
  '"',
  '\0',
  '\r',
  '\n',
  '\ufeff',
  '\u202e',
  'out',
  'passwd',
  'link.yaml',
  'x.sops.yaml',
  'id_rsa',
  'config',
  'apps',
);
ODD.push(
  'web.yaml',
  'stages',
  'vms',
  'run.sh',
  'verify.sh',
  'carried',
  'README.md',
  'new.yaml',
  'Ⅽonfig',
  'cοnfig',
  'conﬁg',
  '__proto__',
  'constructor',
);
const part = fc.oneof(
  fc.constantFrom(...ODD),
  fc.constantFrom(...ODD),
  fc.string({ maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const path = fc.oneof(
  fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/')),
  fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('\\')),
  fc.constantFrom(...Object.keys(FILES), ...Object.keys(LINKS)),
  fc
    .tuple(fc.constantFrom(...Object.keys(FILES)), fc.nat(40), fc.constantFrom(...ODD))
    .map(([p, at, odd]) => p.slice(0, at) + odd + p.slice(at)),
  fc
    .tuple(fc.constantFrom(...Object.keys(FILES)), fc.nat())
    .map(([p, mask]) => [...p].map((c, i) => ((mask >> (i % 30)) & 1 ? c.toUpperCase() : c)).join('')),
);

const HOME: GateRules[] = [RULES, { ...RULES, allow: ['**'] }, { ...RULES, allow: ['**/*.yaml', 'stages/'] }];

test('60,000 paths: what is accepted is plain, allowed, unprotected, no link, in a folder that is there, and differs', () => {
  let accepted = 0;
  check(
    60_000,
    fc.property(path, fc.constantFrom(...HOME), fc.boolean(), (name, rules, isNew) => {
      const before = isNew ? null : Object.hasOwn(FILES, name) ? (FILES[name] ?? null) : 'a: 1\n';
      const verdict = judgeEdit([{ path: name, before, after: `${before ?? ''}# more\n` }], rules);
      if (!verdict.ok) {
        assert.ok(verdict.code in REFUSALS && verdict.reasons.length > 0);
        return;
      }
      accepted++;
      assert.ok(pathMatcher(rules.allow)(name), name);
      assert.ok(!/[\p{C}\\:"'`]|(?! )\p{Z}/u.test(name) && name.normalize('NFKC') === name, JSON.stringify(name));
      assert.ok(
        name.split('/').every((p) => p !== '' && p !== '.' && p !== '..' && !/[\s.]$|^\s|~\d+(?:\.|$)/.test(p)),
        name,
      );
      const low = name.toLowerCase();
      assert.not(/^(?:ai|plugins)\/|(?:^|\/)\.git|(?:^|\/)\.env|(?:^|\/)\.husky(?:\/|$)|^(?:ai|plugins)$/.test(low), name);
      assert.not(
        /\.sops\.|(?:^|\/)id_rsa/.test(low) ||
          isWipeScript(name) ||
          low === 'infra/danger.sh' ||
          low === 'stages/vms/verify.sh',
        name,
      );
      assert.not(low.startsWith('config/carried') && low !== 'config/carried', name);
      assert.not(
        Object.keys(LINKS).some((link) => name === link || name.startsWith(`${link}/`)),
        name,
      );
      const folder = name.split('/').slice(0, -1).join('/');
      assert.ok(folder === '' || rules.tree.isFolder(folder), name);
      assert.is(before === null, !rules.tree.exists(name), name);
    }),
  );
  assert.ok(accepted > 500, `only ${accepted} were accepted`);
});

test('10,000 paths against one allowed file: only that one passes', () => {
  const rules = { ...RULES, allow: ['stages/vms/run.sh'] };
  check(
    10_000,
    fc.property(path, (name) => {
      const verdict = judgeEdit([{ path: name, before: SCRIPT, after: `${SCRIPT}# more\n` }], rules);
      assert.is(verdict.ok, name === 'stages/vms/run.sh', JSON.stringify(name));
    }),
  );
});

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

test('20,000 texts, before and after: the gate answers and never throws, and what it accepts differs', () => {
  check(
    20_000,
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

test('10,000 harmful lines in what runs them: none passes', () => {
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

test('5,000 comments and spoken lines with harmful words: all pass', () => {
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

test('5,000 edits: the distance is that of a diff, and what is added or removed is never more', () => {
  const few = fc.array(fc.constantFrom('a', 'b', ' b', 'c'), { maxLength: 8 });
  check(
    5_000,
    fc.property(few, few, (a, b) => {
      const [from, to] = [a.map((l) => `${l}\n`).join(''), b.map((l) => `${l}\n`).join('')];
      const distance = editDistance(from, to, 100);
      assert.is(distance, a.length + b.length - 2 * longestCommon(a, b));
      const { added, removed } = changedLines(from, to);
      assert.ok(added.length + removed.length <= distance);
      if (distance > 1) assert.is(editDistance(from, to, distance - 1) >= distance, true);
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
    const began = performance.now();
    readShell(line);
    judgeEdit([{ path: 'stages/vms/run.sh', before: SCRIPT, after: `${SCRIPT}${line}\n` }], RULES);
    const took = performance.now() - began;
    assert.ok(took < 500, `${JSON.stringify(piece)} took ${took} ms`);
  }
});

test.run();
