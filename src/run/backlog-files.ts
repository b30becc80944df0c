// The work queue as it is in the working tree: read to be checked, and added to.
import { join } from 'node:path';
import { BACKLOG_FOLDER, INDEX_FILE, type Queue, readQueue } from '../backlog/queue.ts';
import { MAP_FILE } from '../config/files.ts';
import { parseContextMap } from '../config/parse.ts';
import { failUsage } from '../errors.ts';
import { namesIn } from '../io/files.ts';
import { createText, privateFolder, readText, writeAtomic } from '../io/store.ts';
import { shellWord } from '../worktree/messages.ts';
import { addCommand, checkoutFiles } from '../worktree/read.ts';
import { failIfAny, forbiddenItems } from './items.ts';

/** The texts in `folder`, by their path from the root. */
function textsOnDisk(home: string, folder = BACKLOG_FOLDER): Map<string, string> {
  const names = namesIn(join(home, folder)).filter((name) => name.endsWith('.md'));
  return new Map(names.map((name) => [`${folder}/${name}`, readText(join(home, folder, name)) ?? '']));
}

/** Reads the queue in `folder`, from the root, with all that is wrong with it; undefined when there is none. */
export async function checkBacklog(home: string, folder = BACKLOG_FOLDER): Promise<Queue | undefined> {
  const texts = textsOnDisk(home, folder);
  return texts.size === 0 ? undefined : checkTexts(home, texts, folder);
}

async function checkTexts(home: string, texts: ReadonlyMap<string, string>, folder = BACKLOG_FOLDER): Promise<Queue> {
  const read = parseContextMap(readText(join(home, MAP_FILE)) ?? '', MAP_FILE);
  const map = read.ok ? read.value : { protected_files: [] };
  const { items, problems } = readQueue(texts, map.protected_files, folder);
  const sound = items.filter(({ file }) => !problems.some((problem) => problem.file === file));
  const forbidden = await forbiddenItems(sound, map, (await checkoutFiles(home))?.files ?? new Map());
  return { items, problems: [...problems, ...forbidden] };
}

/** Writes a new item and its line; the owner commits them. Throws E_CONFIG, and writes nothing, when the item would be refused. */
export async function addItem(
  home: string,
  { title: given, scope, accept }: { title: string; scope: readonly string[]; accept: readonly string[] },
  dry: boolean,
): Promise<{ file: string; index: string; command: string }> {
  const title = given.replaceAll(/\s+/g, ' ').trim();
  const names = namesIn(join(home, BACKLOG_FOLDER));
  const last = Math.max(0, ...names.map((name) => Number(/^(\d{2,4})-/.exec(name)?.[1] ?? 0)));
  const slug =
    title
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 40) || 'item';
  const name = `${String(last + 1).padStart(2, '0')}-${slug}.md`;
  const file = `${BACKLOG_FOLDER}/${name}`;
  const list = (rows: readonly string[]) =>
    rows.map((row) => (/[`\n]/.test(row) ? `~~~bash\n${row}\n~~~` : `- \`${row}\``)).join('\n');
  const text = `# ${title}\n\n## Scope\n\n${list(scope)}\n\n## Why\n\n## Steps\n\n- [ ] ${title}\n\n## Acceptance\n\n${list(accept)}\n\n## Tests\n\n## Progress log\n`;
  const index = readText(join(home, INDEX_FILE)) ?? '# Work queue\n';
  const entry = `- [ ] [${title.replaceAll(/[[\]]/g, '')}](${name})\n`;
  const newIndex = `${index.replace(/\n*$/, '\n')}${/^\s*[-*]/m.test(index) ? '' : '\n'}${entry}`;
  const { problems } = await checkTexts(home, new Map([...textsOnDisk(home), [file, text], [INDEX_FILE, newIndex]]));
  failIfAny(problems.filter((problem) => problem.file === file));
  if (!dry) {
    privateFolder(join(home, BACKLOG_FOLDER));
    if (!createText(join(home, file), text)) failUsage(`${file} is there already`, 'mendloop backlog check');
    writeAtomic(join(home, INDEX_FILE), newIndex);
  }
  return {
    file,
    index: INDEX_FILE,
    command: `${await addCommand(home, [BACKLOG_FOLDER])} && git commit -m ${shellWord(`Queue: ${title}`)}`,
  };
}
