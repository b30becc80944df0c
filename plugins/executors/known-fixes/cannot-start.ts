// A script that the system does not start (it may not be executed, or does not say which program reads it), or that the wrong
// program reads: its first line names sh where only bash understands the rest.
import {
  capturedBy,
  complaints,
  errorLines,
  fileNamed,
  lastComplaint,
  lastComplaintInFile,
  sourceFile,
} from './complaints.ts';
import { lineAt, onlyOne, type Repair, type RepairFacts, rewritten, textOf } from './repair.ts';
import { commandPlace, scriptOf, shellOf } from './scripts.ts';

const DENIED = /^(?:exec: )?(\S+): (?:cannot execute: )?Permission denied$/;
/** Errors of programs other than a shell that reads a script. */
const NOT_STARTED = [
  /^(?:\/usr\/bin\/)?env: .?([^\s'‘’"]+).?: Permission denied$/,
  /(?:^|\s)spawn (\S+) EACCES$/,
  /^g?make(?:\[\d+\])?: (?:execvp: )?(\S+): Permission denied$/,
];
const SCRIPT = /\.(?:sh|bash|py|mjs|js|rb|pl)$/;

export const executable: Repair = async (facts) => {
  const { path, text } = (await sourceFile(facts, await deniedScript(facts))) ?? {};
  if (path === undefined || !(text?.startsWith('#!') || SCRIPT.test(path))) return undefined;
  const reason = `The stage runs ${path} as a command, and the system denied permission to execute it`;
  return { files: {}, executable: [path], note: { fix: `Make ${path} executable`, reason } };
};

/** Its name in the errors. */
async function deniedScript(facts: RepairFacts): Promise<string | undefined> {
  const denied = lastComplaint(facts, DENIED);
  if (!denied) return onlyOne([...new Set(errorLines(facts).flatMap((line) => capturedBy(NOT_STARTED, line) ?? []))]);
  const name = denied.match[1] as string;
  return (await isStartedAt(facts, denied, name)) ? name : undefined;
}

/** Whether the script is started there, by the stage's command or by that line: writing into it may be denied, too. */
async function isStartedAt(facts: RepairFacts, place: { file: string; line: number }, name: string): Promise<boolean> {
  const { command } = facts.stage;
  if (/^(?:mendloop|bash|sh|\/bin\/(?:ba)?sh)$/.test(place.file)) {
    if (shellOf(command) !== undefined) return false;
    const plain = typeof command === 'string' ? command : command.join(' ');
    return scriptOf(command) === fileNamed(name, facts) || commandPlace(plain, name) !== undefined;
  }
  const line = lineAt((await sourceFile(facts, place.file))?.text ?? '', place.line);
  // The line may name it through a variable.
  return commandPlace(line, name) !== undefined || /^\s*"?\$\{?\w+\}?(?:\/|"?(?:\s|$))/.test(line);
}

const BASH = '#!/usr/bin/env bash';
const PYTHON = '#!/usr/bin/env python3';

/** What dash says of bash's own language, and what must then stand on that line. */
const ONLY_BASH: readonly (readonly [error: RegExp, source: RegExp])[] = [
  [/^set: Illegal option -o pipefail$/, /\bset\b.*\bpipefail\b/],
  [/^\[\[: not found$/, /\[\[ /],
  [
    /^(?:source|declare|shopt|mapfile|readarray|pushd|popd|let|typeset): not found$/,
    /\b(?:source|declare|shopt|mapfile|readarray|pushd|popd|let|typeset)\s/,
  ],
  [/^Syntax error: "\(" unexpected/, /\b\w+\+?=\(/],
  [/^Syntax error: redirection unexpected/, /<<<|[<>]\s*[<>]\(/],
  [/^Bad substitution$/, /\$\{\w+(?:\[[^\]]*\]|\/|\^|,|@|:\d)|\$\{!/],
];

const NO_FORMAT = [
  /\bExec format error: ['‘"]?([^\s'’"]+)/i,
  /(?:^|[\s:])["'‘]?([^\s:'‘’"]+)["'’]?: (?:cannot execute binary file: )?exec format error$/i,
  /\bspawn (\S+) ENOEXEC\b/,
];

/** The text with bash named in its first line, which names sh now; undefined when it does not. */
export function withBash(text: string): string | undefined {
  const first = /^#![ \t]*(?:\/usr)?\/bin\/(?:env[ \t]+)?(?:da)?sh((?:[ \t]+-[a-z]+)?)[ \t]*(?=\n|$)/.exec(text);
  if (!first) return undefined;
  const options = first[1]?.trim();
  return `${options ? `#!/bin/bash ${options}` : BASH}${text.slice(first[0].length)}`;
}

/** The text with a first line for its language, by its name and its looks; undefined when that is not clear. */
export function withShebang(path: string, text: string): string | undefined {
  if (text.startsWith('#!') || text.trim() === '' || /^[^\t\n\r -~]/.test(text)) return undefined;
  if (/\.(?:sh|bash)$/.test(path)) return `${BASH}\n${text}`;
  return /\.py$/.test(path) && /^(?:import|from|def|class) \w+/m.test(text) ? `${PYTHON}\n${text}` : undefined;
}

export const shebang: Repair = async (facts) => (await forBash(facts)) ?? (await forExec(facts));

const forBash: Repair = async (facts) => {
  const [error, source] = ONLY_BASH.find(([pattern]) => lastComplaint(facts, pattern)) ?? [];
  const last = error && (await lastComplaintInFile(facts, error));
  if (!last || !source?.test(last.source) || (await isGivenToSh(facts, last.path))) return undefined;
  return rewritten(last, withBash(last.text), {
    fix: `Name bash in the first line of ${last.path}`,
    reason: `Line ${last.line} is written for bash, and sh does not understand it`,
  });
};

const forExec: Repair = async (facts) => {
  const refused = fileNamed(capturedBy(NO_FORMAT, errorLines(facts).at(-1) ?? ''), facts);
  const script = await sourceFile(facts, refused ?? readByShell(facts));
  if (!script) return undefined;
  return rewritten(script, withShebang(script.path, script.text), {
    fix: `Add the first line that says which program reads ${script.path}`,
    reason: 'The system cannot start a script that does not say what it is written for',
  });
};

/** Python that the shell was left to read. */
function readByShell(facts: RepairFacts): string | undefined {
  const [first, ...more] = complaints(facts);
  if (!first?.file.endsWith('.py') || !/^(?:import|from): (?:command )?not found$/.test(first.words)) return undefined;
  if (more.some(({ file }) => file !== first.file)) return undefined;
  return shellOf(facts.stage.command) === undefined ? first.file : undefined;
}

/** Whether sh is told to read the script: then its first line counts for nothing. */
async function isGivenToSh(facts: RepairFacts, path: string): Promise<boolean> {
  const { command } = facts.stage;
  const script = scriptOf(command);
  if (script === path) return shellOf(command) !== undefined;
  const name = (path.split('/').at(-1) as string).replace(/\W/g, '\\$&');
  const reads = new RegExp(`\\b(?:sh|dash|source)[ \\t]+["']?\\S*${name}|(?:^|[;&])[ \\t]*\\.[ \\t]+\\S*${name}`, 'm');
  return reads.test((await textOf(facts, script)) ?? '');
}
