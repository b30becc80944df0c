// One thing that a rule says about a change.
import type { AskCode, RefusalCode } from '../edit.ts';
import { clip } from './rules.ts';

export type Finding =
  | { readonly verdict: 'refuse'; readonly code: RefusalCode; readonly reason: string }
  | { readonly verdict: 'ask'; readonly code: AskCode; readonly reason: string };

/** `words`: what is meant, as it stands in the file. */
const reasonOf = (path: string, line: number | undefined, why: string, words?: string): string =>
  `${path}${line === undefined ? '' : `:${line}`}: ${why}${words === undefined ? '' : `: ${clip(words)}`}`;

export const refuses = (
  code: RefusalCode,
  path: string,
  line: number | undefined,
  why: string,
  words?: string,
): Finding => ({
  verdict: 'refuse',
  code,
  reason: reasonOf(path, line, why, words),
});

export const asks = (code: AskCode, path: string, line: number | undefined, why: string, words?: string): Finding => ({
  verdict: 'ask',
  code,
  reason: reasonOf(path, line, why, words),
});
