// Secrets as a homelab plants them in its files, logs and traces, and texts in which nothing may be masked: a file a topic.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** By family and kind, one text each. */
export type Planted = Readonly<Record<string, Readonly<Record<string, string>>>>;

const read = (table: string): [topic: string, data: unknown][] => {
  const folder = join(import.meta.dirname, table);
  return readdirSync(folder)
    .sort()
    .map((name) => [name.replace('.yaml', ''), parse(readFileSync(join(folder, name), 'utf8'))]);
};

export const PLANTED = new Map(read('planted') as [string, Planted][]);
export const INNOCENT = new Map(read('innocent') as [string, string[]][]);
