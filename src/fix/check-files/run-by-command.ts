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
  | { as: 'targets'; words: readonly string[]; tool: TargetTool; file: string | undefined; folder: string };

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
const PROGRAM_FILE = /^(?:[gmn]?awk|sed|jq|yq) (?:-[a-z]*f|--(?:from-)?file)$/;
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
  const first = words[0]?.text ?? '';
  const isFile = /[/.]/.test(first) || assignments.some(({ name }) => name === 'PATH');
  const itself: Ran[] = isFile ? [{ as: 'shell', words: [first] }] : [];
  if (ONLY_LOOKS.some(([of, option]) => of.test(program) && texts.some((text) => option.test(text)))) return itself;
  const inCode: Ran[] = code === undefined ? [] : [{ as: 'code', words: [code] }];
  return [...itself, ...ofArguments(program, texts, command), ...optionFiles(program, texts), ...inCode];
}

function ofArguments(program: string, args: readonly string[], command: ReadCommand): Ran[] {
  if (program === '.' || program === 'source') return [{ as: 'shell', words: args.slice(0, 1) }];
  if (program === 'load') return [{ as: 'shell', words: args.flatMap((word) => [word, `${word}.bash`]) }];
  const tool = (TARGET_TOOLS[program] ?? program) as TargetTool;
  if (Object.hasOwn(TARGET_FILES, tool)) return ofTargets(tool, args);
  if (RUNS_ALL.test(program)) {
    const isValue = (i: number) => program === 'ansible-playbook' && PLAYBOOK_VALUES.test(args[i - 1] ?? '');
    const given = args.filter((word, i) => !isOption(word) && !isValue(i));
    return [{ as: 'all', words: given.map((word) => word.replace(/::.*$/, '')) }];
  }
  if (!isInterpreter(program) || args.some((word) => TEXT_OPTION.test(word))) return [];
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

/** A program in a file, and the configuration that a command is given. */
function optionFiles(program: string, args: readonly string[]): Ran[] {
  const looks = isInterpreter(program) || COUNTS.test(program) || EXAMINES.test(operandsOf(args)[0] ?? '');
  return args.flatMap((word, i): Ran[] => {
    const before = args[i - 1] ?? '';
    const [, joined] = /^--config(?:-file)?=(.+)$/.exec(word) ?? [];
    if (PROGRAM_FILE.test(`${program} ${before}`)) return [{ as: 'program', words: [word] }];
    const isSetting = !looks && (joined !== undefined || /^(?:-c|--config(?:-file)?)$/.test(before));
    return isSetting ? [{ as: 'settings', words: [joined ?? word] }] : [];
  });
}

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
