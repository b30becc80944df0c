// Brings the pages up to date: `npm run docs [lab|small]`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordingOf } from '../../scripts/recording.ts';
import { PACKAGE } from '../e2e/scenario.ts';
import { readPage } from './pages.ts';
import { isShown, normalised, type Ran } from './session.ts';
import { RECORDING, recordedLines, runSession, SESSIONS } from './sessions.ts';

const asked = process.argv.slice(2);
for (const name of Object.keys(SESSIONS) as (keyof typeof SESSIONS)[]) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const { home, parts } = await runSession(name);
  for (const [page, ran] of Object.entries(parts)) {
    const before = readPage(page);
    // All of a page or nothing: its runs refer to each other.
    const after = ran.every((each) => isAsShown(each, home))
      ? before
      : ran.reduce((text, each) => brought(text, each, home), before);
    if (after !== before) writeFileSync(join(PACKAGE, page), after);
    console.log(`${after === before ? 'as it was' : 'written  '}  ${page}`);
  }
  const lines = recordedLines(Object.values(parts).flat(), home);
  if (lines.length > 0) writeFileSync(join(PACKAGE, RECORDING), recordingOf(lines));
}

/** With the path that pages use, and Ollama's usual port. */
function asShown(text: string, home: string): string {
  return text.replaceAll(home, '/home/you/lab').replace(/127\.0\.0\.1:(?:\d{5}|1)\b/g, '127.0.0.1:11434');
}

// Hoisted: it is used above, before this line is reached.
function printedText({ printed }: Ran, home: string): string {
  return printed.map((line) => asShown(line.text, home)).join('\n');
}

function isAsShown(ran: Ran, home: string): boolean {
  const today = normalised(printedText(ran, home), home);
  return ran.exit === ran.expectedExit && (!ran.shown || isShown(normalised(ran.shown.join('\n'), home), today));
}

/** The page with what one command prints today below it. */
function brought(text: string, ran: Ran, home: string): string {
  const { block, command, shown, exit, expectedExit } = ran;
  const today = printedText(ran, home);
  const place = `${block.page}:${block.line}: ${command}`;
  if (exit !== expectedExit) console.log(`${place}\n  ended with ${exit}:\n${today}`);
  if (!shown) return text;
  if (shown.includes('…')) {
    if (!isAsShown(ran, home)) console.log(`${place}\n  no longer shows what is printed:\n${today}`);
    return text;
  }
  const typed = `$ ${command.replaceAll('\n', '\n> ')}\n`;
  const before = typed + shown.join('\n');
  if (!text.includes(before)) throw new Error(`${place} is not there; blocks in lists are to be written by hand`);
  return text.replace(before, () => typed + today);
}
