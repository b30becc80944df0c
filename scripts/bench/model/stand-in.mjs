// Stands in for the tools of an exam's stage: bash reads this exam's start file before a command or a check of the
// stage and is replaced by this. It prints the tools' words while the mistake is in the files of the current folder.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import '../../typescript.mjs';

const { leftToDo } = await import('./effect.ts');

/** Where the words were taken down. */
const PLACE = '/home/ops/homelab/ai/worktree';

const [, , path, command] = process.argv;
const script = JSON.parse(readFileSync(path, 'utf8'));
const now = Object.fromEntries(
  Object.keys(script.files).flatMap((file) => (existsSync(file) ? [[file, readFileSync(file, 'utf8')]] : [])),
);
const left = leftToDo(script.files, script.ways, now);
const isCommand = command === script.command;
if (script.ways.length > 0 && left.length === 0) {
  for (const file of isCommand ? script.makes : []) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'made by a stand-in\n');
  }
} else {
  const { words, exit } = isCommand ? { words: parts(logOf())[0], exit: script.exit_code } : checked(command);
  process.stdout.write(words.replaceAll(PLACE, process.cwd()));
  process.exitCode = exit;
}

/** What the tools say about what is left: the same as about the first file, when it is the second one. */
function logOf() {
  const [{ path: first } = {}] = script.ways[0] ?? [];
  const [{ path: next } = {}] = left;
  return first && next && first !== next ? script.log.replaceAll(dirname(first), dirname(next)) : script.log;
}

/** Before the first check, and from the line that names each check on. */
function parts(log) {
  return log.split(/^(?=mendloop: verify: )/m);
}

function checked(check) {
  const own = parts(script.log);
  const words = own.find((part) => part.startsWith(`mendloop: verify: ${check}\n`))?.replace(/^.*\n/, '') ?? '';
  const end = own.find((part) => part.startsWith(`mendloop: verify: ${check}: exit code `)) ?? '';
  return { words, exit: Number(/: exit code (\d+)$/m.exec(end)?.[1] ?? 0) };
}
