// Commands that are texts and have several parts. 0.1.0 ran them so that only the last part counted; now any part that fails
// ends a command, and any but the beginning of a pipe a check or a diagnostic. Pure.
import { type ContextMap, isBuiltInCheck } from './context-map.ts';

type CommandKind = 'command' | 'check';

const QUOTED = /'[^']*'|"(?:\\.|[^"\\])*"|\\[\s\S]/g;
const COMMENT = /(^|\s)#[^\n]*/g;
const PIPE = /(?<![|>])\|(?!\|)/;
const GOES_ON = /(&&|\|\||\|&?)\s*\n/g;

/** The text without what cannot part commands: quotes, comments, ends of lines within one command. */
const bare = (text: string): string => text.replace(QUOTED, 'x').replace(COMMENT, '$1').replace(GOES_ON, '$1 ');

export const hasPipe = (command: string | readonly string[]): boolean =>
  typeof command === 'string' && PIPE.test(bare(command));

/** Why a text may fail now where its last command alone would not; undefined when it cannot. */
export function whyStricter(command: string | readonly string[], kind: CommandKind): string | undefined {
  if (typeof command !== 'string') return undefined;
  const text = bare(command);
  const [, options = ''] = /^\s*set -(\S+[^\n;]*)/.exec(text) ?? [];
  const stopsAlready = /^[a-z]*e/.test(options);
  const parts = text.split(/\n|;/).filter((part) => part.trim() !== '');
  const several =
    !stopsAlready && parts.length > 1 ? [/\n/.test(text.trim()) ? 'several lines' : 'several commands'] : [];
  const pipe = kind === 'command' && PIPE.test(text) && !/pipefail/.test(options) ? ['a pipe'] : [];
  const why = [...several, ...pipe];
  return why.length > 0 ? why.join(' and ') : undefined;
}

/** Every command of a map that a shell now stops earlier than before: where it stands, and why. */
export function stricterCommands(map: ContextMap): { where: string; stage: string; why: string }[] {
  return Object.entries(map.stages).flatMap(([stage, { command, verify, diagnostics }]) => {
    const rows: [where: string, command: string | readonly string[], kind: CommandKind][] = [
      ['command', command, 'command'],
      ...verify.flatMap((entry, i): typeof rows => (isBuiltInCheck(entry) ? [] : [[`verify[${i}]`, entry, 'check']])),
      ...diagnostics.map((entry, i): (typeof rows)[number] => [`diagnostics[${i}]`, entry, 'check']),
    ];
    return rows.flatMap(([where, text, kind]) => {
      const why = whyStricter(text, kind);
      return why === undefined ? [] : [{ where: `stages.${stage}.${where}`, stage, why }];
    });
  });
}
