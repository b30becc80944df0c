// The shape that the reading stages share: files the model sees and may change, and checks and tools that it never sees.
import type { BrokenStage } from '../../../../test/known-fixes/broken-stages.ts';

export const HEAD = '#!/usr/bin/env bash\nset -euo pipefail\n';
export const CHECK = 'checks/run.sh';

const CHECK_HEAD = `${HEAD}STATE="$(mktemp -d)"
trap 'rm -rf "$STATE"' EXIT
export STATE PATH="$PWD/tools:$PATH"
fault() {
  echo "error: $*" >&2
  exit 1
}
`;

export interface Reading {
  /** Shown to the model, and its to change. */
  readonly files: Readonly<Record<string, string>>;
  /** The file with the fault, what is right in it, and what stands there instead. */
  readonly fault: readonly [path: string, right: string, wrong: string];
  /** What judges the stage: bash, run in the root of the repository, with `fault` to say what is wrong. */
  readonly check: string;
  /** Stand-ins for tools, first on PATH. */
  readonly tools?: Readonly<Record<string, string>>;
}

/** A stage that fails for one reason, which only reading its files tells. Throws when the fault is not in its file once. */
export function reading(name: string, { files, fault: [path, right, wrong], check, tools = {} }: Reading): BrokenStage {
  const text = files[path] ?? '';
  if (text.split(right).length !== 2) throw new Error(`${name}: ${JSON.stringify(right)} is not in ${path} once`);
  const hidden = Object.entries(tools).map(([tool, body]) => [`tools/${tool}`, HEAD + body]);
  return {
    ...{ fault: name, repair: 'reading', command: CHECK },
    files: [...new Set(Object.keys(files).map((one) => `${one.slice(0, one.lastIndexOf('/'))}/`))],
    sound: { ...files, [CHECK]: CHECK_HEAD + check, ...Object.fromEntries(hidden) },
    broken: { [path]: text.replace(right, () => wrong) },
  };
}
