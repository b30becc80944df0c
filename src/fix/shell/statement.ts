// What single nodes of the tree say: the words, assignments and redirections of a simple command, whether a statement does any
// work, and whether it ends in failure.
import type { Assignment, Command, Redirect } from './command.ts';
import { child, nodesOf, type ShellNode } from './node.ts';
import { type Word, wordsOf } from './words.ts';

export const STATEMENT = new Set(
  [
    'command declaration_command unset_command test_command variable_assignment variable_assignments',
    'redirected_statement list pipeline if_statement while_statement for_statement c_style_for_statement case_statement',
    'compound_statement subshell negated_command function_definition do_group else_clause elif_clause case_item',
  ].flatMap((types) => types.split(' ')),
);

const KEYWORD_COMMANDS: Readonly<Record<string, true>> = { declaration_command: true, unset_command: true };

export function readWords(node: ShellNode, parts: readonly ShellNode[]): Word[] {
  if (node.type === 'test_command') return [literal('[[', node), ...parts.slice(1, -1).flatMap(testWords)];
  if (KEYWORD_COMMANDS[node.type]) {
    return parts.flatMap((part, i) =>
      i === 0 ? [literal(part.text, part)] : part.type === 'variable_assignment' ? assigned(part) : wordsOf(part),
    );
  }
  if (node.type !== 'command') return [];
  const written = parts
    .filter(({ type }) => type !== 'variable_assignment' && type !== 'subshell')
    .map((part) => (part.type === 'command_name' ? (part.children[0] ?? part) : part));
  return glued(node, written).flatMap(wordsOf);
}

/** The grammar takes `'a'\b`, `$"a"` and a word that goes on in the next line for two words; bash takes each for one. */
function glued({ text, from }: ShellNode, parts: readonly ShellNode[]): ShellNode[] {
  const all: ShellNode[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    const between = last === undefined ? ' ' : text.slice(last.from + last.text.length - from, part.from - from);
    const isBehind = last !== undefined && part.from >= last.from + last.text.length;
    if (last === undefined || !isBehind || !/^(?:\\(?:.|\n))*$/.test(between)) all.push(part);
    else if (last.type === '$') all[all.length - 1] = part;
    else {
      const children = [...(last.type === 'concatenation' ? last.children : [last]), part];
      const whole = text.slice(last.from - from, part.from + part.text.length - from);
      all[all.length - 1] = { ...last, type: 'concatenation', text: whole, children };
    }
  }
  return all;
}

const literal = (text: string, { from }: ShellNode): Word => ({ text, dynamic: false, quoted: false, raw: text, from });

const testWords = (node: ShellNode): Word[] =>
  /expression$/.test(node.type) ? node.children.flatMap(testWords) : wordsOf(node);

/** `NAME=value` as one word of a declaration. */
function assigned(node: ShellNode): Word[] {
  const { name, values } = readAssignment(node);
  const value = values.map(({ text }) => text).join(' ');
  const dynamic = values.some((one) => one.dynamic);
  return [{ text: `${name}=${value}`, dynamic, quoted: false, raw: node.text, from: node.from }];
}

export function assignmentsIn(node: ShellNode): Assignment[] {
  if (node.type === 'variable_assignment') return [readAssignment(node)];
  return node.children.filter(({ type }) => type === 'variable_assignment').map(readAssignment);
}

/** What a declaration sets is an assignment, too. */
export function readAssignment(node: ShellNode): Assignment {
  const [target, operator, value] = node.children;
  const name = target?.type === 'subscript' ? (target.children[0]?.text ?? '') : (target?.text ?? '');
  const values =
    value === undefined ? [] : value.type === 'array' ? value.children.slice(1, -1).flatMap(wordsOf) : wordsOf(value);
  return { name, values, append: operator?.text === '+=' };
}

/** What the variable of a `for` is in turn. */
export function loopOf(node: ShellNode): Assignment {
  const [, name, , ...rest] = node.children;
  const values = rest.slice(
    0,
    rest.findIndex(({ type }) => type === ';' || type === 'do_group' || type === '\n'),
  );
  return { name: name?.text ?? '', values: values.flatMap(wordsOf), append: false };
}

export function readRedirect(node: ShellNode): Redirect[] {
  if (node.type === 'heredoc_redirect') {
    const files = node.children.filter(({ type }) => type === 'file_redirect').flatMap(readRedirect);
    return [{ operator: '<<', descriptor: '', target: undefined }, ...files];
  }
  const descriptor = child(node, 'file_descriptor')?.text ?? '';
  const operator = node.children.find(({ type }) => /^[<>&|]+-?$/.test(type))?.text ?? '';
  const at = node.children.findIndex(({ type }) => /^[<>&|]+-?$/.test(type));
  const to = node.children[at + 1];
  const target = to && to.type !== 'file_descriptor' ? wordsOf(to)[0] : undefined;
  // What is neither a descriptor nor looks like the variable of one is a file.
  const isFile = operator === '>&' && target !== undefined && !/^(?:\d+-?|-|\$\w*(?:fd|coproc)\w*)$/i.test(target.text);
  return [{ operator: isFile ? '&>' : operator, descriptor, target }];
}

export function documentOf(redirects: readonly ShellNode[]): Pick<Command, 'document'> {
  for (const node of redirects) {
    const body = node.type === 'heredoc_redirect' ? child(node, 'heredoc_body') : undefined;
    if (body) return { document: { text: body.text, head: child(node, 'heredoc_start')?.text ?? '' } };
    const string = node.type === 'herestring_redirect' ? node.children.at(-1) : undefined;
    if (string) return { document: { text: wordsOf(string)[0]?.text ?? '', head: '<<<' } };
  }
  return {};
}

/** The text of a loop or case up to its body. */
export function head(node: ShellNode): string {
  const body = node.children.find(
    ({ type }) => type === 'do_group' || type === 'case_item' || type === 'compound_statement',
  );
  return (body ? node.text.slice(0, body.from - node.from) : node.text).trim();
}

export const programText = (node: ShellNode): string => {
  const command = node.type === 'command' ? node : nodesOf(node, new Set(['command']))[0];
  const name = command && child(command, 'command_name');
  return name ? (wordsOf(name.children[0] ?? name)[0]?.text ?? '') : '';
};

const IDLE = /^(?:echo|printf|:|true|sleep|break|continue|test|\[\[?|log\w*|info|warn\w*|debug|note|say|print)$/;

export const WORK = new Set(['command']);

export const worksIn = (node: ShellNode): boolean => nodesOf(node, WORK).some(doesSomething);

export const doesSomething = (node: ShellNode): boolean => node.type !== 'command' || !IDLE.test(programText(node));

export function isInCondition(node: ShellNode, conditional: ShellNode): boolean {
  const then = child(conditional, 'then');
  if (then !== undefined && node.from < then.from) return true;
  return conditional.children.some(
    (clause) =>
      clause.type === 'elif_clause' && clause.from <= node.from && node.from < (child(clause, 'then')?.from ?? 0),
  );
}

/** Whether the branch of an `if` that is taken when its question fails ends in failure, asks again, or goes on with work. */
export function failsWhenAsked(node: ShellNode): boolean {
  const isNegated = /^if\s+!/.test(node.text);
  const others = node.children.filter(({ type }) => type === 'else_clause' || type === 'elif_clause');
  const then = node.children.findIndex(({ type }) => type === 'then');
  const branch = isNegated ? node.children.slice(then + 1).filter(({ type }) => !/clause$|^fi$/.test(type)) : others;
  const text = branch.map((part) => part.text).join('\n');
  const asked = programText(node);
  return (
    /\b(?:exit|return|false|die|fail\w*|fatal|abort|continue|break|kill)\b/.test(text) ||
    (asked !== '' && text.includes(`${asked} `) && !/\b(?:get|describe|logs|status|events)\b/.test(text))
  );
}

const FAILURE_NAME = /^(?:die|fail|fatal|abort|error_exit|err_exit|panic|bail|croak)\w*$/i;

/** Whether what is run here always ends as a failure. */
export function endsInFailure(node: ShellNode, direct = true): boolean {
  const last = node.children.filter(({ type }) => STATEMENT.has(type)).at(-1);
  switch (node.type) {
    case 'command': {
      const words = node.children.flatMap((part) =>
        part.type === 'command_name' ? wordsOf(part.children[0] ?? part) : wordsOf(part),
      );
      const [program = '', code = ''] = words.map(({ text }) => text);
      // Without a code it ends as the command before it did, which `||` knows only when it stands right behind.
      if (program === 'exit' || program === 'return')
        return code === '' ? direct : !(/^\d+$/.test(code) && Number(code) % 256 === 0);
      return program === 'false' || FAILURE_NAME.test(program) || (program === 'kill' && /\$\$/.test(node.text));
    }
    case 'list':
      return last !== undefined && node.children[1]?.type === '&&' && endsInFailure(last, false);
    case 'if_statement':
    case 'case_statement':
    case 'while_statement':
    case 'for_statement':
      return false;
    default:
      return last !== undefined && endsInFailure(last, false);
  }
}
