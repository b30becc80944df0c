// Makes text safe for a terminal: control and bidi characters are spelled out, except our own colours. So a stage, a model or a
// file name can neither move the cursor nor change the reading order.
import { randomBytes } from 'node:crypto';
import type { ChalkInstance } from 'chalk';

/** Replaces ESC in our own colours until they are printed; no input can contain it. */
const OURS = `\u001b${randomBytes(8).toString('hex')}`;

/** C0 but tabs and newlines, C1, bidi and other format characters, line and paragraph separators. */
const UNSEEN = String.raw`[^\P{Cc}\t\n]|[\p{Cf}\p{Zl}\p{Zp}]`;
const TO_CHANGE = new RegExp(`${OURS}(\\[\\d+m)|${UNSEEN}`, 'gu');
const IN_JSON = new RegExp(UNSEEN, 'gu');
/** A fast test for plain ASCII, which most text is. */
const USUAL = /^[\t\n -~]*$/;

/** For people. Not idempotent: a second pass would spell our colours out. */
export const plainText = (text: string): string =>
  USUAL.test(text) ? text : text.replace(TO_CHANGE, (sign, ours?: string) => (ours ? `\u001b${ours}` : spelled(sign)));

const spelled = (sign: string): string => `\\u{${(sign.codePointAt(0) as number).toString(16)}}`;

/** JSON that means the same, and has no such character either. */
export const plainJson = (json: string): string =>
  USUAL.test(json)
    ? json
    : json.replace(IN_JSON, (sign) =>
        Array.from({ length: sign.length }, (_, i) => `\\u${sign.charCodeAt(i).toString(16).padStart(4, '0')}`).join(
          '',
        ),
      );

const STYLES = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'] as const;

export type Colours = Readonly<Record<(typeof STYLES)[number], (text: string) => string>>;

/** The colours of `chalk`, so marked that `plainText` knows them. */
export function ourColours(chalk: ChalkInstance): Colours {
  const painter = (style: (typeof STYLES)[number]) => {
    const [open = '', close = ''] = chalk[style]('x').replaceAll('\u001b', OURS).split('x');
    return (text: string): string => open + text + close;
  };
  return Object.fromEntries(STYLES.map((style) => [style, painter(style)])) as Colours;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are control characters.
const COLOURS = /\u001b\[[\d;:]*m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning of one, or of a line end.
const UNFINISHED = /\u001b(?:\[[\d;:]{0,40})?$|\r$/;

/** Makes a log plain, piece by piece. `end` returns what was held back. */
export interface PlainLog {
  push(bytes: Buffer): string;
  end(): string;
}

/** Plain, with newlines for line ends of either kind, and without the colours of tools. */
export function plainLog(): PlainLog {
  const decoder = new TextDecoder();
  let held = '';
  const shown = (text: string): string =>
    plainText(USUAL.test(text) ? text : text.replaceAll('\r\n', '\n').replace(COLOURS, ''));
  const taken = (text: string, last: boolean): string => {
    const all = held + text;
    held = last ? '' : (UNFINISHED.exec(all.slice(-48))?.[0] ?? '');
    return shown(all.slice(0, all.length - held.length));
  };
  return {
    push: (bytes) => taken(decoder.decode(bytes, { stream: true }), false),
    end: () => taken(decoder.decode(), true),
  };
}
