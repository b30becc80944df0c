// From a survey to the proposal: at most twelve stages in the order of their needs, what is left out and why, what is protected
// and what is carried. Pure, but for what it asks its readers and tries out.
import { TARGET_FILES } from '../fix/check-files/targets.ts';
import { type Carried, carriedOf } from './carry.ts';
import { checkStage, type TryOut } from './checks.ts';
import type { Readers } from './draft.ts';
import { fromRunners, fromScripts, tellingsOf } from './from-entries.ts';
import { guardedIn } from './guarded.ts';
import { fromLayouts } from './layouts.ts';
import { commandLine, inOrder } from './order.ts';
import { rendering, whereRendered } from './rendering.ts';
import { baseName, type Draft, folderOf, freeName, type LeftOut, type Survey, unique } from './survey.ts';
import { tried } from './tries.ts';

export interface Proposal {
  /** `check` first. */
  readonly stages: readonly Draft[];
  readonly left: readonly LeftOut[];
  readonly protect: readonly string[];
  readonly carry: readonly Carried[];
  /** What was left out of `check`. */
  readonly notes: readonly string[];
}

const MAX_STAGES = 12;

export interface Asked extends Readers {
  readonly tryOut: TryOut;
  readonly peek: (path: string) => string | undefined;
  /** The names of those that are wanted, in their order; absent where nobody can be asked. */
  readonly askOrder?: (unknown: readonly Draft[], known: readonly Draft[]) => Promise<string[] | undefined>;
}

/** Without anything to run or check, the proposal has no stages. */
export async function propose(survey: Survey, asked: Asked): Promise<Proposal> {
  const runners = await fromRunners(survey, asked);
  const scripts = await fromScripts(survey, asked, runners.drafts);
  const before = [...runners.drafts, ...scripts.drafts];
  const layouts = await fromLayouts(survey, asked, before);
  const all = named([...before, ...layouts.drafts]).map((draft) => withTemplates(survey, draft));
  const { taken, left: unordered } = await ordered(survey, all, asked);
  const carry = carriedOf(survey, taken, asked.peek);
  const { draft: check, notes, faults } = await checkStage(survey, taken, asked.tryOut);
  const looked = await Promise.all(taken.map((one) => tried(one, survey, asked.tryOut, faults)));
  const needed = looked.map((one) => ({ ...one, wants: unique([...one.wants, ...namedIn(one, carry)]) }));
  const stages = check ? [check, ...needed.map((one) => ({ ...one, needs: ['check', ...one.needs] }))] : needed;
  return {
    stages: withSkips(stages),
    left: unique([...unread(survey), ...unordered, ...runners.left, ...scripts.left, ...layouts.left]),
    // A file that a stage runs, under a condition, cannot be protected: no stage may run a protected file.
    protect: unique([...scripts.protect, ...layouts.protect, ...guardedIn(survey)])
      .filter((path) => !taken.some(({ runs }) => runs.includes(path)))
      .sort(),
    carry,
    notes: unique(notes),
  };
}

const TARGETS = Object.values(TARGET_FILES).flat();

/** Files that might define stages and are too large to be read. */
const unread = (survey: Survey): LeftOut[] =>
  survey.paths
    .filter((path) => (TARGETS.includes(baseName(path)) || /\.(?:sh|bash)$/.test(path)) && survey.isTooLarge(path))
    .map((what) => ({ what, why: 'it is too large to be read' }));

/** Lets fixes of a stage that uses rendered files edit the templates; one that renders says where. */
function withTemplates(survey: Survey, draft: Draft): Draft {
  if (/\bmakejinja\b/.test(draft.runs)) return { ...draft, why: [...draft.why, ...whereRendered(survey)] };
  const { files, outputs } = rendering(survey);
  const folders = unique(outputs.map(folderOf)).filter((folder) => folder !== '.');
  return folders.some((folder) => draft.runs.includes(folder))
    ? { ...draft, files: unique([...draft.files, ...files]) }
    : draft;
}

/** Carried files that a stage names in what it runs. */
const namedIn = ({ runs }: Draft, carry: readonly Carried[]): string[] =>
  carry.map(({ path }) => path).filter((path) => path.includes('.') && runs.split(/[\s"'=:@]+/).includes(path));

/** Makes the names unique: a later one of the same gets a number. */
function named(drafts: readonly Draft[]): Draft[] {
  const taken: string[] = [];
  return drafts.map((draft) => {
    const name = freeName([draft.name], taken);
    taken.push(name);
    return { ...draft, name };
  });
}

/** At most MAX_STAGES in their order; what nothing gives an order is asked about, else left out. */
async function ordered(survey: Survey, all: readonly Draft[], { askOrder }: Asked) {
  const tellings = tellingsOf(survey);
  const first = inOrder(all, tellings);
  const given = first.unknown.length > 0 ? await askOrder?.(first.unknown, first.drafts) : undefined;
  const { drafts, unknown, left } = given ? inOrder(all, tellings, [given]) : first;
  const why = drafts.length > 0 ? NO_PLACE : NO_ORDER;
  const leave = (some: readonly Draft[], why: string) =>
    some.map((draft): LeftOut => ({ what: `${draft.name}: ${commandLine(draft)}`, why }));
  return {
    taken: drafts.slice(0, MAX_STAGES - 1),
    left: [
      ...left,
      ...leave(unknown, why),
      ...leave(drafts.slice(MAX_STAGES - 1), `${MAX_STAGES} stages are enough to begin with`),
    ],
  };
}

const NO_ORDER =
  'unknown order: neither README, docs, CI nor a target that only calls others says which comes first (mendloop init asks at a terminal)';
const NO_PLACE =
  'nothing says when it runs, or whether: no document, CI job or target that only calls others leads to it';

/** A leaf that others do not need may fail without stopping them. */
function withSkips(stages: readonly Draft[]): Draft[] {
  const needed = new Set(stages.flatMap(({ needs }) => needs));
  const leaves = stages.filter(({ name }) => !needed.has(name));
  return stages.map((stage) =>
    leaves.length > 1 && leaves.includes(stage) ? { ...stage, on_failure: 'skip' as const } : stage,
  );
}

/** The proposal with these stages only; the others are listed as left out. */
export function onlyStages(proposal: Proposal, names: ReadonlySet<string>, why: (name: string) => string): Proposal {
  const gone = proposal.stages.filter(({ name }) => !names.has(name));
  const stages = proposal.stages.filter(({ name }) => names.has(name));
  // Who needed a removed stage needs what that one needed.
  const needsOf = (stage: Draft, seen: readonly string[] = []): string[] =>
    stage.needs.flatMap((need) => {
      if (names.has(need)) return [need];
      const through = gone.find(({ name }) => name === need);
      return through && !seen.includes(need) ? needsOf(through, [...seen, need]) : [];
    });
  return {
    ...proposal,
    stages: withSkips(stages.map(({ on_failure: _, ...stage }) => ({ ...stage, needs: unique(needsOf(stage)) }))),
    left: [
      ...gone.map(({ name, command }) => ({ what: `${name}: ${command.split('\n').at(-1)}`, why: why(name) })),
      ...proposal.left,
    ],
  };
}
