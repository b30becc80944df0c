// A document that leaves this machine: an opening, parts that share what room there is, and a closing that is always whole.
// Prompt and case are two tables of such parts. Everything in it is masked. Pure.
import { type FailureContext, type MaskText, maskContext } from './context.ts';
import { estimateTokens } from './text.ts';

/** Says the part of this failure in at most `room` tokens; [] when there is nothing to say, or nothing of use fits. */
export type PartLines = (context: FailureContext) => (room: number) => readonly string[];

export interface Part {
  readonly name: string;
  /** Its heading; without one its lines stand for themselves. */
  readonly title?: string;
  /** Its rank when room is given out, 1 first; by default its place in the table. */
  readonly rank?: number;
  /** Of the room, as long as others want some too. */
  readonly share: number;
  readonly lines: PartLines;
}

export interface Layout {
  readonly opening: (context: FailureContext) => string;
  /** In the order in which they are read. */
  readonly parts: readonly Part[];
  readonly closing: string;
  /** Tokens that the whole document may have. */
  readonly budget: number;
  /** Said where a part is cut or has no room; without them such a part says less, or is missing. */
  readonly remarks?: { readonly shortened: string; readonly leftOut: string };
}

export interface Document {
  readonly text: string;
  /** Its estimated tokens. */
  readonly tokens: number;
  /** Parts that were shortened or left out for want of room, the most useful first. */
  readonly shortened: readonly string[];
}

/** Every part gets so much at least where it has to say that it is not shown. */
const MIN_ROOM = 25;

/**
 * Opening and closing are whole; the parts get room in the order of their ranks, each its share at first, then what the
 * others left. Throws only what `mask` throws.
 */
export function buildDocument(layout: Layout, context: FailureContext, mask: MaskText): Document {
  const masked = maskContext(context, mask);
  const { parts, closing, budget, remarks } = layout;
  const opening = layout.opening(masked);
  const room = budget - estimateTokens(opening) - estimateTokens(closing) - 2;
  const wishes = parts
    .map((part, place) => {
      const lines = part.lines(masked);
      const text = section(part, lines(Number.POSITIVE_INFINITY));
      return { part, lines, text, rank: part.rank ?? place, need: cost(text), given: 0 };
    })
    .filter(({ text }) => text !== '');
  const byRank = [...wishes].sort((a, b) => a.rank - b.rank);
  let left = room;
  const give = (upTo: (wish: (typeof wishes)[number]) => number): void => {
    for (const wish of byRank) {
      const more = Math.max(0, Math.min(Math.min(wish.need, upTo(wish)) - wish.given, left));
      wish.given += more;
      left -= more;
    }
  };
  if (remarks) give(() => MIN_ROOM);
  give(({ part }) => Math.floor(part.share * room));
  give(({ need }) => need);
  const cut = byRank.filter(({ need, given }) => given < need);
  for (const wish of cut) wish.text = shorten(wish.part, wish.lines, wish.given, remarks);
  const texts = wishes.map(({ text }) => text).filter((text) => text !== '');
  const text = mask([opening, ...texts, closing].join('\n'));
  return { text, tokens: estimateTokens(text), shortened: cut.map(({ part }) => part.name) };
}

/** A part with its heading; '' for a part that says nothing. */
function section({ title }: Part, lines: readonly string[]): string {
  const body = lines.join('\n').trimEnd();
  if (body === '') return '';
  return title === undefined ? `${body}\n` : `# ${title}\n\n${body}\n`;
}

/** With the empty line behind it. */
const cost = (text: string): number => estimateTokens(text) + 1;

function shorten(part: Part, lines: ReturnType<PartLines>, given: number, remarks: Layout['remarks']): string {
  const leftOut = remarks ? section(part, [remarks.leftOut]) : '';
  const remark = remarks ? ['', remarks.shortened] : [];
  const some = lines(given - cost(section(part, ['.', ...remark])));
  if (some.length === 0) return leftOut;
  const text = section(part, [...some, ...remark]);
  return cost(text) <= given ? text : leftOut;
}
