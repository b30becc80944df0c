// The work queue as it is in the working tree: read to be checked, and added to.
import { join } from 'node:path';
import { BACKLOG_FOLDER, INDEX_FILE, type Queue, readQueue } from '../backlog/queue.ts';
import { MAP_FILE } from '../config/files.ts';
import { parseContextMap } from '../config/parse.ts';
import { failUsage } from '../errors.ts';
import { namesIn } from '../io/files.ts';
import { createText, privateFolder, readText, writeAtomic } from '../io/store.ts';
import { shellWord } from '../worktree/messages.ts';

/** Reads the queue in `folder`, from the root. Throws MendError when there is none. */
export function backlogOnDisk(home: string, folder = BACKLOG_FOLDER): Queue {
  const place = folder.replace(/\/+$/, '');
  const names = namesIn(join(home, place)).filter((name) => name.endsWith('.md'));
  if (names.length === 0)
    failUsage(
      `there is no work queue in ${place}`,
      'mendloop backlog add "what is to be done" --scope GLOB --accept CMD',
    );
  const texts = names.map((name) => [`${place}/${name}`, readText(join(home, place, name)) ?? ''] as const);
  const map = parseContextMap(readText(join(home, MAP_FILE)) ?? '', MAP_FILE);
  return readQueue(new Map(texts), map.ok ? map.value.protected_files : [], place);
}

/** Writes a new item and its line; the owner commits them. */
export function addItem(
  home: string,
  { title, scope, accept }: { title: string; scope: readonly string[]; accept: readonly string[] },
  dry: boolean,
): { file: string; index: string; command: string } {
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
  const list = (rows: readonly string[]) => rows.map((row) => `- \`${row}\``).join('\n');
  const text = `# ${title}\n\n## Scope\n\n${list(scope)}\n\n## Why\n\n## Steps\n\n- [ ] ${title}\n\n## Acceptance\n\n${list(accept)}\n\n## Tests\n\n## Progress log\n`;
  const index = readText(join(home, INDEX_FILE)) ?? '# Work queue\n';
  if (!dry) {
    privateFolder(join(home, BACKLOG_FOLDER));
    if (!createText(join(home, file), text)) failUsage(`${file} is there already`, 'mendloop backlog check');
    writeAtomic(
      join(home, INDEX_FILE),
      `${index.replace(/\n*$/, '\n')}${/^\s*[-*]/m.test(index) ? '' : '\n'}- [ ] [${title}](${name})\n`,
    );
  }
  return {
    file,
    index: INDEX_FILE,
    command: `git add ${BACKLOG_FOLDER} && git commit -m ${shellWord(`Queue: ${title}`)}`,
  };
}
