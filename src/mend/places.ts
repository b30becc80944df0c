// Where a failure points in the whole repository: every text is read once, the likeliest first, and only those of the best places
// are kept for prompt and case.
import type { Stage } from '../config/context-map.ts';
import { pathMatcher } from '../config/paths.ts';
import { protectedAs } from '../fix/gate/protected-names.ts';
import { recordOf, type StageState } from '../journal/stages.ts';
import type { FailureContext } from '../outbound/context.ts';
import { evidenceOf } from '../outbound/parts/suspicion-of.ts';
import { needsOf } from '../plan/compile.ts';
import { stepNames } from '../plan/matrix.ts';
import { definedAt, definitionLines } from '../repository/rank/definitions.ts';
import { withDefined } from '../repository/rank/follow.ts';
import type { Maker } from '../repository/rank/made-by.ts';
import { MIN_SUSPICION, type Ranking } from '../repository/rank/place.ts';
import { openSearch } from '../repository/rank/rank.ts';
import { type RepositoryFacts, repositoryOf } from '../repository/repository.ts';
import { foldersAbove, type SourceFile } from '../repository/tree.ts';
import type { Configuration } from '../stage/configuration.ts';
import type { Files } from '../worktree/read.ts';

const MAX_CHARACTERS = 64 * 1024 * 1024;
const AT_ONCE = 64;
const IS_TEXT =
  /(?:^|\/)(?:\w*file|hosts|inventory)$|\.(?:ya?ml|json5?|toml|ini|cfg|conf|env|sh|py|tf|tofu|tfvars|hcl|mk|just|j2|tmpl|tpl|gotmpl|txt|csv)$/i;

export interface Places extends Ranking {
  /** Of each thing that the error misses, what there is of its kind: a line each. */
  readonly definitions: readonly string[];
  /** Files that were too many or too large to be read. */
  readonly unread: number;
}

/** So many of the best places are read for what they refer to, and looked from for what is defined. */
const BEST = 4;

type Failure = Pick<FailureContext, 'stage' | 'failure' | 'log'>;

/** `files`: the paths that the stage may change. Others are read where they hold no secrets by their names. Throws a GitError. */
export async function placesOf(
  failure: Failure,
  snapshot: Files,
  files: readonly string[],
  makers: readonly Maker[],
  repository: () => Promise<RepositoryFacts>,
): Promise<Places> {
  const editable = new Set(files);
  const paths = [...snapshot.files.keys()];
  const search = openSearch(evidenceOf(failure), paths, makers);
  const isRead = (path: string) => editable.has(path) || isReadable(path);
  const order = search.order.filter(isRead);
  let left = MAX_CHARACTERS;
  let unread = 0;
  for (let at = 0; at < order.length; at += AT_ONCE) {
    if (left <= 0) {
      unread += order.length - at;
      break;
    }
    const some = order.slice(at, at + AT_ONCE).map(async (path) => ({ path, text: await snapshot.text(path) }));
    for (const { path, text } of await Promise.all(some)) {
      if (text === undefined) unread++;
      else search.read({ path, text });
      left -= text?.length ?? 0;
    }
  }
  const ranking = search.ranking();
  const best = ranking.places.filter(({ path, score }) => score >= MIN_SUSPICION && isRead(path)).slice(0, BEST);
  const texts = await Promise.all(best.map(async ({ path }) => ({ path, text: (await snapshot.text(path)) ?? '' })));
  const { files: names, ...facts } = await repository();
  const { visible } = repositoryOf({ files: names, ...facts });
  const suspects = best.map(({ path }) => path);
  const { error_lines } = failure.failure;
  const missing = definitionLines(ranking.names, error_lines, { files: names, visible }, suspects);
  const defined = definedAt(ranking.names, error_lines, { files: names });
  const definitions = [...missing, ...defined.map(({ line }) => line)];
  return { ...withDefined(search.withLinks(ranking, texts), defined), definitions, unread };
}

/** Whether a text may be sent that the stage may not change. */
export const isReadable = (path: string): boolean => IS_TEXT.test(path) && protectedAs(path) === undefined;

/** So many texts are kept of those that may be changed, and of those that are only read. */
const MAX_NEAREST = 3;
const KEPT = { files: 12, readable: 8 };

/** The texts of the best places, and of those with a name like one that the error misses. */
export async function textsOf(
  { places, near }: Ranking,
  snapshot: Files,
  files: readonly string[],
): Promise<{ files: SourceFile[]; readable: SourceFile[] }> {
  const editable = new Set(files);
  const like = new Set(near.flatMap((one) => one.places.map(({ path }) => path)));
  const texts = async (isIn: (path: string) => boolean, most: number): Promise<SourceFile[]> => {
    const paths = places.map(({ path }) => path).filter(isIn);
    const isPointed = places.some(({ path, score }) => isIn(path) && score >= MIN_SUSPICION);
    const around = isPointed
      ? []
      : nearest(
          files.filter(isIn),
          places.filter(({ isRun }) => isRun),
        );
    const wanted = new Set([...paths.slice(0, most), ...[...like].filter(isIn), ...around]);
    return Promise.all([...wanted].map(async (path) => ({ path, text: (await snapshot.text(path)) ?? '' })));
  };
  const isOpen = (path: string) => snapshot.files.has(path) && isReadable(path);
  return {
    files: await texts((path) => editable.has(path), KEPT.files),
    readable: await texts((path) => !editable.has(path) && isOpen(path), KEPT.readable),
  };
}

/** Where nothing points at any file: those that lie nearest to what the command runs, and else highest. */
function nearest(files: readonly string[], run: readonly { path: string }[]): string[] {
  const away = (path: string): number => {
    const depth = path.split('/').length;
    const common = run.map((one) => foldersAbove(path).filter((folder) => one.path.startsWith(`${folder}/`)).length);
    return depth - 2 * Math.max(0, ...common);
  };
  return [...files].sort((a, b) => away(a) - away(b) || (a < b ? -1 : 1)).slice(0, MAX_NEAREST);
}

/** Every stage that this one needs, directly or not: what is not in the repository may be theirs. */
export function makersOf({ map }: Configuration, stages: StageState, name: string, tree: readonly string[]): Maker[] {
  return needsOf(map, name).map((stage) => {
    const { files, matrix } = map.stages[stage] as Stage;
    const steps = stepNames(stage, { matrix }).flatMap((step) => recordOf(stages, step)?.wrote ?? []);
    return { stage, files: tree.filter(pathMatcher(files)), wrote: [...new Set(steps)] };
  });
}
