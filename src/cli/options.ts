// The options that commands share, with what help says of them, and how an option is written in such a table.

/** `follow|f` has a short form, `run=RUN` takes a value. */
export type Options = Readonly<Record<string, string>>;

/** Options that every command takes and tells of. */
export const GLOBAL_OPTIONS: Options = {
  'root=DIR': 'the repository (default: MENDLOOP_HOME, else the one around this folder)',
  json: 'machine-readable: events of a run, one JSON object a line; answers as one JSON object',
  'quiet|q': 'say only what went wrong',
  debug: 'show where an error comes from',
  'help|h': 'this, or help for one command',
  'version|V': 'the version',
};

/** Options that every command accepts; the help of a command shows those that it uses. */
export const RUN_OPTIONS = {
  'no-recheck': 'trust green stages whose inputs did not change',
  'workers=N': 'how many steps may run at once (default: ai/loop.yaml)',
  'deadline=WHEN': 'be over by then: 2h, 06:30 or 2026-12-24T06:30:00Z',
  'backend=NAME': 'where steps run: local, slurm-dag, slurm-pool, or a plugin (default: ai/loop.yaml)',
  'no-ai': 'no executor and no escalation; failures are still recognised and waited out',
  'dry-run': 'say what would be done; runs no stage, writes nothing',
  'yes|y': 'do not stop at what would be lost',
} satisfies Options;

/** Words that mean a command of another name. */
export const ALIASES: Readonly<Record<string, string>> = { run: 'all' };

/** The parts of an option as it stands in a table: `follow|f`, `run=RUN`. */
export function optionParts(key: string): { name: string; short?: string; value?: string } {
  const [, name = '', short, value] = /^([\w-]+)(?:\|(\w))?(?:=(\w+))?$/.exec(key) ?? [];
  return { name, ...(short ? { short } : {}), ...(value ? { value } : {}) };
}
