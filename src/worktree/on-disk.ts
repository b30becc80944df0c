// Why a fix's files cannot be written, by the disk and git's attributes: something is there, or git
// would store another text than the one that was judged.
import { join } from 'node:path';
import { fields } from '../io/git.ts';
import { blockAbove, entryAt } from '../io/links.ts';
import { type Tree, treeGit, WORKTREE } from './tree.ts';

type Place = Pick<Tree, 'home' | 'path' | 'gitDir'>;

interface Edit {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}

/** Why these files may not be written here, every reason of one kind at once; undefined: they may. Throws a GitError. */
export async function unwritable(tree: Place, files: readonly Edit[]) {
  const newPaths = files.filter(({ before }) => before === null).map(({ path }) => path);
  const standing = (await Promise.all(newPaths.map((path) => standsAt(tree, path)))).flat();
  if (standing.length > 0) return { code: 'in_the_way' as const, reasons: standing };
  const converted = await conversions(tree, files);
  return converted.length > 0 ? { code: 'converted' as const, reasons: converted } : undefined;
}

async function standsAt({ home, path: root }: Place, path: string): Promise<string[]> {
  for (const [folder, where] of [
    [root, root === home ? 'here' : `in ${WORKTREE}`],
    [home, "in the owner's checkout"],
  ] as const) {
    const stands = (await blockAbove(folder, path)) ?? (await entryAt(join(folder, path))).kind !== 'nothing';
    if (stands) return [`${path}: something that git does not hold stands there ${where}; no fix may replace it`];
  }
  return [];
}

const ATTRIBUTES = ['filter', 'working-tree-encoding', 'ident', 'text', 'eol'];

async function conversions(tree: Place, files: readonly Edit[]): Promise<string[]> {
  const names = files.map(({ path }) => `${path}\0`).join('');
  // As they are in the index: a stage may have changed the files that name them.
  const answer = fields(await treeGit(tree).run(['check-attr', '--cached', '-z', '--stdin', ...ATTRIBUTES], names));
  return files.flatMap(({ path, after }) => {
    const rows = answer.flatMap((name, i) => (i % 3 === 0 && name === path ? [answer.slice(i + 1, i + 3)] : []));
    const why = conversion(Object.fromEntries(rows), after);
    return why === undefined ? [] : [`${path}: git would not store it as it is (${why} in .gitattributes)`];
  });
}

/** The attribute by which git would not keep `text` byte for byte, in a commit or in a checkout. */
function conversion(attributes: Readonly<Record<string, string>>, text: string): string | undefined {
  const given = (name: string) => !['unspecified', 'unset', undefined].includes(attributes[name]);
  const named = ['filter', 'working-tree-encoding', 'ident'].find(given);
  if (named !== undefined) return named;
  if (attributes.eol === 'crlf') return 'eol=crlf';
  const evened = attributes.text === 'set' || (attributes.text !== 'unset' && given('eol'));
  return evened && text.includes('\r\n') ? 'text, and it has line ends of Windows' : undefined;
}
