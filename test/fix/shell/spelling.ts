// The ways in which bash lets one write a word, drawn piece by piece.
import { fc } from '../../sweep.ts';

const SAFE = /^[\w%+,./:@-]$/;
/** Only as themselves inside quotes: `!` starts no history in scripts, and a space ends no word there. */
const IN_DOUBLE = /[$`"\\]/g;

type Spell = (piece: string) => string;

const single: Spell = (piece) => (piece.includes("'") ? double(piece) : `'${piece}'`);
const double: Spell = (piece) => `"${piece.replace(IN_DOUBLE, '\\$&')}"`;
const escaped: Spell = (piece) => [...piece].map((c) => (/[\n\t]/.test(c) ? `"${c}"` : `\\${c}`)).join('');
const bare: Spell = (piece) => [...piece].map((c) => (SAFE.test(c) ? c : escaped(c))).join('');
const ansi: Spell = (piece) => `$'${piece.replace(/[\\']/g, '\\$&')}'`;
const hex: Spell = (piece) =>
  `$'${[...piece].map((c) => `\\U${(c.codePointAt(0) as number).toString(16).padStart(8, '0')}`).join('')}'`;
const octal: Spell = (piece) =>
  /^[\0-\x7f]*$/.test(piece)
    ? `$'${[...piece].map((c) => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`).join('')}'`
    : ansi(piece);
const split: Spell = (piece) => `${bare(piece)}''`;
const continued: Spell = (piece) => `${bare(piece)}\\\n`;

const SPELLS: readonly Spell[] = [single, double, escaped, bare, ansi, hex, octal, split];

/** `word` cut into pieces, each written in one of bash's ways; always read as `word`. */
export function spelled(word: string): fc.Arbitrary<string> {
  const pieces = fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(...SPELLS, continued)), {
    minLength: 1,
    maxLength: 6,
  });
  return pieces.map((drawn) => {
    const letters = [...word];
    let written = '';
    for (const [count, spell] of drawn) {
      const piece = letters.splice(0, count).join('');
      // A line that goes on must go on with something.
      if (piece !== '') written += (letters.length === 0 && spell === continued ? bare : spell)(piece);
    }
    return written + (letters.length > 0 ? single(letters.join('')) : '');
  });
}

/** Each of the words spelled, with one space between. */
export const spelledLine = (words: readonly string[]): fc.Arbitrary<string> =>
  fc.tuple(...words.map(spelled)).map((written) => written.join(' '));
