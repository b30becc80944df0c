// Terraform and OpenTofu: the addresses that blocks define, and those that expressions use.
import { eachLine, type Found } from './names.ts';

const BLOCK = /^\s*(variable|module|resource|data|ephemeral)\s+"?([\w-]+)"?\s*(?:"?([\w-]+)"?)?\s*\{/;
const TEXT = /"(?:[^"\\]|\\.)*"/g;
const COMMENT = /(?:#|\/\/).*/;
const ADDRESS = /(?<![\w.-])((?:data\.|ephemeral\.)?[A-Za-z][\w-]*)\.([A-Za-z_][\w-]*)/g;
const IS_ADDRESS = /^(?:var|local|module)$|_|^data\../;
/** Names that stand for a value: of `for x in`, and of a dynamic block. */
const BOUND = /\bdynamic\s+"(\w+)"|\bfor\s+(\w+)|\biterator\s*=\s*(\w+)/g;

export function terraform(text: string, found: Found): void {
  const bound = new Set(
    [...text.matchAll(BOUND)].map(([, block, variable, iterator]) => block ?? variable ?? iterator),
  );
  let depth = 0;
  let inLocals = false;
  let inComment = false;
  let document: string | undefined;
  const use = (expressions: string) => {
    for (const [, first = '', second] of expressions.includes('.') ? expressions.matchAll(ADDRESS) : [])
      if (IS_ADDRESS.test(first) && !bound.has(first)) found.use('terraform', `${first}.${second}`);
  };
  eachLine(text, found, (raw) => {
    inComment ||= /^\s*\/\*/.test(raw);
    if (inComment) inComment = !raw.includes('*/');
    else if (document !== undefined) {
      if (raw.trim() === document) document = undefined;
      use(inserted(raw));
    } else {
      use(raw.replace(TEXT, inserted).replace(COMMENT, ''));
      const code = raw.replace(TEXT, '""').replace(COMMENT, '');
      if (depth === 0) found.define('terraform', addressOf(raw));
      if (depth === 0) inLocals = /^\s*locals\b/.test(code);
      const local = depth === 0 ? /^\s*locals\s*\{\s*([\w-]+)\s*=/ : /^\s*([\w-]+)\s*=(?!=)/;
      const [, name] = (inLocals && depth <= 1 && local.exec(code)) || [];
      if (name) found.define('terraform', `local.${name}`);
      depth = Math.max(0, depth + count(code, /[{[(]/g) - count(code, /[}\])]/g));
      document = /<<[-~]?\s*([A-Za-z_]\w*)\s*$/.exec(code)?.[1];
    }
  });
}

const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;

/** What a text inserts. */
const inserted = (text: string): string =>
  Array.from(text.matchAll(/[$%]\{([^}]*)/g), ([, expression = '']) => ` ${expression.replace(/"[^"]*"/g, ' ')} `).join(
    '',
  );

function addressOf(line: string): string | undefined {
  const [, kind, type, name] = BLOCK.exec(line) ?? [];
  if (kind === 'variable') return `var.${type}`;
  if (kind === 'module') return `module.${type}`;
  return name && (kind === 'resource' ? `${type}.${name}` : `${kind}.${type}.${name}`);
}
