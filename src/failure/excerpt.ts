// Two lines of a failure for people: first the one that names a file of the repository, each short, no path cut. Pure.
import { clipMiddle } from './clean.ts';
import type { Failure } from './fingerprint.ts';
import { isSpecific } from './grade.ts';
import { SOURCE } from './mask.ts';

const MAX_CHARS = 200;
const GAP = ' … ';

/** A relative path with the ending of a source; where the checkout lies is gone from error lines. */
const NAMES_FILE = new RegExp(
  String.raw`(?<![\w/:.~@-])(?:[\w.@+-]+\/)*[\w.@+-]*\w\.(?:${SOURCE})(?![\w/-])|(?<![\w/.-])(?:[\w.@+-]+\/){2,}[\w.@+-]+`,
);
/** The loop's own word that only a check failed is always said. */
const CHECK = /^\(?the command succeeded; /;
const OFFERS = /\b(?:did you mean|perhaps you meant|maybe you meant)\b/i;
/** Says less than what stands beside it: a code, what opens a list. */
const EMPTY = /^(?:npm (?:error|ERR!) (?:code \w+|errno \S+)|[\w.-]+: \||\d+:)$|=> ?\{$/;

/** At most two lines; a third where the loop says that only a check failed. */
export function excerptOf({ errors, silence }: Pick<Failure, 'errors' | 'silence'>): string {
  if (silence) return `(${silence})`;
  const all = errors.flatMap(({ lines }) => lines.map((line) => line.trim())).filter((line) => line !== '');
  const [check, lines] = [all.filter((line) => CHECK.test(line)), all.filter((line) => !CHECK.test(line))];
  const telling = lines.filter((line) => !EMPTY.test(line));
  const named = telling.find((line) => NAMES_FILE.test(line));
  const unnamed = telling.filter((line) => line !== named);
  const [first, ...others] = named === undefined ? unnamed : [named, ...unnamed];
  // The lines of one error are one sentence.
  const rest = errors.length === 1 ? others.join(' ') : (others.find((line) => isSpecific(line)) ?? others[0]);
  const second = others.find((line) => OFFERS.test(line)) ?? rest ?? '';
  const chosen = [first ?? lines[0] ?? '', second].filter((line) => line !== '');
  return [...chosen, ...check].map((line) => shortened(line, MAX_CHARS)).join('\n');
}

/** A clause that begins with a plain word, so that none begins with a value whose key was left out. */
const CLAUSE = /(?<=(?<!\S)(?!\S*(?:pass|pw|secret|token|key|bearer|basic|auth|data))\S+: )[a-z]{2,16} (?=\S)/gi;

/** In at most `max` characters: the beginning in whole words, and the last clause that tells a path. */
function shortened(line: string, max: number): string {
  const clauses = line.length > max ? [...line.matchAll(CLAUSE)] : [];
  const last = clauses.findLast(({ index }) => /\S\/\S/.test(line.slice(index)) && line.length - index <= max * 0.8);
  if (!last) return clipMiddle(line, max, '…');
  const tail = line.slice(last.index);
  return line.slice(0, max - tail.length - GAP.length + 1).replace(/\s?\S*$/, '') + GAP + tail;
}
