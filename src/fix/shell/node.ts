// The tree that the bash grammar gives, as plain values. Who parses is handed in: the grammar is a WASM file, which only io/ loads.

/** A node of the tree. `text` is the source it covers; children include operators and keywords. */
export interface ShellNode {
  readonly type: string;
  readonly text: string;
  /** Offset into the parsed text. */
  readonly from: number;
  /** Line in the parsed text, counted from 1. */
  readonly line: number;
  readonly children: readonly ShellNode[];
  /** The grammar could not read this part. */
  readonly error?: true;
}

/** Reads bash. Total: what the grammar cannot read is an error node. */
export type ParseShell = (text: string) => ShellNode;

export const child = (node: ShellNode, ...types: string[]): ShellNode | undefined =>
  node.children.find(({ type }) => types.includes(type));

/** Every node of one of these types below `node`, outermost first, without looking inside a match. */
export function nodesOf(node: ShellNode, types: ReadonlySet<string>): ShellNode[] {
  return node.children.flatMap((part) => (types.has(part.type) ? [part] : nodesOf(part, types)));
}

/** The parts that the grammar could not read. */
export function unreadParts(node: ShellNode): ShellNode[] {
  if (node.error) return [node];
  return node.children.flatMap(unreadParts);
}
