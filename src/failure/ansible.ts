// What Ansible says of a task that failed on a host: the cause out of its JSON or YAML, with task and host. Pure.
import { unescaped } from './speaker.ts';

/** One result of one task on one host. */
export interface TaskResult {
  host: string;
  /** What is wrong, without host, times and what the task was given; empty when the result does not say. */
  cause: string;
  /** Its lines in the log, without those that say nothing; long ones are cut down to their cause. */
  lines: string[];
  /** The index of the line behind it. */
  next: number;
  /** The play goes on as if nothing was. */
  isIgnored: boolean;
}

/** `TASK [k3s : Join] ***`, and what is run for changes. */
export const TASK_HEADER = /^(?:TASK|RUNNING HANDLER) \[.{0,300}?\](?= ?\*|$)/;

const RESULT = /^(?:fatal|failed): \[([^\]]{1,200})\](?: \(item=(.{0,300}?)\))?:? (?:(FAILED|UNREACHABLE)! )?=> ?/;
/** Of `ansible`, without a playbook. */
const AD_HOC = /^([\w.-]{1,80}) \| ()(FAILED|UNREACHABLE)(?:!| \| rc=\d+)? (?:=>|>>) ?/;
/** Ansible's own words about an exception; the result below it says what it was, or only that there was one. */
const EXCEPTION = /^An exception occurred during task execution\..{0,80}? The error was: (.*)$/;

const GENERIC =
  /^(?:non-zero return code|MODULE FAILURE\b|The module failed to execute|Assertion failed$|Request failed$|All items completed|One or more items failed|Failed as requested from task|the output has been hidden)/i;
/** Where Ansible found it; what it quotes of the file below that says nothing. */
export const OFFENDING = /^The error appears to (?:be|have been) in ('.{1,300}': line \d+, column \d+).*/;
const MAX_BODY_LINES = 40;
const MAX_CAUSE_LINES = 4;
/** A result that is longer is told by its cause alone. */
const MAX_RAW_CHARS = 400;

/** The result that begins at line `i`; undefined when none does. */
export function taskResultAt(lines: readonly string[], i: number): TaskResult | undefined {
  const exception = EXCEPTION.exec(lines[i] as string)?.[1];
  const at = exception === undefined ? i : i + 1;
  const line = lines[at] ?? '';
  const head = RESULT.exec(line) ?? AD_HOC.exec(line);
  if (!head) return undefined;
  const [front, place = '', item = '', status = 'FAILED'] = head;
  const { body, next } = front.includes('>>') ? printedOf(lines, at) : bodyOf(lines, at, line.slice(front.length));
  const fields = front.includes('>>') ? new Map([['stderr', body]]) : fieldsOf(body);
  const reason = causeOf(fields, exception);
  const rc = fields.get('rc') ?? / rc=(\d+) /.exec(front)?.[1];
  const about = [...(item ? [`item ${item}`] : []), ...(rc && rc !== '0' ? [`rc ${rc}`] : [])].join(', ');
  const cause = reason === '' ? '' : `${status}${about ? ` (${about})` : ''}: ${reason}`;
  const raw = lines.slice(at, next);
  const isLong = raw.join('').length > MAX_RAW_CHARS;
  const summary =
    reason === '' ? raw.slice(0, 1) : [`${front.trimEnd()} ${reason.split('\n')[0]}`, ...detailsOf(reason)];
  // Text that YAML puts below its key.
  const isBlock = raw.some((text, k) => /: [|>]-?$/.test(text) || (k === 0 && AD_HOC.test(text)));
  const fieldLines = raw.filter(
    (text, k) => k === 0 || /\b(?:msg|message|assertion|stderr|stdout|rc|item)"?: /.test(text),
  );
  return {
    host: place.replace(/ -> .*/, ''),
    cause,
    lines: isLong || reason === '' || isBlock ? summary : fieldLines,
    next,
    isIgnored: lines[next]?.trim() === '...ignoring',
  };
}

/** What stands below the first line of a cause, up to where Ansible found it. */
function detailsOf(reason: string): string[] {
  const details = reason.split('\n').slice(1);
  const place = details.findIndex((line) => OFFENDING.test(line));
  return place < 0 ? details : [...details.slice(0, place), (details[place] as string).replace(OFFENDING, 'in $1')];
}

/** What a command printed, up to the word of the next host; Ansible puts its own word behind the last line. */
function printedOf(lines: readonly string[], at: number): { body: string; next: number } {
  let next = at + 1;
  while (next - at < MAX_BODY_LINES && next < lines.length && !HOST_ENDED.test(lines[next] as string)) next++;
  return {
    body: lines
      .slice(at + 1, next)
      .join('\n')
      .replace(/non-zero return code\s*$/, ''),
    next,
  };
}
const HOST_ENDED = /^[\w.-]{1,80} \| (?:CHANGED|SUCCESS|FAILED|UNREACHABLE)\b|^(?:PLAY|TASK|mendloop:) ?/;

/** The rest of a result: on its line, as JSON over several lines, or as indented YAML. */
function bodyOf(lines: readonly string[], at: number, rest: string): { body: string; next: number } {
  const isOpen = rest === '{' || rest === '';
  let next = at + 1;
  if (isOpen) {
    const isIndented = (line: string | undefined) => line !== undefined && /^\s+\S/.test(line);
    const goesOn = () => isIndented(lines[next]) || (lines[next] === '' && isIndented(lines[next + 1]));
    while (next - at < MAX_BODY_LINES && goesOn()) next++;
    if (rest === '{' && lines[next]?.trim() === '}') next++;
  }
  return { body: [rest, ...lines.slice(at + 1, next)].join('\n'), next };
}

const JSON_FIELD =
  /"(msg|message|assertion|stderr|module_stderr|stdout|module_stdout|rc|reason|response)": (?:"((?:[^"\\]|\\.)*)"?|(-?\d+))/g;
const YAML_FIELD = /^( +)(msg|message|assertion|stderr|module_stderr|stdout|rc): (?:\|-?|>-?)?[ ]*(.*(?:\n\1 +.*)*)/gm;

function fieldsOf(body: string): Map<string, string> {
  const fields = new Map<string, string>();
  const add = (name: string, value: string) => {
    if (!fields.has(name)) fields.set(name, value.trim());
  };
  for (const [, name, text, number] of body.matchAll(JSON_FIELD))
    add(name as string, number ?? unescaped(text as string));
  if (fields.size === 0) {
    for (const [, , name, text] of body.matchAll(YAML_FIELD))
      add(name as string, (text as string).replace(/^['"]|['"]$/g, ''));
  }
  return fields;
}

/** Of the message what is no general word; else what the command or the module printed. */
function causeOf(fields: ReadonlyMap<string, string>, exception: string | undefined): string {
  const message = fields.get('msg') ?? fields.get('message') ?? fields.get('reason') ?? '';
  if (message !== '' && !GENERIC.test(message)) return firstLines(message);
  const answered = fields.get('stderr') || fields.get('response') || fields.get('assertion');
  const printed = answered || lastLine(fields.get('module_stderr')?.replace(SSH_ENDED, '') ?? '') || exception;
  return lastLines(printed || fields.get('stdout') || lastLine(fields.get('module_stdout') ?? '') || message);
}

/** Of ssh, behind every module: it says nothing. */
const SSH_ENDED = /^Shared connection to \S+ closed\.\s*$/m;

/** What Ansible adds to many messages. */
const BOILERPLATE =
  /^(?:be elsewhere in the file|The offending line appears|If you are using a module and expect|\s*\^ here|\s*$)/;

const textLines = (text: string): string[] => text.split('\n').filter((line) => !BOILERPLATE.test(line));
const firstLines = (text: string): string => textLines(text).slice(0, MAX_CAUSE_LINES).join('\n');
const lastLines = (text: string): string => textLines(text).slice(-MAX_CAUSE_LINES).join('\n');
const lastLine = (text: string): string => textLines(text).at(-1) ?? '';
