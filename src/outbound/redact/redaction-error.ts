// Why nothing may be sent: the filter could not do its work. Whoever catches this must not send, save or print the text.

/** Thrown instead of a text that might still hold a secret. Its words name places and rules, never a value. */
export class RedactionError extends Error {
  /** What to do about it. */
  readonly next: string;

  constructor(what: string, next: string) {
    super(what);
    this.name = 'RedactionError';
    this.next = next;
  }
}
