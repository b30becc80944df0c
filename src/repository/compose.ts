// Compose projects: services, volumes, networks, configs and secrets, and the variables that fill them in.
import { eachLine, type Found } from './names.ts';
import { type Entry, entryAt, valueAt } from './yaml-outline.ts';
import { either, key, type Row, readRows, value } from './yaml-rows.ts';

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
  [/^services \S+ network_mode$/, 'use', 'service', ({ value }) => /^service:(.*)/.exec(value)?.[1]],
  [/^services \S+ extends$/, 'use', 'service', value],
  [/^services \S+ extends service$/, 'use', 'service', (one) => (valueAt(one.siblings, 'file') ? '' : one.value)],
  [/^services \S+ depends_on \S*$/, 'use', 'service', either],
  [/^services \S+ (?:links|volumes_from) $/, 'use', 'service', ({ value }) => value.split(':')[0]],
  [/^services \S+ networks \S*$/, 'use', 'network', either],
  [/^services \S+ (?:configs|secrets) (?:source)?$/, 'use', 'compose-config', value],
  [
    /^services \S+ volumes source$/,
    'use',
    'volume',
    (one) => (valueAt(one.siblings, 'type') === 'volume' ? one.value : ''),
  ],
  // `volume:/path`; another begin is that of a path.
  [/^services \S+ volumes $/, 'use', 'volume', ({ value }) => /^(\w[\w.-]*|\$\{?\w+\}?[\w.-]*):/.exec(value)?.[1]],
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
    if (line.includes('$'))
      for (const [, braced, plain] of line.matchAll(VARIABLE)) found.use('env-variable', braced ?? plain);
  });
}
