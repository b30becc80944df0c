// The repository of the demo: its folder, its files, the program in it, and a port that opens late.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fail } from '../errors.ts';
import { PACKAGE_ROOT } from './package.ts';
import { createText, readText } from './store.ts';

/** `wanted`, which must be empty or not be there yet; without it a new folder for temporary files. Throws E_DEMO_FOLDER. */
export function emptyFolder(wanted: string | undefined): string {
  const path = resolve(wanted ?? join(tmpdir(), 'mendloop-demo-'));
  try {
    if (wanted === undefined) return realpathSync(mkdtempSync(path));
    // Not recursive: below /proc Node would loop for ever.
    if (!existsSync(path)) mkdirSync(path);
    if (readdirSync(path).length === 0) return realpathSync(path);
  } catch (error) {
    fail('E_DEMO_FOLDER', { path, what: `cannot be one (${(error as NodeJS.ErrnoException).code})` });
  }
  return fail('E_DEMO_FOLDER', { path, what: 'is not empty' });
}

/** Copies the texts of a shipped folder into `to`, through `edit`. The copies are writable, whatever the modes of the originals. */
export function copyShipped(name: string, to: string, edit: (path: string, text: string) => string): void {
  const from = join(PACKAGE_ROOT, name);
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(from.length + 1);
    if (entry.isFile()) createText(join(to, path), edit(path, readText(join(from, path)) ?? ''));
  }
}

/** Writes `path`, a program that is this mendloop for the repository `home`, wherever it is started. */
export function writeMendloop(path: string, home: string): void {
  const entry = ['mendloop.mjs', 'scripts/bootstrap_loop.mjs'].map((name) => join(PACKAGE_ROOT, name)).find(existsSync);
  const word = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  createText(path, `#!/bin/sh\nMENDLOOP_HOME=${word(home)} exec ${word(process.execPath)} ${word(entry ?? '')} "$@"\n`);
  chmodSync(path, 0o755);
}

/** A port of this machine where nobody answers until `open` is called; then each who connects is sent `text`. */
export async function latePort(text: string): Promise<{ port: number; open(): void; close(): void }> {
  const answer = () => createServer((socket) => void socket.on('error', () => {}).end(text)).unref();
  const free = answer();
  await new Promise<void>((done) => void free.listen(0, '127.0.0.1', done));
  const { port } = free.address() as AddressInfo;
  await new Promise((done) => free.close(done));
  // Another process may have taken the port: then the demo fails with its answer.
  const server = answer().on('error', () => {});
  return { port, open: () => void server.listen(port, '127.0.0.1'), close: () => void server.close() };
}
