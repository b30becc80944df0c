// Which files an edit may touch: plain paths, allowed and not protected, that are what they seem to be in the tree.
import { pathMatcher } from '../../config/paths.ts';
import { foldersAbove, type Tree, treeOf } from '../../repository/tree.ts';
import type { Edit, RefusalCode } from '../edit.ts';
import type { Finding } from './finding.ts';
import { looksLike, pathFault } from './path-text.ts';
import { protectedAs } from './protected-names.ts';
import { clip, type GateRules } from './rules.ts';

/** What is wrong with where `edited` would be written; at most one finding per file. */
export function pathFindings(edited: readonly Edit[], rules: GateRules, tree: Tree): Finding[] {
  const lists = {
    allowed: listed(rules.allow),
    guarded: listed(rules.protect, true),
    closed: listed(rules.untouchable, true),
  };
  const seen = new Set<string>();
  const most = rules.maxFolders ?? 0;
  const made = newFolders(
    edited.filter(({ before }) => before === null).map(({ path }) => path),
    tree,
  );
  const limit = most === 0 ? 'none may be made' : `at most ${most} may be made`;
  const tooMany = made.length > most ? limit : undefined;
  return edited.flatMap((file) => pathFinding(file, rules, tree, lists, tooMany) ?? twice(file.path, seen) ?? []);
}

/** Those of `paths` that a fix may change. */
export function editablePaths(paths: readonly string[], rules: GateRules): string[] {
  const [allowed, tree] = [listed(rules.allow), treeOf(rules.tree)];
  return paths.filter(
    (path) => allowed(path) && pathFindings([{ path, before: '', after: '.' }], rules, tree).length === 0,
  );
}

type Listed = (path: string) => boolean;

const remembered = new Map<string, Listed>();
const MAX_REMEMBERED = 64;

/** Whether a path is on the list. The same lists come again and again, so the last ones are remembered by their text. */
function listed(globs: readonly string[], ignoreCase = false): Listed {
  const key = JSON.stringify([ignoreCase, globs]);
  const made = remembered.get(key) ?? listOf(globs, ignoreCase);
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(key, made);
  return made;
}

/** A name as it stands counts beside what it matches as a pattern: files may be called `a[1].yaml`. */
function listOf(globs: readonly string[], ignoreCase: boolean): Listed {
  const matches = pathMatcher(globs, { ignoreCase });
  const exact = new Set(globs.map((glob) => (ignoreCase ? glob.toLowerCase() : glob)));
  return (path) => matches(path) || exact.has(ignoreCase ? path.toLowerCase() : path);
}

function twice(path: string, seen: Set<string>): Finding | undefined {
  const key = looksLike(path);
  if (seen.has(key)) return finding('bad_path', path, 'it is named twice');
  seen.add(key);
  return undefined;
}

function finding(code: RefusalCode, path: string, why: string): Finding {
  const shown = pathFault(path) === undefined ? path : JSON.stringify(path);
  return { code, reason: `${clip(shown)}: ${why}` };
}

function pathFinding(
  { path, before, after, executable }: Edit,
  { allow }: GateRules,
  tree: Tree,
  { allowed, guarded, closed }: Record<'allowed' | 'guarded' | 'closed', Listed>,
  tooMany: string | undefined,
): Finding | undefined {
  const fault = pathFault(path);
  if (fault !== undefined)
    return finding('bad_path', path, `${fault}; write the path as it is, relative to the repository`);
  const look = looksLike(path);
  const kind = protectedAs(path) ?? protectedAs(look);
  if (kind !== undefined) return finding('protected', path, `it is ${kind}, which no fix may change`);
  if (guarded(path) || guarded(look)) return finding('protected', path, 'its owner protects it; no fix may change it');
  if (closed(path) || closed(look))
    return finding('protected', path, 'it judges or carries stages, or is part of the loop; no fix may change it');
  if (!allowed(path)) return finding('outside', path, `only these may be changed: ${clip(allow.join(', ') || 'none')}`);
  const link = linkOnTheWay(path, tree);
  if (link)
    return finding('bad_path', path, `${link} is a symbolic link; change the file it stands for, if that is allowed`);
  if (tree.isFolder(path)) return finding('bad_path', path, 'it is a folder');
  if (before === null) return newFileFinding(path, tree, executable === true, tooMany);
  if (!tree.exists(path)) return finding('missing_file', path, 'it does not exist');
  if (executable && !isScript(path, after)) return finding('unsupported', path, 'only a script can be made executable');
  const changes = before !== after || (executable && tree.isExecutable(path) !== true);
  return changes ? undefined : finding('no_change', path, 'it is already so');
}

/** `tooMany`: why no folder may be made for it. */
function newFileFinding(path: string, tree: Tree, executable: boolean, tooMany?: string): Finding | undefined {
  if (executable) return finding('unsupported', path, 'only a script that is there can be made executable');
  if (tree.exists(path)) return finding('bad_path', path, 'it exists and its text could not be read');
  const missing = newFolders([path], tree);
  if (missing.some((folder) => tree.exists(folder)))
    return finding('bad_path', path, 'a file stands where its folder would be');
  if (missing.length > 0 && tooMany !== undefined)
    return finding('missing_file', path, `there is no folder ${missing.at(-1)}, and ${tooMany}`);
  const other = looksLike(path);
  if (other !== path && tree.exists(other)) return finding('bad_path', path, `it looks like ${other}, which exists`);
  return undefined;
}

/** The folders that files at these paths need and that are not there, each once. */
const newFolders = (paths: readonly string[], tree: Tree): string[] =>
  [...new Set(paths.flatMap(foldersAbove))].filter((folder) => !tree.isFolder(folder));

const isScript = (path: string, text: string): boolean =>
  text.startsWith('#!') || /\.(?:sh|bash|py|mjs|js|rb|pl)$/.test(path);

/** The first part of the way to `path`, itself included, that is a link. */
const linkOnTheWay = (path: string, tree: Tree): string | undefined =>
  [...foldersAbove(path), path].find((part) => tree.linkTarget(part) !== undefined);
