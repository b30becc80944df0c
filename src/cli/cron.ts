// `mendloop cron [print|install|status|remove]`: what starts it by itself; printed, installed when asked, looked at, taken away.
import { ago, table } from '../console/words.ts';
import { isPassing, type Job, lastingPath, partNames, type SchedulerKind } from '../cron/job.ts';
import { lacking } from '../cron/lacking.ts';
import { findSchedules, install, lingers, partsOf, remove, requireScheduler } from '../cron/schedulers.ts';
import { missedSlots, nextSlot, pastSlots, readTimes, spellTimes } from '../cron/times.ts';
import { fail, failUsage } from '../errors.ts';
import { workedSpans } from '../inspect/freshness.ts';
import { fileFacts, findTool } from '../io/files.ts';
import { programArguments } from '../io/package.ts';
import { askYes, canAnswer } from '../io/stdin.ts';
import { isSecretName } from '../outbound/redact/names.ts';
import { baseOf, type Configuration, configurationAt } from '../stage/configuration.ts';
import { required } from '../stage/requires.ts';
import { counted } from '../triage/words.ts';
import type { Answer, CommandInput } from './command.ts';
import { meantBy } from './input.ts';
import { optionParts, RUN_OPTIONS } from './options.ts';
import { PORTS } from './ports.ts';
import { labOverride, runOptions } from './run-options.ts';

const NEXT = 'mendloop cron print|install|status|remove';

export async function run(input: CommandInput): Promise<Answer> {
  const [word = 'print', ...more] = input.words;
  const act = meantBy('cron', word, WORDS, NEXT);
  if (more.length > 0) failUsage(`nothing may follow cron ${word}, but ${more.join(' ')} does`, NEXT);
  return act(input);
}

const WORDS = { print, install: installed, status, remove: removed };

async function print(input: CommandInput): Promise<Answer> {
  const { kind, job } = await jobOf(input);
  const parts = partsOf(kind, job, process.env);
  const text = parts.flatMap((part) => [...(part.path === undefined ? [] : [`# ${part.path}`]), part.text]);
  return { text, json: { scheduler: kind, parts }, forScripts: true };
}

async function installed(input: CommandInput): Promise<Answer> {
  const { kind, job, config, notes } = await jobOf(input);
  await requireScheduler(kind, job);
  const { schedules, parts: old, byHand } = await findSchedules(job.home, process.env);
  const parts = partsOf(kind, job, process.env);
  const answer = (changed: boolean, text: Answer['text']): Answer => ({
    text,
    json: { changed, scheduler: kind, when: spellTimes(job.times), parts, notes },
  });
  const [before, second] = schedules;
  const asBefore = partsOf(kind, { ...job, since: before?.since ?? '' }, process.env);
  if (before && !second && JSON.stringify(before.parts) === JSON.stringify(asBefore))
    return answer(false, `it is installed already: ${spellTimes(job.times)}`);
  notes.push(
    ...lacking(config.map, { ...job, kind, when: '', parts }, hereOf(input, config)).map(({ what }) => what),
    ...byHand.map((line) => `your crontab starts mendloop by a line of your own, too: ${line}`),
    ...(kind === 'systemd' && !lingers(process.env) ? [LINGER] : []),
  );
  const noteLines = notes.map((note) => `note: ${note}`);
  const lines = [
    ...partNames(old).map((part) => `removes ${part}`),
    ...parts.flatMap(({ path, text }) => [
      `writes ${path ?? 'into your crontab'}:`,
      ...text.trimEnd().replace(/^/gm, '    ').split('\n'),
    ]),
    ...noteLines,
  ];
  if (input.dry) return answer(false, lines);
  if (input.options.yes !== true) {
    if (input.out.json || !canAnswer()) fail('E_CRON_ASK', {}, lines);
    if (!(await askYes([...lines, 'do it?'].join('\n')))) return answer(false, 'nothing was changed');
  }
  await install(kind, job, process.env);
  const next = localTime(nextSlot(job.times, Date.now()));
  return answer(true, [
    `installed for ${kind}: ${spellTimes(job.times)}; next ${next}`,
    ...(input.options.yes === true ? noteLines : []),
    'see how it goes: mendloop cron status',
  ]);
}

const LINGER = 'it runs only while you are logged in, unless you allow it once: loginctl enable-linger';

async function removed({ home: findHome, dry }: CommandInput): Promise<Answer> {
  const home = findHome();
  const parts = partNames((await findSchedules(home, process.env)).parts);
  if (!dry) await remove(home, process.env);
  const lines = parts.map((part) => `${dry ? 'removes' : 'removed'} ${part}`);
  return {
    text: lines.length === 0 ? 'nothing is scheduled here' : lines,
    json: { [dry ? 'removes' : 'removed']: parts },
  };
}

/** Variables that mendloop and the usual tools read: passed on when they are set. A URL with credentials counts as a secret. */
const READ = ['MENDLOOP_LAB', 'OLLAMA_HOST', 'KUBECONFIG', 'TALOSCONFIG', 'ANSIBLE_CONFIG', 'SOPS_AGE_KEY_FILE'];

async function jobOf(input: CommandInput) {
  const { options } = input;
  const home = input.home();
  const base = await baseOf(home);
  const config = await configurationAt(home, base);
  const times = readTimes(options.at as string | undefined, options.every as string | undefined);
  if (options.crontab && options.systemd) failUsage('--crontab and --systemd are two schedulers', 'name one of them');
  const usual = findTool('crontab', process.env.PATH ?? '') ? 'crontab' : 'systemd';
  const kind: SchedulerKind = options.crontab ? 'crontab' : options.systemd ? 'systemd' : usual;
  const path = lastingPath(process.env.PATH ?? '', (folder) => fileFacts(folder)?.isFolder === true);
  const program = programArguments(path);
  if (isPassing(program[1]))
    fail('E_CRON_UNFIT', {
      what: `npx keeps this program in a cache that may be emptied any day: ${program[1]}`,
      next: 'install it: npm install --global mendloop, then: mendloop cron install',
    });
  // Validates the options, so that no schedule is installed that fails each time.
  runOptions(input);
  const names = [...new Set([...READ, ...required(config.map, 'env')])];
  const set = names.filter((name) => process.env[name]);
  const secret = set.filter((name) => isSecretName(name) || /:\/\/[^/]*@/.test(process.env[name] ?? ''));
  const open = set.filter((name) => !secret.includes(name));
  const env = Object.fromEntries(open.map((name) => [name, process.env[name] as string]));
  const job: Job = {
    home,
    times,
    env: { ...env, PATH: path, MENDLOOP_HOME: home },
    argv: [...program, '--quiet', ...passedOn(options)],
    since: `${new Date().toISOString().slice(0, 16)}Z`,
  };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line ends at the first of them
  const broken = [...Object.values(job.env), ...job.argv].find((text) => /[\u0000-\u001f\u007f]/.test(text));
  if (broken !== undefined)
    fail('E_CRON_UNFIT', {
      what: `${JSON.stringify(broken)} has a control character, which no scheduler takes`,
      next: 'rename the folder, or unset the variable',
    });
  // `lacking` reports the secrets that stages require.
  const notes = secret
    .filter((name) => READ.includes(name))
    .map((name) => `${name} is a secret, and no schedule gets it`);
  return { kind, job, config, notes };
}

/** The given options of a run, as argv. */
const passedOn = (options: CommandInput['options']): string[] =>
  Object.keys(RUN_OPTIONS)
    .map((key) => optionParts(key).name)
    .filter((name) => !['dry-run', 'yes'].includes(name) && options[name] !== undefined)
    .flatMap((name) => (options[name] === true ? [`--${name}`] : [`--${name}`, String(options[name])]));

const hereOf = ({ home }: CommandInput, { loop }: Configuration) => ({
  ...PORTS,
  home: home(),
  lab: labOverride(process.env.MENDLOOP_LAB) ?? loop.lab,
});

/** `2026-11-17 06:17`, in local time. */
function localTime(time: number): string {
  const date = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(0, 16).replace('T', ' ');
}

async function status({ home, layout: findLayout }: CommandInput): Promise<Answer> {
  const layout = findLayout();
  const now = Date.now();
  const { spans, last } = workedSpans(layout, now);
  const rows = (await findSchedules(home(), process.env)).schedules.map(({ kind, when, times, since }) => {
    const past = times ? pastSlots(times, Date.parse(since) || now, now) : [];
    const next = times ? nextSlot(times, now) : undefined;
    return { kind, when, times, since, past: past.length, missed: missedSlots(past, spans), next };
  });
  const lines = rows.flatMap(({ kind, when, times, past, missed, next }) => [
    [kind, `${when}: ${times ? spellTimes(times) : 'times of your own, which are not looked into'}`],
    ['last', last ? `run ${last.run}, ${ago(last.started, now)}, ${last.how}` : 'no run yet'],
    ...(next === undefined ? [] : [['next', localTime(next)]]),
    ...(times ? [['missed', missedText(missed, past, kind)]] : []),
  ]);
  const iso = (time: number) => new Date(time).toISOString();
  return {
    text:
      rows.length === 0 ? 'nothing is scheduled here; to have it run by itself: mendloop cron install' : table(lines),
    json: {
      schedules: rows.map(({ kind, when, since, past, missed, next }) => ({
        scheduler: kind,
        when,
        since,
        past,
        missed: missed.map(iso),
        next: next === undefined ? null : iso(next),
      })),
      last: last ?? null,
    },
  };
}

function missedText(missed: readonly number[], past: number, kind: SchedulerKind): string {
  if (past === 0) return 'none, it was not due yet';
  if (missed.length === 0) return `none of the last ${counted(past, 'time')}`;
  const latest = missed.slice(-3).map(localTime).join(', ');
  const look = kind === 'crontab' ? 'systemctl status cron' : 'systemctl --user list-timers';
  return `${missed.length} of the last ${counted(past, 'time')}: no run began at ${latest} (is it at work? ${look})`;
}
