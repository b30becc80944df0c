// A rule about added lines: what it looks for, and what to tell whoever wrote the line.
import type { RefusalCode } from '../edit.ts';

export interface LineRule {
  name: string;
  code: RefusalCode;
  /** For a model: what is wrong, and what to do instead. */
  why: string;
  /** Tested against each simple command: words without quotes, one space between. */
  command?: readonly RegExp[];
  /** Tested against the line with its operators. */
  line?: readonly RegExp[];
  /** Tested against the line of a data file as it stands, without its comment. */
  data?: readonly RegExp[];
}

/** A command whose words include one of these programs, then anything, then `rest`. */
export function program(names: string, rest = ''): RegExp {
  return new RegExp(`(?:^|\\s)(?:\\S*/)?(?:${names})(?=\\s|$)${rest}`);
}

/** A key of a data file with this value, in a block or in braces. */
export function keyed(key: string, value: string): RegExp {
  return new RegExp(`(?:^|[\\s{,"'])["']?(?:${key})["']?\\s*[:=]\\s*["']?(?:${value})["']?\\s*(?:[,}].*)?$`, 'i');
}
