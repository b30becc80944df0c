// What destroys, by its name and by what it runs. Such a thing is never proposed as a stage. Pure; the grammar is given.
import type { Harmful } from '../fix/gate/harms.ts';

/** Every command of a file that takes away what cannot be had again; undefined when it could not be read in time. */
export type FindHarm = (path: string, text: string) => Promise<readonly Harmful[] | undefined>;

const WIPES =
  'destroy destroys destroyed destroyer nuke nuked wipe wipes wiped wiping reset resets teardown uninstall uninstalls purge purges ' +
  'delete deletes deletion erase eraser obliterate unprovision deprovision decommission undeploy zap format-disks shred annihilate ' +
  'demolish';
/** Of a command that is typed: it takes something away. Of a file of a role, as often: it tidies up behind itself. */
const TIDIES =
  'remove removes removal rm rmi drop prune clean cleanup cleaner distclean mrproper down stop kill killall unmount evict';
interface Names {
  readonly words: ReadonlySet<string>;
  readonly joined: RegExp;
}

const DESTROYING: Names = {
  words: new Set(`${WIPES} ${TIDIES}`.split(' ')),
  joined: /(?:tear|take|shut|bring)[-_ ]?down|factory[-_]?reset|clean[-_]?(?:all|up)|format[-_]?dis[ck]s?/i,
};
const WIPING: Names = {
  words: new Set(WIPES.split(' ')),
  joined: /(?:tear|take)[-_ ]?down|factory[-_]?reset|format[-_]?dis[ck]s?/i,
};

/** Whether a name of a target, script, playbook, role or folder says that it destroys. */
export const destroysByName = (name: string): boolean => saysSo(name, DESTROYING);

/** Whether any part of a path does, its last one without its ending. */
export const destroysByPath = (path: string): boolean => path.split('/').some(destroysByName);

/** Whether the name of a file of a role says that it is there to destroy, and not to tidy up. */
export const wipesByPath = (path: string): boolean => path.split('/').some((part) => saysSo(part, WIPING));

function saysSo(name: string, { words, joined }: Names): boolean {
  const plain = name.replace(/\.(?:sh|bash|py|ya?ml|mjs|js|ts|rb)$/i, '');
  const parts = plain.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return joined.test(plain) || parts.split(/[^a-z0-9]+/).some((word) => words.has(word));
}
