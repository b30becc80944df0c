// Helm: the values that files of values set, and those that a chart's templates use.
import { eachLine, type Found } from './names.ts';
import type { Entry } from './yaml-outline.ts';

const VALUES = /(?:^|\/)values[^/]*\.ya?ml$|(?:^|\/)values\/[^/]+\.ya?ml$/;
export const isChartTemplate = (path: string): boolean => IS_TEMPLATE.test(path);
const IS_TEMPLATE = /(?:^|\/)templates\/.*\.(?:ya?ml|tpl|txt)$/;
const USE = /\.Values\.(\w+)/g;

export function helm(path: string, text: string, entries: readonly Entry[], found: Found): void {
  if (isChartTemplate(path)) uses(text, found);
  if (!VALUES.test(path)) return;
  for (const { key, path: above, line } of entries) {
    found.line = line;
    if (above.length === 0) found.define('helm-value', key);
  }
}

function uses(text: string, found: Found): void {
  eachLine(text, found, (line) => {
    for (const [, name] of line.matchAll(USE)) found.use('helm-value', name);
  });
}
