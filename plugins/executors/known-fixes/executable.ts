// A script that may not be executed.
import { fileNamed, lastComplaint, linesOf } from './complaints.ts';
import { lineAt } from './lines.ts';
import type { Repair, RepairFacts } from './repair.ts';
import { commandPlace } from './script-words.ts';
import { textOf } from './source-text.ts';
import { scriptOf, shellOf } from './stage-script.ts';

const DENIED = /^(?:exec: )?(\S+): (?:cannot execute: )?Permission denied$/;
/** Said by others than a shell that reads a script. */
const STARTED = [/^(?:\/usr\/bin\/)?env: .?([^\s'‘’"]+).?: Permission denied$/, /(?:^|\s)spawn (\S+) EACCES$/];
const SCRIPT = /\.(?:sh|bash|py|mjs|js|rb|pl)$/;

/** Whether a file can be executed once it may be. */
export const isScript = (path: string, text: string): boolean => text.startsWith('#!') || SCRIPT.test(path);

/** The repair of a missing executable bit. */
export const executable: Repair = {
  name: 'executable',
  about: 'a script without the executable bit',
  async find(facts) {
    const path = await deniedScript(facts);
    const text = path === undefined ? undefined : await textOf(facts, path);
    if (path === undefined || text === undefined || !isScript(path, text)) return undefined;
    const note = {
      fix: `Make ${path} executable`,
      reason: `The stage runs ${path} as a command, and the system denied permission to execute it`,
    };
    return { files: {}, executable: [path], note };
  },
};

async function deniedScript(facts: RepairFacts): Promise<string | undefined> {
  const found = lastComplaint(facts, DENIED);
  if (found) {
    const [, said = ''] = found.match;
    const path = fileNamed(said, facts);
    return path !== undefined && (await isStartedAt(facts, found.complaint, said)) ? path : undefined;
  }
  const last = linesOf(facts).at(-1) ?? '';
  const said = STARTED.map((pattern) => pattern.exec(last)?.[1]).find((name) => name !== undefined);
  return said === undefined ? undefined : fileNamed(said, facts);
}

/** The stage's own command starts it, or it is a command at that line; a redirection into it would be denied too. */
async function isStartedAt(facts: RepairFacts, place: { file: string; line: number }, said: string): Promise<boolean> {
  const { command } = facts.stage;
  if (/^(?:mendloop|bash|sh|\/bin\/(?:ba)?sh)$/.test(place.file)) {
    if (shellOf(command) !== undefined) return false;
    const plain = typeof command === 'string' ? command : command.join(' ');
    return scriptOf(command) === fileNamed(said, facts) || commandPlace(plain, said) !== undefined;
  }
  const caller = fileNamed(place.file, facts);
  const text = caller === undefined ? undefined : await textOf(facts, caller);
  const line = text === undefined ? undefined : lineAt(text, place.line);
  if (line === undefined) return false;
  // A path that comes out of a variable is not to be seen on the line.
  return commandPlace(line, said) !== undefined || /^\s*"?\$\{?\w+\}?(?:\/|"?(?:\s|$))/.test(line);
}
