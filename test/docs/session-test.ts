// A session of pages as a test: each command ends as its page says, and prints what stands there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { rowsOf, textOf } from '../../scripts/recording.ts';
import { EXAMPLE_NEEDS, type Example } from '../e2e/example.ts';
import { PACKAGE } from '../e2e/scenario.ts';
import { needs } from '../needs.ts';
import { isShown, normalised, type Ran } from './session.ts';
import { RECORDING, recordedLines, runSession, SESSIONS } from './sessions.ts';

/** Adds the test of one session. */
export function sessionTest(name: keyof typeof SESSIONS): void {
  needs(...(name in EXAMPLE_NEEDS ? EXAMPLE_NEEDS[name as Example] : []))(
    `in the ${name} repository every command does and prints what ${SESSIONS[name].join(', ')} show`,
    async () => {
      const { home, parts } = await runSession(name);
      for (const ran of Object.values(parts).flat()) same(ran, home);
      const lines = recordedLines(Object.values(parts).flat(), home);
      if (name !== 'lab') return assert.is(lines.length, 0, 'the recording is of the lab');
      const printed = lines.flatMap(({ text }) => rowsOf(text)).join('\n');
      const recorded = textOf(readFileSync(join(PACKAGE, RECORDING), 'utf8'));
      assert.is(normalised(recorded, home), normalised(printed, home), 'npm run docs lab records it anew');
    },
  );
}

function same({ block, command, shown, printed, exit, expectedExit }: Ran, home: string): void {
  const text = printed.map((line) => line.text).join('\n');
  assert.is(exit, expectedExit, `${block.page}:${block.line}: ${command}\n${text}`);
  if (!shown) return;
  const [page, today] = [normalised(shown.join('\n'), home), normalised(text, home)];
  if (!isShown(page, today)) assert.is(page, today, `${block.page}:${block.line}: ${command}`);
}
