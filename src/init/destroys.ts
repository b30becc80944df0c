// What destroys, by its name and by what it runs. Such a thing is never proposed as a stage. Pure; the grammar is given.
import type { Harmful } from '../fix/gate/harms.ts';

/** Every command of a file that takes away what cannot be had again; undefined when it could not be read in time. */
export type FindHarm = (path: string, text: string) => Promise<readonly Harmful[] | undefined>;

const WORDS = new Set(
  (
    'destroy destroys destroyed destroyer nuke nuked wipe wipes wiped wiping reset resets teardown uninstall uninstalls purge purges delete deletes ' +
    'deletion remove removes removal rm rmi erase eraser drop prune obliterate unprovision deprovision decommission undeploy clean ' +
    'cleanup cleaner distclean mrproper down stop kill zap format-disks shred annihilate demolish killall unmount evict'
  ).split(' '),
);
const JOINED = /(?:tear|take|shut|bring)[-_ ]?down|factory[-_]?reset|clean[-_]?(?:all|up)|format[-_]?dis[ck]s?/i;

/** Whether a name of a target, script, playbook, role or folder says that it destroys. */
export function destroysByName(name: string): boolean {
  const plain = name.replace(/\.(?:sh|bash|py|ya?ml|mjs|js|ts|rb)$/i, '');
  const words = plain.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return JOINED.test(plain) || words.split(/[^a-z0-9]+/).some((word) => WORDS.has(word));
}

/** Whether any part of a path does, its last one without its ending. */
export const destroysByPath = (path: string): boolean => path.split('/').some(destroysByName);
