// Files that git does not hold but stages need: links from the worktree to the owner's own, placed and watched over.
import { join, posix } from 'node:path';
import { fail } from '../errors.ts';
import type { GitObjects } from '../io/git-objects.ts';
import { blockAbove, entryAt, placeLink, removeLink } from '../io/links.ts';
import { shellWord } from './messages.ts';
import { type CarryLink, type Tree, WORKTREE } from './tree.ts';

/** What the loop itself keeps in the owner's checkout. */
export const OWN_FOLDERS: readonly string[] = [WORKTREE, 'ai/state', 'ai/logs', 'ai/patches', 'ai/escalations'];

/** `carry` as plain paths, each once. Throws E_CARRY_PATH naming every one that leaves home or lies in the loop's own folders. */
export function carryPaths(carry: readonly string[]): string[] {
  const plain = carry.map((path) => ({ path, plain: plainPath(path) }));
  const bad = plain.filter((c) => c.plain === undefined || OWN_FOLDERS.some((o) => isBelow(c.plain as string, o)));
  const problems = bad.map((c) => shellWord(c.path));
  if (bad.length > 0) fail('E_CARRY_PATH', {}, problems);
  return [...new Set(plain.map((c) => c.plain as string))];
}

/**
 * Refuses carried paths that `commit` tracks, all at once: the stage would run with the committed text while its owner
 * believes it sees the file at hand, and a secret in git is something to know about.
 */
export async function refuseTracked(objects: GitObjects, commit: string, carry: readonly string[]): Promise<void> {
  if (carry.length > 0) refuseOverlap((await objects.files(commit)).keys(), carry);
}

/** Throws E_CARRY_TRACKED naming every path of `carry` that is among `tracked`, or has some of them below it. */
export function refuseOverlap(tracked: Iterable<string>, carry: readonly string[]): void {
  const named = overlap(tracked, carry);
  if (named.length === 0) return;
  fail('E_CARRY_TRACKED', { commands: named.map((p) => `git rm -r --cached ${shellWord(p)}`).join('\n') }, named);
}

export function overlap(tracked: Iterable<string>, carry: readonly string[]): string[] {
  const files = [...tracked];
  return carry.filter((path) => files.some((file) => isBelow(file, path)));
}

/**
 * Unlinks links of ours that `carry` no longer names: git would find what they point to where the base brings files. Every
 * link that was ever placed has its line in the exclude file, which was written before it. Returns the paths that are not
 * carried any more.
 */
export async function dropLinks(home: string, worktree: string, carry: readonly string[], excludes: readonly string[]) {
  const placed = excludes.filter((line) => line.startsWith('/')).map(excludedPath);
  const dropped: string[] = [];
  for (const path of placed.filter((each) => plainPath(each) === each && !carry.includes(each)))
    if (await removeLink(worktree, path, join(home, path))) dropped.push(path);
  return dropped.filter((path) => !carry.some((carried) => isBelow(path, carried)));
}

/** Links `carry` into the worktree. A path that home does not have is named in `missing`; a replaced link is an error. */
export async function placeCarry(home: string, worktree: string, carry: readonly string[]) {
  const links: CarryLink[] = [];
  const missing: string[] = [];
  const occupied: CarryLink[] = [];
  const astray: string[] = [];
  for (const path of carry) {
    const link = { path, target: join(home, path) };
    if ((await entryAt(link.target)).kind === 'nothing') {
      await removeLink(worktree, path, link.target);
      missing.push(path);
      continue;
    }
    const placed = await placeLink(worktree, path, link.target);
    if (placed === 'taken') occupied.push(link);
    else if (placed === 'no-folder') astray.push(await astrayText(worktree, path));
    else links.push(link);
  }
  if (astray.length > 0) fail('E_CARRY_PATH', {}, astray);
  if (occupied.length > 0) await replaced(worktree, occupied);
  return { links, missing };
}

async function astrayText(worktree: string, path: string): Promise<string> {
  const above = shellWord(`${WORKTREE}/${await blockAbove(worktree, path)}`);
  return `${path} (a folder above it is a link or a file in the worktree; if a stage made it: rm ${above})`;
}

/** Throws E_CARRY_REPLACED naming every link that is something else now, or gone: what a tool removed it believes gone. */
export async function checkCarry(tree: Pick<Tree, 'path' | 'links'>): Promise<void> {
  const lost: CarryLink[] = [];
  for (const link of tree.links) {
    const entry = await entryAt(join(tree.path, link.path));
    if (entry.kind !== 'link' || entry.target !== link.target) lost.push(link);
  }
  if (lost.length > 0) await replaced(tree.path, lost);
}

async function replaced(worktree: string, links: readonly CarryLink[]): Promise<never> {
  const commands: string[] = [];
  for (const { path } of links) {
    const yours = shellWord(path);
    const tools = shellWord(`${WORKTREE}/${path}`);
    const { kind } = await entryAt(join(worktree, path));
    if (kind === 'nothing') {
      commands.push(`# ${tools} was removed; yours is as it was, and the next start links it again`);
      // Commented out as well: pasting all lines must not remove the only copy.
      commands.push(`# if yours should be gone as well: rm -r ${yours}`);
      continue;
    }
    const take = kind === 'folder' ? `cp -a ${tools}/. ${yours} && rm -r ${tools}` : `mv ${tools} ${yours}`;
    commands.push(`diff -r ${tools} ${yours}`, `rm -r ${tools}   # keeps yours`, `${take}   # keeps the tool's`);
  }
  const problems = links.map(({ path, target }) => `${WORKTREE}/${path} (was a link to ${target})`);
  return fail('E_CARRY_REPLACED', { commands: commands.join('\n') }, problems);
}

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

/** The path of such a line. */
export const excludedPath = (line: string): string => line.slice(1).replaceAll(/\\(.)/g, '$1');
