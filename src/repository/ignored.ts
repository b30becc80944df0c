// What git ignores, by the texts of .gitignore files.
import picomatch from 'picomatch';
import { foldersAbove } from './tree.ts';

/** Whether it ignores a path or takes it in again; undefined where it says nothing of it. */
type Rule = (path: string, isFolder: boolean) => boolean | undefined;

const MAX_LENGTH = 4096;

/** Whether a file or folder at a path is ignored; `texts` are those of .gitignore files by their paths. */
export function ignoredBy(texts: ReadonlyMap<string, string>): (path: string) => boolean {
  // The last word counts, and of files that of the one further down.
  const files = [...texts].sort(([a], [b]) => a.split('/').length - b.split('/').length);
  const rules = files.flatMap(([path, text]) => rulesOf(path.slice(0, path.lastIndexOf('/') + 1), text)).reverse();
  const isIgnored = (path: string, isFolder: boolean) =>
    rules.find((rule) => rule(path, isFolder) !== undefined)?.(path, isFolder) ?? false;
  // Nothing below an ignored folder can be taken in again.
  return (path) =>
    foldersAbove(path).some((folder) => isIgnored(folder, true)) || isIgnored(path, false) || isIgnored(path, true);
}

/** The rules of a file in the folder `below`, which has a slash behind it or is ''. */
function rulesOf(below: string, text: string): Rule[] {
  return text.split(/\r?\n/).flatMap((line) => {
    if (line.startsWith('#') || line.length > MAX_LENGTH) return [];
    const [, not = '', bare = '', slashes = ''] = /^(!?)(.*?)(\/*)$/.exec(line.replace(/(?<!\\)\s+$/, '')) ?? [];
    if (bare === '') return [];
    const glob = bare.includes('/') ? bare.replace(/^\//, '') : `**/${bare}`;
    const options = { dot: true, nonegate: true, nobrace: true, noextglob: true, strictSlashes: true };
    // Signs that only picomatch knows are what they are.
    const isLike = picomatch(glob.replace(/\\?([(){}+@|])/g, '\\$1').replaceAll('[!', '[^'), options);
    const isMeant = (path: string) => path.startsWith(below) && isLike(path.slice(below.length));
    return [(path, isFolder) => ((isFolder || slashes === '') && isMeant(path) ? not === '' : undefined)];
  });
}
