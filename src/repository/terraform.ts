// Terraform and OpenTofu: the addresses that blocks define.
import { eachLine, type Found } from './names.ts';

const BLOCK = /^\s*(variable|module|resource|data|ephemeral)\s+"?([\w-]+)"?\s*(?:"?([\w-]+)"?)?\s*\{/;
const TEXT_OR_COMMENT = /"(?:[^"\\]|\\.)*"|(?:#|\/\/).*/g;

export function terraform(text: string, found: Found): void {
  let depth = 0;
  let inLocals = false;
  let inComment = false;
  let document: string | undefined;
  eachLine(text, found, (raw) => {
    inComment ||= /^\s*\/\*/.test(raw);
    if (inComment) inComment = !raw.includes('*/');
    else if (document !== undefined) {
      if (raw.trim() === document) document = undefined;
    } else {
      const code = raw.replace(TEXT_OR_COMMENT, (one) => (one.startsWith('"') ? '""' : ''));
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

function addressOf(line: string): string | undefined {
  const [, kind, type, name] = BLOCK.exec(line) ?? [];
  if (kind === 'variable') return `var.${type}`;
  if (kind === 'module') return `module.${type}`;
  return name && (kind === 'resource' ? `${type}.${name}` : `${kind}.${type}.${name}`);
}
