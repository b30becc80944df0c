// Texts from outside as one line that a person can read: no colours, no control characters.
// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what this removes
import { clipLine } from '../prompt/tokens.ts';

const ESCAPES =
  /\u001b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\u0007\u001b]{0,512}(?:\u0007|\u001b\\)|[ -/]{1,2}[0-~]|[0-~])/g;
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u200b\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** A line of output as a terminal would show it; time stamps stay. */
export const plainLine = (line: string): string =>
  (line.length > 20_000 ? line.slice(0, 10_000) + line.slice(-10_000) : line)
    .replace(ESCAPES, '')
    .replace(CONTROLS, '')
    .trimEnd();

/** A text of the owner's on one line. */
export const oneLine = (text: string): string => clipLine(text.replace(/\s+/g, ' ').trim());

/** The name of a file; in quotes when it has characters that would not show. */
export const plainPath = (path: string): string =>
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(path) ? JSON.stringify(path).replace(/[\u2028\u2029]/g, '?') : path;
