// A timer of systemd and its service, as units of the user: written, and read back.
import { basename, join } from 'node:path';
import { idOf, type Job, markOf, type Part, type Schedule } from './job.ts';
import { calendar, readBack } from './times.ts';

/** The name of both units, with that of the home's folder in it. */
export const unitName = (home: string): string =>
  `mendloop-${basename(home).replace(/[^\w.-]/g, '_')}-${idOf(home).slice(0, 8)}`;

/** A word of a unit; `%` begins a specifier there. */
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%%')}"`;
/** Starts the program: systemd refuses one whose path has a quote, but passes it as an argument. */
const ENV = '/usr/bin/env';
const unquoted = (text: string): string => text.replaceAll(/\\(.)/g, '$1').replaceAll('%%', '%');

/** Service and timer, to stand in `folder`. */
export function unitsOf(job: Job, folder: string): [service: Part, timer: Part] {
  const { home, times, env, argv } = job;
  const unit = (type: string, about: string, ...lines: readonly string[]): Part => ({
    path: join(folder, `${unitName(home)}.${type}`),
    text: [markOf(job), '[Unit]', `Description=${about} in ${home.replaceAll('%', '%%')}`, ...lines, ''].join('\n'),
  });
  const service = unit(
    'service',
    'mendloop',
    '',
    '[Service]',
    'Type=oneshot',
    ...Object.entries(env).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    `ExecStart=${ENV} ${argv.map((word) => quoted(word).replaceAll('$', '$$$$')).join(' ')}`,
    '# another run is at work',
    'SuccessExitStatus=75',
    '# what a stage leaves running on purpose outlives the run',
    'KillMode=process',
  );
  const when = [`OnCalendar=${calendar(times)}`, 'Persistent=true', '', '[Install]', 'WantedBy=timers.target'];
  return [service, unit('timer', 'When mendloop runs', '', '[Timer]', ...when)];
}

/** The schedule that a service and a timer make. */
export function readUnits(parts: readonly [service: Part, timer: Part]): Schedule {
  const [service, timer] = parts.map(({ text }) => text) as [string, string];
  const value = (text: string, key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1] ?? '';
  const settings = [...service.matchAll(/^Environment="((\w+)=(?:[^"\\]|\\.)*)"$/gm)];
  const words = value(service, 'ExecStart').matchAll(/"((?:[^"\\]|\\.)*)"/g);
  const when = value(timer, 'OnCalendar');
  return {
    kind: 'systemd',
    when,
    times: readBack(when),
    since: /since (\S+)/.exec(timer)?.[1] ?? '',
    env: Object.fromEntries(settings.map(([, text = '', name = '']) => [name, unquoted(text.slice(name.length + 1))])),
    argv: [...words].map(([, text = '']) => unquoted(text.replaceAll('$$', () => '$'))),
    parts,
  };
}
