// Calling one hook of one plugin: within its time, on a frozen context, its answer checked. Whatever the plugin does
// comes back as a value.
import { freeze, frozenCopy } from '../config/freeze.ts';
import { check, formatPath } from '../config/problem.ts';
import {
  type Answer,
  type FixFacts,
  type Given,
  HOOKS,
  type Hook,
  type HookName,
  type Reporting,
  type Speeds,
} from './contract.ts';
import { type LoadedPlugin, oneLine, thrownLine } from './examine.ts';

/** `threw` it did · `late` past its time · `stopped` by the caller's signal · `invalid` outside its schema · `absent` no such hook. */
type CallFault = 'threw' | 'late' | 'stopped' | 'invalid' | 'absent';

/** `failed` is one line that begins with the plugin's name; `thrown`: the message alone. */
type CallResult<A> =
  | { readonly plugin: string; readonly answer: A }
  | { readonly plugin: string; readonly failed: string; readonly why: CallFault; readonly thrown?: string };

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Instead of the hook's own. */
  readonly timeoutMs?: number | undefined;
  /** Who receives what it reports while it works. */
  readonly reporting?: Partial<Reporting> | undefined;
}

/** A longer timer fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

type Ended = { value: unknown } | { why: CallFault; reason: string; thrown?: string };

/** Never throws. An answer that comes after the time is up or the signal was given is ignored. */
export async function callHook<H extends HookName>(
  plugin: LoadedPlugin,
  hook: H,
  given: Given<H>,
  { signal, timeoutMs = limitOf(plugin, hook), reporting }: CallOptions = {},
): Promise<CallResult<Answer<H>>> {
  const { name } = plugin;
  const work = plugin.hooks[hook];
  const ended: Ended = work
    ? await within(timeoutMs, signal, (own) => work(contextFor(given, plugin.options, own, reporting)))
    : { why: 'absent', reason: 'is not one of its hooks' };
  const checked = 'value' in ended ? checkAnswer(HOOKS[hook], ended.value) : ended;
  if ('value' in checked) return { plugin: name, answer: checked.value as Answer<H> };
  const { reason, ...fault } = checked;
  return { plugin: name, failed: `${name}: ${hook} ${reason}`, ...fault };
}

/** For the answer of a plugin whose own limit is over. */
const GRACE_MS = 5000;

/** Milliseconds of one call: the hook's own limit, or a longer one that the owner set, `timeout` among the plugin's settings. */
export function limitOf({ options }: Pick<LoadedPlugin, 'options'>, hook: HookName): number {
  const { timeout } = (options ?? {}) as { timeout?: unknown };
  const { timeoutMs } = HOOKS[hook];
  return typeof timeout === 'number' ? Math.max(timeoutMs, timeout + GRACE_MS) : timeoutMs;
}

/** The line for those who know what was asked: what was thrown speaks for itself. */
export const faultLine = ({ plugin, failed, thrown }: { plugin: string; failed: string; thrown?: string }): string =>
  thrown === undefined ? failed : `${plugin}: ${thrown}`;

type Work = (signal: AbortSignal) => unknown;

async function within(limitMs: number, signal: AbortSignal | undefined, work: Work): Promise<Ended> {
  const stopped: Ended = { why: 'stopped', reason: 'was stopped' };
  const late: Ended = { why: 'late', reason: `took longer than ${limitMs / 1000} s` };
  if (signal?.aborted) return stopped;
  const controller = new AbortController();
  const began = performance.now();
  const answered = new Promise((resolve) => resolve(work(controller.signal))).then(
    // A plugin that never let go of the thread kept the timer from firing.
    (value): Ended => (performance.now() - began > limitMs ? late : { value }),
    (error): Ended => {
      const thrown = thrownLine(error);
      return { why: 'threw', reason: `threw: ${thrown}`, thrown };
    },
  );
  let timer: NodeJS.Timeout | undefined;
  const interrupted = new Promise<Ended>((resolve) => {
    timer = setTimeout(() => resolve(late), Math.min(limitMs, MAX_TIMER_MS));
    signal?.addEventListener('abort', () => resolve(stopped), { signal: controller.signal });
  });
  const ended = await Promise.race([interrupted, answered]);
  clearTimeout(timer);
  controller.abort();
  return ended;
}

function checkAnswer({ answer, plain }: Hook, value: unknown): Ended {
  try {
    const checked = check(answer, plain && value !== undefined ? frozenCopy(value) : value);
    if ('value' in checked) return { value: plain ? freeze(checked.value) : checked.value };
    const problems = checked.findings.map(({ path, message }) => {
      // That advice is for YAML.
      const words = message.replace(' (put it in quotes)', '');
      return path.length === 0 ? words : `${formatPath(path)}: ${words}`;
    });
    return { why: 'invalid', reason: `answered outside its schema: ${problems.join('; ')}` };
  } catch (error) {
    return { why: 'invalid', reason: `gave an answer that cannot be read: ${thrownLine(error)}` };
  }
}

/** `given` is plain data but for `read`, `look` (held to its files and its tree), `shell` and `definitions`, or TypeError is thrown. */
function contextFor(given: object, options: unknown, signal: AbortSignal, reporting: Partial<Reporting> = {}): object {
  type Given = Partial<Pick<FixFacts, 'files' | 'tree' | 'read' | 'look' | 'shell' | 'definitions'>>;
  const { read, look, shell, definitions, ...data } = given as Given;
  const copy = frozenCopy(data);
  const held = (name: string, paths: readonly string[] | undefined, what: string, text: FixFacts['read']) => {
    const allowed = new Set(paths);
    return async (path: string) => {
      if (signal.aborted) throw new Error(`${name}: the call is over`);
      if (allowed.has(path)) return text(path);
      throw new Error(`${name}: ${JSON.stringify(path)} is not ${what}`);
    };
  };
  async function defined() {
    if (signal.aborted || !definitions) throw new Error('definitions: the call is over');
    return definitions();
  }
  return Object.freeze({
    ...copy,
    ...(read ? { read: held('read', copy.files, 'a file that this stage may change', read) } : {}),
    ...(look ? { look: held('look', copy.tree, 'a file of the repository', look) } : {}),
    ...(shell ? { shell: Object.freeze({ parses: (text: string) => shell.parses(String(text)) }) } : {}),
    ...(definitions ? { definitions: defined } : {}),
    ...boundedReporting(reporting, signal),
    options,
    signal,
  });
}

const MAX_SAID_LINES = 20;
const MAX_LINE = 300;
const MAX_TOKENS = 100_000_000;

const NO_SPEEDS: Speeds = { of: () => [], add: () => {} };

/** What a plugin reports, as one bounded line each. */
function boundedReporting(
  {
    say,
    progress,
    used,
    heard,
    mask,
    timeLeft = () => Number.POSITIVE_INFINITY,
    speeds = NO_SPEEDS,
  }: Partial<Reporting>,
  signal: AbortSignal,
): Reporting {
  let lines = 0;
  const bounded = (text: unknown) => oneLine(String(text)).slice(0, MAX_LINE);
  return {
    // Without one, nothing was masked that could come back.
    mask: (text) => (mask ? mask(String(text)) : String(text)),
    say(text) {
      if (!signal.aborted && ++lines <= MAX_SAID_LINES) say?.(bounded(text));
    },
    heard({ id, time, text }) {
      if (signal.aborted || !Number.isFinite(time)) return;
      heard?.({ id: bounded(id), time: Math.floor(time), text: bounded(text) });
    },
    progress(text) {
      if (!signal.aborted) progress?.(bounded(text));
    },
    // Counted late, too: a call that was cut off has used what it used.
    used(tokens, dollars = 0) {
      const cost = Number.isFinite(dollars) && dollars > 0 ? dollars : 0;
      if (Number.isFinite(tokens) && tokens > 0) used?.(Math.min(Math.ceil(tokens), MAX_TOKENS), cost);
    },
    timeLeft,
    speeds,
  };
}
