// Calling one hook of one plugin: within its time, on a frozen context, its answer checked. Whatever the plugin does
// comes back as a value.
import { freeze, frozenCopy } from '../config/freeze.ts';
import { check, formatPath } from '../config/problem.ts';
import { contextFor } from './context.ts';
import type { Answer, Given, HookName, Reporting } from './contract.ts';
import type { LoadedPlugin } from './examine.ts';
import { HOOKS, type Hook } from './hooks.ts';
import { thrown } from './thrown.ts';

/** `threw` it did · `late` past its time · `stopped` by the caller's signal · `invalid` outside its schema · `absent` no such hook. */
export type CallFault = 'threw' | 'late' | 'stopped' | 'invalid' | 'absent';

/** `failed` is one line that begins with the plugin's name. */
export type Called<A> =
  | { readonly plugin: string; readonly answer: A }
  | { readonly plugin: string; readonly failed: string; readonly why: CallFault };

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Instead of the hook's own. */
  readonly timeoutMs?: number | undefined;
  /** Who hears what it tells while it works. */
  readonly reporting?: Partial<Reporting> | undefined;
}

/** A timer of more fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

type Ended = { value: unknown } | { why: CallFault; reason: string };

/** Never throws. An answer that comes after the time is up or the signal was given is ignored. */
export async function callHook<H extends HookName>(
  plugin: LoadedPlugin,
  hook: H,
  given: Given<H>,
  { signal, timeoutMs = HOOKS[hook].timeoutMs, reporting }: CallOptions = {},
): Promise<Called<Answer<H>>> {
  const { name } = plugin;
  const work = plugin.hooks[hook];
  const ended: Ended = work
    ? await within(timeoutMs, signal, (own) => work(contextFor(given, plugin.options, own, reporting)))
    : { why: 'absent', reason: 'is not one of its hooks' };
  const judged = 'value' in ended ? judge(HOOKS[hook], ended.value) : ended;
  if ('value' in judged) return { plugin: name, answer: judged.value as Answer<H> };
  return { plugin: name, failed: `${name}: ${hook} ${judged.reason}`, why: judged.why };
}

/** One call of every plugin, all at once; the outcomes in their order. Never throws. */
export function callAll<H extends HookName>(
  plugins: readonly LoadedPlugin[],
  hook: H,
  given: Given<H>,
  options: CallOptions = {},
): Promise<Called<Answer<H>>[]> {
  return Promise.all(plugins.map((plugin) => callHook(plugin, hook, given, options)));
}

async function within(
  limitMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => unknown,
): Promise<Ended> {
  const stopped: Ended = { why: 'stopped', reason: 'was stopped' };
  const late: Ended = { why: 'late', reason: `took longer than ${limitMs / 1000} s` };
  if (signal?.aborted) return stopped;
  const own = new AbortController();
  const began = performance.now();
  const answered = new Promise((resolve) => resolve(work(own.signal))).then(
    // A plugin that never let go of the thread kept the timer from firing.
    (value): Ended => (performance.now() - began > limitMs ? late : { value }),
    (error): Ended => ({ why: 'threw', reason: `threw: ${thrown(error)}` }),
  );
  let release = () => {};
  const interrupted = new Promise<Ended>((resolve) => {
    const stop = () => resolve(stopped);
    const timer = setTimeout(() => resolve(late), Math.min(limitMs, LONGEST_MS));
    signal?.addEventListener('abort', stop);
    release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    };
  });
  const ended = await Promise.race([interrupted, answered]);
  release();
  own.abort();
  return ended;
}

function judge({ answer, plain }: Hook, value: unknown): Ended {
  try {
    const checked = check(answer, plain && value !== undefined ? frozenCopy(value) : value);
    if ('value' in checked) return { value: plain ? freeze(checked.value) : checked.value };
    const told = checked.findings.map(({ path, message }) => {
      // Advice for YAML, where the answer is none.
      const words = message.replace(' (put it in quotes)', '');
      return path.length === 0 ? words : `${formatPath(path)}: ${words}`;
    });
    return { why: 'invalid', reason: `answered outside its schema: ${told.join('; ')}` };
  } catch (error) {
    return { why: 'invalid', reason: `gave an answer that cannot be read: ${thrown(error)}` };
  }
}
