// The style sheet of page and report, as it is shipped.
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../io/package.ts';
import { readText } from '../io/store.ts';

/** Throws when the package lacks it. */
export function styleSheet(): string {
  const text = readText(join(PACKAGE_ROOT, 'src/page/style.css'));
  if (text === undefined) throw new Error('src/page/style.css is missing from this package');
  return text;
}
