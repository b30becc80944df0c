// Compose projects: services, volumes, networks, configs and secrets, and the variables that fill them in.
import { eachLine, type Found } from './names.ts';
import { type Entry, entryAt, key, type Row, readRows, value } from './yaml-outline.ts';

const NAMED = /(?:^|\/)(?:docker-)?compose[^/]*\.ya?ml$|compose\.ya?ml$/;
export const isComposeName = (path: string): boolean => NAMED.test(path.replace(/\.(?:j2|tmpl)$/, ''));

const VARIABLE = /(?<!\$)(?:\$\$)*\$(?:\{(\w+)|([A-Za-z_]\w*))/g;
const ROWS: readonly Row[] = [
  [/^services \S+$/, 'define', 'service', key],
  [/^services$/, 'define', 'network', () => 'default'],
  [/^volumes \S+$/, 'define', 'volume', key],
  [/^networks \S+$/, 'define', 'network', key],
  [/^(?:configs|secrets) \S+$/, 'define', 'compose-config', key],
  [/^include(?: (?:path|env_file)?)? ?$/, 'include', value],
  [/^services \S+ (?:extends file|env_file(?: (?:path)?)?)$/, 'include', value],
];

function isCompose(path: string, entries: readonly Entry[]): boolean {
  if (isComposeName(path)) return true;
  const first = entries[0]?.siblings ?? [];
  const services = entryAt(first, 'services')?.children ?? [];
  const runs = ({ children }: Entry) => entryAt(children, 'image') ?? entryAt(children, 'build');
  return !entryAt(first, 'kind') && services.some(runs);
}

export function compose(path: string, text: string, entries: readonly Entry[], found: Found): void {
  if (!isCompose(path, entries)) return;
  readRows(entries, ROWS, found);
  eachLine(text, found, (line) => {
    for (const [, braced, plain] of line.matchAll(VARIABLE)) found.use('env-variable', braced ?? plain);
  });
}
