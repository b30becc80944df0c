// Terraform and OpenTofu: the addresses that blocks define.

import type { Found } from './found.ts';
import { eachLine } from './rows.ts';

/** A text, a comment, a here-document. */
const QUIET =
  /"(?:[^"\\\n]|\\.)*"|\/\*[\s\S]*?(?:\*\/|$(?![\s\S]))|(?:#|\/\/).*|(<<[-~]?\s*([A-Za-z_]\w*)\s*\n)[\s\S]*?^\s*\2\b/gm;
const BLOCK = /^\s*(variable|module|resource|data|ephemeral)\s+"?([\w-]+)"?\s*(?:"?([\w-]+)"?)?\s*\{/;

export function terraform(text: string, found: Found): void {
  let depth = 0;
  let inLocals = false;
  const quiet = (one: string) => (/^"[\w-]*"$/.test(one) ? one : `""${one.replace(/[^\n]/g, '')}`);
  eachLine(text.replace(QUIET, quiet), found, (line) => {
    if (depth === 0) {
      const [, kind, type, name] = BLOCK.exec(line) ?? [];
      if (kind === 'variable' || kind === 'module')
        found.define('terraform', `${kind.slice(0, kind === 'module' ? 6 : 3)}.${type}`);
      else if (name) found.define('terraform', kind === 'resource' ? `${type}.${name}` : `${kind}.${type}.${name}`);
      inLocals = /^\s*locals\b/.test(line);
    }
    const local = depth === 0 ? /^\s*locals\s*\{\s*([\w-]+)\s*=/ : /^\s*([\w-]+)\s*=(?!=)/;
    const [, name] = (inLocals && depth <= 1 && local.exec(line)) || [];
    if (name) found.define('terraform', `local.${name}`);
    depth = Math.max(0, depth + (line.match(/[{[(]/g)?.length ?? 0) - (line.match(/[}\])]/g)?.length ?? 0));
  });
}
