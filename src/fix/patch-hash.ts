// A patch known by what it changes: the same lines on the same files are the same patch, wherever they stand. Pure.
import { createHash } from 'node:crypto';

/** `diff` is our own clean diff; line numbers, context and spaces at line ends do not count. */
export function patchHash(diff: string, executable: readonly string[] = []): string {
  const telling = diff
    .split('\n')
    .filter((line) => /^(?:[-+]|--- |\+\+\+ )/.test(line))
    .map((line) => line.trimEnd());
  const parts = [...telling, ...executable.map((path) => `+x ${path}`)];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
}
