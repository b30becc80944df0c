// How a statement ends whenever it runs, as far as its words tell, and the variables that are commands and hold one text.
import type { ShellNode } from './node.ts';
import { type Settled, settledWord } from './settled.ts';
import { readWords, STATEMENT } from './statement.ts';
import type { Word } from './words.ts';

/** How a statement ends whenever it runs, as far as its words alone tell; of several ones the last one counts. */
export function outcomeOf(node: ShellNode, settled: Settled): boolean | undefined {
  if (!outcomes.has(node)) outcomes.set(node, readOutcome(node, settled));
  return outcomes.get(node);
}

/** Each part of a long list is asked about again and again. */
const outcomes = new WeakMap<ShellNode, boolean | undefined>();

function readOutcome(node: ShellNode, settled: Settled): boolean | undefined {
  const outcome = (part: ShellNode) => outcomeOf(part, settled);
  const parts = node.children.filter(({ type }) => STATEMENT.has(type));
  const last = parts.at(-1);
  switch (node.type) {
    case 'command':
    case 'test_command':
      // Only of a variable that is the command itself: a value that is compared may be what is being mended.
      return commandOutcome(
        readWords(node, node.children).map((word, i) => (i === 0 ? settledWord(word, settled) : word)),
      );
    case 'negated_command':
      return negated(last && outcome(last));
    case 'list': {
      const decides = node.children[1]?.type === '||';
      const [left, right] = parts.map(outcome);
      if (left === decides || right === decides) return decides;
      return left === undefined || right === undefined ? undefined : !decides;
    }
    case 'if_statement':
      return parts[0] && outcome(parts[0]) && last?.type !== 'else_clause' ? last && outcome(last) : undefined;
    case 'compound_statement':
      if (node.children[0]?.type === '((') return numberOutcome(node.children.map(({ text }) => text));
      return last && outcome(last);
    case 'pipeline':
      // With pipefail any part of it counts.
      return parts.some((part) => outcome(part) === false) ? false : last && outcome(last);
    case 'subshell':
    case 'redirected_statement':
      return last && outcome(last);
    default:
      return undefined;
  }
}

const negated = (outcome: boolean | undefined): boolean | undefined => (outcome === undefined ? undefined : !outcome);

/** `(( 0 ))`, `(( count >= 0 ))` */
function numberOutcome(texts: readonly string[]): boolean | undefined {
  const [left = '', sign = '', right = '', ...more] = texts.slice(1, -1).join(' ').trim().split(/\s+/);
  if (sign === '') return /^\d+$/.test(left) ? Number(left) !== 0 : undefined;
  return more.length === 0 && Object.hasOwn(SIGNS, sign) ? orderOutcome(left, SIGNS[sign] as string, right) : undefined;
}

const SIGNS: Readonly<Record<string, string>> = {
  '==': '-eq',
  '!=': '-ne',
  '>': '-gt',
  '>=': '-ge',
  '<': '-lt',
  '<=': '-le',
};
const MIRRORED: Readonly<Record<string, string>> = { '-gt': '-lt', '-ge': '-le', '-lt': '-gt', '-le': '-ge' };
/** What a script counts, or is told by an exit code, is never less than nothing. */
const NEVER = /^(?:-lt (?:0|-\d+)|-(?:le|eq) -[1-9]\d*)$/;
const ALWAYS = /^(?:-ge (?:0|-\d+)|-(?:gt|ne) -[1-9]\d*)$/;

function orderOutcome(left: string, operator: string, right: string): boolean | undefined {
  const isNumber = (text: string) => /^-?\d+$/.test(text);
  if (isNumber(left) && !isNumber(right)) return orderOutcome(right, MIRRORED[operator] ?? operator, left);
  const asked = `${operator} ${right}`;
  if (!isNumber(left)) return ALWAYS.test(asked) ? true : NEVER.test(asked) ? false : undefined;
  const order = Number(left) - Number(right);
  const holds: Readonly<Record<string, boolean>> = {
    '-eq': order === 0,
    '-ne': order !== 0,
    '-gt': order > 0,
    '-ge': order >= 0,
    '-lt': order < 0,
    '-le': order <= 0,
  };
  return holds[operator];
}

function commandOutcome(words: readonly Word[]): boolean | undefined {
  const [called = '', ...args] = words.map(({ text }) => text);
  const program = called.split('/').at(-1) as string;
  if (/^(?:command|builtin|env)$/.test(program) && /^\w/.test(args[0] ?? '')) return commandOutcome(words.slice(1));
  if (program === 'true' || program === ':') return true;
  if (program === 'false') return false;
  if (/^(?:test|\[\[?)$/.test(program)) return testOutcome(words.slice(1));
  if (words.some(isOpen)) return undefined;
  if (program === 'exit' || program === 'return')
    return /^\d+$/.test(args[0] ?? '') ? Number(args[0]) % 256 === 0 : undefined;
  return undefined;
}

/** Only the run tells what it is. */
const isOpen = ({ text, dynamic }: Word): boolean => dynamic || text.includes('\ue000');

function testOutcome(args: readonly Word[]): boolean | undefined {
  const [left = '', operator = '', right = ''] = args.map(({ text }) => text);
  if (args.length < 2) return args.some(isOpen) ? undefined : left !== '';
  if (left === '!') return negated(testOutcome(args.slice(1)));
  if (args.length > 3) return joinedOutcome(args);
  if (args.length === 3 && /^-(?:eq|ne|[gl][te])$/.test(operator)) return orderOutcome(left, operator, right);
  const isEqual = /^(?:==?|!=)$/.test(operator);
  // A word is what it is, unless it is made anew each time.
  if (isEqual && args[0]?.raw === args[2]?.raw && !/\$\(|`|\$\{?RANDOM/.test(args[0]?.raw ?? ''))
    return operator !== '!=';
  if (args.some(isOpen)) return undefined;
  if (args.length === 2) return left === '-n' ? operator !== '' : left === '-z' ? operator === '' : undefined;
  if (isEqual) return /[*?[]/.test(right) ? undefined : (left === right) === (operator !== '!=');
  return undefined;
}

/** `-a` and `&&` bind more than `-o` and `||`; one that fails decides the first kind, one that holds the second. */
function joinedOutcome(args: readonly Word[]): boolean | undefined {
  for (const [joint, decides] of [
    [/^(?:-o|\|\|)$/, true],
    [/^(?:-a|&&)$/, false],
  ] as const) {
    const at = args.findIndex(({ text }) => joint.test(text));
    if (at < 1) continue;
    const outcomes = [testOutcome(args.slice(0, at)), testOutcome(args.slice(at + 1))];
    if (outcomes.includes(decides)) return decides;
    return outcomes.includes(undefined) ? undefined : !decides;
  }
  return undefined;
}
