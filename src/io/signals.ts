// SIGINT, SIGTERM and SIGHUP as an abort signal, while something is at work that must be stopped in order.

/** Listens until `dispose` is called. */
export function stopSignals(reason: (name: string) => unknown): { signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const stop = (name: NodeJS.Signals) => controller.abort(reason(name));
  for (const name of names) process.on(name, stop);
  return {
    signal: controller.signal,
    dispose: () => {
      for (const name of names) process.off(name, stop);
    },
  };
}
