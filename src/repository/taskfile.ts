// Taskfiles: tasks, variables, and the files whose tasks they take over below a name.
import { eachLine, type Found } from './names.ts';
import { type Entry, either, entryAt, key, type Row, readRows, value, valueAt } from './yaml-outline.ts';

const NAMED = /(?:^|\/)\.?taskfile[^/]*\.ya?ml$/i;
const INSERTED = /\{\{[^{}]*\}\}/g;
const VARIABLE = /(?<![\w)\]])\.([A-Za-z_]\w*)/g;
const ROWS: readonly Row[] = [
  [/^tasks \S+$/, 'define', 'target', key, 'task'],
  [/^tasks \S+ aliases $/, 'define', 'target', value, 'task'],
  [/(?:^| )(?:vars|env) \S*$/, 'define', 'task-variable', either],
  [/^tasks .* for as$/, 'define', 'task-variable', value],
];

export function taskfile(path: string, text: string, entries: readonly Entry[], found: Found): void {
  const first = entries[0]?.siblings ?? [];
  if (!NAMED.test(path) && !(entryAt(first, 'version') && entryAt(first, 'tasks'))) return;
  readRows(entries, ROWS, found);
  for (const { key, value, children } of entryAt(first, 'includes')?.children ?? [])
    found.include(value || valueAt(children, 'taskfile'), valueAt(children, 'flatten') === 'true' ? '' : `${key}:`);
  eachLine(text, found, (line) => {
    for (const [inside] of line.includes('{{') ? line.matchAll(INSERTED) : [])
      for (const [, name] of inside.replace(/"[^"]*"/g, '').matchAll(VARIABLE)) found.use('task-variable', name);
  });
}
