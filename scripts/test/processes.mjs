// Which processes a test file has started, directly or not: they are its children, carry its temporary folder in their environment,
// or work in it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** It ends with the process that compiles TypeScript by it. */
const COMPILER = /\/esbuild --service=/;

/**
 * The processes of the test file with that folder that are alive, and those that they started; not `root`, its own. `foreign`
 * remembers which are not.
 */
export function processesOf(folder, root, foreign = new Set()) {
  const ours = new Set([String(root)]);
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && !foreign.has(name))) {
    const [state, parent] = read(pid, 'stat')
      .replace(/^.*\) /s, '')
      .split(' ');
    const isOurs =
      ours.has(parent) || read(pid, 'environ').includes(folder) || `${workingFolder(pid)}/`.startsWith(`${folder}/`);
    if (!isOurs || COMPILER.test(commandLine(pid))) foreign.add(pid);
    else if (state !== 'Z') ours.add(pid);
  }
  ours.delete(String(root));
  return [...ours].map(Number);
}

/** Nothing of a process that is gone, or that is another user's. */
function read(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

function workingFolder(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

export const commandLine = (pid) => read(pid, 'cmdline').replaceAll('\0', ' ').trim();

/** Ends a process, or with a negative number its group; it may be gone by now. */
export function endProcess(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
