// Compose projects: services, volumes, networks, configs and secrets, and the variables that fill them in.
import type { Kind } from './definition.ts';
import type { Found } from './names.ts';
import { type Entry, entryAt, valueAt } from './yaml-outline.ts';

const NAMED = /(?:^|\/)(?:docker-)?compose[^/]*\.ya?ml$|compose\.ya?ml$/;
export const isComposeName = (path: string): boolean => NAMED.test(path.replace(/\.(?:j2|tmpl)$/, ''));

const SECTIONS: Readonly<Record<string, Kind>> = {
  services: 'service',
  volumes: 'volume',
  networks: 'network',
  configs: 'compose-config',
  secrets: 'compose-config',
};
const VARIABLE = /(?<!\$)(?:\$\$)*\$(?:\{(\w+)|([A-Za-z_]\w*))/g;

function isCompose(path: string, entries: readonly Entry[]): boolean {
  if (isComposeName(path)) return true;
  const first = entries[0]?.siblings ?? [];
  const services = entryAt(first, 'services')?.children ?? [];
  return (
    !entryAt(first, 'kind') && services.some(({ children }) => entryAt(children, 'image') || entryAt(children, 'build'))
  );
}

export function compose(path: string, text: string, entries: readonly Entry[], found: Found): void {
  if (!isCompose(path, entries)) return;
  for (const entry of entries) {
    const { key, value, line, path: above } = entry;
    const kind = SECTIONS[above[0] ?? ''];
    if (above.length === 1 && kind) found.define(kind, key === '<<' ? '*' : key, line);
    if (key === 'services' && above.length === 0) found.define('network', 'default', line);
    if (above[0] === 'include' || (above.length === 0 && key === 'include')) included(entry, found);
    if (above.at(-1) === 'extends' && key === 'file') found.include(value);
    if ((key === 'env_file' || above[2] === 'env_file') && !/^(?:required|format)$/.test(key)) found.include(value);
    if (above[0] === 'services' && above.length > 1) serviceUses(entry, found);
  }
  text.split('\n').forEach((line, i) => {
    if (line.includes('$'))
      for (const [, braced, plain] of line.matchAll(VARIABLE)) found.use('env-variable', braced ?? plain ?? '', i + 1);
  });
}

function included({ key, value }: Entry, found: Found): void {
  if (key === '' || key === 'path' || key === 'env_file' || key === 'include') found.include(value);
}

function serviceUses({ key, value, line, path, siblings }: Entry, found: Found): void {
  const [, , section, ...deeper] = path;
  const name = key || value;
  if (section === undefined) {
    if (key === 'network_mode' && value.startsWith('service:')) found.use('service', value.slice(8), line);
    if (key === 'extends') found.use('service', value, line);
    return;
  }
  if (section === 'extends' && key === 'service' && !valueAt(siblings, 'file')) found.use('service', value, line);
  const isName = deeper.length === 0 && (key === '' || value === '' || section === 'networks');
  if (section === 'depends_on' && deeper.length === 0) found.use('service', name, line);
  if (section === 'links' || section === 'volumes_from') found.use('service', value.split(':')[0] as string, line);
  if (section === 'networks' && isName) found.use('network', name, line);
  if ((section === 'configs' || section === 'secrets') && (key === '' || key === 'source'))
    found.use('compose-config', value, line);
  if (section !== 'volumes' || deeper.length > 0) return;
  const source = key === 'source' && valueAt(siblings, 'type') === 'volume' ? value : key === '' ? volumeOf(value) : '';
  found.use('volume', source, line);
}

/** The volume of `volume:/path`; '' for a path, and for what is no such thing. */
const volumeOf = (text: string): string => /^([\w][\w.-]*|\$\{?\w+\}?[\w.-]*):/.exec(text)?.[1] ?? '';
