// What git ignores, by the texts of .gitignore files.
import picomatch from 'picomatch';
import { foldersAbove } from './tree.ts';

interface Rule {
  readonly isNegated: boolean;
  readonly onlyFolders: boolean;
  /** The folder of its .gitignore, with a slash behind it, or ''. */
  readonly below: string;
  matches(path: string): boolean;
}

const MAX_PATTERN_LENGTH = 4096;

/** Whether a file or folder at a path is ignored; `texts` are those of .gitignore files by their paths. */
export function ignoredBy(texts: ReadonlyMap<string, string>): (path: string) => boolean {
  // Of files further down the last word counts.
  const files = [...texts].sort(([a], [b]) => a.split('/').length - b.split('/').length);
  const rules = files.flatMap(([path, text]) => rulesOf(path.slice(0, path.lastIndexOf('/') + 1), text)).reverse();
  const isIgnored = (path: string, isFolder: boolean): boolean => {
    const rule = rules.find(
      ({ below, onlyFolders, matches }) =>
        (isFolder || !onlyFolders) && path.startsWith(below) && matches(path.slice(below.length)),
    );
    return rule !== undefined && !rule.isNegated;
  };
  // Nothing below an ignored folder can be taken in again.
  return (path) =>
    foldersAbove(path).some((folder) => isIgnored(folder, true)) || isIgnored(path, false) || isIgnored(path, true);
}

function rulesOf(below: string, text: string): Rule[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const whole = line.replace(/(?<!\\)\s+$/, '');
    const isNegated = whole.startsWith('!');
    const pattern = whole.slice(isNegated ? 1 : 0);
    const bare = pattern.replace(/\/+$/, '');
    if (bare === '' || whole.startsWith('#') || bare.length > MAX_PATTERN_LENGTH) return [];
    const glob = bare.includes('/') ? bare.replace(/^\//, '') : `**/${bare}`;
    const options = { dot: true, nonegate: true, nobrace: true, noextglob: true, strictSlashes: true };
    // Signs that only picomatch knows are what they are.
    const matches = picomatch(glob.replace(/\\?([(){}+@|])/g, '\\$1').replaceAll('[!', '[^'), options);
    return [{ isNegated, onlyFolders: bare !== pattern, below, matches }];
  });
}
