// Files that installers read instead of asking a person (kickstart, preseed, autoinstall, cloud-init, Ignition), and whether they
// empty disks: the machine that is handed one is installed anew. Pure.
import { mapping } from '../shape.ts';
import { baseName, documentsOf, list, type Survey } from './survey.ts';

const COMMAND = /^.*\b(?:wipefs\s+-|sgdisk\s.*(?:-Z|--zap)|blkdiscard\s|talosctl\s.*\breset\b).*/m;

/** What each kind of file is known by, and how it says that disks are emptied. */
const KINDS: readonly (readonly [isOne: RegExp, ...wipes: RegExp[]])[] = [
  [/^[ \t]*(?:clearpart|zerombr|%packages|%pre|%post)\b/m, /^[ \t]*(?:clearpart\b(?!.*--none)|zerombr\b).*/m, COMMAND],
  [/^[ \t]*d-i\s/m, /^[ \t]*d-i\s+partman(?:-auto\/|\/(?:confirm|choose_partition)).*/m, COMMAND],
  [/^[ \t]*autoinstall:/m, /^[ \t]*storage:.*/m, COMMAND],
  [/^#cloud-config/m, /^[ \t]*(?:disk|fs)_setup:(?=[\s\S]*?\boverwrite:\s*(?:true|yes)\b).*/m, COMMAND],
  [/^variant:\s*(?:fcos|flatcar)|"ignition":/m, /^[ \t]*"?wipe_?(?:table|filesystem)"?:\s*true.*/im],
];

/** The first line of an installer's file that empties disks; undefined when it is none, or empties none. */
function wipingLine(text: string): { line: number; words: string } | undefined {
  const code = text.replace(/^[ \t]*#(?!cloud-config).*$/gm, '');
  const wipes = KINDS.filter(([isOne]) => isOne.test(code)).flatMap(([, ...patterns]) => patterns);
  const match = wipes.map((pattern) => pattern.exec(code)).find((one) => one !== null);
  return match ? { line: code.slice(0, match.index).split('\n').length, words: match[0].trim() } : undefined;
}

const MAX_LINE = 80;
/** The beginning of a long line: whole words. */
const beginning = (line: string): string =>
  line.length <= MAX_LINE ? line : line.slice(0, MAX_LINE).replace(/\s+\S*$/, ' …');

/** Tasks of a playbook or of a role's file, those in blocks too. */
function tasksIn(value: unknown, isInGuarded = false): { text: string; isGuarded: boolean }[] {
  return list(value).flatMap((entry) => {
    const task = mapping(entry);
    const isGuarded = isInGuarded || task.when !== undefined;
    const inner = ['block', 'rescue', 'always', 'tasks', 'pre_tasks', 'post_tasks'].map((key) => task[key]);
    return inner.some(Array.isArray)
      ? inner.flatMap((tasks) => tasksIn(tasks, isGuarded))
      : [{ text: JSON.stringify(task), isGuarded }];
  });
}

const ROLE = /^(?:.*\/)?roles\/[^/]+\//;
const HANDED_OUT = /^((?:.*\/)?)(?:templates|files)\//;
const folderOf = (path: string): string => ROLE.exec(path)?.[0] ?? path.replace(/[^/]*$/, '');

/**
 * Why a stage that runs these playbooks and roles would install machines anew: a template or file of theirs empties disks, and a
 * task hands it out without a condition. In a role, one that no task names is found by its tasks in another way.
 */
export function installsAnew(files: readonly string[], survey: Survey): string | undefined {
  const plays = files.filter((path) => /\.ya?ml$/.test(path));
  const folders = new Set(plays.map(folderOf));
  for (const path of survey.paths) {
    const folder = ROLE.exec(path)?.[0] ?? HANDED_OUT.exec(path)?.[1];
    if (folder === undefined || !folders.has(folder) || !HANDED_OUT.test(path)) continue;
    const wipes = wipingLine(survey.text(path));
    if (!wipes) continue;
    const tasks = plays.flatMap((play) => documentsOf(survey.text(play)).flatMap((plays) => tasksIn(plays)));
    const naming = tasks.filter(({ text }) => text.includes(baseName(path)));
    const isHandedOut = naming.length === 0 ? ROLE.test(path) : naming.some(({ isGuarded }) => !isGuarded);
    if (isHandedOut) return `it installs machines anew: ${path}, line ${wipes.line}: ${beginning(wipes.words)}`;
  }
  return undefined;
}
