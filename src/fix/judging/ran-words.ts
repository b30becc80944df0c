// What a simple command runs, by its program: shells and interpreters their script, test runners their tests, make and its
// like a file of targets. Programs that only look at files run nothing of them.
import type { SimpleCommand } from './read-shell.ts';

export type Ran =
  /** `maybe`: given to a program that nobody knows; it counts when it is a script or executable. */
  | { readonly kind: 'script' | 'sourced' | 'playbook' | 'maybe'; readonly word: string }
  /** The first of these that is a file is the script; words before it are values of options. */
  | { readonly kind: 'first'; readonly words: readonly string[] }
  /** The tests below these words; where there are none, every file that is called like one. */
  | { readonly kind: 'tests'; readonly words: readonly string[]; readonly called: RegExp | undefined }
  | {
      readonly kind: 'targets';
      readonly tool: TargetTool;
      readonly file: string | undefined;
      readonly folder: string;
      readonly targets: readonly string[];
    }
  /** Shell text in an argument. */
  | { readonly kind: 'text'; readonly text: string }
  /** Where relative words may lie from here on. */
  | { readonly kind: 'folder'; readonly word: string }
  /** What variables may hold, of which some may be run. */
  | { readonly kind: 'value'; readonly word: string };

export type TargetTool = 'make' | 'just' | 'task' | 'npm';

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const KEYWORDS = set('if then elif else do while until ! { } time exec command builtin nohup coproc');
const DECLARES = set('export local readonly declare typeset set');
const SHELLS = set('sh bash zsh dash ksh ash busybox');
const INTERPRETERS = /^(?:python[\d.]*|node|nodejs|ruby|perl|php|deno|bun|tsx|ts-node|Rscript|lua|tclsh|expect|pwsh)$/;
/** Given a program in a file by this option. */
const PROGRAM_FILE = /^(?:g|m|n)?awk$|^(?:sed|jq|yq|gojq|goss)$/;
const WRAPPERS = set(
  'ssh su watch flock nix-shell nix script xargs parallel env sudo doas timeout sops op doppler eval trap',
);
const LOOKS = set(
  '[ [[ (( test echo printf : true false cd cat head tail less wc ls stat file find du df grep egrep fgrep rg diff cmp comm sort uniq cut tr ' +
    'tee touch cp mv rm ln mkdir chmod chown install scp rsync sha256sum sha1sum md5sum cksum git which type hash alias unset shift return ' +
    'exit read sleep wait kill dirname basename readlink realpath pwd date shellcheck shfmt bashate checkbashisms ruff flake8 pylint mypy ' +
    'black isort eslint prettier biome tsc yamllint ansible-lint tflint tfsec checkov hadolint markdownlint kubeconform kubeval kube-linter ' +
    'kustomize helm terraform tofu packer kubectl talosctl flux qm pvesh curl wget dig nc apt apt-get brew pip pip3 gem for case select',
);
const SCRIPT_TESTS = /\.(?:test|spec)\.[cm]?[jt]sx?$|(?:^|\/)__tests__\//;
const PYTHON_TESTS = /(?:^|\/)(?:test_[^/]*|[^/]*_test|conftest)\.py$/;
const TEST_RUNNERS: Readonly<Record<string, RegExp | undefined>> = {
  bats: undefined,
  pytest: PYTHON_TESTS,
  'py.test': PYTHON_TESTS,
  tox: PYTHON_TESTS,
  nox: PYTHON_TESTS,
  unittest: PYTHON_TESTS,
  jest: SCRIPT_TESTS,
  vitest: SCRIPT_TESTS,
  mocha: SCRIPT_TESTS,
  ava: SCRIPT_TESTS,
  uvu: SCRIPT_TESTS,
  shellspec: /_spec\.sh$/,
  rspec: /_spec\.rb$/,
  inspec: undefined,
  molecule: /(?:^|\/)molecule\//,
  'run-parts': undefined,
  kuttl: undefined,
  chainsaw: undefined,
  'container-structure-test': undefined,
};
const TARGET_TOOLS: Readonly<Record<string, TargetTool>> = {
  make: 'make',
  gmake: 'make',
  just: 'just',
  task: 'task',
  'go-task': 'task',
  npm: 'npm',
  pnpm: 'npm',
  yarn: 'npm',
};
const NPM_VERBS = set('run run-script test start');
/** Options with which these only look. */
const ONLY_LOOKS: readonly [RegExp, RegExp][] = [
  [/sh$/, /^-[a-z]*n[a-z]*$/],
  [/^node/, /^(?:-c|--check)$/],
  [/^(?:ruby|perl)$/, /^-[a-z]*c$/],
  [/^ansible-playbook$/, /^(?:--syntax-check|--check|-[A-Za-z]*C|--list-(?:tasks|hosts|tags))$/],
  [/^g?make$/, /^(?:-n|--dry-run|--just-print|-q|--question)$/],
  [/^just$/, /^(?:-n|--dry-run|--list|-l|--summary|--show)$/],
  [/^(?:go-)?task$/, /^(?:-n|--dry|--list|-l|--list-all)$/],
];
const PLAYBOOK_VALUES = /^(?:-[ieltucfM]|--(?!syntax|check|diff|list|become$|ask|step|force|flush|verbose)[a-z-]+)$/;
const TARGET_VALUES =
  /^(?:-C|-f|-d|-t|-j|--directory|--file|--makefile|--justfile|--working-directory|--taskfile|--dir|--prefix)$/;

const assignment = /^(\w+)\+?=(.*)$/s;
const nameOf = (word: string): string => word.split('/').at(-1) as string;
const isOption = (word: string): boolean => word.startsWith('-');
const isRedirection = (word: string): boolean => /^\d*(?:[<>]|&>)/.test(word);
const isKnown = (name: string): boolean =>
  SHELLS.has(name) ||
  INTERPRETERS.test(name) ||
  Object.hasOwn(TEST_RUNNERS, name) ||
  Object.hasOwn(TARGET_TOOLS, name) ||
  name === 'ansible-playbook';

/** What `command` runs, with what it says of folders and variables. `feeds`: it is piped into a shell, so what it prints is run. */
export function ranBy({ words, texts }: SimpleCommand, feeds = false): Ran[] {
  const values: Ran[] = [];
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] as string;
    const [, name, value] = assignment.exec(word) ?? [];
    if (name !== undefined) values.push(...valuesOf(name, value as string));
    else if (!KEYWORDS.has(word) && !isRedirection(word)) break;
  }
  const rest = words.slice(at);
  if (rest.length === 0) return values;
  const own = byProgram(rest, texts);
  const fed: Ran[] = feeds ? rest.slice(1).map((word) => ({ kind: 'script', word })) : [];
  return [...values, ...own, ...fed];
}

/** Whether it runs what it is fed: a shell or interpreter without a script of its own. */
export function readsCommands({ words }: SimpleCommand): boolean {
  const [name = '', ...args] = words.filter((word) => !KEYWORDS.has(word) && !isRedirection(word));
  const known = SHELLS.has(nameOf(name)) || INTERPRETERS.test(nameOf(name));
  return known && args.every((word) => isOption(word) && word !== '-c');
}

function valuesOf(name: string, value: string): Ran[] {
  if (name.endsWith('PATH')) {
    const folders = value.split(':').filter((word) => !word.startsWith('$'));
    return folders.map((word) => ({ kind: 'folder', word }));
  }
  return value === '' ? [] : [{ kind: 'value', word: value }];
}

function byProgram(words: readonly string[], texts: readonly string[]): Ran[] {
  const [program = '', ...all] = words;
  const name = nameOf(program);
  const input = all.flatMap((word) => /^0?<([^<&>].*)$/.exec(word)?.[1] ?? []);
  const args = all.filter((word) => !isRedirection(word));
  const itself: Ran[] = [{ kind: 'script', word: program }];
  if (ONLY_LOOKS.some(([of, option]) => of.test(name) && args.some((word) => option.test(word)))) return itself;
  return [...itself, ...ofArguments(name, args, texts, input)];
}

function ofArguments(name: string, args: readonly string[], texts: readonly string[], input: readonly string[]): Ran[] {
  if (DECLARES.has(name)) {
    return args.flatMap((word) => {
      const [, key, value] = assignment.exec(word) ?? [];
      return key === undefined ? [{ kind: 'value', word } as const] : valuesOf(key, value as string);
    });
  }
  if (name === 'for') return args.slice(2).map((word) => ({ kind: 'value', word }));
  if (name === 'cd' || name === 'pushd')
    return args.filter((a) => !isOption(a)).map((word) => ({ kind: 'folder', word }));
  if (name === '.' || name === 'source') return args.slice(0, 1).map((word) => ({ kind: 'sourced', word }));
  if (name === 'load')
    return args.slice(0, 1).flatMap((word) => [word, `${word}.bash`].map((w) => ({ kind: 'sourced', word: w })));
  if (SHELLS.has(name) || INTERPRETERS.test(name)) return ofInterpreter(name, args, texts, input);
  if (name === 'ansible-playbook') {
    return args
      .filter((word, i) => !isOption(word) && !PLAYBOOK_VALUES.test(args[i - 1] ?? ''))
      .map((word) => ({ kind: 'playbook', word }));
  }
  const tool = TARGET_TOOLS[name];
  if (tool !== undefined) return ofTargets(tool, args);
  if (name === 'go') {
    const words = args.slice(1);
    if (args[0] === 'test')
      return [{ kind: 'tests', words: words.map((w) => w.replace(/\/\.\.\.$/, '')), called: /_test\.go$/ }];
    return args[0] === 'run' ? words.map((word) => ({ kind: 'script', word })) : [];
  }
  if (Object.hasOwn(TEST_RUNNERS, name)) {
    const words = args.filter((word) => !isOption(word)).map((word) => word.replace(/::.*$/, ''));
    return [{ kind: 'tests', words, called: TEST_RUNNERS[name] }];
  }
  if (PROGRAM_FILE.test(name)) {
    return args.flatMap((word, i) =>
      /^(?:-[a-z]*[fg]|--from-file|--file|--gossfile)$/.test(args[i - 1] ?? '')
        ? [{ kind: 'script', word } as const]
        : [],
    );
  }
  if (name === 'conftest') {
    return [
      {
        kind: 'tests',
        words: args.filter((_, i) => /^(?:-p|--policy)$/.test(args[i - 1] ?? '')),
        called: /(?:^|\/)policy\//,
      },
    ];
  }
  if (LOOKS.has(name) && name !== 'find') return [];
  return ofOthers(name, args, texts, input);
}

function ofInterpreter(
  name: string,
  args: readonly string[],
  texts: readonly string[],
  input: readonly string[],
): Ran[] {
  const at = args.findIndex((word) => /^-[a-z]*c$|^-e$|^--eval$/.test(word));
  const code = at === -1 ? undefined : args[at + 1];
  if (SHELLS.has(name) && at !== -1) {
    return [...texts, ...(code === undefined || code === '…' ? [] : [code])].map((text) => ({ kind: 'text', text }));
  }
  const module = /^python/.test(name) ? args[args.indexOf('-m') + 1] : undefined;
  if (args.includes('-m') && module !== undefined) {
    if (Object.hasOwn(TEST_RUNNERS, module)) return byProgram([module, ...args.slice(args.indexOf('-m') + 2)], texts);
    if (/^(?:py_compile|compileall|json\.tool|yamllint|pip|venv)$/.test(module)) return [];
    const path = module.replaceAll('.', '/');
    return [`${path}.py`, `${path}/__main__.py`].map((word) => ({ kind: 'script', word }));
  }
  if (name === 'node' && args.includes('--test')) {
    return [{ kind: 'tests', words: args.filter((word) => !isOption(word)), called: SCRIPT_TESTS }];
  }
  return [{ kind: 'first', words: [...args.filter((word) => !isOption(word)), ...input] }];
}

function ofTargets(tool: TargetTool, args: readonly string[]): Ran[] {
  const optionValue = (pattern: RegExp): string | undefined => {
    const at = args.findIndex((word) => pattern.test(word.split('=')[0] as string));
    return at === -1 ? undefined : (/^--?[\w-]+=(.*)$/.exec(args[at] as string)?.[1] ?? args[at + 1]);
  };
  const file = optionValue(/^(?:-f|--file|--makefile|--justfile|-t|--taskfile)$/);
  const folder = optionValue(/^(?:-C|--directory|--working-directory|--dir|--prefix|--cwd)$/) ?? '';
  const plain = args.filter(
    (word, i) => !isOption(word) && !assignment.test(word) && !TARGET_VALUES.test(args[i - 1] ?? ''),
  );
  if (tool !== 'npm') return [{ kind: 'targets', tool, file, folder, targets: plain }];
  const [verb = '', script] = plain;
  const targets = /^run/.test(verb) ? [script ?? ''] : [verb];
  return NPM_VERBS.has(verb) ? [{ kind: 'targets', tool, file, folder, targets }] : [];
}

/** Programs that nobody knows: they may run what they are given, when it looks like something that is run. */
function ofOthers(name: string, args: readonly string[], texts: readonly string[], input: readonly string[]): Ran[] {
  const nested = args.findIndex((word) => isKnown(nameOf(word)));
  if (nested !== -1) return byProgram([...args.slice(nested), ...input.map((path) => `<${path}`)], texts);
  const wrapped: Ran[] = WRAPPERS.has(name) ? texts.map((text) => ({ kind: 'text', text })) : [];
  if (name === 'eval' || name === 'trap')
    wrapped.push({ kind: 'text', text: args.filter((word) => word !== '…').join(' ') });
  const given = args.filter((word) => !isOption(word));
  return [...wrapped, ...given.map((word): Ran => ({ kind: 'maybe', word }))];
}
