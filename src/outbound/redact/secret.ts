// A value that must never leave the machine, and the error when that cannot be promised.

export interface Secret {
  readonly value: string;
  /** One word of small letters for its placeholder, such as `password`. */
  readonly kind: string;
  /** A carried file and key, or a variable; for people on this machine, never sent. */
  readonly from: string;
  /**
   * Nothing says that it is one but the file it stands in: it is looked for whole, and in parts only when it looks
   * random.
   */
  readonly ordinary?: true;
}

/** Shorter values would be found everywhere in ordinary text; */
export const MIN_SECRET_LENGTH = 8;
/** those whose key says that they are secret are looked for, too, but only as words of their own. */
export const MIN_WORD_LENGTH = 4;

/** A value that is too short, or too usual a word, to be masked wherever it appears; `from` says where it stands. */
export type ShortSecret = Pick<Secret, 'value' | 'from'>;

/**
 * Thrown instead of a text that might still hold a secret: whoever catches it must not send, save or print that text.
 * Its message names places and rules, never a value.
 */
export class RedactionError extends Error {
  /** What to do about it. */
  readonly next: string;

  constructor(what: string, next: string) {
    super(what);
    this.name = 'RedactionError';
    this.next = next;
  }
}
