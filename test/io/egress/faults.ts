// How the tests of what leaves wait for something, and read what is thrown.
/** Resolves once `holds`; throws after five seconds. */
export async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 5000;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`never: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The one line of what is thrown, the port left out. */
export async function fault(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'nothing was thrown';
  } catch (error) {
    const { name, message } = error as Error;
    return `${name}: ${message.replaceAll(/127\.0\.0\.1:\d+/g, 'host')}`;
  }
}
