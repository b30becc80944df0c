// What a call costs in processor time: other work on the machine counts little.

/** Milliseconds. */
export function cpuTime(call: () => unknown): number {
  const began = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}
