// Files that the page and the report are sent with, as they are shipped.
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../io/package.ts';
import { readText } from '../io/store.ts';

/** The text of `path` in this package. Throws when the package lacks it. */
export function shippedText(path: 'src/page/style.css' | 'src/serve/page.js'): string {
  const text = readText(join(PACKAGE_ROOT, path));
  if (text === undefined) throw new Error(`${path} is missing from this package`);
  return text;
}
