// The owner's side: the branch they have checked out, its index and its files are as they were, or as what landed. Read from the
// files themselves and from git's own commands.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Slot } from './slot.ts';

export interface OwnerSide {
  /** What HEAD says: a branch. */
  head: string;
  /** The commit of main. */
  base: string;
  /** Path → mode and id. */
  tree: ReadonlyMap<string, string>;
  index: ReadonlyMap<string, string>;
}

export function ownerSide({ home, inHome }: Slot): OwnerSide {
  return {
    head: readFileSync(join(home, '.git/HEAD'), 'utf8'),
    base: inHome('rev-parse', 'main'),
    tree: treeOf(inHome, 'main'),
    index: new Map(rows(inHome('ls-files', '-s', '-z')).map(([info = '', path = '']) => [path, info.slice(0, 47)])),
  };
}

type Git = Slot['inHome'];

/** Path → mode and id of a commit; nothing where there is no such commit. */
export function treeOf(inHome: Git, commit: string): Map<string, string> {
  if (inHome('for-each-ref', '--format=%(refname)', `refs/heads/${commit}`) === '') return new Map();
  const files = rows(inHome('ls-tree', '-r', '-z', commit));
  return new Map(files.map(([info = '', path = '']) => [path, info.replace(/ (?:blob|commit) /, ' ')]));
}

const rows = (listing: string): string[][] =>
  listing
    .split('\0')
    .filter(Boolean)
    .map((row) => row.split('\t'));

/**
 * What the owner would lose if they went on right now. `landing`: the tree that main may be on its way to; each path is as before
 * it, as after it, or the beginning of that.
 */
export function ownersLoss(slot: Slot, before: OwnerSide, landing?: ReadonlyMap<string, string>): string[] {
  const now = ownerSide(slot);
  const to = landing ?? before.tree;
  const hasLanded = now.base !== before.base;
  const lines: string[] = [];
  if (now.head !== before.head) lines.push(`lost: the owner had checked out ${before.head}, now ${now.head}`);
  if (hasLanded && !sameTree(now.tree, to)) lines.push(`lost: main is at ${now.base}, which nobody accepted`);
  for (const path of new Set([...before.tree.keys(), ...to.keys(), ...now.index.keys()])) {
    const [old, next, staged] = [before.tree.get(path), to.get(path), now.index.get(path)];
    if (staged !== old && staged !== next) lines.push(`lost: the owner's index has ${staged} for ${path}`);
    // Their next commit is made of the index.
    if (hasLanded && staged !== next) lines.push(`lost: main has landed, and the owner's next commit reverts ${path}`);
    const bytes = bytesOf(join(slot.home, path));
    const mayBe = [old, next].map((entry) => entry?.split(' ')[1]);
    if (mayBe.includes(idOf(bytes)) || (landing && isBeginning(slot, bytes, next))) continue;
    lines.push(`lost: the owner's ${path} is neither as it was nor as it lands`);
  }
  return lines;
}

const sameTree = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...a].every(([path, entry]) => b.get(path) === entry);

function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

const idOf = (bytes: Buffer | undefined): string | undefined =>
  bytes && createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

/** Git removes a file before it writes the new one. */
function isBeginning({ inHome }: Slot, bytes: Buffer | undefined, entry: string | undefined): boolean {
  if (entry === undefined) return false;
  const whole = inHome('cat-file', 'blob', entry.split(' ')[1] as string);
  return whole.startsWith((bytes ?? '').toString().trim());
}
