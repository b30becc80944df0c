// What a test is lent, and what is taken back after it, also when it throws: folders, variables, what is open. scripts/test.mjs gives each file
// a TMPDIR and a HOME of its own, removes them, and fails a test that leaves anything else changed.
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'uvu';

declare global {
  /** The variables that are given back after the test: scripts/test/file.mjs reads it. */
  var LENT_VARIABLES: Set<string> | undefined;
}

export const folder = (): string => mkdtempSync(join(realpathSync(tmpdir()), 'f-'));

export function write(dir: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

const closing: (() => unknown)[] = [];

/** Called after the test that runs. */
export const afterTest = (close: () => unknown): void => void closing.push(close);

test.after.each(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Sets variables of this process for the test that runs, or until the function that this returns is called; undefined unsets one. */
export function setEnv(variables: Readonly<Record<string, string | undefined>>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  for (const name of Object.keys(variables)) globalThis.LENT_VARIABLES?.add(name);
  assign(Object.entries(variables));
  return () => assign(before);
}

function assign(entries: readonly (readonly [string, string | undefined])[]): void {
  for (const [name, value] of entries) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
