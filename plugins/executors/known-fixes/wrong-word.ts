// A word that a tool does not know, such as an undefined variable, a missing name, a key or value that is not allowed: replaced when
// exactly one right word of its kind can be meant.
import { faultyFileNames, fileNamed } from './complaints.ts';
import { DEFINITIONS, type Repository, type WordPlace } from './definitions.ts';
import { isJson } from './json.ts';
import { nearest, slips } from './near.ts';
import {
  everyText,
  isTemplate,
  lineOf,
  type Repair,
  type Repaired,
  type RepairFacts,
  rewritten,
  splice,
  textsOf,
  type Unsure,
} from './repair.ts';
import { errorText, type Kind, type Report, reportsIn } from './reports.ts';
import { isImage } from './spelling.ts';
import { readYaml } from './yaml.ts';
import { endsIn, entriesOf } from './yaml-tree.ts';

type Outcome = Repaired | Unsure | undefined;

export const wrongWord: Repair = async (facts) => {
  const reports = reportsIn(errorText(facts));
  if (reports.length === 0) return undefined;
  const [texts, editable] = [await everyText(facts), await textsOf(facts, () => true)];
  const repository = { texts, variables: facts.surroundings.variables };
  const outcomes = await Promise.all(reports.map((report) => mendWord(report, repository, editable, facts)));
  const repaired = outcomes.filter((one) => one !== undefined && 'files' in one);
  const same = new Set(repaired.map((one) => JSON.stringify(one.files)));
  if (same.size > 1) return { unsure: `several words are wrong: ${reports.map(({ word }) => word).join(', ')}` };
  return repaired[0] ?? outcomes.find((one) => one !== undefined);
};

async function mendWord(
  reported: Report,
  repository: Repository,
  editable: ReadonlyMap<string, string>,
  facts: RepairFacts,
): Promise<Outcome> {
  const word = reported.word === '' ? wordAt(reported, editable) : reported.word;
  if (word === undefined) return { unsure: 'the place of the wrong word is not certain' };
  const report = { ...reported, word };
  if (report.kind === 'required') return mendKey(word, editable, faultyFileNames(facts, /\.ya?ml$/));
  const searched = report.kind === 'python' ? pythonTexts(report, repository, facts) : repository.texts;
  const places = placesOf(report, searched);
  const [place, ...more] = places;
  if (!place) return undefined;
  // A name that is used in several places is right: its definition is misspelt, elsewhere, or missing.
  if (more.length > 0) return mendDefinition(report, places, repository, editable);
  const text = editable.get(place.path);
  if (text === undefined) return { unsure: `${word} stands in ${place.path}, which this stage may not change` };
  if (!READS_TEXT.has(report.kind) && isInBlock(place))
    return { unsure: `${word} stands in a text, which may be data` };
  const right = rightWord(report, [...DEFINITIONS[report.kind](report, repository, place)], place);
  if (typeof right !== 'string') return right;
  if (report.hint !== undefined && right !== report.hint) {
    return { unsure: `${right} is near to ${word}, and the tool itself names ${report.hint}` };
  }
  const after = splice(text, place.offset, word.length, right);
  if (!(await staysSound(place.path, text, after, facts))) {
    return { unsure: `with ${right} instead of ${word}, ${place.path} would not parse` };
  }
  const line = lineOf(text, place.offset);
  const note = {
    fix: `Write ${right} instead of ${word} in line ${line} of ${place.path}`,
    reason: `There is no ${NOUN[report.kind] ?? report.kind} ${word}, and ${right} is the only one with nearly that name`,
  };
  return rewritten({ path: place.path, text }, after, note) ?? { unsure: `${right} stands there already` };
}

const NOUN: Partial<Record<Kind, string>> = {
  group: 'host or group',
  stage: 'build stage',
  section: 'entry of that section',
  image: 'image reference of the form',
  cron: 'cron expression of the form',
  version: 'API version',
  zone: 'time zone',
  python: 'name',
};

/** Kinds whose names are all known, from the tool's vocabulary or from the repository. */
const NAMED_BY_TOOL: ReadonlySet<Kind> = new Set([
  'filter',
  'module',
  'keyword',
  'key',
  'kind',
  'version',
  'zone',
  'value',
] as const);
const NAMED_BY_REPOSITORY: ReadonlySet<Kind> = new Set([
  'handler',
  'role',
  'section',
  'patch',
  'target',
  'resource',
  'repository',
  'stage',
] as const);
/** Kinds of objects that only manifests create. */
const FLUX = /^(?:kustomization|helmrelease|helmrepository|gitrepository|ocirepository|helmchart)s?$/;

/** The one word that the report must mean, or why there is none. */
function rightWord(report: Report, names: readonly string[], place: Place): string | Unsure {
  const { kind, word, given, hint, type = '' } = report;
  if (kind === 'image' || kind === 'cron') return only(word, names);
  if (names.includes(word)) return { unsure: `${word} is a known name, so that the fault is elsewhere` };
  if (hint !== undefined && slips(word, hint, 1) === 1) return hint;
  const isList =
    /\bin\s+$|loop:[^\n]*$|with_\w+:[^\n]*$/.test(place.before) || /^\s*\|\s*(?:join|length|map)\b/.test(place.after);
  // Where a list is expected, the plural is meant.
  if (kind === 'variable' && isList && names.includes(`${word}s`)) return only(word, [`${word}s`]);
  const tail = kind === 'zone' && !word.includes('/') ? names.filter((name) => name.endsWith(`/${word}`)) : [];
  const isOfTool = given !== undefined || hint !== undefined || NAMED_BY_TOOL.has(kind);
  const isOfRepository = NAMED_BY_REPOSITORY.has(kind) || (kind === 'object' && FLUX.test(type));
  const by = isOfTool ? 'tool' : isOfRepository ? 'repository' : 'open';
  return only(word, tail.length > 0 ? tail : nearest(word, names, by));
}

function only(word: string, names: readonly string[]): string | Unsure {
  const [name, ...more] = [...new Set(names)];
  if (name === undefined) return { unsure: `nothing has a name that is surely meant by ${word}` };
  return more.length === 0
    ? name
    : { unsure: `${more.length + 1} names are equally near to ${word}: ${[name, ...more].join(', ')}` };
}

/** For a tool that names only the place: the single value there that is not allowed, or the single invalid image. */
function wordAt({ kind, path = [], given = [] }: Report, editable: ReadonlyMap<string, string>): string | undefined {
  const entries = [...editable].flatMap(([file, text]) => (/\.ya?ml$/.test(file) ? entriesOf(text) : []));
  const wrong = entries.filter((entry) =>
    kind === 'image'
      ? entry.key === 'image' && typeof entry.value === 'string' && !/[${}]/.test(entry.value) && !isImage(entry.value)
      : typeof entry.value === 'string' && endsIn(entry, path) && !given.includes(entry.value),
  );
  return wrong.length === 1 ? String(wrong[0]?.value) : undefined;
}

function pythonTexts({ file }: Report, { texts }: Repository, facts: RepairFacts): ReadonlyMap<string, string> {
  const path = fileNamed(file, facts);
  return new Map([...texts].filter(([name]) => (file === undefined ? name.endsWith('.py') : name === path)));
}

/** Kinds whose definition is one word of a file. */
const DEFINED_ONCE: ReadonlySet<Kind> = new Set(['target', 'handler', 'section', 'resource', 'stage']);

/** For a name that several places use: renames the single definition that is nearly like it and that nothing uses. */
function mendDefinition(
  report: Report,
  places: readonly Place[],
  repository: Repository,
  editable: ReadonlyMap<string, string>,
): Outcome {
  const { kind, word } = report;
  const many = { unsure: `${word} stands in ${places.length} places` };
  if (!DEFINED_ONCE.has(kind)) return many;
  const names = [...DEFINITIONS[kind](report, repository, places[0] as Place)];
  const [slip, ...others] = names.includes(word) ? [] : nearest(word, names);
  if (slip === undefined || others.length > 0) return many;
  const whole = new RegExp(`(?<![\\w.-])${slip.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w.-])`, 'g');
  const uses = [...repository.texts].flatMap(([path, text]) =>
    [...text.matchAll(whole)].map(({ index }) => ({ path, index })),
  );
  const [at] = uses;
  const text = at && editable.get(at.path);
  if (uses.length !== 1 || !at || text === undefined) return many;
  const note = {
    fix: `Write ${word} instead of ${slip} where ${at.path} defines it`,
    reason: `${places.length} places use ${word}, and none uses ${slip}, which is nearly that`,
  };
  return rewritten({ path: at.path, text }, splice(text, at.index, slip.length, word), note) ?? many;
}

/** For a missing key: renames the single key that is a slip for it. */
function mendKey(key: string, editable: ReadonlyMap<string, string>, named: ReadonlySet<string | undefined>): Outcome {
  const slips = [...editable].flatMap(([path, text]) => {
    const isRead = /\.ya?ml$/.test(path) && (named.size === 0 || named.has(path));
    const wrong = (isRead ? entriesOf(text) : []).filter((entry) => nearest(entry.key, [key]).length === 1);
    return wrong.flatMap((entry) => (entry.siblings.some((other) => other.key === key) ? [] : [{ path, text, entry }]));
  });
  const [slip, ...more] = slips;
  if (!slip || more.length > 0) return { unsure: `${slips.length} keys may stand for the missing ${key}` };
  const { path, text, entry } = slip;
  const after = splice(text, entry.keyAt[0], entry.keyAt[1] - entry.keyAt[0], key);
  const note = {
    fix: `Write ${key} instead of ${entry.key} in ${path}`,
    reason: `${key} is missing there, and ${entry.key} is nearly that`,
  };
  return rewritten({ path, text }, after, note) ?? { unsure: `${key} stands there already` };
}

type Place = WordPlace & { readonly offset: number; readonly after: string };

const AS_KEY = [/^[\s\-"'{,]*$/, /^["']?\s*(?:[:={]|\S*$|"[\w-]+" )/] as const;
const AS_VALUE = [/(?:[:=,[-]\s*|^\s+)["']?$/, /^["']?\s*(?:[\],#}:]|$)/] as const;
/** Also behind an option, where another one may follow. */
const AS_ARGUMENT = [/(?:[:=,[-]\s*|^\s+|\s--[\w-]+ )["']?$/, /^["']?\s*(?:[\],#}:;|&\\]|--?\w|$)/] as const;

const WHOLE_VALUE = [/(?:[:=]\s*|^\s*- |^FROM )["']?$/, /^["']?\s*(?:#.*)?$/] as const;

/** What must stand before and after a word of this kind on its line. */
const FORM: Partial<Record<Kind, readonly [before: RegExp, after: RegExp]>> = {
  key: AS_KEY,
  keyword: AS_KEY,
  module: AS_KEY,
  handler: AS_VALUE,
  role: AS_VALUE,
  object: AS_VALUE,
  value: AS_ARGUMENT,
  image: WHOLE_VALUE,
  cron: WHOLE_VALUE,
  zone: WHOLE_VALUE,
  patch: [/^\s*name:\s*["']?$/, AS_VALUE[1]],
  kind: [/^\s*(?:- )?kind:\s*["']?$/, AS_VALUE[1]],
  version: [/^\s*apiVersion:\s*["']?$/, AS_VALUE[1]],
  // In an expression, in one of the keys that take one, or as a condition in a list.
  variable: [
    /\{\{|\{%|\$[{(]?[!#]?$|\b(?:when|until|that|\w+_when|loop|vars?|with_\w+)\s*:|\b(?:var|local)\.$|^\s*- /,
    /^/,
  ],
  stage: [/--from=$/, /^\s/],
  target: [/(?:\btask:?\s+|\bdeps:.*|^\s*- |^[^\s#=:][^=:]*:[^=]*|\$\(MAKE\) |\bjust )["']?$/, /^["']?(?:[\s\],#}]|$)/],
};

/** A list of plays or tasks. */
const PLAYBOOK = /^\s*- (?:name|hosts|import_playbook|[\w.]+):/m;

const NAME_PART = /[\w-]/;
const CODE_PART = /\w/;

/** Where the word stands as a whole, in the form of its kind. */
function placesOf({ kind, word }: Report, texts: ReadonlyMap<string, string>): Place[] {
  const part =
    kind === 'variable' || kind === 'attribute' || kind === 'filter' || kind === 'python' ? CODE_PART : NAME_PART;
  return [...texts].flatMap(([path, text]) => {
    const places: Place[] = [];
    if ((kind === 'keyword' || kind === 'module') && (!PLAYBOOK.test(text) || /^apiVersion:/m.test(text)))
      return places;
    for (let offset = text.indexOf(word); offset !== -1; offset = text.indexOf(word, offset + 1)) {
      const [left, right] = [text[offset - 1] ?? ' ', text[offset + word.length] ?? ' '];
      const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
      const after = text.slice(offset + word.length, `${text}\n`.indexOf('\n', offset));
      if ((part.test(left) && NAME_PART.test(word[0] as string)) || part.test(right)) continue;
      if (!(FORM[kind]?.[0].test(before) ?? true) || !(FORM[kind]?.[1].test(after) ?? true)) continue;
      places.push({ path, text, offset, before, after });
    }
    return places;
  });
}

/** Kinds that are also read from texts inside of YAML. */
const READS_TEXT: ReadonlySet<Kind> = new Set(['variable', 'attribute', 'filter']);

/** Whether the place is inside of a block of text in a YAML file. */
function isInBlock({ path, text, offset }: Place): boolean {
  return (
    /\.ya?ml$/.test(path) &&
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
