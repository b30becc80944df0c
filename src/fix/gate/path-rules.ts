// Which files an edit may touch: plain paths, allowed and not protected, that are what they seem to be in the tree.
import { pathMatcher } from '../../config/paths.ts';
import { foldersAbove, type Tree, treeOf } from '../../repository/tree.ts';
import type { Edit, RefusalCode } from '../edit.ts';
import { looksLike, pathFault } from './path-text.ts';
import { protectedAs } from './protected-names.ts';
import { clip, type Finding, type GateRules } from './rules.ts';

/** What is wrong with where `edits` would be written; at most one finding per file. */
export function pathFindings(edits: readonly Edit[], rules: GateRules): Finding[] {
  const place = placeOf(rules);
  const most = rules.maxFolders ?? 0;
  const isNew = edits.filter(({ before }) => before === null).map(({ path }) => path);
  const limit = most === 0 ? 'none may be made' : `at most ${most} may be made`;
  const tooMany = newFolders(isNew, place.tree).length > most ? limit : undefined;
  const seen = new Set<string>();
  return edits.flatMap((edit) => {
    const look = looksLike(edit.path);
    const twice = seen.has(look) ? finding('bad_path', edit.path, 'it is named twice') : undefined;
    seen.add(look);
    return placeFinding(edit.path, place) ?? changeFinding(edit, place.tree, tooMany) ?? twice ?? [];
  });
}

/** Those of `paths` that a fix may change. */
export function editablePaths(paths: readonly string[], rules: GateRules): string[] {
  const place = placeOf(rules);
  return paths.filter((path) => placeFinding(path, place) === undefined && place.tree.exists(path));
}

const placeOf = (rules: GateRules) => ({
  rules,
  tree: treeOf(rules.tree),
  allowed: listOf(rules.allow),
  guarded: listOf(rules.protect, true),
  closed: listOf(rules.untouchable, true),
});
type Place = ReturnType<typeof placeOf>;

/** A name as it stands counts beside what it matches as a pattern: files may be called `a[1].yaml`. */
function listOf(globs: readonly string[], ignoreCase = false): (path: string) => boolean {
  const matches = pathMatcher(globs, { ignoreCase });
  const exact = new Set(globs.map((glob) => (ignoreCase ? glob.toLowerCase() : glob)));
  return (path) => matches(path) || exact.has(ignoreCase ? path.toLowerCase() : path);
}

function finding(code: RefusalCode, path: string, why: string): Finding {
  const shown = pathFault(path) === undefined ? path : JSON.stringify(path);
  return { code, reason: `${clip(shown)}: ${why}` };
}

/** Why nothing may be written there. */
function placeFinding(path: string, { rules, tree, allowed, guarded, closed }: Place): Finding | undefined {
  const fault = pathFault(path);
  if (fault !== undefined)
    return finding('bad_path', path, `${fault}; write the path as it is, relative to the repository`);
  const look = looksLike(path);
  const kind = protectedAs(path) ?? protectedAs(look);
  if (kind !== undefined) return finding('protected', path, `it is ${kind}, which no fix may change`);
  if (guarded(path) || guarded(look)) return finding('protected', path, 'its owner protects it; no fix may change it');
  if (closed(path) || closed(look))
    return finding('protected', path, 'it judges or carries stages, or is part of the loop; no fix may change it');
  if (!allowed(path))
    return finding('outside', path, `only these may be changed: ${clip(rules.allow.join(', ') || 'none')}`);
  const link = [...foldersAbove(path), path].find((part) => tree.linkTarget(part) !== undefined);
  if (link !== undefined)
    return finding('bad_path', path, `${link} is a symbolic link; change the file it stands for, if that is allowed`);
  return tree.isFolder(path) ? finding('bad_path', path, 'it is a folder') : undefined;
}

/** Why this may not become of the file; `tooMany`: why no folder may be made for it. */
function changeFinding(edit: Edit, tree: Tree, tooMany: string | undefined): Finding | undefined {
  const { path, before, after, executable } = edit;
  if (before === null) return newFileFinding(edit, tree, tooMany);
  if (!tree.exists(path)) return finding('missing_file', path, 'it does not exist');
  const isScript = after.startsWith('#!') || /\.(?:sh|bash|py|mjs|js|rb|pl)$/.test(path);
  if (executable && !isScript) return finding('unsupported', path, 'only a script can be made executable');
  const changes = before !== after || (executable && !tree.isExecutable(path));
  return changes ? undefined : finding('no_change', path, 'it is already so');
}

function newFileFinding({ path, executable }: Edit, tree: Tree, tooMany: string | undefined): Finding | undefined {
  if (executable) return finding('unsupported', path, 'only a script that is there can be made executable');
  if (tree.exists(path)) return finding('bad_path', path, 'it exists and its text could not be read');
  const missing = newFolders([path], tree);
  if (missing.some((folder) => tree.exists(folder)))
    return finding('bad_path', path, 'a file stands where its folder would be');
  if (missing.length > 0 && tooMany !== undefined)
    return finding('missing_file', path, `there is no folder ${missing.at(-1)}, and ${tooMany}`);
  const look = looksLike(path);
  return look !== path && tree.exists(look)
    ? finding('bad_path', path, `it looks like ${look}, which exists`)
    : undefined;
}

/** The folders that files at these paths need and that are not there, each once. */
const newFolders = (paths: readonly string[], tree: Tree): string[] =>
  [...new Set(paths.flatMap(foldersAbove))].filter((folder) => !tree.isFolder(folder));
