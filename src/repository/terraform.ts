// Terraform and OpenTofu: the addresses that blocks define, and those that expressions use.
import type { Found } from './names.ts';

const BLOCK =
  /^\s*(variable|module|resource|data|ephemeral|locals)\b\s*(?:"([^"]*)"|([\w-]+))?\s*(?:"([^"]*)"|([\w-]+))?\s*\{/;
const TEXT = /"(?:[^"\\]|\\.)*"/g;
const ADDRESS = /(?<![\w.-])((?:data\.)?[A-Za-z][\w-]*)\.([A-Za-z_][\w-]*)/g;
const NO_ADDRESS = new Set(['each', 'count', 'self', 'path', 'terraform', 'data']);

export function terraform(text: string, found: Found): void {
  const lines = withoutDocuments(text.split(/\r?\n/));
  /** Names that stand for a value here: of `for x in`, and of a dynamic block. */
  const bound = new Set(
    [...text.matchAll(/\bdynamic\s+"(\w+)"|\bfor\s+(\w+)|\biterator\s*=\s*(\w+)/g)].map(([, a, b, c]) => a ?? b ?? c),
  );
  let depth = 0;
  let inLocals = false;
  let inComment = false;
  lines.forEach(({ text: raw, isDocument }, i) => {
    if (inComment || /^\s*\/\*/.test(raw)) {
      inComment = !raw.includes('*/');
      return;
    }
    if (!isDocument) {
      const code = raw.replace(TEXT, '""').replace(/(?:#|\/\/).*/, '');
      if (depth === 0) {
        inLocals = /^\s*locals\b/.test(code);
        block(raw, i + 1, found);
      }
      const inLine = depth === 0 ? /^\s*locals\s*\{\s*([\w-]+)\s*=/ : /^\s*([\w-]+)\s*=(?!=)/;
      if (inLocals && depth <= 1) found.define('terraform', withPrefix('local', inLine.exec(code)?.[1]), i + 1);
      depth = Math.max(0, depth + count(code, /[{[(]/g) - count(code, /[}\])]/g));
    }
    uses(isDocument ? inserted(raw) : raw.replace(TEXT, inserted).replace(/(?:#|\/\/).*/, ''), i + 1, bound, found);
  });
}

const withPrefix = (prefix: string, name: string | undefined): string => (name ? `${prefix}.${name}` : '');
const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;

/** What a text inserts. */
const inserted = (text: string): string =>
  [...text.matchAll(/[$%]\{([^}]*)\}?/g)]
    .map(([, expression]) => ` ${(expression as string).replace(/"[^"]*"/g, ' ')} `)
    .join('');

function block(raw: string, line: number, found: Found): void {
  const [, kind, first, bareFirst, second, bareSecond] = BLOCK.exec(raw) ?? [];
  const [type, name] = [first ?? bareFirst, second ?? bareSecond];
  if (kind === 'variable') found.define('terraform', withPrefix('var', type), line);
  if (kind === 'module') found.define('terraform', withPrefix('module', type), line);
  if (kind === 'resource' && type) found.define('terraform', withPrefix(type, name), line);
  if ((kind === 'data' || kind === 'ephemeral') && type)
    found.define('terraform', withPrefix(`${kind}.${type}`, name), line);
}

function uses(text: string, line: number, bound: ReadonlySet<string | undefined>, found: Found): void {
  if (!text.includes('.')) return;
  for (const [, first = '', second] of text.matchAll(ADDRESS)) {
    if (NO_ADDRESS.has(first) || bound.has(first)) continue;
    if (first.startsWith('data.')) found.use('terraform', withPrefix(first, second), line);
    else if (/^(?:var|local|module)$/.test(first) || first.includes('_'))
      found.use('terraform', `${first}.${second}`, line);
  }
}

/** Which lines stand in a here-document. */
function withoutDocuments(lines: readonly string[]): { text: string; isDocument: boolean }[] {
  let end: string | undefined;
  return lines.map((text) => {
    const isDocument = end !== undefined;
    if (isDocument && text.trim() === end) end = undefined;
    else if (!isDocument) end = /<<[-~]?\s*([A-Za-z_]\w*)\s*$/.exec(text)?.[1];
    return { text, isDocument };
  });
}
