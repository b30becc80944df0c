// What of the repository one command runs: its program, the script of an interpreter, what it sources, the configuration that it
// is given, targets. Every other word is data.
import { foundBy, isInterpreter, isShell, TEXT_OPTION } from '../shell/inner-commands.ts';
import type { ReadCommand } from '../shell/read-commands.ts';
import { TARGET_FILES, type TargetTool } from './targets.ts';

/**
 * `shell`: the first that is a file, read as shell whatever its name; `program`: the same, read as what it is; `all`: each that is
 * a file, and what is below each that is a folder; `settings`: it says how something is done, and runs nothing; `code`: a text;
 * `targets`: those of `file`, or of what the tool looks for in `folder`.
 */
export type Ran =
  | { readonly as: 'shell' | 'program' | 'all' | 'settings' | 'code'; readonly words: readonly string[] }
  | RanTargets;
export interface RanTargets {
  readonly as: 'targets';
  readonly words: readonly string[];
  readonly tool: TargetTool;
  readonly file: string | undefined;
  readonly folder: string;
}

/** Options with which these only look. */
const ONLY_LOOKS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:ba|z|da|k|a)?sh$/, /^-[a-z]*n[a-z]*$/],
  [/^node/, /^(?:-c|--check)$/],
  [/^(?:ruby|perl)$/, /^-[a-z]*c$/],
  [/^ansible-playbook$/, /^(?:--syntax-check|--check|-[A-Za-z]*C|--list-(?:tasks|hosts|tags))$/],
  [/^g?make$/, /^(?:-n|--dry-run|--just-print|-q|--question)$/],
  [/^(?:just|(?:go-)?task)$/, /^(?:-n|--dry(?:-run)?|-l|--list(?:-all)?|--summary|--show)$/],
];
/** Modules of Python that only look. */
const LOOKING_MODULE = /^(?:py_compile|compileall|json\.tool|yamllint|pip|venv)$/;
/** They run all that they are given: files, and what is in folders. */
const RUNS_ALL = /^(?:bats|pytest|py\.test|run-parts|ansible-playbook)$/;
const PLAYBOOK_VALUES = /^(?:-[ieltucfM]|--(?!syntax|check|diff|list|become$|ask|step|force|flush|verbose)[a-z-]+)$/;
const PROGRAM_FILE = /^(?:[gmn]?awk|sed|jq|yq)$/;
const PROGRAM_OPTION = /^(?:-[a-z]*f|--(?:from-)?file)$/;
const TARGET_TOOLS: Readonly<Record<string, TargetTool>> = {
  gmake: 'make',
  'go-task': 'task',
  pnpm: 'npm',
  yarn: 'npm',
};
const TARGET_FILE = /^(?:-f|--file|--makefile|--justfile|-t|--taskfile)$/;
const TARGET_FOLDER = /^(?:-C|--directory|--working-directory|--dir|--prefix|--cwd)$/;
/** Their `-c` counts, or asks something of the file behind it. */
const COUNTS = /^(?:wc|[ef]?grep|rg|sort|uniq|stat|head|tail|cut)$/;
/** With this verb the configuration is what is looked at. */
const EXAMINES = /^(?:validate|verify|check(?:-config)?|adapt|fmt)$/;

const isOption = (word: string): boolean => word.startsWith('-');
const operandsOf = (words: readonly string[]): string[] => words.filter((word) => !isOption(word));

/** Never throws. */
export function runByCommand(command: ReadCommand): Ran[] {
  const { program, words, args, code, assignments } = command;
  const texts = args.map(({ text }) => text);
  const first = words[0]?.text;
  if (first === undefined) return [];
  const isFile = /[/.]/.test(first) || assignments.some(({ name }) => name === 'PATH');
  const itself: Ran[] = isFile ? [{ as: 'shell', words: [first] }] : [];
  if (ONLY_LOOKS.some(([of, option]) => of.test(program) && texts.some((text) => option.test(text)))) return itself;
  const given: Ran[] = [{ as: 'settings', words: settingsIn(program, texts) }];
  if (code !== undefined) given.push({ as: 'code', words: [code] });
  return [...itself, ...ofArguments(program, texts, command), ...given];
}

function ofArguments(program: string, args: readonly string[], command: ReadCommand): Ran[] {
  if (program === '.' || program === 'source') return [{ as: 'shell', words: args.slice(0, 1) }];
  if (program === 'load') return [{ as: 'shell', words: args.flatMap((word) => [word, `${word}.bash`]) }];
  const tool = TARGET_TOOLS[program] ?? program;
  if (isTargetTool(tool)) return ofTargets(tool, args);
  if (RUNS_ALL.test(program)) {
    const isValue = (i: number) => program === 'ansible-playbook' && PLAYBOOK_VALUES.test(args[i - 1] ?? '');
    const given = args.filter((word, i) => !isOption(word) && !isValue(i));
    return [{ as: 'all', words: given.map((word) => word.replace(/::.*$/, '')) }];
  }
  if (PROGRAM_FILE.test(program))
    return args.flatMap((word, i) =>
      PROGRAM_OPTION.test(args[i - 1] ?? '') ? [{ as: 'program', words: [word] }] : [],
    );
  return isInterpreter(program) ? ofInterpreter(program, args, command) : [];
}

function ofInterpreter(program: string, args: readonly string[], command: ReadCommand): Ran[] {
  if (args.some((word) => TEXT_OPTION.test(word))) return [];
  const [module, ...behind] = args.includes('-m') ? args.slice(args.indexOf('-m') + 1) : [];
  if (module !== undefined && program.startsWith('python')) {
    if (RUNS_ALL.test(module)) return ofArguments(module, behind, command);
    const path = module.replaceAll('.', '/');
    return LOOKING_MODULE.test(module) ? [] : [{ as: 'program', words: [`${path}.py`, `${path}/__main__.py`] }];
  }
  const as = isShell(program) ? 'shell' : 'program';
  const words = operandsOf(args);
  const hasScript = !args.includes('-s') && words.some((word) => !/^(?:\$[\w@*]+|\{\})$/.test(word));
  return [{ as, words }, ...(hasScript ? [] : inputWords(command)).map((word): Ran => ({ as, words: [word] }))];
}

/** The files that a command reads, and the arguments of those that print into it. */
const inputWords = ({ redirects, fedBy }: ReadCommand): string[] => [
  ...redirects.flatMap(({ operator, target }) => (operator === '<' && target ? [target.text] : [])),
  ...fedBy.flatMap(({ words: [program, ...args] }) => {
    const texts = args.map(({ text }) => text);
    return program?.text === 'find' ? foundBy(texts) : operandsOf(texts);
  }),
];

function settingsIn(program: string, args: readonly string[]): string[] {
  if (isInterpreter(program) || COUNTS.test(program) || EXAMINES.test(operandsOf(args)[0] ?? '')) return [];
  return args.flatMap((word, i) => {
    const [, joined] = /^--config(?:-file)?=(.+)$/.exec(word) ?? [];
    return joined ?? (/^(?:-c|--config(?:-file)?)$/.test(word) ? args.slice(i + 1, i + 2) : []);
  });
}

const isTargetTool = (program: string): program is TargetTool => Object.hasOwn(TARGET_FILES, program);

function ofTargets(tool: TargetTool, given: readonly string[]): Ran[] {
  // `--file=x` as two words.
  const args = given.flatMap((word) => /^(--?[\w-]+)=(.*)$/.exec(word)?.slice(1) ?? word);
  const isFolder = (option: string) => TARGET_FOLDER.test(option) || (option === '-d' && tool !== 'make');
  const isValue = (option: string) => TARGET_FILE.test(option) || isFolder(option) || option === '-j';
  const plain = args.filter((word, i) => !isOption(word) && !/^\w+\+?=/.test(word) && !isValue(args[i - 1] ?? ''));
  const [verb = '', name = ''] = plain;
  if (tool === 'npm' && !/^(?:run|run-script|test|start)$/.test(verb)) return [];
  const words = tool !== 'npm' ? plain : verb.startsWith('run') ? [name] : [verb];
  const file = args.find((_, i) => TARGET_FILE.test(args[i - 1] ?? ''));
  const folder = args.find((_, i) => isFolder(args[i - 1] ?? '')) ?? '';
  return [{ as: 'targets', words, tool, file, folder }];
}
