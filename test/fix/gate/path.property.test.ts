// Whatever path is thrown at the gate: it answers, and nothing gets through that is not allowed.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isWipeScript, pathMatcher } from '../../../src/config/paths.ts';
import { REFUSALS } from '../../../src/fix/edit.ts';
import type { GateRules } from '../../../src/fix/gate/rules.ts';
import { treeOf } from '../../../src/repository/tree.ts';
import { fc, runs } from '../../sweep.ts';
import { FILES, judge, LINKS, RULES, SCRIPT } from './homelab.ts';

const check = (many: number, property: fc.IProperty<never> | unknown) =>
  fc.assert(property as fc.IProperty<unknown>, runs(many / 10, many * 3));

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

const TREE = treeOf(RULES.tree);
const HOME: GateRules[] = [RULES, { ...RULES, allow: ['**'] }, { ...RULES, allow: ['**/*.yaml', 'stages/'] }];

test('any path: what is accepted is plain, allowed, unprotected, no link, in a folder that is there, and differs', () => {
  let accepted = 0;
  check(
    60_000,
    fc.property(path, fc.constantFrom(...HOME), fc.boolean(), (name, rules, isNew) => {
      const before = isNew ? null : Object.hasOwn(FILES, name) ? (FILES[name] ?? null) : 'a: 1\n';
      const verdict = judge([{ path: name, before, after: `${before ?? ''}# more\n` }], rules);
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
      assert.not(
        /^(?:ai|plugins)\/|(?:^|\/)\.git|(?:^|\/)\.env|(?:^|\/)\.husky(?:\/|$)|^(?:ai|plugins)$/.test(low),
        name,
      );
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
      assert.ok(folder === '' || TREE.isFolder(folder), name);
      assert.is(before === null, !TREE.exists(name), name);
    }),
  );
  assert.ok(accepted > 50, `only ${accepted} were accepted`);
});

test('any path against one allowed file: only that one passes', () => {
  const rules = { ...RULES, allow: ['stages/vms/run.sh'] };
  check(
    10_000,
    fc.property(path, (name) => {
      const verdict = judge([{ path: name, before: SCRIPT, after: `${SCRIPT}# more\n` }], rules);
      assert.is(verdict.ok, name === 'stages/vms/run.sh', JSON.stringify(name));
    }),
  );
});

test.run();
