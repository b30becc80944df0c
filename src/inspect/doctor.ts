// Everything a run depends on, looked at one by one: for a person who wonders why it does not work, or whether it will.
import { join } from 'node:path';
import { placeText } from '../backend/describe.ts';
import { reachScheduler } from '../backend/open.ts';
import { LOOP_FILE } from '../config/files.ts';
import type { LoopConfig } from '../config/loop-config.ts';
import { globFolder, splitCarry } from '../config/paths.ts';
import { lacking } from '../cron/lacking.ts';
import { findSchedules } from '../cron/schedulers.ts';
import { longestGap } from '../cron/times.ts';
import { MendError } from '../errors.ts';
import { diskFree, fileFacts, findTool, isWritable } from '../io/files.ts';
import { withObjects } from '../io/git-objects.ts';
import { type Layout, layout as layoutOf } from '../io/layout.ts';
import { runAtWork } from '../io/lock.ts';
import { toolVersion } from '../io/program.ts';
import { secretsFrom } from '../io/secrets.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { cutOffText, loadStages, openRun } from '../journal/load-stages.ts';
import { openIntents } from '../journal/open-intents.ts';
import { TOKEN_MS } from '../mend/answer-tokens.ts';
import { speedsOf } from '../mend/speeds.ts';
import { findOwnerPattern, ownerPatterns } from '../outbound/redact/rule.ts';
import type { ShortSecret } from '../outbound/redact/secret.ts';
import { RedactionError } from '../outbound/redact/secret.ts';
import { callHook, faultLine } from '../plugin/call.ts';
import { baseOf, type Configuration, configurationAt, loopDifference } from '../stage/configuration.ts';
import { stagePath } from '../stage/env.ts';
import { pluginsAt } from '../stage/own-plugins.ts';
import { required, toolSource } from '../stage/requires.ts';
import type { Lab, RunPorts } from '../stage/run.ts';
import { uncarriedIgnored } from '../stage/uncarried.ts';
import { carryPaths, isBelow, refuseTracked } from '../worktree/carry.ts';
import { shellWord, short } from '../worktree/messages.ts';
import { addCommand, checkoutFiles, ignoredBeside, notCarried, terraformState, uncommitted } from '../worktree/read.ts';
import { WORKTREE } from '../worktree/tree.ts';

import { type Tried, tryModels } from './try-model.ts';

export interface Finding {
  level: 'ok' | 'note' | 'problem';
  what: string;
  /** What to do about it. */
  next?: string;
}

const ok = (what: string): Finding => ({ level: 'ok', what });
const note = (what: string, next?: string): Finding => ({ level: 'note', what, ...(next ? { next } : {}) });
const problem = (what: string, next: string): Finding => ({ level: 'problem', what, next });

type Ports = Pick<RunPorts, 'env' | 'labTools'>;

const LOW_DISK_BYTES = 1024 ** 3;

interface ExamineOptions {
  readonly lab?: Lab | undefined;
  /** Instead of what ai/loop.yaml says. */
  readonly backend?: string | undefined;
  readonly workers?: number | undefined;
  /** A configuration that counts as if it were committed. */
  readonly given?: Configuration;
}

/** Never throws for what it finds. Reads only. */
export async function examine(home: string, ports: Ports, options: ExamineOptions = {}): Promise<Finding[]> {
  const { lab, backend, workers, given } = options;
  const layout = layoutOf(home);
  const findings = [...(await programs()), ...places(layout), ...lockAndRun(layout)];
  try {
    const base = await baseOf(home);
    const config = given ?? (await configurationAt(home, base, { backend }));
    findings.push(ok(`base ${base.name} at ${short(base.commit)}, fixes go to ${base.branch}`));
    findings.push(...labFindings(config, lab ?? config.loop.lab, ports));
    findings.push(...(await scheduleFindings(config, { ...ports, home, lab: lab ?? config.loop.lab })));
    findings.push(...(await fileFindings(home, base.commit, config)), ...secretFindings(home, config, ports.env));
    findings.push(...(await pluginFindings(layout, base.commit, config.loop)));
    findings.push(...(await backendFindings(layout, config, ports.env, workers)));
    const carry = carryPaths(config.map.carry);
    await withObjects(home, (objects) => refuseTracked(objects, base.commit, carry));
    if (!given) {
      const { notices, unasked } = await loopDifference(home, base, options);
      if (unasked) throw unasked;
      const commit = `${await addCommand(home, [LOOP_FILE])}\ngit commit`;
      findings.push(...notices.map((text) => note(text, commit)));
    }
  } catch (error) {
    if (!(error instanceof MendError)) throw error;
    findings.push(problem([`${error.code} ${error.message}`, ...error.problems].join('\n'), error.next));
  }
  return findings;
}

async function programs(): Promise<Finding[]> {
  const [git, bash] = await Promise.all([toolVersion('git', '--version'), toolVersion('bash', '--version')]);
  return [
    ok(`node ${process.version}`),
    git ? ok(git) : problem('git is not on PATH', 'apt install git'),
    bash ? ok(bash) : problem('bash is not on PATH', 'apt install bash'),
  ];
}

function places(layout: Layout): Finding[] {
  const folder = fileFacts(layout.state) ? layout.state : layout.home;
  const free = diskFree(layout.home);
  const room = `${Math.round(free / 1024 ** 2)} MiB free on the disk of the state folder`;
  return [
    isWritable(folder) ? ok('ai/state can be written') : problem(`${folder} cannot be written`, `ls -ld ${folder}`),
    free < LOW_DISK_BYTES ? problem(room, 'free some space') : ok(room),
  ];
}

function lockAndRun(layout: Layout): Finding[] {
  const owner = runAtWork(layout);
  const loaded = loadStages(layout, { look: true });
  const open = openRun(loaded);
  if (owner?.isCertain) {
    return [note(`${owner.isRun ? 'a run' : owner.command} is at work: pid ${owner.pid} since ${owner.since}`)];
  }
  return [
    ...(owner ? [problem(owner.words, 'look there; if it is gone for sure: mendloop abandon --unlock')] : []),
    ...(open && !owner ? [note(cutOffText(open, Date.now()))] : []),
    ...openIntents(loaded.state, readLedger(layout).ledger).map(({ what, next }) => problem(what, next)),
  ];
}

function labFindings({ map }: Configuration, lab: Lab, ports: Ports): Finding[] {
  const path = stagePath({ env: ports.env, lab, labTools: ports.labTools });
  return [
    lab === 'simulated' ? note('the lab is simulated: stand-ins answer for the real tools') : ok('the lab is real'),
    ...required(map, 'tools').map((tool) => {
      const program = findTool(tool, path);
      if (program) return ok(`${tool}: ${program}`);
      return problem(`${tool} is not on PATH`, toolSource(tool) ?? `install ${tool}`);
    }),
    ...required(map, 'env')
      .filter((name) => !ports.env[name])
      .map((name) => problem(`${name} is not set`, `export ${name}=…`)),
  ];
}

/** The same by the environment of the scheduler. */
async function scheduleFindings(
  { map, loop }: Configuration,
  here: Ports & { home: string; lab: Lab },
): Promise<Finding[]> {
  const { schedules } = await findSchedules(here.home, here.env);
  const hasAnswers = loop.notifiers.some((name) => loop.plugins[name]?.answers !== undefined);
  const isRare = !schedules.some(({ times }) => times && longestGap(times, Date.now()) <= TOKEN_MS);
  return [
    ...schedules.flatMap((schedule) => [
      ok(`scheduled by ${schedule.kind}: ${schedule.when}`),
      ...lacking(map, schedule, here).map(({ what, next }) => problem(what, next)),
    ]),
    ...(hasAnswers && isRare ? [note(RARE, 'have them read as they come: mendloop serve --act')] : []),
  ];
}

const RARE =
  'the buttons of a notice answer for 12 hours, and no run is scheduled within them that would read the answer';

async function fileFindings(home: string, commit: string, { map }: Configuration): Promise<Finding[]> {
  const isFolder = (path: string) => fileFacts(join(home, path))?.isFolder === true;
  const folders = [...new Set(Object.values(map.stages).flatMap((stage) => stage.files.map(globFolder)))];
  const stages = Object.values(map.stages);
  const tracked = (await checkoutFiles(home))?.files.keys() ?? [];
  const named = await uncarriedIgnored(home, stages, { carry: map.carry, tracked });
  const beside = await ignoredBeside(home, folders.filter(isFolder));
  const others = notCarried(beside, map.carry).filter((path) => !named.includes(path.replace(/\/$/, '')));
  const edits = await uncommitted(home);
  const absent = map.carry.filter((path) => !fileFacts(join(home, path)));
  const isMade = (path: string) => fileFacts(join(home, WORKTREE, path)) !== undefined;
  const missing = absent.filter((path) => !isMade(path));
  return [
    ...notCarried(await terraformState(home), map.carry).map((path) =>
      problem(`${path} is Terraform state that stages would not see`, 'add it to carry in ai/context_map.yaml'),
    ),
    ...named.map((path) =>
      problem(
        `${path} is named by a stage, ignored by git and not carried`,
        `add ${path} to carry in ai/context_map.yaml`,
      ),
    ),
    ...(others.length > 0
      ? [note(`ignored by git, so not in the worktree: ${others.join(', ')}`, 'add what stages need to carry')]
      : []),
    ...absent
      .filter(isMade)
      .map((path) =>
        problem(
          `${path} is only in ${WORKTREE}, where a stage made it`,
          `mv ${shellWord(`${WORKTREE}/${path}`)} ${shellWord(path)}`,
        ),
      ),
    ...(await requiredFindings(home, commit, map, edits)),
    ...(missing.length > 0 ? [note(`carry names what does not exist: ${missing.join(', ')}`)] : []),
    ...(edits.length > 0 ? [note(`not committed, so not in a run: ${edits.join(', ')}`)] : []),
  ];
}

/** Files that a stage requires and would not find; what git ignores is told with what nobody carries. */
async function requiredFindings(
  home: string,
  commit: string,
  { stages }: Configuration['map'],
  edits: readonly string[],
): Promise<Finding[]> {
  const committed = [...(await withObjects(home, (objects) => objects.files(commit))).keys()];
  const isThere = (file: string) =>
    committed.some((path) => isBelow(path, file)) || fileFacts(join(home, WORKTREE, file));
  const rows = Object.entries(stages).flatMap(([stage, { requires, needs }]) =>
    requires.files.filter((file) => !isThere(file)).map((file) => ({ stage, file, needs })),
  );
  return rows.flatMap(({ stage, file, needs }) => {
    if (edits.some((path) => isBelow(file, path)))
      return [problem(`${stage} requires ${file}, which is not committed`, `git add ${shellWord(file)}\ngit commit`)];
    if (fileFacts(join(home, file))) return [];
    const what = `${stage} requires ${file}, which is not there`;
    return [needs.length > 0 ? note(what, 'make it, unless a stage before it does') : problem(what, 'make it')];
  });
}

/** Secrets that cannot be masked. Names keys and files, never a value. */
function secretFindings(home: string, { map, loop }: Configuration, env: Ports['env']): Finding[] {
  try {
    const { short, passedOver } = secretsFrom({ home, ...splitCarry(map), env });
    const patterns = ownerPatterns(loop.redact);
    const open = short.filter((secret) => !isCovered(secret, patterns)).map(({ from }) => `${from}: too short`);
    const secrets = [...new Set([...open, ...passedOver.map((path) => `${path}: not looked into`)])];
    if (secrets.length === 0) return [];
    const next = [
      ...(open.length > 0 ? ['give values 8 characters or more, or a pattern under redact: in ai/loop.yaml'] : []),
      ...(passedOver.length > 0 ? ['carry the file itself, or keep what is not looked into out of logs'] : []),
    ];
    const what = ['secrets that a model might be shown, because nobody can look for them:', ...secrets];
    return [note(what.join('\n'), next.join('\n'))];
  } catch (error) {
    if (!(error instanceof RedactionError)) throw error;
    return [problem(`no model can be asked: ${error.message}`, error.next)];
  }
}

/** Whether the owner's patterns mask the value, alone or where it is set. */
function isCovered({ value, from }: ShortSecret, patterns: readonly RegExp[]): boolean {
  const key = from.split(/,? /).at(-1);
  const places = [value, `${key}=${value}`, `${key}: ${value}`];
  return places.some((text) => {
    const start = text.length - value.length;
    return patterns.some((pattern) =>
      findOwnerPattern(pattern, text).some((span) => span.start <= start && span.end === text.length),
    );
  });
}

/** Where steps would run, and whether that can be reached. Throws MendError when it cannot: then no run starts. */
async function backendFindings(
  layout: Layout,
  config: Configuration,
  env: Ports['env'],
  workers = config.loop.workers,
): Promise<Finding[]> {
  const { backend } = config.loop;
  if (backend === 'local') return [];
  const specs = await reachScheduler(config, layout, env);
  return specs.length === 0
    ? [ok(`steps run on ${backend}`)]
    : specs.map((spec) => ok(`steps of spec ${spec} run on ${backend}: ${placeText(config.loop, spec, workers)}`));
}

/** The models that a run from here would ask, each with three questions. Throws MendError when no run could start. */
export async function tryConfiguredModels(layout: Layout, watching: Parameters<typeof tryModels>[2]): Promise<Tried[]> {
  const base = await baseOf(layout.home);
  const { loop } = await configurationAt(layout.home, base, {});
  const { executors } = await pluginsAt(layout, base.commit, loop);
  return tryModels(layout, executors, watching);
}

/** Every plugin that has a check of its own is asked. Throws MendError when a plugin does not load: then no run starts. */
async function pluginFindings(layout: Layout, commit: string, loop: LoopConfig): Promise<Finding[]> {
  const { executors, escalations, notifiers } = await pluginsAt(layout, commit, loop);
  const checkable = [...executors, ...escalations, ...notifiers].filter(({ hooks }) => hooks.check !== undefined);
  const reporting = { speeds: speedsOf(layout, () => {}) };
  const results = await Promise.all(checkable.map((plugin) => callHook(plugin, 'check', {}, { reporting })));
  return results.map((result) =>
    // A note: stages run without plugins, only failures are not mended.
    'answer' in result ? ok(`${result.plugin}: ${result.answer}`) : note(faultLine(result)),
  );
}
