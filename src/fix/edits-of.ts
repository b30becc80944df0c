// What somebody answered → the files as they would be. The one way from an answer to edits.
import { applyChanges, type Known } from './apply-changes.ts';
import type { Edit, Note, OrRefusal } from './edit.ts';
import { sourceOf } from './place/source.ts';
import { readAnswer } from './read-answer.ts';
import { nearestPlaces, rawLines } from './show-place.ts';

type ReadFile = (path: string) => string | undefined;

/** Among more files than these nothing is looked for: each would be read for each answer. */
const MAX_EDITABLE = 2000;

/** A refusal shows where the answer comes closest to a file, whatever was wrong with it. Never throws unless `read` does. */
export function editsOf(
  answer: string,
  read: ReadFile,
  known: Known = {},
): OrRefusal<{ files: Edit[]; note?: Note | undefined }> {
  const given = readAnswer(answer, { path: known.path, files: known.editable ?? [] });
  const paths = (known.editable ?? []).length > MAX_EDITABLE ? [] : (known.editable ?? []);
  const here = { ...known, editable: paths, mentions: given.ok ? given.mentions : [] };
  const applied = given.ok ? applyChanges(given.changes, read, here) : given;
  if (applied.ok) return { ...applied, note: given.ok ? given.note : undefined };
  if (applied.places && applied.places.length > 0) return applied;
  const places = nearestPlaces(
    rawLines(answer),
    paths.map((path) => [path, sourceOf(read(path) ?? '')] as const),
  );
  return places.length > 0 ? { ...applied, places } : applied;
}
