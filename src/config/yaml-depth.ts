// How deep a YAML text could nest, from its tokens alone. The parser recurses, and running out of stack inside a regular
// expression ends the whole process: too late to catch, so depth is bounded before the parser sees the text.
import { CST, Lexer } from 'yaml';

/** Far more than configuration needs, far less than the stack allows. */
const MAX_TEXT_DEPTH = 200;

const MARKS: ReadonlySet<string> = new Set([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);

/** Where (offset) the text might nest deeper than `MAX_TEXT_DEPTH`, or undefined. Never throws. */
export function deepOffset(text: string): number | undefined {
  const outer: number[] = [];
  let depth = 0;
  let offset = 0;
  let lineStarts = true;
  let scalar = false;
  for (const token of new Lexer().lex(text)) {
    const type: string | null = scalar ? 'text' : CST.tokenType(token);
    scalar = type === 'scalar';
    if (type === 'newline') depth = outer.length === 0 ? 0 : depth;
    // Each level of a block needs a column of its own, so the indentation bounds how many there can be.
    else if (type === 'space' && lineStarts && outer.length === 0) depth = token.length;
    else if (type === 'flow-map-start' || type === 'flow-seq-start') outer.push(depth++);
    else if (type === 'flow-map-end' || type === 'flow-seq-end') depth = outer.pop() ?? 0;
    else if (type === 'comma') depth = (outer.at(-1) ?? -1) + 1;
    else if (type === 'seq-item-ind' || type === 'explicit-key-ind' || type === 'map-value-ind') depth++;
    if (depth > MAX_TEXT_DEPTH) return offset;
    lineStarts = type === 'newline';
    // Marks like "a scalar follows" are tokens of one control character that is not in the text.
    if (type === 'text' || !MARKS.has(token)) offset += token.length;
  }
  return undefined;
}
