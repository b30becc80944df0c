// What is written before it gets its name: how it is called meanwhile, and its removal when whoever made it is dead.
import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { originTag, pidExists } from './identity.ts';
import { ifPossible } from './if-possible.ts';

/** A name beside `path` that nobody else has, and that says which process made it. */
export const tempName = (path: string, ending: 'tmp' | 'draft' | 'other' = 'tmp'): string =>
  `${path}.${process.pid}-${originTag()}-${randomBytes(6).toString('hex')}.${ending}`;

const HALF_MADE = /\.(\d+)-([0-9a-f]{8})-[0-9a-f]{12}\.(?:tmp|draft|other)$/;
/** Those of relays, whose names say less, and claims on a lock. */
const OTHERS = /\.log\.\d+\.tmp$|^lock\.json\.[0-9a-f]{12}$/;

/** A file has its name within seconds: of another host, too, nobody is at one any more that is so old. */
const OLD_MS = 86_400_000;

/** Removes half-made files of dead processes in a folder, and with `deep` in all below it; the home's lock must be held. Never throws. */
export function sweep(folder: string, deep = false): void {
  for (const entry of ifPossible(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
    const path = join(folder, entry.name);
    if (isLeft(path, entry.name)) ifPossible(() => rmSync(path, { recursive: true, force: true }));
    else if (deep && entry.isDirectory()) sweep(path, true);
  }
}

function isLeft(path: string, name: string): boolean {
  const [match, pid, origin] = HALF_MADE.exec(name) ?? [];
  if (match === undefined && !OTHERS.test(name)) return false;
  if (origin === originTag() && !pidExists(Number(pid))) return true;
  const changed = ifPossible(() => lstatSync(path).mtimeMs) ?? Date.now();
  return Math.abs(Date.now() - changed) > OLD_MS;
}
