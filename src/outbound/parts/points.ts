// What points at a file, before it is added up.

export interface Points {
  score: number;
  /** What each name that it has counts, and each line that is repeated from it. */
  readonly shares: number[];
  plain: number;
  /** What of the error its path is called after. */
  inPath: number;
  readonly named: Set<number>;
  readonly matching: { readonly line: number; readonly count: number }[];
}
