// The one rule for words: a tool rejects a word, nothing defines it, and exactly one defined word of its kind is near.
import { extname } from 'node:path/posix';
import { errorLines, faultyFileNames } from './complaints.ts';
import { isJson } from './json.ts';
import { errorText, type Rejection, rejectionsIn } from './messages.ts';
import { meantBy } from './names.ts';
import { isAlike, isSlip, nearest } from './near.ts';
import { type Place, placesOf, type Role, type World } from './places.ts';
import { programsOnPath } from './programs.ts';
import {
  everyText,
  isTemplate,
  lineOf,
  onlyOne,
  type Repair,
  type Repaired,
  type RepairFacts,
  rewritten,
  splice,
  textsOf,
  type Unsure,
} from './repair.ts';
import { stopsAtFailure } from './scripts.ts';
import { readYaml } from './yaml.ts';
import { entriesOf } from './yaml-tree.ts';

type Outcome = Repaired | Unsure | undefined;

export const wrongWord: Repair = async (facts) => {
  const rejections = rejectionsIn(errorText(facts));
  if (rejections.length === 0) return undefined;
  const [texts, editable, definitions] = await Promise.all([
    everyText(facts),
    textsOf(facts, () => true),
    facts.definitions(),
  ]);
  const { path, variables } = facts.surroundings;
  const { tools, env } = facts.stage.requires;
  const world = { texts, variables, programs: await programsOnPath(path), tools, required: env, ...definitions };
  const named = faultyFileNames(facts, /\.\w+$/);
  const outcomes = await Promise.all(rejections.map((one) => mendWord(one, world, editable, named, facts)));
  const repaired = outcomes.filter((one) => one !== undefined && 'files' in one);
  const same = new Set(repaired.map((one) => JSON.stringify(one.files)));
  if (same.size > 1) return { unsure: `several words are wrong: ${repaired.map(({ note }) => note.fix).join('; ')}` };
  return repaired[0] ?? outcomes.find((one) => one !== undefined);
};

async function mendWord(
  rejection: Rejection,
  world: World,
  editable: ReadonlyMap<string, string>,
  named: ReadonlySet<string | undefined>,
  facts: RepairFacts,
): Promise<Outcome> {
  const { word } = rejection;
  const everywhere = placesOf(word, world.texts);
  const inNamed = everywhere.filter(({ path }) => named.has(path));
  const places = inNamed.length > 0 ? inNamed : everywhere;
  const meant = places.map((place) => ({ place, ...meantBy(rejection, place, world) }));
  if (meant.some(({ isKnown }) => isKnown)) return undefined;
  if (meant.length === 0) return mendKey(rejection, editable);
  const names = [...new Set(meant.flatMap(({ near }) => near))];
  const [name, ...others] = names;
  if (name === undefined)
    return meant.length > 0 && meant.every(({ place }) => place.role === 'key' && /\.ya?ml$/.test(place.path))
      ? { unsure: `nothing has a name that is surely meant by ${word}` }
      : undefined;
  if (others.length > 0) return { unsure: `${names.length} names are equally near to ${word}: ${names.join(', ')}` };
  if (meant.length > 1 && meant.every(({ place: { role } }) => role === 'value')) {
    const definition = mendDefinition(word, name, places, world, editable);
    if (definition) return definition;
  }
  const [first] = meant as [(typeof meant)[number]];
  const { path } = first.place;
  if (first.place.role === 'program' && goesOn(first.place, facts))
    return { unsure: `${path} goes on after ${word}, and may have failed by something else` };
  const isCertain =
    meant.length === 1 || (meant.every(({ place }) => place.path === path) && isEverywhereWrong(first.place, name));
  if (!isCertain) return { unsure: `${word} stands in ${meant.length} places` };
  if (first.place.role === 'variable' && isAlike(word, name) && placesOf(name, world.texts).length === 1)
    return { unsure: `nothing else uses ${name}, so that it may be the one that is misspelt, and not ${word}` };
  const text = editable.get(path);
  if (text === undefined) return { unsure: `${word} stands in ${path}, which this stage may not change` };
  if (meant.some(({ place }) => isInBlock(place))) return { unsure: `${word} stands in a text, which may be data` };
  const beside = meant.length === 1 ? slipsBeside(rejection, first.place, world) : [];
  const edits = [...meant.map(({ place }) => ({ at: place.offset, old: word, name })), ...beside].sort(
    (a, b) => b.at - a.at,
  );
  const after = edits.reduce((rest, { at, old, name: to }) => splice(rest, at, old.length, to), text);
  if (!(await staysSound(path, text, after, facts)))
    return { unsure: `with ${name} instead of ${word}, ${path} would not parse` };
  const lines = meant.map(({ place }) => lineOf(text, place.offset)).join(', ');
  const { role } = first.place;
  const written = [...new Set(edits.map(({ old, name: to }) => `${to} instead of ${old}`))].reverse().join(', ');
  const note = {
    fix: `${role === 'program' ? 'Run' : 'Write'} ${written} in line ${lines} of ${path}`,
    reason: `There is no ${NOUN[role] ?? 'name'} ${word}, and ${name} is the only one with nearly that name`,
  };
  return rewritten({ path, text }, after, note);
}

/** The other words of the same value, `a:b,c`, that nothing defines either and that have one near name each. */
function slipsBeside(rejection: Rejection, place: Place, world: World) {
  const { text, offset, word, role } = place;
  const [left = ''] = /[\w.:,&!-]*$/.exec(text.slice(0, offset)) ?? [];
  const [value = ''] = /^[\w.:,&!-]*/.exec(text.slice(offset - left.length)) ?? [];
  if (role !== 'value' || !/[:,]/.test(value)) return [];
  return [...value.matchAll(/[\w.-]+/g)].flatMap(({ 0: other, index }) => {
    if (other === word) return [];
    const at = offset - left.length + index;
    const { isKnown, near } = meantBy({ ...rejection, word: other }, { ...place, word: other, offset: at }, world);
    const name = onlyOne(near);
    return isKnown || name === undefined ? [] : [{ at, old: other, name }];
  });
}

const NOUN: Partial<Record<Role, string>> = { program: 'command', variable: 'variable', key: 'key', filter: 'filter' };

/** Several places use the word: the one place of the name that is near it defines it, misspelt, and nothing uses that. */
function mendDefinition(
  word: string,
  name: string,
  places: readonly Place[],
  { texts }: World,
  editable: ReadonlyMap<string, string>,
): Outcome {
  const slip = onlyOne(placesOf(name, texts));
  const text = slip && editable.get(slip.path);
  // A script may look for the wrong word.
  const isUsed = places.every(({ path }) => extname(path) === extname(slip?.path ?? ''));
  if (!slip || text === undefined || !isUsed) return undefined;
  return rewritten({ path: slip.path, text }, splice(text, slip.offset, name.length, word), {
    fix: `Write ${word} instead of ${name} in line ${lineOf(text, slip.offset)} of ${slip.path}`,
    reason: `Several places use ${word}, and nothing uses ${name}, which is nearly that`,
  });
}

/** A key that is missing: the one key that is a slip for it, in a mapping without it. */
function mendKey({ word, message }: Rejection, editable: ReadonlyMap<string, string>): Outcome {
  if (!isMissedKey(word, message)) return undefined;
  const slips = [...editable].flatMap(([path, text]) =>
    (/\.ya?ml$/.test(path) ? entriesOf(text) : []).flatMap(({ key, keyAt, siblings }) =>
      nearest(key, [word], 'tool').length === 1 && siblings.every((one) => one.key !== word)
        ? [{ path, text, key, at: keyAt[0] }]
        : [],
    ),
  );
  const slip = onlyOne(slips);
  if (!slip) return undefined;
  return rewritten(slip, splice(slip.text, slip.at, slip.key.length, word), {
    fix: `Write ${word} instead of ${slip.key} in line ${lineOf(slip.text, slip.at)} of ${slip.path}`,
    reason: `${word} is missing there, and ${slip.key} is nearly that`,
  });
}

/** `"endpoint" is required`, `missing required argument: name`. */
const isMissedKey = (word: string, message: string): boolean =>
  /^\w+$/.test(word) &&
  new RegExp(`\\b${word}["']?(?: is|:)? (?:a )?required\\b|required arguments?: ${word}$`, 'm').test(message);

/** Whether a script or a recipe does not end where a command is not found, and something else was said. */
function goesOn({ word, text, path, before }: Place, facts: RepairFacts): boolean {
  const isScript = /\.(?:sh|bash)$|^#!/m.test(`${path}\n${text}`);
  const isForgiven = /^\t[@+]*-/.test(before) || (isScript && !stopsAtFailure(text));
  return isForgiven && !errorLines(facts).every((line) => line.includes(word));
}

/** The same slip in several lines: of a name that is used, not of a value that is only not allowed at one place. */
const isEverywhereWrong = ({ role, word }: Place, name: string): boolean =>
  !/^(?:value|key|program)$/.test(role) && (isAlike(word, name) || isSlip(word, name));

/** Whether the place is inside of a block of text in a YAML file, where only expressions are read. */
function isInBlock({ path, text, offset, role }: Place): boolean {
  return (
    /\.ya?ml$/.test(path) &&
    (role === 'key' || role === 'value') &&
    entriesOf(text).some(({ valueAt: [from, to] }) => /[|>]/.test(text[from] as string) && from < offset && offset < to)
  );
}

/** Whether the text still parses, if it did. */
async function staysSound(path: string, before: string, after: string, { shell }: RepairFacts): Promise<boolean> {
  if (/\.(?:sh|bash)$/.test(path)) return !(await shell.parses(before)) || (await shell.parses(after));
  if (/\.json$/.test(path)) return !isJson(before) || isJson(after);
  if (!/\.ya?ml$/.test(path)) return true;
  const isSound = (text: string) => readYaml(text).errors.length === 0;
  return isTemplate(before) && !isSound(before) ? true : !isSound(before) || isSound(after);
}
