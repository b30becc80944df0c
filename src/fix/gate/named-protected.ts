// Protected files that an added line names: what may not be edited may not be run, moved or overwritten either.
import { commandWords, isWipeScript, pathMatcher, rawWords } from '../../config/paths.ts';
import type { Reading } from './reading.ts';

const OWN = /(?:^|\/)(?:ai\/(?:context_map|loop)\.yaml|\.git\/(?:hooks|config|info|objects|refs)(?:\/.*)?)$/i;
const GLOB = /[*?[\]{}()!+@]/;
/** Names that many files have: alone they say nothing. */
const COMMON =
  /^(?:run|main|verify|values|config|kustomization|readme|index|install|setup|makefile|dockerfile|deploy|defaults?|all|test|build|start|namespace|helmrelease|helm-release|secret|docker-compose|compose|package)(?:\.\w+)?$/i;

/** The first word of the readings that names a protected file or a wipe script, or undefined. */
export function namedProtected(
  readings: readonly Reading[],
  path: string,
  protect: readonly string[],
): string | undefined {
  const guarded = protectedWord(protect, path);
  for (const { line } of readings) {
    const found = rawWords(line).find((word) => guarded(word) || runsWipe(word) || OWN.test(word));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Data may be about wiping; only what looks like a file to be run counts. */
const runsWipe = (word: string): boolean =>
  !word.startsWith('-') &&
  isWipeScript(word) &&
  (word.includes('/') || /\.(?:sh|bash|py|pl|rb|js|mjs|ya?ml)$/i.test(word)) &&
  !/^https?:/.test(word);

function protectedWord(protect: readonly string[], path: string): (word: string) => boolean {
  const matches = pathMatcher(protect, { ignoreCase: true });
  const literal = protect.filter((glob) => !GLOB.test(glob) && !glob.endsWith('/')).map((glob) => glob.toLowerCase());
  const folder = path.split('/').slice(0, -1).join('/').toLowerCase();
  return (word) => {
    if (word.startsWith('-') || word.length > 1024) return false;
    // "$DIR/name", ../../name and /somewhere/name may all end at the same file.
    const plain = word.toLowerCase().replace(/^(?:\$\{?\w+\}?\/+|\.{1,2}\/+|\/+)+/, '');
    if (plain === '' || /^\w+:\/\//.test(word)) return false;
    if (commandWords(plain).some((candidate) => matches(candidate))) return true;
    return literal.some((file) => {
      const name = file.split('/').at(-1) ?? '';
      if (plain === file || plain.endsWith(`/${file}`)) return true;
      if (plain.includes('/')) return file.endsWith(`/${plain}`);
      return plain === name && (!COMMON.test(name) || file === (folder ? `${folder}/${name}` : name));
    });
  };
}
