// What of the repository one command runs: its program, the script of an interpreter, what it sources, the configuration that it
// is given, targets. Every other word is data.
import { foundBy, isInterpreter, isShell, TEXT_OPTION } from '../shell/inner-commands.ts';
import type { ReadCommand } from '../shell/read-commands.ts';
import type { Command } from '../shell/read-script.ts';
import type { TargetTool } from './targets.ts';

/** The wanted targets of a file of them: of `file`, or of what the tool looks for in `folder`. */
export interface RanTargets {
  readonly as: 'targets';
  readonly words: readonly string[];
  readonly tool: TargetTool;
  readonly file: string | undefined;
  readonly folder: string;
}
/**
 * `shell`: the first that is a file, read as shell whatever its name; `program`: the same, read as what it is; `all`: each that is
 * a file, and what is below each that is a folder; `settings`: it says how something is done, and runs nothing; `code`: a text.
 */
export type Ran =
  | RanTargets
  | { readonly as: 'shell' | 'program' | 'all' | 'settings' | 'code'; readonly words: readonly string[] };

const TARGET_TOOLS: Readonly<Record<string, TargetTool>> = {
  ...{ make: 'make', gmake: 'make', just: 'just', task: 'task', 'go-task': 'task' },
  ...{ npm: 'npm', pnpm: 'npm', yarn: 'npm' },
};
/** Options with which these only look. */
const ONLY_LOOKS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:ba|z|da|k|a)?sh$/, /^-[a-z]*n[a-z]*$/],
  [/^node/, /^(?:-c|--check)$/],
  [/^(?:ruby|perl)$/, /^-[a-z]*c$/],
  [/^ansible-playbook$/, /^(?:--syntax-check|--check|-[A-Za-z]*C|--list-(?:tasks|hosts|tags))$/],
  [/^g?make$/, /^(?:-n|--dry-run|--just-print|-q|--question)$/],
  [/^just$/, /^(?:-n|--dry-run|--list|-l|--summary|--show)$/],
  [/^(?:go-)?task$/, /^(?:-n|--dry|--list|-l|--list-all)$/],
];
/** They run all that they are given: files, and what is in folders. */
const RUNS_ALL = /^(?:bats|pytest|py\.test|run-parts|ansible-playbook)$/;
const PLAYBOOK_VALUES = /^(?:-[ieltucfM]|--(?!syntax|check|diff|list|become$|ask|step|force|flush|verbose)[a-z-]+)$/;
const TARGET_FILE = /^(?:-f|--file|--makefile|--justfile|-t|--taskfile)$/;
const TARGET_FOLDER = /^(?:-C|--directory|--working-directory|--dir|--prefix|--cwd)$/;
const PROGRAM_FILE = /^(?:[gmn]?awk|sed|jq|yq)$/;
/** Modules of Python that only look. */
const LOOKING_MODULE = /^(?:py_compile|compileall|json\.tool|yamllint|pip|venv)$/;
/** Their `-c` counts, or asks something of the file behind it. */
const COUNTS = /^(?:wc|[ef]?grep|rg|sort|uniq|stat|head|tail|cut)$/;
/** With this verb the configuration is what is looked at. */
const EXAMINES = /^(?:validate|verify|check(?:-config)?|adapt|fmt)$/;

const isOption = (word: string): boolean => word.startsWith('-');

const shell = (...words: string[]): Ran => ({ as: 'shell', words });

/** Never throws. */
export function runByCommand(command: ReadCommand): Ran[] {
  const { program, words, args, code } = command;
  const texts = args.map(({ text }) => text);
  const first = words[0]?.text;
  if (first === undefined) return [];
  const isFile = /[/.]/.test(first) || command.assignments.some(({ name }) => name === 'PATH');
  const itself = isFile ? [shell(first)] : [];
  if (ONLY_LOOKS.some(([of, option]) => of.test(program) && texts.some((text) => option.test(text)))) return itself;
  const inCode: Ran[] = code === undefined ? [] : [{ as: 'code', words: [code] }];
  const settings: Ran = { as: 'settings', words: settingsIn(program, texts) };
  return [...itself, ...ofArguments(program, texts, command), settings, ...inCode];
}

function ofArguments(program: string, args: readonly string[], command: ReadCommand): Ran[] {
  if (program === '.' || program === 'source') return [shell(...args.slice(0, 1))];
  if (program === 'load') return [shell(...args.flatMap((word) => [word, `${word}.bash`]))];
  const tool = Object.hasOwn(TARGET_TOOLS, program) ? TARGET_TOOLS[program] : undefined;
  if (tool !== undefined) return ofTargets(tool, args);
  const isBehind = (option: RegExp, i: number) => option.test(args[i - 1] ?? '');
  if (RUNS_ALL.test(program)) {
    const isValue = (i: number) => program === 'ansible-playbook' && isBehind(PLAYBOOK_VALUES, i);
    const given = args.filter((word, i) => !isOption(word) && !isValue(i));
    return [{ as: 'all', words: given.map((word) => word.replace(/::.*$/, '')) }];
  }
  if (PROGRAM_FILE.test(program)) {
    const given = args.filter((_, i) => isBehind(/^(?:-[a-z]*f|--(?:from-)?file)$/, i));
    return given.map((word) => ({ as: 'program', words: [word] }));
  }
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
  const words = args.filter((word) => !isOption(word));
  const hasScript = !args.includes('-s') && words.some((word) => !/^(?:\$[\w@*]+|\{\})$/.test(word));
  const input = hasScript ? [] : inputWords(command).map((word): Ran => ({ as, words: [word] }));
  return [{ as, words }, ...input];
}

/** The files that a command reads, and the arguments of those that print into it. */
const inputWords = ({ redirects, fedBy }: Command): string[] => [
  ...redirects.flatMap(({ operator, target }) => (operator === '<' && target ? [target.text] : [])),
  ...fedBy.flatMap(({ words: [program, ...args] }) => {
    const texts = args.map(({ text }) => text);
    return program?.text === 'find' ? foundBy(texts) : texts.filter((text) => !isOption(text));
  }),
];

function settingsIn(program: string, args: readonly string[]): string[] {
  const verb = args.find((word) => !isOption(word)) ?? '';
  if (isInterpreter(program) || COUNTS.test(program) || EXAMINES.test(verb)) return [];
  return args.flatMap((word, i) => {
    const [, joined] = /^--config(?:-file)?=(.+)$/.exec(word) ?? [];
    return joined ?? (/^(?:-c|--config(?:-file)?)$/.test(word) ? args.slice(i + 1, i + 2) : []);
  });
}

function ofTargets(tool: TargetTool, args: readonly string[]): Ran[] {
  const optionValue = (option: RegExp): string | undefined => {
    const at = args.findIndex((word) => option.test(word.split('=')[0] as string));
    return at === -1 ? undefined : (/^--?[\w-]+=(.*)$/.exec(args[at] as string)?.[1] ?? args[at + 1]);
  };
  const isValue = (before = '') => TARGET_FILE.test(before) || TARGET_FOLDER.test(before) || /^-[jd]$/.test(before);
  const plain = args.filter((word, i) => !isOption(word) && !/^\w+\+?=/.test(word) && !isValue(args[i - 1]));
  const [verb = '', name = ''] = plain;
  if (tool === 'npm' && !/^(?:run|run-script|test|start)$/.test(verb)) return [];
  const words = tool !== 'npm' ? plain : verb.startsWith('run') ? [name] : [verb];
  return [{ as: 'targets', words, tool, file: optionValue(TARGET_FILE), folder: optionValue(TARGET_FOLDER) ?? '' }];
}
