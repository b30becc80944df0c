// What a playbook or a role that is really run includes: other playbooks, tasks, scripts, and the tasks of the roles it names.
import { parseDocument } from 'yaml';
import { mapping } from '../../shape.ts';
import { finderOf, type Listing } from './find-files.ts';

const INCLUDED = /\b(?:import_playbook|include_tasks|import_tasks|script):\s*["']?([^\s"'#]+)/g;
const ROLE_TASKS = /(?:^|\/)roles\/([^/]+)\/(?:tasks|handlers|meta)\//;

/** Never throws. */
export function calledByPlaybook(text: string, around: { listing: Listing; dir: string }): string[] {
  const finder = finderOf(around);
  const roles = rolesIn(text);
  const ofRoles = [...around.listing.keys()].filter((path) => roles.has(ROLE_TASKS.exec(path)?.[1] ?? ''));
  return [...[...text.matchAll(INCLUDED)].flatMap(([, word]) => finder.find(word as string)), ...ofRoles];
}

const ROLE_KEY = /(?:^|\.)(?:(?:include|import)_role|roles|dependencies)$/;

/** The roles that plays, tasks or the needs of another role name. */
function rolesIn(text: string): Set<unknown> {
  const roles = new Set<unknown>();
  try {
    // Every pair of the document, from the outermost in.
    JSON.stringify(parseDocument(text).toJS(), (key, part) => {
      for (const role of ROLE_KEY.test(key) ? [part].flat() : [])
        for (const name of [role, mapping(role).role, mapping(role).name]) if (name) roles.add(name);
      return part;
    });
  } catch {
    // What Ansible cannot read runs nothing.
  }
  return roles;
}
