// A variable that is mistyped where it is used: the shell names the line.
import { fileNamed, lastComplaintInFile } from './complaints.ts';
import { oneNear } from './near.ts';
import { type Repair, type RepairFacts, rewritten } from './repair.ts';
import { sourcedIn, usesOf, variablesIn } from './script-words.ts';
import { splice, textOf, withLine } from './source-text.ts';

const UNBOUND = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?: (?:unbound variable|parameter not set)$/;

/** A shorter name of the environment says nothing. */
const MIN_LENGTH = 5;

/** The line with its one use of `$name` renamed; undefined when it uses it twice, or only names it. */
export function withVariable(line: string, name: string, meant: string): string | undefined {
  const uses = [...line.matchAll(new RegExp(`\\$\\{?[#!]?${name}(?!\\w)`, 'g'))];
  const arithmetic = uses.length > 0 ? [] : [...line.matchAll(new RegExp(`(?<=\\(\\(.*)(?<!\\w)${name}(?!\\w)`, 'g'))];
  const [use] = [...uses, ...arithmetic];
  if (use === undefined || uses.length + arithmetic.length !== 1) return undefined;
  return splice(line, use.index + use[0].length - name.length, name.length, meant);
}

export const misspeltVariable: Repair = {
  name: 'misspelt-variable',
  async find(facts) {
    const last = await lastComplaintInFile(facts, UNBOUND);
    if (!last) return undefined;
    const { path, text, line, complaint } = last;
    const name = last.match[1] as string;
    if (facts.stage.requires.env.includes(name) || usesOf(name, text) !== 1) return undefined;
    const texts = [text, ...(await sourcedTexts(facts, text))];
    const set = new Set(texts.flatMap((one) => [...variablesIn(one)]));
    const meant = oneNear(name, [...set, ...facts.surroundings.variables]);
    // The environment holds many short names that are nobody's here.
    if (meant !== undefined && !set.has(meant) && meant.length < MIN_LENGTH) return undefined;
    const mended = meant === undefined ? undefined : withVariable(line, name, meant);
    if (meant === undefined || mended === undefined) return undefined;
    return rewritten(path, text, withLine(text, complaint.line, mended), {
      fix: `Use ${meant} instead of ${name} in line ${complaint.line} of ${path}`,
      reason: `Nothing sets ${name}, and ${meant} is the only variable that is set with nearly that name`,
    });
  },
};

async function sourcedTexts(facts: RepairFacts, text: string): Promise<string[]> {
  const paths = sourcedIn(text).flatMap((written) => fileNamed(written.replace(/^\$\{?\w+\}?\//, ''), facts) ?? []);
  const texts = await Promise.all([...new Set(paths)].map((path) => textOf(facts, path)));
  return texts.filter((one) => one !== undefined);
}
