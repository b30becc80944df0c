// The words of a fix on its way: what an answer asks for, what becomes of the files, and why it was refused. Pure.

/** One line of a hunk: context, removed or added; the text without its marker and line end. */
export interface HunkLine {
  op: ' ' | '-' | '+';
  text: string;
  /** Its first column is no marker but text: the marker was lost. */
  bare?: true;
}

/** A part of a unified diff as it was read, however damaged; `oldStart` is where it claims to be, when it claims anything. */
export interface Hunk {
  lines: HunkLine[];
  oldStart?: number;
  /** Whether the new text ends without a newline, when the diff itself says so. */
  noFinalNewline?: boolean;
}

/** An old text and what takes its place. */
export interface Replacement {
  search: string;
  replace: string;
  /** The old text may be a part of a line. */
  within?: true;
  /** The old text is a regular expression, to be found in one line. */
  pattern?: true;
}

/** What an answer asks of one file. `path` is as written, undefined when the answer names none. */
export type Change =
  | { form: 'diff'; path: string | undefined; hunks: Hunk[]; creates?: boolean }
  | { form: 'search-replace'; path: string | undefined; blocks: Replacement[] }
  /** Lines without marks: all of the file, or an excerpt of it, as they are to be; `label`: what the answer calls them; `bare`: not fenced. */
  | { form: 'whole-file'; path: string | undefined; text: string; label?: 'old' | 'new'; bare?: true }
  /** A block beside a change in another form: an excerpt, which asks for nothing, or a second form. */
  | { form: 'beside'; path: string | undefined; text: string };

/** What a proposal says about itself: what it changes, and why. */
export interface Note {
  fix: string;
  reason: string;
}

/** A file as it is and as it would be. `before` null: it is new. */
export interface Edit {
  path: string;
  before: string | null;
  after: string;
  /** Make it executable; only a plugin's structured edit may ask for it. */
  executable?: true;
  /** An answer wrote all of it anew. */
  rewritten?: true;
}

/** Lines of a file as they are, from number `start` (1 is the first) on, `at` of them most likely meant: to show the asked form with. */
export interface ShownPlace {
  path: string;
  start: number;
  lines: string[];
  at: number;
}

/** Why nothing is changed. `reasons` are for a model to act on: which block, why, the nearest lines. */
export interface Refusal {
  ok: false;
  code: RefusalCode;
  reasons: string[];
  /** Where in the files the change comes closest; all places that it may mean when these are several. */
  places?: ShownPlace[];
}

/** Every code a proposal can be refused with, and what it means. */
export const REFUSALS = {
  no_change: 'the answer holds no change, or changes nothing',
  unreadable: 'the answer is in no form that is understood',
  too_large: 'the answer, a file or the change is too large',
  unsafe_text: 'the change adds characters that are not seen',
  unsupported: 'renames, copies, deletions, binary patches, links and mode lines are not taken',
  no_path: 'the answer does not say which file it is for',
  bad_path: 'the path is not a plain path inside the repository',
  outside: 'the file is not among those this stage may change',
  protected: 'the file may never be changed by a machine',
  missing_file: 'the file does not exist and may not be made',
  in_the_way: 'something stands on the disk where the file would be made',
  converted: 'git filters, re-encodes or expands the file, so that no commit would hold what was judged',
  not_found: 'the text to be changed is not in the file',
  ambiguous: 'the text to be changed is in the file more than once',
  already_applied: 'the file is already as the change would make it',
  indentation: 'the indentation of the change does not fit the file',
  too_many_files: 'more files are changed than one fix may',
  too_many_lines: 'more lines are changed than one fix may',
  destroys: 'an added command destroys data',
  does_not_parse: 'the file would not parse',
  already_tried: 'this very change was tried before',
  reversal: 'the change takes back a fix that helped',
  placeholder: 'a masked value was changed, moved or made up',
} as const;

export type RefusalCode = keyof typeof REFUSALS;

/** Why a lawful change waits for the owner's word: its places that are no proven repair. */
export interface Ask {
  /** The kind of the first of them. */
  code: AskCode;
  /** One plain sentence each: "removes --requirepass, which nothing replaces". */
  reasons: string[];
}

/** Every kind of place that is a decision, and what it means. */
export const ASKS = {
  removed: 'something goes and nothing takes its place',
  value: 'a value becomes another',
  number: 'a number, version or tag becomes another',
  key: 'a key or setting is added or becomes another',
  command: 'a command is added or becomes another',
  condition: 'what decides whether something runs, holds or counts as failed becomes another',
  tolerance: 'a default, a tolerance or a directive hides what failed',
  address: 'an address, a host or an account is added or becomes another',
  new_file: 'a new file is made',
  moved: 'something moves to another place',
  text: 'a text becomes another',
  unread: 'it could not be read in the time there is for it',
  changes_once: 'it changes what a stage is made from that must not run twice',
  every_change: 'its owner asked to be shown every change',
  prepared: 'it came further, and the stage was not green with it',
} as const;

export type AskCode = keyof typeof ASKS;

/** Kinds that are asked about even where `unattended: all` stands: they may hide the failure or let somebody in. */
export const ALWAYS_ASKED: ReadonlySet<AskCode> = new Set([
  'removed',
  'tolerance',
  'condition',
  'address',
  'new_file',
  'changes_once',
]);

/** What came of it, or why nothing did. */
export type OrRefusal<T> = ({ ok: true } & T) | Refusal;

export const refuse = (code: RefusalCode, ...reasons: string[]): Refusal => ({ ok: false, code, reasons });

/** Said of an answer in two forms, wherever that is noticed. */
export const TWO_FORMS = 'the answer holds a change in two different forms; write all of it in one of them';
