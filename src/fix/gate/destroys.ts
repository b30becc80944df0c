// Commands and tasks of a file that take away what cannot be had again, by their program and verb; and those that a change adds.
import type { Edit } from '../edit.ts';
import { isShell, isWrapper } from '../shell/inner-commands.ts';
import type { ParseShell } from '../shell/node.ts';
import { type ReadCommand, readCommands } from '../shell/read-commands.ts';
import { CODE, DATA, KEPT, MODULE_FAMILY, MODULES, NAME, ROWS, TAKES_WORDS, VERB } from './destroying-words.ts';
import { type ModuleCall, runTexts } from './run-texts.ts';

export interface Destroying {
  readonly line: number;
  /** The command or task, as people read it. */
  readonly words: string;
  /** It runs only where a condition of Ansible holds. */
  readonly guarded: boolean;
}

/** `path` only says what kind of text it is. Never throws. */
export function destroyingIn(path: string, text: string, parse: ParseShell): readonly Destroying[] {
  const { texts, calls } = runTexts(path, text);
  const commands = texts.flatMap(({ text: shell, line, guarded }) => {
    const { commands: all, functions } = readCommands(shell, parse);
    return all
      .filter((command) => !functions.includes(command.program) && destroys(command))
      .map((command) => ({ line: line + command.line - 1, words: shownWords(command), guarded }));
  });
  const tasks = calls.filter(removes).map(({ module, args, line, guarded }) => {
    const said = args.get('state') === 'absent' ? 'state: absent' : 'force: true';
    return { line, words: `${module} ${said}`, guarded };
  });
  return [...commands, ...tasks].sort((a, b) => a.line - b.line);
}

/** What the new text has and the old one had not, or not as often. Never throws. */
export function newDestroying({ path, before, after }: Edit, parse: ParseShell): readonly Destroying[] {
  const left = destroyingIn(path, before ?? '', parse).map(({ words }) => words);
  return destroyingIn(path, after, parse).filter(({ words }) => {
    const at = left.indexOf(words);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

const DISK = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mapper|disk|md|zd)/;

function destroys({ program, args, redirects, code }: ReadCommand): boolean {
  const texts = args.map(({ text }) => text);
  if (redirects.some(({ operator, target }) => operator.includes('>') && DISK.test(target?.text ?? ''))) return true;
  if (code !== undefined && CODE.test(code)) return true;
  const words = texts.join(' ');
  if (isWrapper(program) || isShell(program)) return false;
  if (program === 'rm' || program === 'find')
    return (
      ROWS.some(([of, has]) => of.test(program) && has?.test(` ${words}`)) && texts.some((text) => KEPT.test(text))
    );
  if (ROWS.some(([of, has]) => of.test(program) && (has === undefined || has.test(words)))) return true;
  if (TAKES_WORDS.has(program) || /^(?:log|warn)/.test(program)) return false;
  return NAME.test(program) || hasVerb(program, texts);
}

/** Pods and jobs are made again. */
const MADE_AGAIN = /^(?:po|pods?|jobs?)(?:\/|$)/;

/** Among the first three words that are no options. */
function hasVerb(program: string, texts: readonly string[]): boolean {
  const operands = texts.filter((text) => !text.startsWith('-')).slice(0, 4);
  const at = operands.slice(0, 3).findIndex((text) => VERB.test(text));
  return at !== -1 && program !== '' && !MADE_AGAIN.test(operands[at + 1] ?? '');
}

function removes({ module, args }: ModuleCall): boolean {
  const isAbsent = args.get('state') === 'absent';
  const path = args.get('path') ?? args.get('dest') ?? args.get('name') ?? '';
  if (module === 'file') return isAbsent && DATA.test(path);
  const holds = MODULES.has(module) || MODULE_FAMILY.test(module);
  return holds && (isAbsent || /^(?:true|yes)$/i.test(args.get('force') ?? ''));
}

const shownWords = ({ words }: ReadCommand): string =>
  words
    .map(({ text }) => text)
    .join(' ')
    .replace(/\ue000+/g, '…')
    .replace(/\s+/g, ' ')
    .trim();
