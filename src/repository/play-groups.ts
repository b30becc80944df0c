// Which files of group variables a play or role is certain to see: those of groups that all its hosts are in.
import type { FileNames, Name } from './definition.ts';

/** The group that a file sets variables of. */
const groupIn = (path: string): string | undefined => /(?:^|\/)group_vars\/([^/.]+)/.exec(path)?.[1];

/** Whether every host of the plays that run the file `from` has the variables of the file `path`. */
export function groupsOf(files: ReadonlyMap<string, FileNames>, from: string): (path: string) => boolean {
  const hosts = hostsOf(files, from);
  const parents = parentsOf(files);
  const isIn = (group: string, wanted: string, left = 32): boolean =>
    group === wanted || (left > 0 && (parents.get(group) ?? []).some((parent) => isIn(parent, wanted, left - 1)));
  return (path) => {
    const group = groupIn(path);
    if (group === undefined) return false;
    return group === 'all' || (hosts.length > 0 && hosts.every((host) => isIn(host, group)));
  };
}

function parentsOf(files: ReadonlyMap<string, FileNames>): Map<string, string[]> {
  const parents = new Map<string, string[]>();
  for (const { uses } of files.values())
    for (const { kind, name, of } of uses)
      if (kind === 'group' && of !== undefined) parents.set(name, [...(parents.get(name) ?? []), of]);
  return parents;
}

/** The groups of all plays that have the file's role, or that are in the file. */
function hostsOf(files: ReadonlyMap<string, FileNames>, from: string): string[] {
  const role = /(?:^|\/)roles\/([^/]+)\//.exec(from)?.[1];
  const hosts: string[] = [];
  for (const [path, { uses }] of files) {
    const isPlayed = (name: Name) => (role === undefined ? path === from : name.kind === 'role' && name.name === role);
    for (const play of playsIn(uses)) if (play.uses.some(isPlayed)) hosts.push(...play.hosts);
  }
  return hosts;
}

/** The uses of a playbook, cut where the hosts of its next play stand. */
function playsIn(uses: readonly Name[]): { hosts: string[]; uses: Name[] }[] {
  const plays: { hosts: string[]; uses: Name[]; line: number }[] = [];
  for (const use of uses.toSorted((a, b) => a.line - b.line)) {
    const isHosts = use.kind === 'group' && use.of === undefined;
    const last = plays.at(-1);
    if (isHosts && last?.line !== use.line) plays.push({ hosts: [use.name], uses: [use], line: use.line });
    else if (isHosts) last?.hosts.push(use.name);
    else last?.uses.push(use);
  }
  return plays;
}
