// Which processes a test file has started, directly or not: they are its children, carry its temporary folder in their environment,
// or work in it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const foreign = new Map();

/** The processes of the test file with that folder, which are alive, but the one that asks. */
export function processesOf(folder) {
  const known = foreign.get(folder) ?? new Set([String(process.pid)]);
  foreign.set(folder, known);
  const ours = new Set();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && !known.has(name))) {
    if (isOf(folder, pid, ours)) ours.add(pid);
    else known.add(pid);
  }
  return [...ours].filter((pid) => !/^\S+ \(.*\) [ZX]/s.test(read(pid, 'stat'))).map(Number);
}

function isOf(folder, pid, ours) {
  const parent = read(pid, 'stat').replace(/^.*\) /s, '').split(' ')[1];
  if (parent === String(process.pid) || ours.has(parent)) return true;
  return read(pid, 'environ').includes(folder) || `${workingFolder(pid)}/`.startsWith(`${folder}/`);
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
