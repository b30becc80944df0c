// Carried paths as text: made plain, compared, and written as patterns for git's exclude file.
import { posix } from 'node:path';

/** Whether `path` is `folder` or lies below it. */
export function isBelow(path: string, folder: string): boolean {
  const plain = folder.replace(/\/+$/, '');
  return path === plain || path === `${plain}/` || path.startsWith(`${plain}/`);
}

/** The path without `./` and trailing slashes, or undefined when it does not stay below the repository. */
export function plainPath(path: string): string | undefined {
  const plain = posix.normalize(path).replace(/\/+$/, '');
  const first = plain.split('/')[0] ?? '';
  const outside = plain === '' || plain === '.' || posix.isAbsolute(plain) || first === '..';
  return outside || first.toLowerCase() === '.git' || /[\n\r\0]/.test(plain) ? undefined : plain;
}

/** The line of an exclude file that means this path and no other. */
export function excludeLine(path: string): string {
  const escaped = path.replaceAll(/[\\*?[]/g, '\\$&').replace(/ +$/, (spaces) => '\\ '.repeat(spaces.length));
  return `/${escaped}`;
}
