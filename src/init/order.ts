// The order of the stages: what calls what, what makes a file that another reads, then what their owner wrote down. Where nothing says it, it is unknown. Pure.
import type { Telling, Told } from './from-entries.ts';
import { type Draft, folderOf, type LeftOut, unique } from './survey.ts';

export interface Ordered {
  readonly drafts: readonly Draft[];
  /** Those of which nothing says whether they come before or behind the others. */
  readonly unknown: readonly Draft[];
  readonly left: readonly LeftOut[];
}

const startsIt = (draft: Draft, { ids, commands }: Told): boolean =>
  draft.id !== undefined ? ids.includes(draft.id) : commands.some((one) => draft.isStartedBy?.(one));

/** `lists`: names in the order that somebody gave. */
export function inOrder(all: readonly Draft[], tellings: readonly Telling[], lists: readonly string[][] = []): Ordered {
  const told = tellings.map(({ items }) =>
    items.flatMap((item) => {
      const started = all.filter((draft) => startsIt(draft, item));
      const at = (draft: Draft) => item.ids.indexOf(draft.id ?? '');
      return started
        .toSorted((a, b) => at(a) - at(b))
        .map((draft) => ({ draft, because: item.because, block: item.block }));
    }),
  );
  const reasons = new Map(
    told.toReversed().flatMap((one) => one.toReversed().map(({ draft, because }) => [draft.name, because])),
  );
  const strong = told.filter((_, i) => !tellings[i]?.isWeak).flat();
  const named = new Set([...strong.map(({ draft }) => draft.name), ...lists.flat()]);
  const sequences = [...lists, ...told.map((one) => unique(one.map(({ draft }) => draft.name)))];
  const needs = needsOf(all, sequences);
  const behind = all.filter(({ isLast }) => isLast);
  const own = all.filter(({ isLast }) => !isLast);
  const groups = connected(own, needs);
  const isLed = (group: readonly Draft[]) => group.some(({ name }) => named.has(name));
  const led = groups.filter(isLed);
  const linked = groups.filter((group) => group.length > 1);
  const likely = led.length > 0 ? led : linked.length === 1 ? linked : groups.length === 1 ? groups : [];
  const [main = []] = likely.toSorted((a, b) => b.length - a.length || firstIn(sequences, a) - firstIn(sequences, b));
  const blocksOf = (draft: Draft) => told.flat().flatMap((one) => (one.draft === draft ? [one.block] : []));
  const areSteps = (a: Draft, b: Draft) =>
    [a.needs, b.needs, ...lists].some((names) => names.includes(a.name) || names.includes(b.name)) ||
    blocksOf(a).some((block) => blocksOf(b).includes(block));
  const [taken, left] = alternatives(main, areSteps);
  const chosen = [...taken, ...behind];
  const names = new Set(chosen.map(({ name }) => name));
  const ends = taken
    .map(({ name }) => name)
    .filter((name) => !taken.some((one) => needs.get(one.name)?.includes(name)));
  const withNeeds = chosen.map((draft) => {
    const mine = (needs.get(draft.name) ?? []).filter((need) => names.has(need));
    const because = reasons.get(draft.name);
    return {
      ...draft,
      needs: mine.length === 0 && draft.isLast ? ends : mine,
      why: because === undefined ? draft.why : [because, ...draft.why],
    };
  });
  return { drafts: sorted(withNeeds), unknown: own.filter((draft) => !main.includes(draft)), left };
}

const firstIn = (sequences: readonly string[][], group: readonly Draft[]): number =>
  Math.min(...sequences.map((names, i) => (group.some(({ name }) => names.includes(name)) ? i : sequences.length)));

/** Each stage → those directly before it: what it calls, then each sequence as far as it does not contradict what is before. */
function needsOf(all: readonly Draft[], sequences: readonly string[][]): Map<string, string[]> {
  const known = new Set(all.map(({ name }) => name));
  const needs = new Map<string, string[]>(all.map(({ name }) => [name, []]));
  const reaches = (from: string, to: string): boolean =>
    from === to || (needs.get(from) ?? []).some((next) => reaches(next, to));
  const add = (name: string, need: string): void => {
    if (known.has(need) && !reaches(need, name) && !reaches(name, need)) needs.get(name)?.push(need);
  };
  for (const { name, needs: called } of all) for (const need of called) add(name, need);
  // Who works in the folder of a file that git does not hold makes it.
  const entries = all.filter(({ id }) => id !== undefined);
  for (const { name, reads } of entries)
    for (const { worksIn, name: maker } of reads.length > 0 ? entries : [])
      if (reads.some((path) => worksIn.includes(folderOf(path)))) add(name, maker);
  for (const names of sequences) {
    for (const [i, name] of names.entries()) if (i > 0) add(name, names[i - 1] as string);
  }
  // A need of a need is none of its own.
  for (const [name, mine] of needs)
    needs.set(
      name,
      mine.filter((need) => !mine.some((other) => other !== need && reaches(other, need))),
    );
  return needs;
}

/** The stages that any needs connect, together. */
function connected(all: readonly Draft[], needs: ReadonlyMap<string, readonly string[]>): Draft[][] {
  const groups: Draft[][] = [];
  for (const draft of all) {
    const isNext = (one: Draft) =>
      needs.get(one.name)?.includes(draft.name) || needs.get(draft.name)?.includes(one.name);
    const near = groups.filter((group) => group.some(isNext));
    const joined = [...near.flat(), draft];
    groups.splice(0, groups.length, ...groups.filter((group) => !near.includes(group)), joined);
  }
  return groups;
}

/** Of stages that do the same, one name being the other's with a word more, nobody but their owner knows which is meant. */
function alternatives(
  drafts: readonly Draft[],
  areSteps: (a: Draft, b: Draft) => boolean,
): [readonly Draft[], LeftOut[]] {
  const isOther = (a: Draft, b: Draft) =>
    (a.name.startsWith(`${b.name}-`) || b.name.startsWith(`${a.name}-`)) && a.does === b.does && !areSteps(a, b);
  const doubtful = drafts.filter((a) => drafts.some((b) => a !== b && isOther(a, b)));
  const names = doubtful.map(({ name }) => name).join(' or ');
  return [
    drafts.filter((one) => !doubtful.includes(one)),
    doubtful.map((one) => ({
      what: commandLine(one),
      why: `several do the same, and only one can be meant: ${names}`,
    })),
  ];
}

export const commandLine = ({ command }: Draft): string => command.split('\n').at(-1) as string;

/** Each behind all that it needs; otherwise as they come. */
function sorted(drafts: readonly Draft[]): Draft[] {
  const ordered: Draft[] = [];
  const place = (draft: Draft): void => {
    if (ordered.includes(draft)) return;
    for (const need of draft.needs) place(drafts.find(({ name }) => name === need) as Draft);
    ordered.push(draft);
  };
  for (const draft of drafts) place(draft);
  return ordered;
}
