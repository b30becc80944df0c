// Names that say that something destroys. Such targets, scripts and playbooks are never proposed as stages. Pure.
import type { Destroying } from '../fix/gate/destroys.ts';

/** The destructive commands of a file; undefined when it could not be parsed in time. */
export type FindDestroying = (path: string, text: string) => Promise<readonly Destroying[] | undefined>;

const WIPES =
  'destroy destroys destroyed destroyer nuke nuked wipe wipes wiped wiping reset resets teardown uninstall uninstalls purge purges ' +
  'delete deletes deletion erase eraser obliterate unprovision deprovision decommission undeploy zap format-disks shred annihilate ' +
  'demolish';
/** Destructive in the name of a target; in the name of a role's file it may only tidy up. */
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

/** The same for any part of a path. */
export const destroysByPath = (path: string): boolean => path.split('/').some(destroysByName);

/** The same for the file of a role, where words for tidying up do not count. */
export const wipesByPath = (path: string): boolean => path.split('/').some((part) => saysSo(part, WIPING));

function saysSo(name: string, { words, joined }: Names): boolean {
  const plain = name.replace(/\.(?:sh|bash|py|ya?ml|mjs|js|ts|rb)$/i, '');
  const parts = plain.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return joined.test(plain) || parts.split(/[^a-z0-9]+/).some((word) => words.has(word));
}
