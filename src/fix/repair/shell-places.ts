// What a change touches of a script, by bash's grammar.
import { child, type ShellNode } from '../shell/node.ts';
import { gaps } from './gaps.ts';
import { isDirective } from './never.ts';
import type { Place, Role } from './place.ts';
import { type Directive, decision, directivePlaces, wordPlaces } from './texts.ts';

const types = (text: string): ReadonlySet<string> => new Set(text.split(' '));
/** Nodes whose children are statements, one after the other. */
const BLOCKS = types('program compound_statement do_group if_statement else_clause elif_clause case_item subshell');
/** Nodes that are compared as texts. */
const TEXTS = types(
  'word string_content raw_string variable_name number heredoc_body ansi_c_string special_variable_name file_descriptor regex ' +
    'heredoc_content extglob_pattern',
);
/** Words put together of texts and expansions: between these every sign counts. */
const GLUED = types('string concatenation simple_expansion expansion');
const WORDS = new Set([...GLUED, 'word', 'raw_string', 'number']);
const SEPARATORS = types('\n ;');

/** What a node means, as its tree: without comments, and with one sign for all that ends a statement. */
function code(node: ShellNode): string {
  if (TEXTS.has(node.type) || node.children.length === 0) return node.text;
  if (GLUED.has(node.type) || node.type.includes('expansion')) return node.text;
  return `${node.type}(${parts(node).map(code).join('\u0001')})`;
}

/** The children that mean something: of a `for ((a; b; c))` the signs between them, too. */
function parts(node: ShellNode): ShellNode[] {
  const isSign = ({ type }: ShellNode) => SEPARATORS.has(type) && node.type !== 'c_style_for_statement';
  return node.children.filter((part) => part.type !== 'comment' && !isSign(part));
}

/** The places at which two scripts that both parse differ. */
export const shellPlaces = (path: string, old: ShellNode, now: ShellNode): Place[] => [
  ...compare(path, old, now, []),
  ...directivePlaces(path, directives(old), directives(now)),
];

/** Comments that speak to a tool, each with its place among the statements. */
function directives(node: ShellNode, inside = ''): Directive[] {
  let count = 0;
  return node.children.flatMap((part) => {
    const above = `${inside} ${count}`;
    if (part.type !== 'comment' && !SEPARATORS.has(part.type)) count++;
    const { text, line } = part;
    const own = part.type === 'comment' && isDirective(text) ? [{ text, line, above }] : [];
    return [...own, ...directives(part, above)];
  });
}

function compare(path: string, a: ShellNode, b: ShellNode, above: readonly ShellNode[]): Place[] {
  if (code(a) === code(b)) return [];
  const inside = [...above, a];
  const [x, y] = [parts(a), parts(b)];
  const inPairs = (some: readonly ShellNode[], others: readonly ShellNode[]) =>
    some.flatMap((part, i) => compare(path, part, others[i] as ShellNode, inside));
  const isSameType = a.type === b.type;
  const isText = TEXTS.has(a.type) || x.length === 0 || y.length === 0;
  if (isSameType && isText) return textPlaces(path, a, b, above);
  if (!isSameType && !(WORDS.has(a.type) && WORDS.has(b.type))) return [decided(path, a, b, above)];
  if (!isSameType || GLUED.has(a.type)) {
    const isInPairs = GLUED.has(a.type) && GLUED.has(b.type) && x.length === y.length && glue(a) === glue(b);
    return isInPairs ? inPairs(x, y) : textPlaces(path, a, b, above);
  }
  if (!BLOCKS.has(a.type)) return x.length === y.length ? inPairs(x, y) : [decided(path, a, b, above)];
  return gaps(x, y, code).flatMap(({ gone, come }) => {
    if (gone.length === come.length) return inPairs(gone, come);
    const removed = gone.map((part) => decided(path, part, undefined, inside));
    return [...removed, ...come.map((part) => added(path, part, y.slice(y.indexOf(part) + 1), a))];
  });
}

/** What is no child of such a word: the blanks in a string. */
const glue = (node: ShellNode): string =>
  parts(node).reduce((rest, part) => rest.replace(part.text, '\u0001'), node.text);

const isStatement = (node: ShellNode | undefined): boolean =>
  node !== undefined && /statement|command|list|pipeline|assignment|function_definition/.test(node.type);

/** `rest`: what stands behind it in its block. */
function added(path: string, node: ShellNode, rest: readonly ShellNode[], block: ShellNode): Place {
  const { line, text } = node;
  if (node.type !== 'command' || block.type === 'if_statement' || node.error)
    return decision({ path, line }, 'condition', '', text);
  // The end of the command before it must not be asked for behind it.
  const isAsked = rest.some((one) => /\$[?_]|PIPESTATUS/.test(one.text) || /^(?:return|exit)$/.test(one.text));
  const isLast = isAsked || !isStatement(rest[0]);
  return { what: 'added-command', path, line, old: '', new: text, words: plainWords(node), isLast };
}

/** The words of a command that has nothing but words; undefined for any other. */
function plainWords(node: ShellNode): string[] | undefined {
  const words = parts(node).flatMap((part) => (part.type === 'command_name' ? part.children.slice(0, 1) : part));
  return words.every(({ type }) => WORDS.has(type)) ? words.map(({ text }) => text) : undefined;
}

/** With another number of words, or in another form of statement, a command does or ends otherwise. */
function decided(path: string, a: ShellNode, b: ShellNode | undefined, above: readonly ShellNode[]): Place {
  const inTest = above.some(({ type }) => type === 'test_command');
  const areWords = WORDS.has(a.type) && b !== undefined && WORDS.has(b.type) && !inTest;
  const kind = b === undefined ? 'removed' : areWords ? 'command' : 'condition';
  return decision({ path, line: a.line }, kind, a.text, b?.text ?? '');
}

function textPlaces(path: string, a: ShellNode, b: ShellNode, above: readonly ShellNode[]): Place[] {
  const { role, keys } = roleOf(a, above);
  const isAsLong = a.text.split('\n').length === b.text.split('\n').length;
  if (role === undefined || a.type === 'test_operator' || !isAsLong) return [decided(path, a, b, above)];
  const { line, text: old } = a;
  // Quotes put around an expansion: the same word, not split any more.
  if (keys[0] === 'test' && old.startsWith('$') && b.type === 'string' && b.text === `"${old}"`)
    return [{ what: 'retyped', path, line, old, new: b.text, keys, from: 'words', to: 'string' }];
  // What stands before and behind a part of a word that is put together.
  const whole = above.find(({ type }) => GLUED.has(type)) ?? a;
  const [before, behind] = [
    whole.text.slice(0, a.from - whole.from),
    whole.text.slice(a.from - whole.from + old.length),
  ];
  const places = wordPlaces({ path, line, role, keys }, old, b.text, role === 'operand' ? 'command' : 'value');
  return places.map((place) =>
    place.what === 'word' ? { ...place, left: before + place.left, right: place.right + behind } : place,
  );
}

/** What a text is to the commands around it: of `keys` the last is the option, variable or command that it belongs to. */
function roleOf(node: ShellNode, above: readonly ShellNode[]): { role?: Role; keys: string[] } {
  const chain = [...above, node];
  const last = (type: string) => chain.findLastIndex((each) => each.type === type);
  const has = (pattern: RegExp) => chain.some(({ type }) => pattern.test(type));
  const command = chain[last('command')];
  const program = (command && child(command, 'command_name')?.text) ?? '';
  const parent = above.at(-1)?.type ?? '';
  if (node.type === 'variable_name')
    return { role: /assignment|for_statement|declaration/.test(parent) ? 'definition' : 'use', keys: [program] };
  if (has(/^test_command$/) && !command) return { role: 'value', keys: ['test'] };
  if (has(/^heredoc_body$/)) return { role: 'token', keys: ['<<'] };
  const redirect = chain.find(({ type }) => type === 'file_redirect');
  if (redirect) return child(redirect, '<') ? { role: 'operand', keys: ['<'] } : { keys: [] };
  const assignment = chain[last('variable_assignment')];
  if (assignment && last('variable_assignment') > last('command'))
    return { role: 'value', keys: [assignment.children[0]?.text ?? ''] };
  if (has(/^command_name$/)) return { role: 'program', keys: [] };
  if (!command && parent === 'function_definition') return { role: 'definition', keys: ['function'] };
  if (!command) return has(/^(?:for_statement|case_statement|array)$/) ? { role: 'value', keys: [''] } : { keys: [] };
  const word = chain[last('command') + 1];
  const option = command.children[command.children.findIndex(({ from }) => from === word?.from) - 1]?.text ?? '';
  return {
    role: word?.text.startsWith('-') ? 'option' : 'operand',
    keys: [program, option.startsWith('-') ? option : ''],
  };
}
