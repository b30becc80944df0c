// A stage's command in a folder of its own, without the loop around it.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { BrokenStage } from '../known-fixes/broken-stages.ts';
import { type Ended, run } from '../known-fixes/direct.ts';

export type { Ended };

const made = mkdtempSync(join(realpathSync(tmpdir()), 'mendloop-bench-'));
process.on('exit', () => rmSync(made, { recursive: true, force: true }));

/** How the command ends with these files, all of them executable. */
export function runAlone({ command }: BrokenStage, files: BrokenStage['sound']): Promise<Ended> {
  const folder = mkdtempSync(join(made, 's-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    chmodSync(join(folder, path), 0o755);
  }
  return run(typeof command === 'string' ? ['bash', '-c', command] : command, folder);
}
