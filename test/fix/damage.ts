// Real files, small edits, and the ways in which models' diffs of them go wrong. Every choice comes from one seed.
import { structuredPatch } from 'diff';

/** Numbers in [0, 1) that depend on nothing but the seed. */
export type Random = () => number;

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const int = (random: Random, below: number): number => Math.floor(random() * below);
const pick = <T>(random: Random, items: readonly T[]): T => items[int(random, items.length)] as T;

/** A text with one to three small edits that a person could have made. */
export function edited(text: string, random: Random): string {
  const lines = text.replace(/\n$/, '').split('\n');
  for (let n = 1 + int(random, 3); n > 0; n--) {
    const i = int(random, lines.length);
    const line = lines[i] as string;
    const kind = int(random, 7);
    if (kind < 3) lines[i] = reworded(line, random);
    else if (kind === 3) lines.splice(i, 1 + int(random, 3));
    else if (kind === 4) lines.splice(i, 0, reworded(line, random));
    else if (kind === 5) lines.splice(i, 0, ...lines.slice(i, i + 3).map((l) => reworded(l, random)));
    else lines.splice(i, 2, reworded(lines[i + 1] ?? line, random));
  }
  return `${lines.join('\n')}\n`;
}

function reworded(line: string, random: Random): string {
  const words = [...line.matchAll(/\w+/g)];
  const word = words.length > 0 ? pick(random, words) : undefined;
  if (!word) return `${line}x: ${int(random, 999)}`;
  const made = /^\d+$/.test(word[0])
    ? String(Number(word[0]) + 1)
    : `${word[0]}${pick(random, ['s', '2', '_new', 'X'])}`;
  return line.slice(0, word.index) + made + line.slice(word.index + word[0].length);
}

export interface Piece {
  start: number;
  lines: string[];
}

export interface Diff {
  header: string[];
  pieces: Piece[];
}

export function diffOf(path: string, before: string, after: string, context = 3): Diff {
  const { hunks } = structuredPatch(path, path, before, after, '', '', { context });
  return {
    header: [`--- a/${path}`, `+++ b/${path}`],
    pieces: hunks.map(({ oldStart, lines }) => ({
      start: oldStart,
      lines: lines.filter((line) => !line.startsWith('\\')),
    })),
  };
}

/** The text of a diff with right numbers. */
export function written({ header, pieces }: Diff, numbers: (piece: Piece) => string = rightNumbers): string {
  const parts = pieces.flatMap((piece) => [numbers(piece), ...piece.lines].filter((line) => line !== NO_LINE));
  return `${[...header, ...parts].join('\n')}\n`;
}

const NO_LINE = '\u0000';
const count = (piece: Piece, ops: string): number => piece.lines.filter((line) => ops.includes(line[0] ?? ' ')).length;
const rightNumbers = (piece: Piece): string =>
  `@@ -${piece.start},${count(piece, ' -')} +${piece.start},${count(piece, ' +')} @@`;

type Damage = (diff: Diff, random: Random) => string;

const onLines = (change: (line: string, random: Random, i: number, all: string[]) => string | string[]): Damage => {
  return (diff, random) => {
    const pieces = diff.pieces.map(({ start, lines }) => ({
      start,
      lines: lines.flatMap((line, i) => change(line, random, i, lines)),
    }));
    return written({ ...diff, pieces }, rightNumbers);
  };
};

const isContext = (line: string): boolean => line.startsWith(' ');
const isOld = (line: string): boolean => line.startsWith(' ') || line.startsWith('-');
const body = (line: string): string => line.slice(1);

/** Each of them leaves what is meant clear to a person who has the file. */
export const DAMAGES: Record<string, Damage> = {
  clean: (diff) => written(diff),
  'wrong numbers': (diff, random) => {
    const by = 1 + int(random, 40);
    return written(diff, (p) => rightNumbers({ ...p, start: p.start + by }));
  },
  'wrong counts': (diff, random) =>
    written(diff, (p) => `@@ -${p.start},${int(random, 20)} +${p.start},${int(random, 20)} @@`),
  'no numbers': (diff) => written(diff, () => '@@ ... @@'),
  'text for numbers': (diff, random) => written(diff, () => pick(random, ['@@ main() @@', '@@', '@@ @@ spec:'])),
  'no hunk header': (diff) => written({ ...diff, pieces: diff.pieces.slice(0, 1) }, () => NO_LINE),
  'no file header': (diff) => written({ ...diff, header: [] }),
  'odd prefixes': (diff, random) => {
    const [from, to] = pick(random, [
      ['', ''],
      ['old/', 'new/'],
      ['a/./', 'b/./'],
      ['./', './'],
    ] as const);
    return written({ ...diff, header: diff.header.map((h, i) => h.replace(/ [ab]\//, ` ${i === 0 ? from : to}`)) });
  },
  'invented git header': (diff) => {
    const path = (diff.header[1] as string).slice(6);
    return written({
      ...diff,
      header: [`diff --git a/${path} b/${path}`, 'index abc1234..def5678 100644', ...diff.header],
    });
  },
  'fenced with chatter': (diff) =>
    `Here is the fix:\n\n\`\`\`diff\n${written(diff).trimEnd()}\n\`\`\`\n\nFix: one value.\nReason: it was wrong.\n`,
  'chatter without fences': (diff) =>
    `<think>\nmaybe - or + ?\n</think>\nI changed one thing.\n\n${written(diff)}\nFix: one value.\nReason: it was wrong.\n`,
  'carriage returns': (diff) => written(diff).replaceAll('\n', '\r\n'),
  'no final newline': (diff) => written(diff).trimEnd(),
  'lost markers': onLines((line) => (isContext(line) ? body(line) : line)),
  'some lost markers': onLines((line, random) => (isContext(line) && random() < 0.4 ? body(line) : line)),
  'blank context stripped': onLines((line) => (line.trim() === '' ? '' : line)),
  'trailing space': onLines((line, random) =>
    isOld(line) && random() < 0.5 ? `${line}${pick(random, [' ', '\t'])}` : line,
  ),
  dedented: (diff) => {
    const pieces = diff.pieces.map((piece) => {
      const indents = piece.lines
        .filter((l) => body(l).trim() !== '')
        .map((l) => /^[ \t]*/.exec(body(l))?.[0].length ?? 0);
      const least = Math.min(...indents);
      return {
        ...piece,
        lines: piece.lines.map((l) => `${l[0]}${body(l).trim() === '' ? body(l) : body(l).slice(least)}`),
      };
    });
    return written({ ...diff, pieces });
  },
  indented: onLines((line) => (body(line).trim() === '' ? line : `${line[0]}    ${body(line)}`)),
  'space after markers': onLines((line) => (body(line).trim() === '' ? line : `${line[0]} ${body(line)}`)),
  'blank context left out': onLines((line, _, i, all) =>
    line.trim() === '' && isContext(all[i - 1] ?? '+') && isContext(all[i + 1] ?? '+') ? [] : line,
  ),
  'numbers a few lines off': (diff, random) =>
    written(diff, (p) => rightNumbers({ ...p, start: p.start + int(random, 7) - 3 })),
  'context shifted by one': onLines((line) =>
    isOld(line) && body(line).trim() !== '' ? `${line[0]} ${body(line)}` : line,
  ),
  'tabs in context': onLines((line) =>
    isOld(line)
      ? `${line[0]}${body(line).replace(/^ +/, (s) => '\t'.repeat(s.length / 2) + ' '.repeat(s.length % 2))}`
      : line,
  ),
  'spaces for tabs': onLines(
    (line) => (line[0] ?? '') + body(line).replace(/^\t+/, (tabs) => '    '.repeat(tabs.length)),
  ),
  'spaces for tabs in context': onLines((line) =>
    isOld(line) ? (line[0] ?? '') + body(line).replace(/^\t+/, (tabs) => '    '.repeat(tabs.length)) : line,
  ),
  'altered context': onLines((line, random) =>
    isContext(line) && random() < 0.25 ? ` ${reworded(body(line), random)}` : line,
  ),
  'altered context, no numbers': (diff, random) =>
    (DAMAGES['altered context'] as Damage)(diff, random).replace(/^@@ .*$/gm, '@@ @@'),
  'context line left out': onLines((line, random, i, all) =>
    isContext(line) && isContext(all[i - 1] ?? '+') && isContext(all[i + 1] ?? '+') && random() < 0.3 ? [] : line,
  ),
  'context line made up': onLines((line, random) =>
    isContext(line) && random() < 0.12 ? [line, ' # made up by a model'] : line,
  ),
  'one line of context': onLines((line, _, i, all) =>
    isContext(line) && isContext(all[i - 1] ?? ' ') && isContext(all[i + 1] ?? ' ') ? [] : line,
  ),
  'context on one side': onLines((line, _, i, all) =>
    isContext(line) && all.slice(0, i).some((l) => !isContext(l)) && !all.slice(i).some((l) => !isContext(l))
      ? []
      : line,
  ),
  'ellipsis for context': onLines((line, _, i, all) =>
    isContext(line) && i > 0 && isContext(all[i - 1] as string) && isContext(all[i + 1] ?? '+') ? '...' : line,
  ),
  'hunks out of order': (diff) => written({ ...diff, pieces: diff.pieces.toReversed() }),
  'rewritten whole': (diff) => {
    const pieces = diff.pieces.map(({ start, lines }) => ({
      start,
      lines: [
        ...lines.filter(isOld).map((l) => `-${body(l)}`),
        ...lines.filter((l) => !l.startsWith('-')).map((l) => `+${body(l)}`),
      ],
    }));
    return written({ ...diff, pieces });
  },
  'search and replace': (diff) =>
    diff.pieces
      .map(({ lines }) => {
        const side = (ops: string): string[] => lines.filter((l) => ops.includes(l[0] ?? ' ')).map(body);
        return ['<<<<<<< SEARCH', ...side(' -'), '=======', ...side(' +'), '>>>>>>> REPLACE'].join('\n');
      })
      .join('\n\n'),
  'several at once': (diff, random) => {
    const worn = onLines((line, r) => {
      if (!isContext(line)) return line;
      const n = r();
      return n < 0.2 ? body(line) : n < 0.4 ? `${line} ` : n < 0.5 ? ` ${reworded(body(line), r)}` : line;
    });
    return `Sure!\n\`\`\`diff\n${worn(diff, random).replace(/^@@ .*$/gm, '@@ ... @@')}\`\`\`\n`;
  },
};

/** The file after someone else changed every line that the diff removes: nothing may be changed then. */
export function moved(before: string, { pieces }: Diff, random: Random): string {
  const gone = new Set(pieces.flatMap(({ lines }) => lines.filter((line) => line.startsWith('-')).map(body)));
  return before
    .split('\n')
    .map((line) => (gone.has(line) ? reworded(line, random) : line))
    .join('\n');
}
