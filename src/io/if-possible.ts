// Looking at what may not be there.

/** What `look` returns; undefined when there is no such file. Throws whatever else it throws. */
export function ifThere<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** What `look` returns; undefined when it throws. */
export function ifPossible<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
