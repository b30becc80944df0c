// The bash grammar: a WASM file that is kept beside this one (grammar.json says which), read by web-tree-sitter.
import { readFileSync } from 'node:fs';
import { createRequire as requireFrom } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Language, Parser, type TreeCursor } from 'web-tree-sitter';
import type { ParseShell, ShellNode } from '../../fix/shell/node.ts';

const GRAMMAR = join(import.meta.dirname, 'tree-sitter-bash.wasm');
const MAX_DEPTH = 400;

/** The folder of the bundle that has web-tree-sitter's own WASM; not defined when the sources run as they are. */
declare const BUNDLE_URL: string | undefined;

/** Loads the grammar: about 100 ms, once a thread. Rejects when a file of it cannot be read. */
export async function loadShellGrammar(): Promise<ParseShell> {
  // Without V8's optimising compiler for WASM: it would cost seconds, and few texts are parsed.
  setFlagsFromString('--liftoff-only');
  const runtime =
    typeof BUNDLE_URL === 'undefined'
      ? requireFrom(import.meta.url).resolve('web-tree-sitter/web-tree-sitter.wasm')
      : new URL('web-tree-sitter.wasm', BUNDLE_URL);
  await Parser.init({ wasmBinary: readFileSync(runtime) });
  const language = await Language.load(readFileSync(GRAMMAR));
  const parser = new Parser();
  parser.setLanguage(language);
  return (text) => {
    const tree = parser.parse(text);
    if (!tree) return unread(text);
    const cursor = tree.walk();
    try {
      return plainNode(cursor, text, 0);
    } finally {
      cursor.delete();
      tree.delete();
    }
  };
}

const unread = (text: string): ShellNode => ({ type: 'program', text, from: 0, line: 1, children: [], error: true });

function plainNode(cursor: TreeCursor, source: string, depth: number): ShellNode {
  const { nodeType: type, startIndex: from, endIndex: to } = cursor;
  const children: ShellNode[] = [];
  const isDeep = depth > MAX_DEPTH;
  const line = cursor.startPosition.row + 1;
  const error = type === 'ERROR' || cursor.nodeIsMissing || isDeep;
  if (!isDeep && cursor.gotoFirstChild()) {
    do children.push(plainNode(cursor, source, depth + 1));
    while (cursor.gotoNextSibling());
    cursor.gotoParent();
  }
  return { type, text: source.slice(from, to), from, line, children, ...(error && { error: true as const }) };
}
