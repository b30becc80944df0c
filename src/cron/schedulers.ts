// The schedulers of this machine: the user's crontab and the user's systemd. Looks at, installs and removes what is a home's.
import { join } from 'node:path';
import { fail } from '../errors.ts';
import { fileFacts } from '../io/files.ts';
import { runProgram } from '../io/program.ts';
import { privateFolder, readText, removeFile, writeAtomic } from '../io/store.ts';
import { commandLength, cronLines, editCrontab, handWritten, MAX_COMMAND, ourLines, readCrontab } from './crontab.ts';
import type { Job, Part, Schedule, SchedulerKind } from './job.ts';
import { readUnits, unitName, unitsOf } from './units.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What schedulers have for a home. */
export interface Found {
  readonly schedules: readonly Schedule[];
  /** All that `remove` takes away: also what is no schedule any more, because a line was commented out or a file deleted. */
  readonly parts: readonly Part[];
  /** Lines of the crontab that start mendloop by their owner's hand. */
  readonly byHand: readonly string[];
}

/** A crontab that may not be read counts as none. */
export async function findSchedules(home: string, env: Env): Promise<Found> {
  const answer = await listCrontab();
  const crontab = answer && 'text' in answer ? answer.text : '';
  const units = findUnits(home, env);
  const [service, timer] = units;
  const schedules = [readCrontab(crontab, home), service && timer ? readUnits([service, timer]) : undefined];
  return {
    schedules: schedules.filter((one) => one !== undefined),
    parts: [...ourLines(crontab, home), ...units],
    byHand: handWritten(crontab),
  };
}

/** What `install` would write. */
export const partsOf = (kind: SchedulerKind, job: Job, env: Env): readonly Part[] =>
  kind === 'crontab' ? cronLines(job).map((text) => ({ text })) : unitsOf(job, unitFolder(env));

/** Makes `job` the only schedule of its home. Throws MendError. */
export async function install(kind: SchedulerKind, job: Job, env: Env): Promise<void> {
  if (kind === 'crontab') {
    await writeCrontab(job.home, cronLines(job));
    return removeUnits(job.home, env);
  }
  privateFolder(unitFolder(env));
  for (const { path = '', text } of partsOf(kind, job, env)) writeAtomic(path, text);
  const timer = `${unitName(job.home)}.timer`;
  await systemctl('daemon-reload');
  await systemctl('enable', timer);
  // Restart the timer: an active one keeps its old times.
  await systemctl('restart', timer);
  if ((await listCrontab()) !== undefined) await writeCrontab(job.home, []);
}

/** Throws MendError for what cannot be installed here. */
export async function requireScheduler(kind: SchedulerKind, job: Job): Promise<void> {
  if (kind === 'systemd') return systemctl('show-environment');
  await crontabOrFail();
  const longest = Math.max(...cronLines(job).map(commandLength));
  if (longest > MAX_COMMAND)
    fail('E_CRON_UNFIT', {
      what: `the line would have ${longest} characters, and cron takes ${MAX_COMMAND}; most of them are PATH`,
      next: 'with a short one: PATH=/usr/local/bin:/usr/bin:/bin mendloop cron install\nor with a timer: mendloop cron install --systemd',
    });
}

/** Takes every schedule of a home away. Throws MendError. */
export async function remove(home: string, env: Env): Promise<void> {
  if ((await listCrontab()) !== undefined) await writeCrontab(home, []);
  await removeUnits(home, env);
}

/** Whether timers of this user also run while nobody is logged in. */
export const lingers = ({ USER, LOGNAME }: Env): boolean =>
  fileFacts(`/var/lib/systemd/linger/${USER ?? LOGNAME ?? ''}`)?.isFile === true;

/** Its text as bytes; undefined when there is no such program. */
async function listCrontab(): Promise<{ text: string } | { refused: string } | undefined> {
  const listed = await runProgram('crontab', ['-l'], { encoding: 'latin1' });
  // Debian's crontab -l spells two control characters out, as \b and \r; an editor gets the file unchanged.
  const isSpelt = listed?.ok && /\\[br]/.test(listed.stdout);
  const env = { ...process.env, VISUAL: 'cat', EDITOR: 'cat' };
  const answer = isSpelt ? await runProgram('crontab', ['-e'], { encoding: 'latin1', env }) : listed;
  if (!answer || answer.ok) return answer && { text: answer.stdout };
  // A missing crontab and an unreadable one have the same exit code. Confusing them would lose every line.
  const isNone = /^no crontab for |^crontab: can't open '[^']*': No such file/m.test(answer.stderr);
  return isNone ? { text: '' } : { refused: answer.stderr };
}

async function crontabOrFail(): Promise<string> {
  const answer = await listCrontab();
  return answer && 'text' in answer ? answer.text : refuse('crontab', answer?.refused);
}

async function writeCrontab(home: string, lines: readonly string[]): Promise<void> {
  const before = await crontabOrFail();
  const after = editCrontab(before, home, lines);
  if (after === before) return;
  const answer = await runProgram('crontab', after === '' ? ['-r'] : ['-'], { input: after, encoding: 'latin1' });
  if (!answer?.ok) refuse('crontab', answer?.stderr);
}

const OR_TIMER = 'or take a timer of systemd: mendloop cron install --systemd';
const OR_LINE = 'or take a line of crontab: mendloop cron install --crontab';
/** What to do when there is no such program, and when it refuses. */
const HELP = {
  crontab: [
    `install it (Debian: apt install cron)\n${OR_TIMER}`,
    `see for yourself: crontab -l; who may have one stands in /etc/cron.allow and /etc/cron.deny\n${OR_TIMER}`,
  ],
  systemctl: [
    `this machine is not run by systemd, it seems\n${OR_LINE}`,
    `log in as this user, not by su or sudo, and see for yourself: systemctl --user status\n${OR_LINE}`,
  ],
} as const;

/** Throws E_SCHEDULER; without `stderr` because there is no such program. */
function refuse(program: keyof typeof HELP, stderr?: string): never {
  const what = stderr === undefined ? `there is no program ${program} here` : `${program} refused`;
  const lines = stderr?.split('\n').filter((line) => line.trim() !== '');
  fail('E_SCHEDULER', { what, next: HELP[program][stderr === undefined ? 0 : 1] }, lines);
}

async function systemctl(...words: readonly string[]): Promise<void> {
  const answer = await runProgram('systemctl', ['--user', ...words]);
  if (!answer?.ok) refuse('systemctl', answer?.stderr);
}

const unitFolder = ({ XDG_CONFIG_HOME, HOME = '/' }: Env): string =>
  join(XDG_CONFIG_HOME || join(HOME, '.config'), 'systemd/user');

const unitPaths = (home: string, env: Env): string[] =>
  ['service', 'timer'].map((type) => join(unitFolder(env), `${unitName(home)}.${type}`));

const findUnits = (home: string, env: Env): Part[] =>
  unitPaths(home, env).flatMap((path) => {
    const text = readText(path);
    return text === undefined ? [] : [{ path, text }];
  });

async function removeUnits(home: string, env: Env): Promise<void> {
  const paths = unitPaths(home, env).filter((path) => fileFacts(path));
  if (paths.length === 0) return;
  const timer = `${unitName(home)}.timer`;
  // Without a user session systemctl fails, and removing the files is enough.
  const stopped = await runProgram('systemctl', ['--user', 'disable', '--now', timer]);
  for (const path of [...paths, join(unitFolder(env), 'timers.target.wants', timer)]) removeFile(path);
  if (stopped?.ok) await systemctl('daemon-reload');
}
