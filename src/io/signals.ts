// Abort signals: one for a deadline or a cause, and one for SIGINT, SIGTERM and SIGHUP.

/** npm and other launchers may pass one Ctrl-C on twice. */
const SAME_PRESS_MS = 1000;

/** Listens until `dispose` is called. `atOnce` is called when somebody presses Ctrl-C once more. */
export function stopSignals(
  reason: (name: string) => unknown,
  atOnce?: () => void,
): { signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  let since = Number.POSITIVE_INFINITY;
  const stop = (name: NodeJS.Signals) => {
    // Not at a second SIGTERM: schedulers send several.
    if (name === 'SIGINT' && performance.now() - since > SAME_PRESS_MS) atOnce?.();
    since = Math.min(since, performance.now());
    controller.abort(reason(name));
  };
  for (const name of names) process.on(name, stop);
  return {
    signal: controller.signal,
    dispose() {
      for (const name of names) process.off(name, stop);
    },
  };
}

/** setTimeout fires at once for more. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * A signal that is given after `timeoutMs`, with `cause`, or by `end`. Not AbortSignal.any and .timeout: Node may collect
 * their parts before they fire.
 */
export function limited(
  timeoutMs: number,
  cause: AbortSignal,
): { signal: AbortSignal; isLate(): boolean; end(): void } {
  const controller = new AbortController();
  let late = false;
  const end = () => {
    clearTimeout(timer);
    cause.removeEventListener('abort', end);
    controller.abort();
  };
  const timer = setTimeout(
    () => {
      late = true;
      end();
    },
    Math.min(Math.ceil(timeoutMs), MAX_TIMER_MS),
  );
  cause.addEventListener('abort', end);
  if (cause.aborted) end();
  return { signal: controller.signal, isLate: () => late, end };
}

/** A signal that aborts with `reason` after `ms`, at once when that is over, and the way to call it off. `Infinity` never aborts. */
export function stopAfter(ms: number, reason: () => unknown): { signal: AbortSignal; cancel(): void } {
  const controller = new AbortController();
  if (ms <= 0) controller.abort(reason());
  const timer = ms > 0 && ms <= MAX_TIMER_MS ? setTimeout(() => controller.abort(reason()), ms) : undefined;
  return { signal: controller.signal, cancel: () => clearTimeout(timer) };
}
