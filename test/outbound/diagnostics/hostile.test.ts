// Any argv at all: what passes is read by the tool itself as the read-only verb it was taken for.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allowDiagnostic } from '../../../src/outbound/diagnostics/allowed.ts';
import type { Flags, Tool } from '../../../src/outbound/diagnostics/grammar.ts';
import { TOOLS } from '../../../src/outbound/diagnostics/tools.ts';
import { fc, runs } from '../../sweep.ts';

const GO = TOOLS.filter(({ go }) => go);
const flagNames = (flags: Flags = {}): string[] => Object.keys(flags).filter((name) => name !== '-NUMBER');
const everyFlag = [
  ...new Set(TOOLS.flatMap(({ before, verbs }) => [before, ...verbs.map(({ flags }) => flags)].flatMap(flagNames))),
];
const everyVerb = [...new Set(TOOLS.flatMap(({ verbs }) => verbs.flatMap(({ words }) => words.split(' '))))].filter(
  (word) => word !== '',
);

const WRITING =
  'apply create delete edit patch replace scale exec attach cp run debug proxy port-forward drain reset reboot upgrade bootstrap kubeconfig read reconcile suspend install uninstall rollback template push fetch checkout clean restart stop start destroy set undo snapshot config-view'.split(
    ' ',
  );
const HOSTILE_FLAGS =
  '-f --follow -w --watch --watch=true -s --server --server=https://evil.example --token --as --as=root --kubeconfig --kubeconfig=x --talosconfig --context --context=x -e --endpoints -c --exec-path --git-dir=/x --output=/tmp/x --output-directory=x --log-file=x --profile=cpu --cache-dir=/x --raw --raw=/api -v -v=9 --template=/x -k --ext-diff --textconv -O -p --upload-pack=x --vacuum-size=1 --rotate --batch -b -K -- - --post-renderer=x -H --root=/x'.split(
    ' ',
  );
const WORDS = [
  'pods',
  'secrets',
  'pod/web',
  'secret/db',
  'apps',
  'kubelet',
  'members',
  'machineconfig',
  '10.0.0.5',
  '30s',
  '5',
  'yaml',
  'HEAD',
  '/etc/passwd',
  '../x',
  'x=y',
  '100',
];

const word = fc.oneof(
  fc.constantFrom(...everyFlag, ...HOSTILE_FLAGS),
  fc.constantFrom(...everyVerb, ...WRITING),
  fc.constantFrom(...WORDS),
  fc
    .tuple(fc.constantFrom(...everyFlag), fc.constantFrom(...WORDS, ...WRITING))
    .map(([flag, value]) => `${flag}=${value}`),
  fc.tuple(fc.constantFrom(...everyFlag), fc.constantFrom(...WORDS)).map(([flag, value]) => `${flag}${value}`),
  fc.string({ maxLength: 12 }),
);
const toolName = fc.constantFrom(...TOOLS.map(({ name }) => name));
const RUNS = runs(150, 30000);

/** The command that cobra, which kubectl, talosctl, flux and helm are made with, finds in argv: it knows only the flags of the root. */
function asCobraReads(args: readonly string[], rootSwitches: readonly string[]): string[] {
  const found: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    if (arg === '--') break;
    const long = arg.startsWith('--') && !arg.includes('=') && !rootSwitches.includes(arg);
    const short =
      !arg.startsWith('--') &&
      arg.startsWith('-') &&
      !arg.includes('=') &&
      arg.length === 2 &&
      !rootSwitches.includes(arg);
    if (long || short) i++;
    else if (arg !== '' && !arg.startsWith('-')) found.push(arg);
  }
  return found;
}

/** Nearly sound: flags of the tool where they may and may not stand, one of its verbs, and a few more words. */
const nearly = fc.constantFrom(...GO).chain((tool) => {
  const own = [...new Set([tool.before, ...tool.verbs.map(({ flags }) => flags)].flatMap(flagNames))];
  const flag = fc.oneof(
    fc.constantFrom(...own).map((name) => [name]),
    fc.constantFrom(...own).map((name) => [name, 'apps']),
  );
  const verb = fc.constantFrom(...tool.verbs).map(({ words }) => words.split(' '));
  const operand = fc.constantFrom('pods', 'members', 'deploy/web', 'web', ...everyVerb, ...WRITING).map((one) => [one]);
  const flagged = fc.array(flag, { maxLength: 1 }).map((all) => all.flat());
  return fc.tuple(flagged, verb, fc.array(fc.oneof(operand, flag), { maxLength: 3 })).map(([before, words, more]) => ({
    tool,
    args: [...before, ...words, ...more.flat()],
  }));
});

test('cobra reads what passes as the same verb, whatever stands around it', () => {
  let passed = 0;
  fc.assert(
    fc.property(nearly, ({ tool, args }) => {
      if (!allowDiagnostic([tool.name, ...args]).ok) return true;
      passed++;
      // Whether the root knows -h as a switch or not: it may not matter.
      return [[], ['-h', '--help']].every((switches) => isVerbOf(tool, asCobraReads(args, switches)));
    }),
    RUNS,
  );
  assert.ok(passed > 10, `only ${passed} passed`);
});

const isVerbOf = (tool: Tool, words: readonly string[]): boolean =>
  tool.verbs.some(({ words: verb }) => verb.split(' ').every((part, i) => words[i] === part));

/** A command that passes, and its verb. */
const SOUND: readonly (readonly string[])[] = [
  ['kubectl', 'get', 'pods'],
  ['kubectl', 'rollout', 'history', 'deploy/web'],
  ['talosctl', 'get', 'members'],
  ['flux', 'get', 'ks'],
  ['helm', 'list'],
  ['git', 'log', '--oneline'],
  ['systemctl', 'status', 'k3s'],
  ['qm', 'config', '100'],
  ['docker', 'ps'],
];

test('a verb that is not in the table never passes, whatever flags stand around it', () => {
  for (const argv of SOUND) assert.ok(allowDiagnostic(argv).ok, argv.join(' '));
  const verb = fc.oneof(fc.constantFrom(...WRITING), fc.stringMatching(/^[a-z]{2,12}$/));
  fc.assert(
    fc.property(
      fc.constantFrom(...SOUND),
      verb,
      fc.array(word, { maxLength: 4 }),
      fc.nat(),
      ([name = '', , ...rest], bad, more, at) => {
        const tool = TOOLS.find((one) => one.name === name) as Tool;
        if (tool.verbs.some(({ words }) => words.split(' ')[0] === bad)) return true;
        // Whole flags before it, so that it is the verb however one reads.
        const before = flagNames(tool.before)
          .slice(0, at % 3)
          .flatMap((flag) => (tool.before?.[flag] === 'switch' ? [flag] : [flag, 'apps']));
        return !allowDiagnostic([name, ...before, bad, ...rest, ...more]).ok;
      },
    ),
    RUNS,
  );
});

test('one hostile flag anywhere refuses a command that would pass', () => {
  const never = HOSTILE_FLAGS.filter(
    (flag) => flag.startsWith('--') && flag !== '--' && !everyFlag.includes(flag.split('=')[0] as string),
  );
  assert.ok(never.length > 20);
  fc.assert(
    fc.property(fc.constantFrom(...SOUND), fc.constantFrom(...never), fc.nat(), ([name = '', ...rest], flag, at) => {
      const place = at % (rest.length + 1);
      return !allowDiagnostic([name, ...rest.slice(0, place), flag, ...rest.slice(place)]).ok;
    }),
    RUNS,
  );
});

test('what passes is plain, names a known tool, and no path that leads out', () => {
  fc.assert(
    fc.property(fc.oneof(toolName, fc.string()), fc.array(word, { maxLength: 8 }), (name, args) => {
      if (!allowDiagnostic([name, ...args]).ok) return true;
      const plain = [name, ...args].every((one) => /^[\x20-\x7e]{1,300}$/.test(one));
      // df tells sizes alone, and pvesh reads the paths of an API.
      const inside = ['df', 'pvesh'].includes(name) || !args.some((one) => /^(?:\/|~|\.\.(?:\/|$))/.test(one));
      return plain && inside && TOOLS.some((tool) => tool.name === name);
    }),
    RUNS,
  );
});

test('a list of types with a secret in it never passes, at any place and in any spelling', () => {
  const secret = fc.constantFrom(
    'secret',
    'secrets',
    'Secret',
    'SECRETS',
    'secrets.v1',
    'secrets.v1.',
    'Secrets.v1.core',
    'sealedsecrets',
    'externalsecrets.external-secrets.io',
  );
  const types = fc.array(fc.constantFrom('pods', 'svc', 'deploy', 'all', 'cm'), { maxLength: 3 });
  fc.assert(
    fc.property(
      secret,
      types,
      types,
      fc.array(word, { maxLength: 3 }),
      fc.constantFrom('get', 'describe'),
      (bad, left, right, more, verb) => {
        const list = [...left, bad, ...right].join(',');
        return [list, `${bad}/db`].every((types) => !allowDiagnostic(['kubectl', verb, types, ...more]).ok);
      },
    ),
    RUNS,
  );
});

test('any list of any texts is judged, never thrown at', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 400 }), { maxLength: 50 }), (argv) => {
      const judged = allowDiagnostic(argv);
      return judged.ok || (judged.reason !== '' && judged.reason.length < 2500);
    }),
  );
});

test.run();
