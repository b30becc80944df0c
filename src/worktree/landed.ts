// Which commits of the AI branch the base has already, by patch-id: one by one, or many squashed into one.
import { fields, type Git, lines } from '../io/git.ts';

const PATCH = ['-r', '-p', '--no-renames', '--no-ext-diff', '--no-textconv', '--full-index'];
/** How far back squashed ranges are looked for. */
const SQUASH_DEPTH = 200;

/** The commits of `base..head` whose change is in the base. Throws a GitError. */
export async function landedCommits(git: Git, base: string, head: string): Promise<Set<string>> {
  const branchCommits = lines(await git.run(['rev-list', '--no-merges', `${base}..${head}`]));
  if (branchCommits.length === 0) return new Set();
  const fork = await forkOf(git, base, head);
  const baseCommits = lines(await git.run(['rev-list', '--no-merges', base, ...(fork ? [`^${fork}`] : [])]));
  const baseIds = new Set((await patchIds(git, baseCommits)).values());
  if (baseIds.size === 0) return new Set();
  const ids = await patchIds(git, branchCommits);
  const landed = branchCommits.filter((commit) => baseIds.has(ids.get(commit) ?? ''));
  return new Set([...landed, ...(await squashed(git, base, head, baseIds))]);
}

/** The last commit that all of `base..head` has in common with the base; undefined when there is none. */
async function forkOf(git: Git, base: string, head: string): Promise<string | undefined> {
  const all = lines(await git.run(['rev-list', '--boundary', `${base}..${head}`]));
  const edge = all.filter((line) => line.startsWith('-')).map((line) => line.slice(1));
  if (edge.length < 2) return edge[0];
  const fork = await git.attempt(['merge-base', '--octopus', ...edge]);
  return fork.ok ? fork.stdout.trim() : undefined;
}

async function patchIds(git: Git, commits: readonly string[]): Promise<Map<string, string>> {
  if (commits.length === 0) return new Map();
  return idsOf(git, await git.bytes(['diff-tree', '--stdin', '--root', ...PATCH], `${commits.join('\n')}\n`));
}

async function idsOf(git: Git, patches: Buffer): Promise<Map<string, string>> {
  if (patches.length === 0) return new Map();
  const pairs = lines(await git.run(['patch-id', '--stable'], patches)).map((line) => line.split(' '));
  return new Map(pairs.map(([id = '', commit = '']) => [commit, id]));
}

/** The commits up to each tip whose whole difference from the base is one of the known patches. */
async function squashed(git: Git, base: string, head: string, baseIds: ReadonlySet<string>): Promise<string[]> {
  const args = ['rev-list', '--first-parent', `--max-count=${SQUASH_DEPTH}`, `${base}..${head}`];
  const patches: Buffer[] = [];
  for (const tip of lines(await git.run(args))) {
    const fork = await git.attempt(['merge-base', base, tip]);
    if (!fork.ok) continue;
    patches.push(Buffer.from(`commit ${tip}\n`), await git.bytes(['diff-tree', ...PATCH, fork.stdout.trim(), tip]));
  }
  const squashes = [...(await idsOf(git, Buffer.concat(patches)))].filter(([, id]) => baseIds.has(id));
  const ranges = squashes.map(([tip]) => git.run(['rev-list', '--no-merges', `${base}..${tip}`]));
  return (await Promise.all(ranges)).flatMap(lines);
}

type Touch = Readonly<Record<'commit' | 'from' | 'to', string>>;

/** Those of `paths` that owe the difference between head and base to landed commits alone. Throws a GitError. */
export async function landedPaths(git: Git, base: string, head: string, paths: readonly string[]): Promise<string[]> {
  const landed = await landedCommits(git, base, head);
  if (landed.size === 0) return [];
  const [touched, byHand] = await Promise.all([touches(git, base, head), solvedByHand(git, base, head, paths)]);
  return paths.filter((path) => {
    const lasting = withoutDetours(touched.get(path) ?? []);
    return lasting.length > 0 && lasting.every((touch) => landed.has(touch.commit)) && !byHand.has(path);
  });
}

/** A change that was taken back later (a reverted fix) left nothing behind and decides nothing. */
function withoutDetours(touched: readonly Touch[]): Touch[] {
  const lasting: Touch[] = [];
  for (const touch of touched) {
    lasting.push(touch);
    const back = lasting.findIndex((earlier) => earlier.from === touch.to);
    if (back >= 0) lasting.splice(back);
  }
  return lasting;
}

async function touches(git: Git, base: string, head: string): Promise<Map<string, Touch[]>> {
  const commits = await git.run(['rev-list', '--reverse', '--topo-order', '--no-merges', `${base}..${head}`]);
  const rows = fields(await git.run(['diff-tree', '--stdin', '--root', '-r', '-z', '--no-renames'], commits));
  const touched = new Map<string, Touch[]>();
  let commit = '';
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] ?? '';
    if (!row.startsWith(':')) {
      commit = row.trim();
      continue;
    }
    const [, , from = '', to = ''] = row.split(' ');
    const path = rows[++i] ?? '';
    touched.set(path, [...(touched.get(path) ?? []), { commit, from, to }]);
  }
  return touched;
}

/** The paths whose text in a merge commit is neither side's and not what git makes of them: a person wrote it. */
async function solvedByHand(git: Git, base: string, head: string, paths: readonly string[]): Promise<Set<string>> {
  const solved = new Set<string>();
  for (const merge of lines(await git.run(['rev-list', '--merges', `${base}..${head}`]))) {
    const args = ['diff-tree', '-c', '-r', '-z', '--name-only', '--no-commit-id', merge];
    const mixed = fields(await git.run(args)).filter((path) => paths.includes(path));
    if (mixed.length === 0) continue;
    const show = ['show', '--remerge-diff', '--format=', '-z', '--name-only', '--no-ext-diff', merge];
    const redone = fields(await git.run(show)).map((name) => name.trim());
    for (const path of mixed) if (redone.includes(path.trim())) solved.add(path);
  }
  return solved;
}
