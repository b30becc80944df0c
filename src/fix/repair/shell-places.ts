// What a change touches of a script, by bash's grammar.

import type { AskCode } from '../edit.ts';
import type { ShellNode } from '../shell/node.ts';
import { gaps } from './gaps.ts';
import { isDirective } from './never.ts';
import type { Place, Role } from './place.ts';
import { changedWords } from './split-words.ts';

/** Nodes whose children are statements, one after the other. */
const BLOCKS = new Set([
  'program',
  'compound_statement',
  'do_group',
  'if_statement',
  'else_clause',
  'elif_clause',
  'case_item',
  'subshell',
]);
/** Nodes that are compared as texts. */
const TEXTS = new Set([
  'word',
  'string_content',
  'raw_string',
  'variable_name',
  'number',
  'heredoc_body',
  'ansi_c_string',
  'special_variable_name',
  'file_descriptor',
  'regex',
  'heredoc_content',
  'extglob_pattern',
]);
const SEPARATORS = new Set(['\n', ';']);

interface Walk {
  readonly path: string;
  /** Of the script in its file, less one. */
  readonly offset: number;
  readonly places: Place[];
}

/** What a node means, as its tree: without comments, and with one sign for all that ends a statement. */
function code(node: ShellNode): string {
  if (node.type === 'comment') return '';
  if (TEXTS.has(node.type) || node.children.length === 0) return node.text;
  // Between the children of a string or a word that is put together every sign counts.
  if (isGlued(node) || node.type.includes('expansion')) return node.text;
  return `${node.type}(${parts(node).map(code).join('\u0001')})`;
}

/** The children that mean something: of a `for ((a; b; c))` the signs between them, too. */
function parts(node: ShellNode): ShellNode[] {
  const isSign = ({ type }: ShellNode) => SEPARATORS.has(type) && node.type !== 'c_style_for_statement';
  return node.children.filter((child) => child.type !== 'comment' && !isSign(child));
}

/** The places at which two scripts that both parse differ. `line`: where the script begins in its file. */
export function shellPlaces(path: string, old: ShellNode, now: ShellNode, line = 1): Place[] {
  const walk: Walk = { path, offset: line - 1, places: [] };
  compare(walk, old, now, []);
  walk.places.push(...commentPlaces(walk, old, now));
  return walk.places;
}

/** Comments that speak to a tool, each with its place among the statements. */
function commentPlaces({ path, offset }: Walk, old: ShellNode, now: ShellNode): Place[] {
  const [a, b] = [directives(old), directives(now)];
  const only = (some: Map<string, ShellNode>, others: Map<string, ShellNode>) =>
    [...some].filter(([key]) => !others.has(key));
  const place = (node: ShellNode, isOld: boolean): Place => {
    const texts = { old: isOld ? node.text : '', new: isOld ? '' : node.text };
    return { what: 'other', path, line: node.line + offset, ...texts, kind: 'tolerance' };
  };
  return [...only(a, b).map(([, node]) => place(node, true)), ...only(b, a).map(([, node]) => place(node, false))];
}

function directives(node: ShellNode, inside = ''): Map<string, ShellNode> {
  const all = new Map<string, ShellNode>();
  for (const [i, child] of node.children.entries()) {
    const above = node.children.slice(0, i).filter(({ type }) => type !== 'comment' && !SEPARATORS.has(type)).length;
    const at = `${inside} ${above}`;
    if (child.type === 'comment' && isDirective(child.text)) all.set(`${child.text}\u0001${at}`, child);
    for (const [key, comment] of directives(child, at)) all.set(key, comment);
  }
  return all;
}

function compare(walk: Walk, a: ShellNode, b: ShellNode, above: readonly ShellNode[]): void {
  if (code(a) === code(b)) return;
  const inside = [...above, a];
  const [x, y] = [parts(a), parts(b)];
  const isText = TEXTS.has(a.type) || x.length === 0 || y.length === 0;
  if (a.type === b.type && isText) return void compareTexts(walk, a, b, above);
  if (a.type !== b.type && !(isWordLike(a) && isWordLike(b))) return void decided(walk, a, b, inside);
  if (a.type !== b.type || isGlued(a)) {
    if (isGlued(a) && isGlued(b) && x.length === y.length && glue(a) === glue(b)) {
      for (const [i, part] of x.entries()) compare(walk, part, y[i] as ShellNode, inside);
      return;
    }
    return void compareTexts(walk, a, b, above);
  }
  if (x.length === y.length && !BLOCKS.has(a.type)) {
    for (const [i, part] of x.entries()) compare(walk, part, y[i] as ShellNode, inside);
    return;
  }
  if (!BLOCKS.has(a.type)) return void decided(walk, a, b, inside);
  for (const { gone: before, come: after } of gaps(x, y, code)) {
    if (before.length === after.length) {
      for (const [i, part] of before.entries()) compare(walk, part, after[i] as ShellNode, inside);
      continue;
    }
    for (const part of before) decided(walk, part, undefined, inside);
    for (const part of after) {
      const rest = y.slice(y.indexOf(part) + 1);
      // The end of the command before it must not be asked for behind it.
      const isAsked = rest.some(({ text }) => /\$[?_]|PIPESTATUS/.test(text) || /^(?:return|exit)$/.test(text));
      added(walk, part, isAsked || !isStatement(rest[0]), a);
    }
  }
}

const isWordLike = ({ type }: ShellNode): boolean =>
  ['word', 'string', 'concatenation', 'raw_string', 'simple_expansion', 'expansion', 'number'].includes(type);
/** Words put together of texts and expansions. */
const isGlued = ({ type }: ShellNode): boolean =>
  type === 'string' || type === 'concatenation' || type === 'simple_expansion' || type === 'expansion';
/** What is no child of such a word: the blanks in a string. */
function glue(node: ShellNode): string {
  let rest = node.text;
  for (const part of parts(node)) rest = rest.replace(part.text, '\u0001');
  return rest;
}

const isStatement = (node: ShellNode | undefined): boolean =>
  node !== undefined && /statement|command|list|pipeline|assignment|function_definition/.test(node.type);

function added({ path, offset, places }: Walk, node: ShellNode, isLast: boolean, block: ShellNode): void {
  const at = { path, line: node.line + offset, old: '' as const, new: node.text };
  if (node.type === 'command' && block.type !== 'if_statement' && !node.error)
    places.push({ what: 'added-command', ...at, words: plainWords(node), isLast });
  else places.push({ what: 'other', ...at, kind: 'condition' });
}

/** The words of a command that has nothing but words; undefined for any other. */
function plainWords(node: ShellNode): string[] | undefined {
  const words = parts(node).map((part) => (part.type === 'command_name' ? part.children[0] : part));
  if (words.some((part) => part === undefined || !isWordLike(part))) return undefined;
  return words.map((part) => (part as ShellNode).text);
}

/** A place that no shape is asked about. */
function decided(
  { path, offset, places }: Walk,
  a: ShellNode,
  b: ShellNode | undefined,
  above: readonly ShellNode[],
): void {
  // With another number of words, or in another form of statement, a command does or ends otherwise.
  const inTest = above.some(({ type }) => type === 'test_command');
  const kind: AskCode =
    b === undefined ? 'removed' : isWordLike(a) && isWordLike(b) && !inTest ? 'command' : 'condition';
  places.push({ what: 'other', path, line: a.line + offset, old: a.text, new: b?.text ?? '', kind });
}

function compareTexts(walk: Walk, a: ShellNode, b: ShellNode, above: readonly ShellNode[]): void {
  const { path, offset, places } = walk;
  const { role, keys } = roleOf(a, above);
  if (role === undefined || a.type === 'test_operator') return void decided(walk, a, b, above);
  const [x, y] = [a.text.split('\n'), b.text.split('\n')];
  if (x.length !== y.length) return void decided(walk, a, b, above);
  if (isQuoted(a, b) && keys[0] === 'test') {
    const at = { path, line: a.line + offset, old: a.text, new: b.text, keys, from: 'words', to: 'string', object: '' };
    places.push({ what: 'retyped', ...at });
    return;
  }
  const [before, behind] = aroundOf(a, above);
  for (const [i, line] of x.entries()) {
    if (line === y[i]) continue;
    const words = changedWords(line, y[i] as string);
    const at = { path, line: a.line + offset + i };
    if (!words)
      places.push({
        what: 'other',
        ...at,
        old: line,
        new: y[i] as string,
        kind: role === 'operand' ? 'command' : 'value',
      });
    for (const { left, right, ...word } of words ?? [])
      places.push({ what: 'word', ...at, role, keys, ...word, left: before + left, right: right + behind });
  }
}

/** What stands before and behind a part of a word that is put together. */
function aroundOf(node: ShellNode, above: readonly ShellNode[]): [string, string] {
  const whole = above.find(isGlued);
  if (!whole) return ['', ''];
  const at = node.from - whole.from;
  return [whole.text.slice(0, at), whole.text.slice(at + node.text.length)];
}

/** Quotes put around expansions: the same word, not split any more. */
const isQuoted = (a: ShellNode, b: ShellNode): boolean =>
  b.type === 'string' && b.text === `"${a.text}"` && /^\$/.test(a.text);

/** What a text is to the commands around it: of `keys` the last is the option, variable or command that it belongs to. */
function roleOf(node: ShellNode, above: readonly ShellNode[]): { role?: Role; keys: string[] } {
  const chain = [...above, node];
  const command = chain.findLast(({ type }) => type === 'command');
  const program = command?.children.find(({ type }) => type === 'command_name')?.text ?? '';
  const type = (name: string) => chain.some((each) => each.type === name);
  const parent = above.at(-1)?.type ?? '';
  if (node.type === 'variable_name')
    return {
      role:
        parent === 'variable_assignment'
          ? 'definition'
          : /for_statement|declaration/.test(parent)
            ? 'definition'
            : 'use',
      keys: [program],
    };
  if (type('test_command') && !type('command')) return { role: 'value', keys: ['test'] };
  if (type('heredoc_body')) return { role: 'token', keys: ['<<'] };
  if (type('file_redirect')) {
    const redirect = chain.find((each) => each.type === 'file_redirect');
    return redirect?.children.some((part) => part.type === '<') ? { role: 'operand', keys: ['<'] } : { keys: [] };
  }
  const assignment = chain.findLast((each) => each.type === 'variable_assignment');
  if (assignment && !(command && chain.indexOf(command) > chain.indexOf(assignment)))
    return { role: 'value', keys: [assignment.children[0]?.text ?? ''] };
  if (type('command_name')) return { role: 'program', keys: [] };
  if (!command)
    return parent === 'function_definition'
      ? { role: 'definition', keys: ['function'] }
      : type('for_statement') || type('case_statement') || type('array')
        ? { role: 'value', keys: [''] }
        : { keys: [] };
  const word = chain[chain.indexOf(command) + 1]?.text ?? '';
  const before =
    command.children[command.children.findIndex(({ from }) => from === chain[chain.indexOf(command) + 1]?.from) - 1]
      ?.text ?? '';
  return { role: word.startsWith('-') ? 'option' : 'operand', keys: [program, before.startsWith('-') ? before : ''] };
}
