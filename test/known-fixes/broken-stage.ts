// A stage as somebody broke it: a small repository that was sound, what was broken in it, and what the plugin should do.

export interface BrokenStage {
  readonly fault: string;
  /** The name of the repair that mends it; null: it must be left alone. */
  readonly repair: string | null;
  /** Every file of the repository as it was; scripts are executable. */
  readonly sound: Readonly<Record<string, string>>;
  /** What was written instead. */
  readonly broken: Readonly<Record<string, string>>;
  /** Files that lost their executable bit. */
  readonly plain?: readonly string[];
  readonly command: string | readonly string[];
  /** What the stage may change. */
  readonly files: readonly string[];
  readonly tools?: readonly string[];
  /** The mended texts, where they are not as they were. */
  readonly mended?: Readonly<Record<string, string>>;
}
