// Taskfiles: tasks, variables, and the files whose tasks they take over below a name.
import type { Found } from './names.ts';
import type { Entry } from './yaml-outline.ts';
import { entryAt, valueAt } from './yaml-outline.ts';

const NAMED = /(?:^|\/)\.?taskfile[^/]*\.ya?ml$/i;
const USE = /\{\{[^{}]*\}\}/g;

export function taskfile(path: string, text: string, entries: readonly Entry[], found: Found): void {
  const [first] = entries;
  const isTaskfile =
    NAMED.test(path) || (entryAt(first?.siblings ?? [], 'version') && entryAt(first?.siblings ?? [], 'tasks'));
  if (!isTaskfile) return;
  for (const entry of entries) {
    const { key, value, line, path: above } = entry;
    const [section] = above;
    if (section === 'tasks' && above.length === 1) found.define('target', key, line, 'task');
    if (section === 'tasks' && above[2] === 'aliases') found.define('target', value, line, 'task');
    if (section === 'includes' && above.length === 1 && key !== '') includedAs(entry, found);
    if (above.at(-1) === 'vars' || above.at(-1) === 'env') found.define('task-variable', key || value, line);
    if (above.includes('for') && key === 'as') found.define('task-variable', value, line);
    if (section !== 'tasks' || above.length < 2) continue;
    const isDependency = above[2] === 'deps' && key === '';
    if (isDependency || (key === 'task' && value !== '')) found.use('target', value, line, 'task');
  }
  text.split('\n').forEach((line, i) => {
    for (const [inside] of line.includes('{{') ? line.matchAll(USE) : [])
      for (const [, name] of inside.replace(/"[^"]*"/g, '').matchAll(/(?<![\w)\]])\.([A-Za-z_]\w*)/g))
        found.use('task-variable', name as string, i + 1);
  });
}

function includedAs({ key, value, children }: Entry, found: Found): void {
  const isFlat = valueAt(children, 'flatten') === 'true';
  found.include(value || valueAt(children, 'taskfile'), isFlat ? undefined : `${key}:`);
}
