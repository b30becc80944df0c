// Scripts with the line ends of another system: the shell takes the carriage return for a part of each line.
import { capturedBy, complaints, errorLines, fileNamed, lastComplaint } from './complaints.ts';
import { onlyOne, type Repair, type RepairFacts, rewritten, textsOf } from './repair.ts';
import { scriptOf } from './scripts.ts';

/** Errors that name the file. */
const NAMED = [/^\$'\\r': (?:command )?not found$/, /^syntax error near unexpected token `\$'.*\\r''$/];
/** Errors with many causes: CRLF is the cause when all lines end so. */
const VAGUE = [
  /^syntax error near unexpected token `(?:elif|else|fi|done|do|then|esac|in)\s*'?$/,
  /^syntax error: unexpected end of file/,
  /^Syntax error: (?:end of file unexpected|word unexpected|"[^"]+" unexpected)/,
];

/** Errors of a script that could not be started; the first group names it. */
const NOT_STARTED = [
  /(?:^|: )([^\s:]+): \S*\/[\w.+-]+(?:\^M|\\r): bad interpreter: /,
  /(?:^|: )([^\s:]+): cannot execute: required file not found$/,
  /^mendloop: \d+: exec: ([^\s:]+): not found$/,
  /^(?:spawn|exec) ([^\s:]+)(?:: no such file or directory| ENOENT)$/,
];

/** Errors without any name: the script is the one that the stage starts, or the only one with such line ends. */
const UNNAMED = [
  /^(?:\/usr\/bin\/)?env: .?[\w.+-]+(?:\\r|\^M|’\$'\\r'|'\$'\\r').?: No such file/,
  /^: invalid option(?: name)?$/,
  /^: (?:numeric argument required|not a valid identifier|No such file or directory)$/,
];

const NO_SCRIPT = /\.(?:bat|cmd|ps1|psm1|vbs|reg|md|txt|csv|tsv)$/i;

/** Every CRLF as LF; a carriage return elsewhere stays. */
export const unixLineEnds = (text: string): string => text.replaceAll('\r\n', '\n');

export const crlf: Repair = async (facts) => {
  const texts = await textsOf(facts, (path) => !NO_SCRIPT.test(path));
  const broken = new Map([...texts].filter(([, text]) => text.includes('\r\n')));
  const path = faultyScript(facts, broken);
  const text = path === undefined ? undefined : broken.get(path);
  if (path === undefined || text === undefined) return undefined;
  return rewritten({ path, text }, unixLineEnds(text), {
    fix: `Give ${path} Unix line ends`,
    reason: 'The shell takes the carriage return at the end of its lines for a part of the commands',
  });
};

function faultyScript(facts: RepairFacts, broken: ReadonlyMap<string, string>): string | undefined {
  const complaint = [...NAMED, ...VAGUE].map((pattern) => lastComplaint(facts, pattern)).find(Boolean);
  if (complaint) {
    const path = fileNamed(complaint.file, facts) ?? '';
    const isVague = VAGUE.some((pattern) => pattern.test(complaint.words));
    return endsBadly(broken.get(path), complaint.line, isVague) ? path : undefined;
  }
  const lines = errorLines(facts);
  for (const line of lines) {
    const path = fileNamed(capturedBy(NOT_STARTED, line), facts) ?? '';
    if (/^#!.*\r\n/.test(broken.get(path) ?? '')) return path;
  }
  const last = lines.at(-1) ?? '';
  if (UNNAMED.some((pattern) => pattern.test(last)) && complaints(facts).length === 0) {
    const scripts = [...broken].filter(([path, text]) => text.startsWith('#!') || /\.(?:sh|bash)$/.test(path));
    const script = scriptOf(facts.stage.command);
    return scripts.some(([path]) => path === script) ? script : onlyOne(scripts)?.[0];
  }
  const quoted = /: '([^']+)'\$'\\r': No such file or directory$/.exec(last)?.[1];
  return quoted === undefined ? undefined : onlyOne([...broken].filter(([, text]) => endsLines(text, quoted)))?.[0];
}

/** Whether all lines end in CRLF, or one up to the line that the shell named, which may be later than the cause. */
function endsBadly(text: string | undefined, line: number, all: boolean): boolean {
  const lines = text?.replace(/\n$/, '').split('\n').slice(0, line) ?? [];
  const isBad = (one: string) => one.endsWith('\r');
  return all ? lines.length > 0 && lines.every(isBad) : lines.some(isBad);
}

const endsLines = (text: string, word: string): boolean =>
  text.split('\n').some((line) => line.replace(/["']?\r$/, '\r').endsWith(`${word}\r`));
