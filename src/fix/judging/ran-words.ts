// What a simple command runs, by its program: shells and interpreters their script, test runners their tests, make and its
// like a file of targets. Programs that only look at files run nothing of them.
import { foundBy, printedWords, type SimpleCommand } from './read-shell.ts';

export type Ran =
  /** `maybe`: given to an unknown program; it counts when it is a script or executable. */
  | { readonly kind: 'script' | 'sourced' | 'maybe'; readonly word: string }
  /** Counts when it is there; `shell`: it is read as shell whatever its name. */
  | { readonly kind: 'file'; readonly word: string; readonly shell: boolean }
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
  /** Code of another language. */
  | { readonly kind: 'code'; readonly text: string }
  /** Where relative words may lie from here on. */
  | { readonly kind: 'folder'; readonly word: string }
  /** What variables may hold, of which some may be run. */
  | { readonly kind: 'value'; readonly name: string; readonly word: string };

export type TargetTool = 'make' | 'just' | 'task' | 'npm';

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const DECLARES = set('export local readonly declare typeset');
const SHELLS = set('sh bash zsh dash ksh ash busybox');
const INTERPRETERS = /^(?:python[\d.]*|node|nodejs|ruby|perl|php|deno|bun|tsx|ts-node|Rscript|lua|tclsh|expect|pwsh)$/;
/** Given a program in a file by this option. */
const PROGRAM_FILE = /^(?:g|m|n)?awk$|^(?:sed|jq|yq|gojq|goss)$/;
/** Programs whose arguments may be shell text that the reader of shell does not follow. */
const TAKE_TEXT = set('nix-shell nix sops op doppler direnv devbox vagrant');
/** What runs another command: the reader of shell gives that, too. */
const WRAPPERS = set('eval trap sudo doas env timeout nice nohup setsid xargs watch flock script su runuser time');
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
/** Whether it is a program whose arguments are understood. */
export const isUnderstood = (name: string): boolean =>
  runsArguments(name) ||
  [DECLARES, LOOKS, WRAPPERS, TAKE_TEXT].some((names) => names.has(name)) ||
  PROGRAM_FILE.test(name) ||
  /^(?:cd|pushd|\.|source|set|go|conftest|ssh|parallel)$/.test(name);

const runsArguments = (name: string): boolean =>
  SHELLS.has(name) ||
  INTERPRETERS.test(name) ||
  Object.hasOwn(TEST_RUNNERS, name) ||
  Object.hasOwn(TARGET_TOOLS, name) ||
  name === 'ansible-playbook';

/** What `command` runs, with what it says of folders and variables. */
export function ranBy({ words, variables, reads, substituted, code }: SimpleCommand): Ran[] {
  const values = variables.flatMap(([name, value]) => valuesOf(name, value));
  const printed = substituted ? printedWords(words).map((word): Ran => ({ kind: 'value', name: 'HERE', word })) : [];
  const inCode: Ran[] = code === undefined ? [] : [{ kind: 'code', text: code }];
  return [...values, ...(words.length > 0 ? byProgram(words, reads) : []), ...printed, ...inCode];
}

function valuesOf(name: string, value: string): Ran[] {
  if (name.endsWith('PATH')) {
    const folders = value.split(':').filter((word) => !word.startsWith('$'));
    return folders.map((word) => ({ kind: 'folder', word }));
  }
  return value === '' ? [] : [{ kind: 'value', name, word: value }];
}

function byProgram([program = '', ...args]: readonly string[], reads: readonly string[]): Ran[] {
  const name = nameOf(program);
  const itself: Ran[] = [{ kind: 'script', word: program }];
  return onlyLooks(name, args) ? itself : [...itself, ...ofArguments(name, args, reads)];
}

const onlyLooks = (name: string, args: readonly string[]): boolean =>
  ONLY_LOOKS.some(([of, option]) => of.test(name) && args.some((word) => option.test(word)));

function ofArguments(name: string, args: readonly string[], reads: readonly string[]): Ran[] {
  if (DECLARES.has(name)) return [];
  // `set -- a b`
  if (name === 'set') return args.map((word, i) => ({ kind: 'value', name: String(i), word }));
  if (name === 'cd' || name === 'pushd')
    return args.filter((a) => !isOption(a)).map((word) => ({ kind: 'folder', word }));
  if (name === '.' || name === 'source') return args.slice(0, 1).map((word) => ({ kind: 'sourced', word }));
  if (name === 'load')
    return args.slice(0, 1).flatMap((word) => [word, `${word}.bash`].map((w) => ({ kind: 'sourced', word: w })));
  if (name === 'find') return ofFind(args);
  if (SHELLS.has(name) || INTERPRETERS.test(name)) return ofInterpreter(name, args, reads);
  if (name === 'ansible-playbook') {
    return args
      .filter((word, i) => !isOption(word) && !PLAYBOOK_VALUES.test(args[i - 1] ?? ''))
      .map((word) => ({ kind: 'file', word, shell: false }));
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
  return LOOKS.has(name) || WRAPPERS.has(name) ? [] : ofOthers(name, args, reads);
}

/** `find … -exec bash {} ;` runs what it finds. */
function ofFind(args: readonly string[]): Ran[] {
  const at = args.findIndex((word) => /^-(?:exec|ok)(?:dir)?$/.test(word));
  const action = at === -1 ? [] : args.slice(at + 1).filter((word) => !WRAPPERS.has(word));
  const [program = '', ...given] = action;
  if (!action.includes('{}') || LOOKS.has(nameOf(program)) || onlyLooks(nameOf(program), given)) return [];
  return foundBy(args).map((word) => ({ kind: 'file', word, shell: false }));
}

const RUN_TIME = /^(?:\$[\w@*]+|\{\})$/;

function ofInterpreter(name: string, args: readonly string[], reads: readonly string[]): Ran[] {
  const at = args.findIndex((word) => /^-[a-z]*c$|^-e$|^--eval$/.test(word));
  // The text itself is read already; what follows are its arguments.
  if (at !== -1) return args.slice(at + 2).map((word) => ({ kind: 'maybe', word }));
  const module = /^python/.test(name) ? args[args.indexOf('-m') + 1] : undefined;
  if (args.includes('-m') && module !== undefined) {
    if (Object.hasOwn(TEST_RUNNERS, module)) return byProgram([module, ...args.slice(args.indexOf('-m') + 2)], reads);
    if (/^(?:py_compile|compileall|json\.tool|yamllint|pip|venv)$/.test(module)) return [];
    const path = module.replaceAll('.', '/');
    return [{ kind: 'first', words: [`${path}.py`, `${path}/__main__.py`] }];
  }
  if (name === 'node' && args.includes('--test')) {
    return [{ kind: 'tests', words: args.filter((word) => !isOption(word)), called: SCRIPT_TESTS }];
  }
  const words = args.filter((word) => !isOption(word));
  const hasScript = !args.includes('-s') && words.some((word) => !RUN_TIME.test(word));
  const input = hasScript ? [] : reads.map((word): Ran => ({ kind: 'file', word, shell: SHELLS.has(name) }));
  return [{ kind: 'first', words }, ...input];
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

/** Unknown programs: they may run what they are given, when it looks like something that is run. */
function ofOthers(name: string, args: readonly string[], reads: readonly string[]): Ran[] {
  const nested = args.findIndex((word) => runsArguments(nameOf(word)));
  if (nested !== -1 && !args.includes(':::')) return byProgram(args.slice(nested), reads);
  // What is poured into ssh a shell at its other end may read.
  const poured = name === 'ssh' ? reads : [];
  const texts = TAKE_TEXT.has(name) ? args.filter((word) => /\s/.test(word)) : [];
  const given = args.filter((word) => !isOption(word));
  return [
    ...texts.map((text): Ran => ({ kind: 'text', text })),
    ...[...given, ...poured].map((word): Ran => ({ kind: 'maybe', word })),
  ];
}
