// One place of a file that a change touches, as shapes are asked about it and people are told of it.
import type { AskCode } from '../edit.ts';

/**
 * What a word is in its file's language: the key or name of something, or a value; the program of a command, an option, any other
 * word of it; a variable where it is used or set; or, of a language without a tree here, anything else.
 */
export type Role = 'key' | 'value' | 'program' | 'option' | 'operand' | 'use' | 'definition' | 'token';

export interface At {
  readonly path: string;
  /** In the old text, or the new one for what is added; counted from 1. */
  readonly line: number;
  /** The keys on the way to it, the outermost first; a list's items are `-`. */
  readonly keys?: readonly string[];
}

/** What was there and what is, '' for nothing. */
interface Changed extends At {
  readonly old: string;
  readonly new: string;
}

/** One word in the place of another, everything around it being the same. */
export interface WordPlace extends Changed {
  readonly what: 'word';
  readonly role: Role;
  readonly keys: readonly string[];
  /** What stands before and behind it in its value, word or line. */
  readonly left: string;
  readonly right: string;
  /** For a key: the keys beside it, and those of each mapping beside its own. */
  readonly beside?: readonly string[];
  readonly cousins?: readonly (readonly string[])[];
  /** For a value: those under the same key of the mappings beside its own. */
  readonly others?: readonly string[];
  /** The document that it is in: what kind of thing it describes. */
  readonly document?: Document;
  /** It is a key with other keys below it. */
  readonly isBlock?: boolean;
}

/** Of a YAML or JSON document that which says what it is. */
export interface Document {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly keys: readonly string[];
  /** The mapping that the place is in, its scalars only. */
  readonly beside?: Readonly<Record<string, string>>;
}

/** The same characters, read as something else: quotes that come or go. */
export interface RetypedPlace extends Changed {
  readonly what: 'retyped';
  readonly keys: readonly string[];
  /** What it was and is: string, number, boolean, null, map, list, words. */
  readonly from: string;
  readonly to: string;
  readonly document?: Document;
}

/** A key with all below it, one level further in or out. */
export interface MovedPlace extends Changed {
  readonly what: 'moved';
  readonly key: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly document: Document;
}

/** The text did not parse and does now, by signs and blanks alone. */
export interface SyntaxPlace extends Changed {
  readonly what: 'syntax';
  /** A parser of ours says so; otherwise only signs of the text and the log do. */
  readonly isProven: boolean;
  /** The signs that came or went. */
  readonly signs: string;
  /** Its brackets and quotes did not match, and do now. */
  readonly isClosed: boolean;
}

/** A command that is added between others of its block. */
export interface AddedCommandPlace extends Changed {
  readonly what: 'added-command';
  readonly words: readonly string[] | undefined;
  readonly isLast: boolean;
}

/** A sibling is gone while its equal stays; or the script is made executable. */
interface PlainPlace extends Changed {
  readonly what: 'duplicate' | 'executable';
}

/** Everything else: no shape is asked, the owner is. */
export interface OtherPlace extends Changed {
  readonly what: 'other';
  readonly kind: AskCode;
  readonly keys: readonly string[];
}

export type Place = WordPlace | RetypedPlace | MovedPlace | SyntaxPlace | AddedCommandPlace | PlainPlace | OtherPlace;
