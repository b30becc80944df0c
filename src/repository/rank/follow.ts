// What belongs to the likeliest places: what their lines refer to (the template of a task, the sources of a script, a module, the
// resources of a kustomization). Pure.
import { folderOf, type SourceFile } from '../tree.ts';
import { pathsIn } from './clues.ts';
import type { DefinedAt } from './definitions.ts';
import { normalized, type PathFinder } from './paths.ts';
import type { Place, Ranking } from './place.ts';

/** So much of a file speaks for what it refers to: all of a short one, else what is around the lines that matter. */
const SHORT = 60;
const AROUND = 8;
const MAX_MATCHING = 4;
/** A file that refers to more than these in its lines is a list, and says nothing of any of them. */
const MAX_LINKS = 4;
/** What speaks for a folder that is referred to. */
const OF_FOLDER = 'kustomization.yaml kustomization.yml variables.tf values.yaml tasks/main.yml tasks/main.yaml'.split(
  ' ',
);
const ROLE = /^(.*?(?:^|\/)roles\/[^/]+)\//;
const OF_ROLE = ['templates', 'files', 'tasks', 'vars', 'handlers'];

/** `ranking` with what `files`, the texts of its best places, refer to; each with its reason. */
export function withLinks(ranking: Ranking, files: readonly SourceFile[], finder: PathFinder): Ranking {
  const places = new Map(ranking.places.map((place) => [place.path, place]));
  const links = files.flatMap((file) => {
    const place = places.get(file.path);
    const paths = place ? linksOf(place, file, finder) : [];
    return paths.map((path) => ({ path, reason: `${file.path} refers to it` }));
  });
  return withCompanions(ranking, links);
}

/** `ranking` with the places that define what the error names. */
export const withDefined = (ranking: Ranking, defined: readonly DefinedAt[]): Ranking =>
  withCompanions(
    ranking,
    defined.flatMap(({ line: reason, places }) => places.map(({ path, line }) => ({ path, line, reason }))),
  );

type Companion = { readonly path: string; readonly line?: number; readonly reason: string };

function withCompanions(ranking: Ranking, companions: readonly Companion[]): Ranking {
  const places = new Map(ranking.places.map((place) => [place.path, place]));
  for (const { path, line, reason } of companions) {
    const none = { path, score: 0, reasons: [], isRun: false, named: [], matching: [] };
    const { matching, reasons, ...before } = places.get(path) ?? none;
    const lines = line === undefined ? matching : [line, ...matching];
    places.set(path, { ...before, isRun: true, matching: lines, reasons: [...reasons, reason] });
  }
  return { ...ranking, places: [...places.values()].sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1)) };
}

function linksOf({ named, matching }: Place, { path, text }: SourceFile, finder: PathFinder): string[] {
  const lines = text.split('\n', 20_000);
  const points = [...named, ...matching.slice(0, MAX_MATCHING)];
  const isNear = (i: number): boolean =>
    lines.length <= SHORT || points.some((line) => Math.abs(line - 1 - i) <= AROUND);
  const links = new Map<string, number>();
  lines.forEach((line, i) => {
    if (!isNear(i)) return;
    const away = Math.min(...points.map((one) => Math.abs(one - 1 - i)), SHORT);
    for (const { written } of pathsIn(line, 1)) {
      const to = /[./]/.test(written) ? meantBy(written, path, finder) : undefined;
      if (to !== undefined && to !== path) links.set(to, Math.min(away, links.get(to) ?? away));
    }
  });
  if (links.size <= MAX_LINKS) return [...links.keys()];
  const nearest = [...links].filter(([, away]) => away <= 1).map(([link]) => link);
  return nearest.length <= MAX_LINKS ? nearest : [];
}

/** The file that a path means where it is written in the file `from`; of a folder the file that speaks for it. */
function meantBy(written: string, from: string, finder: PathFinder): string | undefined {
  const role = ROLE.exec(from)?.[1];
  const inRole = role === undefined ? [] : OF_ROLE.map((folder) => `${role}/${folder}`);
  const plain = written.replace(/^[@/]+/, '');
  const places = [folderOf(from), ...inRole, ''].map((base) => normalized(`${base}/${plain}`));
  // A bare name is meant beside its file.
  const likely = plain.includes('/') ? places : places.slice(0, -1);
  for (const place of likely) {
    if (finder.isFile(place)) return place;
    const ofFolder = place !== '' && finder.isFolder(place) ? OF_FOLDER.map((name) => `${place}/${name}`) : [];
    const [speaker] = ofFolder.filter(finder.isFile);
    if (speaker !== undefined) return speaker;
  }
  const { paths, sure } = finder.meaning(plain, []);
  return paths.length === 1 && sure >= 0.75 ? paths[0] : undefined;
}
