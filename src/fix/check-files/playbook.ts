// What a playbook or a role that is really run includes: other playbooks, tasks, scripts, and the tasks of the roles it names.
import { parseDocument } from 'yaml';
import { finderOf, type Listing } from './find-files.ts';

const INCLUDED = /\b(?:import_playbook|include_tasks|import_tasks|script):\s*["']?([^\s"'#]+)/g;
const ROLE_TASKS = /(?:^|\/)roles\/([^/]+)\/(?:tasks|handlers|meta)\//;

/** Never throws. */
export function calledByPlaybook(text: string, around: { listing: Listing; dir: string }): string[] {
  const finder = finderOf(around);
  const roles = rolesIn(text);
  const ofRoles = [...around.listing.keys()].filter((path) => roles.has(ROLE_TASKS.exec(path)?.[1]));
  return [...[...text.matchAll(INCLUDED)].flatMap(([, word]) => finder.find(word as string)), ...ofRoles];
}

const ROLE_KEY = /(?:^|\.)(?:(?:include|import)_role|roles|dependencies)$/;

/** The roles that plays, tasks or the needs of another role name. */
function rolesIn(text: string): Set<unknown> {
  const named = (role: unknown): unknown[] =>
    typeof role === 'object' && role !== null ? ['role', 'name'].map((key) => Reflect.get(role, key)) : [role];
  const below = (value: unknown): unknown[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([key, part]) => [
          ...(ROLE_KEY.test(key) ? [part].flat().flatMap(named) : []),
          ...below(part),
        ]);
  try {
    return new Set(below(parseDocument(text).toJS()).filter((role) => typeof role === 'string'));
  } catch {
    // What Ansible cannot read runs nothing.
    return new Set();
  }
}
