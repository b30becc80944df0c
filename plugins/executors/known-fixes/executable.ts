// A script that may not be executed.
import { capturedBy, errorLines, fileNamed, lastComplaint } from './complaints.ts';
import type { Repair, RepairFacts } from './repair.ts';
import { commandPlace, scriptOf, shellOf } from './script-words.ts';
import { lineAt, textOf } from './source-text.ts';

const DENIED = /^(?:exec: )?(\S+): (?:cannot execute: )?Permission denied$/;
/** Errors of programs other than a shell that reads a script. */
const NOT_STARTED = [/^(?:\/usr\/bin\/)?env: .?([^\s'‘’"]+).?: Permission denied$/, /(?:^|\s)spawn (\S+) EACCES$/];
const SCRIPT = /\.(?:sh|bash|py|mjs|js|rb|pl)$/;

export const executable: Repair = {
  name: 'executable',
  async find(facts) {
    const path = await deniedScript(facts);
    const text = await textOf(facts, path);
    const isScript = path !== undefined && text !== undefined && (text.startsWith('#!') || SCRIPT.test(path));
    if (!isScript) return undefined;
    const note = {
      fix: `Make ${path} executable`,
      reason: `The stage runs ${path} as a command, and the system denied permission to execute it`,
    };
    return { files: {}, executable: [path], note };
  },
};

async function deniedScript(facts: RepairFacts): Promise<string | undefined> {
  const denied = lastComplaint(facts, DENIED);
  if (denied) {
    const [, name = ''] = denied.match;
    const path = fileNamed(name, facts);
    return path !== undefined && (await isStartedAt(facts, denied.complaint, name)) ? path : undefined;
  }
  return fileNamed(capturedBy(NOT_STARTED, errorLines(facts).at(-1) ?? ''), facts);
}

/** The stage's own command starts it, or it is a command at that line; a redirection into it would be denied too. */
async function isStartedAt(facts: RepairFacts, place: { file: string; line: number }, name: string): Promise<boolean> {
  const { command } = facts.stage;
  if (/^(?:mendloop|bash|sh|\/bin\/(?:ba)?sh)$/.test(place.file)) {
    if (shellOf(command) !== undefined) return false;
    const plain = typeof command === 'string' ? command : command.join(' ');
    return scriptOf(command) === fileNamed(name, facts) || commandPlace(plain, name) !== undefined;
  }
  const line = lineAt(await textOf(facts, fileNamed(place.file, facts)), place.line);
  if (line === undefined) return false;
  // A path that comes out of a variable is not to be seen on the line.
  return commandPlace(line, name) !== undefined || /^\s*"?\$\{?\w+\}?(?:\/|"?(?:\s|$))/.test(line);
}
