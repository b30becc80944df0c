// A parsed script → its simple commands in the order they stand: what each says, sets, is redirected to and reads.
import { child, nodesOf, type ShellNode } from './node.ts';
import { type Word, wordsOf } from './words.ts';

export interface Redirect {
  /** `>`, `>>`, `<`, `&>`, … without the descriptor. */
  readonly operator: string;
  /** Of a here-document or here-string its text. */
  readonly target: Word | undefined;
}

export interface Assignment {
  readonly name: string;
  /** Several for an array or a loop. */
  readonly values: readonly Word[];
  /** It may have held something else before. */
  readonly append: boolean;
}

export interface Command {
  /** The program first; empty for assignments and redirections that stand alone. */
  readonly words: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
  /** The commands that print into it, the nearest first. */
  readonly fedBy: readonly Command[];
  /** The function whose body it stands in. */
  readonly within: string | undefined;
  readonly line: number;
}

/** The commands of a script, the names of the functions that it defines, and the parts that the grammar could not read. */
export type Script = ReturnType<typeof readScript>;

export type Around = Pick<Command, 'redirects' | 'fedBy' | 'within'>;

export const NOTHING_AROUND: Around = { redirects: [], fedBy: [], within: undefined };
const SIMPLE = new Set(['command', 'declaration_command', 'unset_command', 'variable_assignment']);
/** Inside of a simple command these run commands of their own. */
const NESTED = new Set(['command_substitution', 'process_substitution', 'subshell']);
const isRedirect = ({ type }: ShellNode): boolean => type.endsWith('_redirect');
const isAssignment = ({ type }: ShellNode): boolean => type === 'variable_assignment';

/** Reads a parsed script; `outer`: what is around the command that runs it. Never throws. */
export function readScript(root: ShellNode, outer: Around = NOTHING_AROUND) {
  const script = { commands: [] as Command[], functions: [] as string[], unread: [] as string[] };
  const visitAll = (nodes: readonly ShellNode[], around: Around) => {
    for (const node of nodes) visit(node, around);
  };

  function visit(node: ShellNode, around: Around): void {
    const { type, children, line } = node;
    const redirects = children.filter(isRedirect);
    const within = { ...around, redirects: [...around.redirects, ...redirects.flatMap(readRedirect)] };
    const add = (words: Word[], assignments: Assignment[]) =>
      script.commands.push({ ...within, words, assignments, line });
    const start = script.commands.length;
    /** What is printed into by all that stands here so far. */
    const fed = () => ({ ...around, fedBy: [...script.commands.slice(start).reverse(), ...around.fedBy] });
    if (node.error) script.unread.push(node.text);
    if (type === 'for_statement') add([], [loopOf(node)]);
    if (SIMPLE.has(type)) {
      add(readWords(node), (isAssignment(node) ? [node] : children.filter(isAssignment)).map(readAssignment));
      visitAll(nodesOf(node, NESTED), around);
    } else if (type === 'redirected_statement') {
      if (redirects.length === children.length) add([], []);
      visitAll(
        children.filter((part) => !isRedirect(part)),
        within,
      );
      // `cat <<E | bash`: what follows the here-document stands inside its node.
      const behind = fed();
      for (const part of redirects.flatMap((one) => one.children))
        visit(part, part.type === 'pipeline' ? behind : around);
    } else if (type === 'pipeline') for (const part of children) visit(part, fed());
    else if (type === 'function_definition') {
      const name = child(node, 'word')?.text ?? '';
      script.functions.push(name);
      visitAll(children, { ...around, within: name });
    } else visitAll(children, /_substitution$/.test(type) ? { ...around, redirects: [], fedBy: [] } : around);
  }

  visit(root, outer);
  return script;
}

function readRedirect(node: ShellNode): Redirect[] {
  const at = node.children.findIndex(({ type }) => /^[<>&|]+-?$/.test(type));
  const operator = node.children[at]?.text;
  if (operator === undefined) return [];
  if (node.type !== 'heredoc_redirect')
    return [{ operator, target: node.children.slice(at + 1, at + 2).flatMap(wordsOf)[0] }];
  const text = child(node, 'heredoc_body')?.text ?? '';
  const target = { text, dynamic: false, quoted: true, raw: text };
  return [...node.children.filter(isRedirect).flatMap(readRedirect), { operator, target }];
}

/** Of a declaration only its program: what it sets is an assignment. */
function readWords(node: ShellNode): Word[] {
  if (node.type === 'variable_assignment') return [];
  const written = node.children
    .filter((part) => !isRedirect(part) && !/^(?:variable_assignment|subshell)$/.test(part.type))
    .map((part) => (part.type === 'command_name' ? (part.children[0] ?? part) : part));
  return glued(node, written).flatMap(wordsOf);
}

/** The grammar takes `'a'\b`, `$"a"` and a word that goes on in the next line for two words; bash takes each for one. */
function glued({ text, from }: ShellNode, parts: readonly ShellNode[]): ShellNode[] {
  const all: ShellNode[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    const end = last ? last.from + last.text.length : part.from + 1;
    if (!last || part.from < end || !/^(?:\\(?:.|\n))*$/.test(text.slice(end - from, part.from - from))) all.push(part);
    else if (last.type === '$') all[all.length - 1] = part;
    else {
      const whole = text.slice(last.from - from, part.from + part.text.length - from);
      all[all.length - 1] = { ...last, type: 'concatenation', text: whole, children: [last, part] };
    }
  }
  return all;
}

function readAssignment(node: ShellNode): Assignment {
  const [target, operator, value] = node.children;
  const name = (target?.type === 'subscript' ? target.children[0]?.text : target?.text) ?? '';
  const values = value?.type === 'array' ? value.children.slice(1, -1) : value ? [value] : [];
  return { name, values: values.flatMap(wordsOf), append: operator?.text === '+=' };
}

function loopOf({ children: [, name, , ...rest] }: ShellNode): Assignment {
  const end = rest.findIndex(({ type }) => /^(?:;|\n|do_group|compound_statement)$/.test(type));
  return { name: name?.text ?? '', values: rest.slice(0, end).flatMap(wordsOf), append: true };
}
