// Folders that are gone when the test is over.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const made = mkdtempSync(join(realpathSync(tmpdir()), 'mendloop-io-'));
process.on('exit', () => rmSync(made, { recursive: true, force: true }));

export const folder = (): string => mkdtempSync(join(made, 'f-'));

export function write(dir: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}
