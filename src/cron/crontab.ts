// Our lines of a crontab: written, recognised by a mark at their end, removed. Every other byte stays. The mark is a shell comment
// in the line itself: settings or a block of lines could affect the lines of others. Texts here are latin1, one character per byte,
// because the encoding of a crontab is unknown.
import { shellWord } from '../worktree/messages.ts';
import { idOf, type Job, markOf, type Part, type Schedule } from './job.ts';
import { cronFields, isOften, readBack } from './times.ts';

/** What cron takes as a command; longer ones are refused, or cut by other crons. */
export const MAX_COMMAND = 998;
/** After a boot the network takes a while. */
const AFTER_BOOT = 'sleep 60; ';

const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const textOf = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

/** The lines for a job, as text. */
export function cronLines(job: Job): string[] {
  const settings = Object.entries(job.env).map(([name, value]) => `${name}=${shellWord(value)}`);
  const command = [...settings, ...job.argv.map(plainOption), markOf(job)].join(' ').replaceAll('%', '\\%');
  const missed = isOften(job.times) ? [] : [`@reboot ${AFTER_BOOT}${command}`];
  return [`${cronFields(job.times)} ${command}`, ...missed];
}

/** Unlike `shellWord`, leaves options unquoted. */
const plainOption = (word: string): string => (/^--[\w-]+$/.test(word) ? word : shellWord(word));

/** How long the command of a line is, as cron counts. */
export const commandLength = (line: string): number => bytesOf(line.replace(/^(?:@\w+|(?:\S+ ){5})/, '')).length;

const isOurs = (line: string, home: string): boolean =>
  new RegExp(`# mendloop cron ${idOf(home)} since \\S+\\s*$`).test(line);

/** The crontab without the lines of this home; with `lines` in their place, or at its end. Takes and gives bytes. */
export function editCrontab(crontab: string, home: string, lines: readonly string[]): string {
  const rows = crontab.split(/(?<=\n)/);
  const at = rows.findIndex((row) => isOurs(row, home));
  const others = (part: readonly string[]) => part.filter((row) => !isOurs(row, home)).join('');
  const before = others(at === -1 ? rows : rows.slice(0, at));
  const ours = lines.map((line) => `${bytesOf(line)}\n`).join('');
  const needsEnd = ours !== '' && before !== '' && !before.endsWith('\n');
  return `${before}${needsEnd ? '\n' : ''}${ours}${at === -1 ? '' : others(rows.slice(at))}`;
}

/** The lines of this home, also when they are commented out. */
export const ourLines = (crontab: string, home: string): Part[] =>
  textOf(crontab)
    .split('\n')
    .flatMap((text) => (isOurs(text, home) ? [{ text }] : []));

/** Lines that start mendloop and were written by hand. */
export const handWritten = (crontab: string): string[] =>
  textOf(crontab)
    .split('\n')
    .filter((line) => /^[^#]*\bmendloop\b/.test(line) && !/# mendloop cron [0-9a-f]{12} since \S+\s*$/.test(line));

/** The schedule of a home; undefined when it has none that is at work. */
export function readCrontab(crontab: string, home: string): Schedule | undefined {
  const lines = ourLines(crontab, home);
  const [, when, command = ''] =
    lines.map(({ text }) => /^((?:[^\s#@]\S*\s+){4}\S+)\s+(.*)$/.exec(text)).find((match) => match !== null) ?? [];
  if (when === undefined) return undefined;
  const words = shellWords(command.replaceAll('\\%', '%').replace(/# mendloop cron .*$/, ''));
  const start = words.findIndex((word) => !/^\w+=/.test(word));
  const env = words.slice(0, start).map((word) => word.split(/=(.*)/s).slice(0, 2));
  return {
    kind: 'crontab',
    when,
    times: readBack(when),
    since: /since (\S+)\s*$/.exec(command)?.[1] ?? '',
    env: { PATH: CRON_PATH, ...Object.fromEntries(env) },
    argv: words.slice(start),
    parts: lines,
  };
}

/** Where cron looks for programs when nothing else is said. */
const CRON_PATH = '/usr/bin:/bin';

/** The words of a line that `shellWord` quoted. */
const shellWords = (text: string): string[] =>
  (text.match(/(?:[^\s'\\]|\\.|'[^']*')+/g) ?? []).map((word) =>
    word.replaceAll(/'([^']*)'|\\(.)/g, (_, quoted, one) => quoted ?? one),
  );
