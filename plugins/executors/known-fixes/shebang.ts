// A script that the wrong program reads: its first line is missing, or names sh where only bash understands the rest.
import {
  type Complaint,
  capturedBy,
  complaints,
  errorLines,
  fileNamed,
  lastComplaint,
  lastComplaintInFile,
} from './complaints.ts';
import { type Repair, type RepairFacts, rewritten } from './repair.ts';
import { scriptOf, shellOf } from './script-words.ts';
import { textOf } from './source-text.ts';

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

export const shebang: Repair = {
  name: 'shebang',
  async find(facts) {
    return (await forBash(facts)) ?? (await forExec(facts));
  },
};

async function forBash(facts: RepairFacts) {
  const [error, source] = ONLY_BASH.find(([pattern]) => lastComplaint(facts, pattern)) ?? [];
  const last = error && (await lastComplaintInFile(facts, error));
  if (!last || !source?.test(last.line) || (await isGivenToSh(facts, last.path))) return undefined;
  const { path, text, complaint } = last;
  return rewritten(path, text, withBash(text), {
    fix: `Name bash in the first line of ${path}`,
    reason: `Line ${complaint.line} is written for bash, and sh does not understand it`,
  });
}

async function forExec(facts: RepairFacts) {
  const refused = fileNamed(capturedBy(NO_FORMAT, errorLines(facts).at(-1) ?? ''), facts);
  const path = refused ?? readByShell(facts);
  const text = await textOf(facts, path);
  if (path === undefined || text === undefined) return undefined;
  return rewritten(path, text, withShebang(path, text), {
    fix: `Add the first line that says which program reads ${path}`,
    reason: 'The system cannot start a script that does not say what it is written for',
  });
}

/** Python that the shell was left to read. */
function readByShell(facts: RepairFacts): string | undefined {
  const placed = complaints(facts);
  const isPython = ({ file, words }: Complaint) =>
    file.endsWith('.py') && /^(?:import|from): (?:command )?not found$/.test(words);
  const [first] = placed;
  if (!first || !isPython(first) || placed.some(({ file }) => file !== first.file)) return undefined;
  return shellOf(facts.stage.command) === undefined ? fileNamed(first.file, facts) : undefined;
}

/** Whether sh is told to read the script: then its first line counts for nothing. */
async function isGivenToSh(facts: RepairFacts, path: string): Promise<boolean> {
  const { command } = facts.stage;
  if (shellOf(command) !== undefined && scriptOf(command) === path) return true;
  const script = scriptOf(command);
  const caller = script === path ? undefined : await textOf(facts, script);
  const name = (path.split('/').at(-1) as string).replace(/\W/g, '\\$&');
  return new RegExp(`\\b(?:sh|dash|source)[ \\t]+["']?\\S*${name}|(?:^|[;&])[ \\t]*\\.[ \\t]+\\S*${name}`, 'm').test(
    caller ?? '',
  );
}
