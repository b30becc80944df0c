// Which targets, recipes, tasks and scripts become stages: what README, the default target or another's prerequisites lead to.
// Pure, but for what it asks its readers.

import { TARGET_FILES } from '../fix/check-files/targets.ts';
import { shellWord } from '../worktree/messages.ts';
import { destroysByName, destroysByPath } from './destroys.ts';
import {
  destroysByContent,
  draftOf,
  joined,
  type Piece,
  type Readers,
  type Running,
  running,
  usesIn,
} from './draft.ts';
import {
  closureOf,
  definitions,
  type Entry,
  findRunners,
  otherMakefiles,
  type Runner,
  runnersIn,
  tidy,
} from './entries.ts';
import { otherPurpose, stageName } from './names.ts';
import {
  baseName,
  type Draft,
  folderOf,
  freeName,
  inFolder,
  isAside,
  type LeftOut,
  perSurvey,
  type Survey,
  shortened,
  unique,
} from './survey.ts';
import { placeOf, type Written, writtenIn } from './written.ts';

export interface Proposed {
  readonly drafts: readonly Draft[];
  readonly left: readonly LeftOut[];
  /** Files that destroy. */
  readonly protect: readonly string[];
}

const runnersOf = perSurvey(findRunners);

export async function fromRunners(survey: Survey, readers: Readers): Promise<Proposed> {
  const runners = runnersOf(survey);
  const aggregates = aggregatesOf(survey);
  const parts = aggregates.flatMap(({ steps }) => steps);
  const own = runners.flatMap((runner) => [...runner.entries.values()].map((entry) => ({ runner, entry, words: '' })));
  const visible = own.filter((step) => !step.entry.hidden && partsOf(survey, step).length === 0);
  const steps = [...new Map([...parts, ...visible].map((step) => [idOf(step), step])).values()];
  const isCopy = ({ entry, words }: Step, i: number) =>
    entry.recipe !== '' &&
    entry.calls.length === 0 &&
    steps.findIndex(
      (one) => one.words === words && one.entry.file === entry.file && one.entry.recipe === entry.recipe,
    ) < i;
  const left: LeftOut[] = [];
  const harmless: { step: Step; run: Running; isPart: boolean }[] = [];
  for (const step of steps.filter((one, i) => !onlyPrints(one.entry) && !isCopy(one, i))) {
    const isPart = parts.some((part) => idOf(part) === idOf(step));
    const run = await running(closureOf(survey, step.runner, step.entry.target).map(pieceOf), readers, survey);
    const why = await reasonAgainst(step, run, readers, survey, isPart);
    if (why !== undefined) left.push({ what: typed(step), why });
    else if (isPart || usesIn(run.all).length > 0) harmless.push({ step, run, isPart });
    else left.push({ what: typed(step), why: 'nothing known in it brings anything up' });
  }
  const names = new Map<string, string>();
  for (const { step } of harmless) {
    const { entry, words } = step;
    const plain = stageName(`${entry.target} ${words.replace(/\S+=\S*/g, '')}`);
    const longer = stageName(`${folderOf(entry.file).replaceAll('/', '-')}-${plain}`);
    names.set(idOf(step), freeName([plain, longer], [...names.values()]));
  }
  const drafts = harmless.map(({ step, run }) => {
    const { entry, runner, words } = step;
    const { about, file, confirm, tool } = entry;
    const kinds = usesIn(run.all).map(({ kind }) => kind.name);
    const [, ...called] = closureOf(survey, runner, entry.target);
    const runs = kinds.length > 0 ? [`${typed(step)} runs ${kinds.join(', ')} (${file}).`] : [];
    const sketch = {
      name: names.get(idOf(step)) as string,
      command: typed(step),
      description: (words === '' && about) || `${typed(step)}, from ${file}`,
      why: [...(confirm ? ['It asks whether one is sure; --yes says so.'] : []), ...runs],
      needs: unique(called.flatMap((one) => names.get(idOf({ runner, entry: one, words: '' })) ?? [])),
      id: idOf(step),
    };
    return draftOf(
      sketch,
      { ...run, definedIn: definitions(survey, runner.tool, [runner, entry, ...called]) },
      survey,
      tool,
    );
  });
  return { drafts, left, protect: [] };
}

/** An entry with what is typed behind it. */
export interface Step {
  readonly runner: Runner;
  readonly entry: Entry;
  readonly words: string;
}

/** What no command line contains. */
export const idOf = ({ entry: { file, target }, words }: Step): string => `<${file} ${target} ${words}>`;
const typed = ({ entry, words }: Step): string => `${entry.command}${words && ` ${words}`}`;

const pieceOf = ({ file, folder, recipe }: Entry): Piece => ({ folder: folder ?? folderOf(file), text: recipe });

/** Such as `help`. */
const onlyPrints = ({ recipe, calls }: Entry): boolean =>
  calls.length === 0 &&
  recipe.split('\n').every((line) => /^\s*(?:$|#|@?(?:echo|printf|cat|true|:)\b|(?:just|task)\s+-{1,2}l)/.test(line));

const ONLY_CALLS =
  /^\s*(?:$|#|@?(?:echo|printf|set|git status)\b|@?(?:make|\$\(MAKE\)|just|task|npm run)\s+[\w.: -]+$)/;

/** The steps of an entry that only calls others, in its author's order; none when it does anything itself. */
function partsOf(survey: Survey, { runner, entry }: Step): Step[] {
  const [call, ...more] = otherMakefiles(entry.recipe);
  const isOnlyThat = call && more.length === 0 && !/[\n;&|]/.test(entry.recipe.trim());
  if (isOnlyThat && call.targets.length === 0 && entry.calls.every((one) => !runner.entries.has(one))) {
    const other = runnersIn(survey, inFolder(folderOf(runner.file), call.folder)).find(({ tool }) => tool === 'make');
    const first = other?.entries.get(other.first ?? '');
    const inner = other && first ? partsOf(survey, { runner: other, entry: first, words: '' }) : [];
    return inner.length > 1 ? inner.map((step) => ({ ...step, words: call.variables.join(' ') })) : [];
  }
  if (
    entry.calls.length === 0 ||
    entry.parameters.length > 0 ||
    !entry.recipe.split('\n').every((line) => ONLY_CALLS.test(line))
  )
    return [];
  const steps = entry.steps.flatMap(([target, ...words]) => {
    const called = runner.entries.get(target);
    return called ? [{ runner, entry: called, words: words.join(' ') }] : [];
  });
  const isTyped = ({ entry: { hidden, parameters, tool }, words }: Step) =>
    !(hidden && tool === 'task') && (parameters.length === 0 || words !== '');
  return steps.every(isTyped) ? steps : [];
}

/** The steps that a step stands for, down to those that do something themselves. */
function stepsOf(survey: Survey, step: Step, above: readonly string[] = []): Step[] {
  const parts = above.includes(idOf(step)) ? [] : partsOf(survey, step);
  return parts.length === 0 ? [step] : parts.flatMap((part) => stepsOf(survey, part, [...above, idOf(step)]));
}

/** Each is what one entry that only calls others stands for: that of the default target, those that people are told to type, or the only one; of several that nothing leads to, each is weak. */
const aggregatesOf = perSurvey((survey: Survey) => {
  const all = runnersOf(survey).flatMap((runner) =>
    [...runner.entries.values()].flatMap((entry): Step[] => {
      const isOne = !entry.hidden && partsOf(survey, { runner, entry, words: '' }).length > 0;
      return isOne && !destroysByName(entry.target) && !otherPurpose(entry.target)
        ? [{ runner, entry, words: '' }]
        : [];
    }),
  );
  const { guides } = writtenIn(survey);
  const typedIn = guides.flat().flatMap((written) => typedBy(survey, written).map(idOf));
  const isLed = (step: Step) => step.runner.first === step.entry.target || typedIn.includes(idOf(step));
  const outer = all.filter(
    (one) => !all.some((other) => other !== one && stepsOf(survey, other).some((step) => idOf(step) === idOf(one))),
  );
  const led = outer.filter(isLed);
  const isWeak = led.length === 0 && outer.length > 1;
  return (led.length > 0 ? led : outer).map((by) => ({ by, isWeak, steps: stepsOf(survey, by) }));
});

/** The entries that a written command starts; none when it is no call of a runner. */
function typedBy(survey: Survey, { text, folder }: Written): Step[] {
  const words = text.replace(/^(?:\w+=\S*\s+|sudo\s+)*/, '').split(/\s+/);
  const tool = /^(?:make|just|task|npm|pnpm|yarn)$/.exec(words[0] ?? '')?.[0]?.replace(/^(?:pnpm|yarn)$/, 'npm');
  const at = words.indexOf('-C') > 0 ? inFolder(folder, words[words.indexOf('-C') + 1] ?? '.') : folder;
  const runner = tool && [...runnersIn(survey, at), ...runnersOf(survey)].find((one) => one.tool === tool);
  if (!runner) return [];
  const given = words.slice(1).filter((word, i, all) => !/^-|=|^run$/.test(word) && all[i - 1] !== '-C');
  const plain = given.map((word) => word.replaceAll('::', ' '));
  const [first = runner.first ?? '', ...rest] = plain;
  const target = [`${first} ${rest[0]}`, first].find((name) => runner.entries.has(name)) ?? '';
  const entry = runner.entries.get(target);
  if (tool !== 'just' && tool !== 'npm')
    return (plain.length === 0 ? [first] : plain).flatMap((name) => {
      const one = runner.entries.get(name);
      return one ? [{ runner, entry: one, words: '' }] : [];
    });
  return entry ? [{ runner, entry, words: plain.join(' ').slice(target.length).trim() }] : [];
}

/** What is done one behind the other, as its owner wrote it down. */
export interface Telling {
  /** It says in what order, but not that this is meant. */
  readonly isWeak?: boolean;
  readonly items: readonly Told[];
}
export interface Told {
  /** Of the entries that it starts, in their order. */
  readonly ids: readonly string[];
  readonly commands: readonly Command[];
  /** What stands together is done one behind the other. */
  readonly block: string;
  readonly because: string;
}
export type Command = Pick<Written, 'text' | 'folder'>;

/** Entries that only call others first, then each document, then each job of CI. */
export const tellingsOf = perSurvey((survey: Survey): Telling[] => {
  const { guides, jobs } = writtenIn(survey);
  const aggregates = aggregatesOf(survey).map(({ by, isWeak, steps }) => ({
    isWeak,
    items: steps.map((step, i) => ({
      ids: [idOf(step)],
      commands: [],
      block: idOf(by),
      because: `Step ${i + 1} of ${steps.length} of ${by.entry.command} (${by.runner.file}).`,
    })),
  }));
  const written = [...guides.flatMap((all) => [all.filter(({ isCode }) => isCode), all]), ...jobs].map((all) => ({
    items: all.map((one) => {
      const steps = typedBy(survey, one).flatMap((step) => stepsOf(survey, step));
      const run = steps.flatMap(({ runner, entry }) => closureOf(survey, runner, entry.target).flatMap(commandsIn));
      const ids = steps.flatMap((step) => [idOf(step), idOf({ ...step, words: '' })]);
      return {
        ids,
        commands: [one, ...run],
        block: `${one.file} ${one.block}`,
        because: `${placeOf(one)}: ${shortened(one.text, 60)}`,
      };
    }),
  }));
  return [...aggregates, ...written].filter(({ items }) => items.length > 0);
});

const commandsIn = (entry: Entry): Command[] => {
  const { folder, text } = pieceOf(entry);
  return joined(text).map((line) => ({ folder, text: line }));
};

/** Every command that is written down for people, in a recipe, or for CI. */
export const commandsOf = perSurvey((survey: Survey): Command[] => {
  const { guides, jobs } = writtenIn(survey);
  const recipes = runnersOf(survey).flatMap(({ entries }) => [...entries.values()].flatMap(commandsIn));
  return [...guides.flat(), ...recipes, ...jobs.flat()];
});

/** Why it is no stage; undefined when nothing speaks against it. */
async function reasonAgainst(step: Step, run: Running, readers: Readers, survey: Survey, isPart: boolean) {
  const { target, parameters } = step.entry;
  if (destroysByName(target)) return 'its name says that it takes something away';
  const purpose = isPart ? undefined : otherPurpose(target);
  if (purpose !== undefined) return purpose;
  if (parameters.length > 0 && step.words === '') return `it asks for ${parameters.slice(0, 3).join(', ')}`;
  const mentions = writtenIn(survey)
    .guides.flat()
    .filter((one) => typedBy(survey, one).some((other) => idOf({ ...other, words: '' }) === idOf(step)));
  const [placeholder] = mentions.flatMap(({ text }) => /<[a-z][\w -]*>/i.exec(text)?.[0] ?? []);
  if (placeholder && mentions.every(({ text }) => text.includes('<'))) return `README gives it words: ${placeholder}`;
  const asked = wantsPerson(run.pieces.map(({ text }) => text).join('\n'));
  if (asked) return `it asks a person (${asked})`;
  const why = await destroysByContent(run, readers, survey);
  return why === undefined ? undefined : `it would destroy: ${why}`;
}

/** The words with which a text of the shell asks somebody at a terminal. */
const wantsPerson = (text: string): string | undefined =>
  /\bread\s+(?:-\w+\s+)*-?\w*p\b|\bgum\s+(?:confirm|input|choose)\b|\bwhiptail\b|\bselect\s+\w+\s+in\b/.exec(text)?.[0];

const SCRIPT_PLACE = /^(?:[^/]+|(?:scripts?|bin|hack|bootstrap|setup|tools|deploy|infra|cluster|k8s|ops)\/[^/]+)$/i;
const LIBRARY = /(?:^|[/_-])(?:lib|common|functions?|utils?|helpers?|env|vars|colou?rs|log(?:ging)?)(?:[._-]|$)/i;

/** Scripts that README names, or whose names say that they bring something up, and that no draft runs already. */
export async function fromScripts(survey: Survey, readers: Readers, before: readonly Draft[]): Promise<Proposed> {
  const drafts: Draft[] = [];
  const left: LeftOut[] = [];
  const protect: string[] = [];
  for (const [path, { mode }] of survey.files) {
    const text = isScript(path, mode) && !isAside(path) ? survey.text(path) : '';
    if (text === '') continue;
    const pieces = [{ folder: '.', text }];
    const command = `./${shellWord(path)}`;
    const name = baseName(path).replace(/\.\w+$/, '');
    const isCandidate = SCRIPT_PLACE.test(path) && !LIBRARY.test(path);
    if (!isCandidate && !MAY_DESTROY.test(`${path}\n${text}`)) continue;
    const whyHarmful = destroysByPath(path)
      ? 'its name says that it takes something away'
      : await destroysByContent({ pieces, files: [] }, readers, survey);
    if (whyHarmful !== undefined) protect.push(path);
    if (!isCandidate || before.some(({ runs }) => runs.includes(path))) continue;
    const run = await running(pieces, readers, survey);
    const harm = whyHarmful ?? (await destroysByContent({ pieces: [], files: run.files }, readers, survey));
    const why =
      harm ??
      otherPurpose(baseName(path)) ??
      asksFor(text) ??
      (usesIn(run.all).length === 0 ? 'nothing known in it brings anything up' : undefined);
    if (why !== undefined) {
      left.push({ what: command, why });
      continue;
    }
    const about = tidy(/^#(?!!)\s*(\S.+)$/m.exec(text.split('\n').slice(0, 8).join('\n'))?.[1] ?? '');
    const sketch = {
      name: stageName(name),
      command: mode === '100755' ? command : `bash ${shellWord(path)}`,
      description: about || path,
      why: [
        `${path} runs ${usesIn(run.all)
          .map(({ kind }) => kind.name)
          .join(', ')}.`,
      ],
      isStartedBy: ({ text }: Command) =>
        text
          .split(/\s+/)
          .some((word: string) => word === path || word === `./${path}` || word === `./${baseName(path)}`),
    };
    drafts.push(draftOf(sketch, { ...run, files: [path, ...run.files] }, survey));
  }
  return { drafts, left, protect };
}

/** Only scripts that match are parsed for destructive commands. */
const MAY_DESTROY =
  /\brm\s+-|destroy|delete|wipe|mkfs|reset|purge|\bdd\s|uninstall|prune|\bzap\b|nuke|teardown|remove|clean|truncate|sgdisk|discard|\bdown\b|\bdrop\b|format|\bkill/i;

const RUNNER_FILES = new Set<string>(Object.values(TARGET_FILES).flat());
const isScript = (path: string, mode: string): boolean =>
  mode !== '120000' &&
  (/\.(?:sh|bash)$/.test(path) ||
    (mode === '100755' && /^[^.]+$/.test(baseName(path)) && !RUNNER_FILES.has(baseName(path))));

/** Why it cannot run unattended: it prompts, or wants arguments. */
function asksFor(text: string): string | undefined {
  if (/^#!.*(?:python|node|ruby|perl|fish|zsh|nu)\b/.test(text)) return undefined;
  if (wantsPerson(text)) return 'it asks a person';
  const bare = text.replace(/^[^\n]*\(\)\s*\{[\s\S]*?^\}/gm, '');
  return /\$\{?1(?![\w:-])\}?|\$\{1:\?|\$#|\bgetopts\b/.test(bare) ? 'it wants words on its command line' : undefined;
}
