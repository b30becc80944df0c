// Every simple command of a script, with what stands around it: conditions, functions, lists, pipelines, redirections.
import type { Assignment, Command, Frame, Script } from './command.ts';
import { child, nodesOf, type ShellNode } from './node.ts';
import { outcomeOf } from './outcome.ts';
import { isEmptyList, type Settled, settledValues } from './settled.ts';
import {
  assignmentsIn,
  documentOf,
  doesSomething,
  endsInFailure,
  failsWhenAsked,
  head,
  isInCondition,
  loopOf,
  programText,
  readRedirect,
  readWords,
  STATEMENT,
  WORK,
  worksIn,
} from './statement.ts';
import { type Word, wordsOf } from './words.ts';

const SUBSTITUTIONS = new Set(['command_substitution', 'process_substitution']);
/** Reads a parsed script. Never throws. */
export function readScript(root: ShellNode): Script {
  const reader = new Reader(settledValues(root));
  reader.sequence(root, []);
  return { commands: reader.commands, functions: reader.functions, loops: reader.loops };
}

class Reader {
  readonly commands: Command[] = [];
  readonly functions: string[] = [];
  readonly loops: Assignment[] = [];
  private readonly settled: Settled;

  constructor(settled: Settled) {
    this.settled = settled;
  }

  private outcome(node: ShellNode | undefined): boolean | undefined {
    return node && outcomeOf(node, this.settled);
  }

  /** Statements one after another, the last of which decides how the whole ends: `lastAround` stands around that. */
  sequence(node: ShellNode, around: readonly Frame[], inLoop = false, lastAround = around): void {
    const statements = node.children.filter(({ type }) => STATEMENT.has(type) || type === 'ERROR');
    for (const [i, statement] of node.children.entries()) {
      if (!statements.includes(statement)) {
        this.substitutions(statement, around);
        continue;
      }
      const isBackground = node.children[i + 1]?.type === '&';
      const isLast = statement === statements.at(-1);
      const outer = isLast ? lastAround : around;
      const frames: readonly Frame[] = isBackground ? [...outer, { kind: 'background' }] : outer;
      const start = this.commands.length;
      // The end of a loop's body does not tell how its last list ended.
      this.statement(statement, frames, isLast && !inLoop);
      if (!isLast) this.followed(start, around, statements.at(-1));
    }
  }

  /** Marks the commands from `start` on as followed by the `last` one of their list. */
  followed(start: number, around: readonly Frame[], last: ShellNode | undefined): void {
    // `exit "$rc"` may tell of what came before it.
    if (last === undefined || endsInFailure(last)) return;
    const idle = this.outcome(last) === true || (last.type === 'command' && !doesSomething(last));
    const always = around.some(({ kind }) => /^(?:condition|or|and|negated)$/.test(kind));
    for (const command of this.commands.slice(start)) {
      const inner = command.around.slice(around.length);
      const isHeeded = inner.some((frame) => frame.kind === 'condition' || (frame.kind === 'or' && frame.fails));
      if (!isHeeded && !command.follower) Object.assign(command, { follower: { idle, always } });
    }
  }

  statement(node: ShellNode, around: readonly Frame[], isLast: boolean): Command[] {
    switch (node.type) {
      case 'command':
      case 'declaration_command':
      case 'unset_command':
      case 'test_command':
      case 'variable_assignment':
      case 'variable_assignments':
        return [this.simple(node, around, [])];
      case 'redirected_statement':
        return this.redirected(node, around, isLast);
      case 'list':
        return this.list(node, around, isLast);
      case 'pipeline':
        return this.pipeline(node.children, around, isLast);
      case 'negated_command':
        return this.parts(node, [...around, { kind: 'negated' }], isLast);
      case 'if_statement':
        return this.conditional(node, around, isLast);
      case 'while_statement':
        return this.loop(node, around);
      case 'for_statement':
      case 'c_style_for_statement':
        return this.forEach(node, around);
      case 'case_statement':
        return this.cases(node, around);
      case 'function_definition':
        return this.definition(node, around);
      case 'subshell':
      case 'compound_statement':
      case 'do_group':
        this.sequence(node, around);
        return [];
      default:
        return this.parts(node, around, isLast);
    }
  }

  parts(node: ShellNode, around: readonly Frame[], isLast: boolean): Command[] {
    return node.children
      .filter(({ type }) => STATEMENT.has(type))
      .flatMap((part) => this.statement(part, around, isLast));
  }

  /** Of a loop. */
  body(node: ShellNode | undefined, around: readonly Frame[]): Command[] {
    if (node) this.sequence(node, around, true);
    return [];
  }

  definition(node: ShellNode, around: readonly Frame[]): Command[] {
    const name = child(node, 'word')?.text ?? '';
    this.functions.push(name);
    const body = node.children.find(({ type }) => STATEMENT.has(type));
    if (body) this.statement(body, [...around, { kind: 'function', name }], true);
    return [];
  }

  conditional(node: ShellNode, around: readonly Frame[], isLast: boolean): Command[] {
    const idle = !nodesOf(node, WORK).some((command) => !isInCondition(command, node) && doesSomething(command));
    const clauses = node.children.filter(({ type }) => type === 'elif_clause' || type === 'else_clause');
    let first = '';
    let isTaken = false;
    for (const clause of [node, ...clauses]) {
      const then = clause.children.findIndex(({ type }) => type === 'then');
      const parts = [...clause.children.entries()].filter(
        ([, part]) => STATEMENT.has(part.type) && !clauses.includes(part),
      );
      const asked = parts.filter(([i]) => i < then).map(([, part]) => part);
      const guard = asked.map(({ text }) => ` ${text}`).join('');
      const answer = this.outcome(asked.at(-1));
      const fails = clause !== node || failsWhenAsked(node);
      const condition: Frame = { kind: 'condition', idle, fails, decided: answer !== undefined };
      const never = isTaken || answer === false;
      const branch: Frame = {
        kind: 'branch',
        guard: clause === node ? `if${guard}` : `not${first}; if${guard}`,
        never,
      };
      for (const [i, part] of parts) {
        const isBackground = clause.children[i + 1]?.type === '&';
        const inner: Frame[] = i < then ? [condition] : isBackground ? [branch, { kind: 'background' }] : [branch];
        this.statement(part, [...around, ...inner], i < then || isLast);
      }
      first ||= guard;
      isTaken ||= answer === true;
    }
    return [];
  }

  loop(node: ShellNode, around: readonly Frame[]): Command[] {
    const body = child(node, 'do_group');
    // `until` asks again until the answer is yes; `while` goes on with whatever follows when it is no.
    const asksUntil = node.children[0]?.type !== 'while' || /^while\s+!\s/.test(node.text);
    const gives = !asksUntil || /\bbreak\b/.test(body?.text ?? '');
    const idle = gives && !!body && !worksIn(body);
    const asked = node.children.filter((part) => STATEMENT.has(part.type) && part !== body);
    const answer = this.outcome(asked.at(-1));
    const condition: Frame = { kind: 'condition', idle, fails: true, decided: answer !== undefined };
    for (const part of asked) this.statement(part, [...around, condition], true);
    const never = answer === (node.children[0]?.type === 'until');
    return this.body(body, [...around, { kind: 'branch', guard: head(node), never }]);
  }

  forEach(node: ShellNode, around: readonly Frame[]): Command[] {
    for (const part of node.children) this.substitutions(part, around, 'do_group');
    const loop = loopOf(node);
    this.loops.push(loop);
    const never = loop.values.length > 0 && loop.values.every((word) => isEmptyList(word, this.settled));
    const branch: Frame = { kind: 'branch', guard: head(node), never };
    return this.body(child(node, 'do_group', 'compound_statement'), [...around, branch]);
  }

  cases(node: ShellNode, around: readonly Frame[]): Command[] {
    const subject = head(node);
    const [asked] = wordsOf(node.children[1] as ShellNode);
    let isTaken = false;
    for (const part of node.children) this.substitutions(part, around, 'case_item');
    for (const item of node.children.filter(({ type }) => type === 'case_item')) {
      const at = item.children.findIndex(({ type }) => type === ')');
      const patterns = item.children.slice(0, at).filter(({ type }) => !/^[|(]$/.test(type));
      const guard = `${subject} ${item.children
        .slice(0, at)
        .map(({ text }) => text)
        .join('')}`;
      const answers = patterns.map((pattern) => isPattern(pattern, asked));
      const never = isTaken || (answers.length > 0 && answers.every((answer) => answer === false));
      isTaken ||= answers.includes(true);
      this.sequence(item, [...around, { kind: 'branch', guard, never }]);
    }
    return [];
  }

  list(node: ShellNode, around: readonly Frame[], isLast: boolean): Command[] {
    const [left, operator, right] = node.children;
    if (!left || !operator || !right) return this.parts(node, around, isLast);
    const frame: Frame =
      operator.type === '||'
        ? { kind: 'or', fails: endsInFailure(right), by: programText(right) }
        : { kind: 'and', last: isLast };
    // Of `a && b && c` each failure is the list's.
    const first = this.statement(left, [...around, frame], isLast && operator.type === '&&');
    const guard = `${operator.type === '||' ? 'unless' : 'if'} ${left.text}`;
    const never = this.outcome(left) === (operator.type === '||');
    return [...first, ...this.statement(right, [...around, { kind: 'branch', guard, never }], isLast)];
  }

  /** Gives its last commands, into which others may print. */
  pipeline(parts: readonly ShellNode[], around: readonly Frame[], isLast: boolean, first: Command[] = []): Command[] {
    const members = parts.filter(({ type }) => STATEMENT.has(type));
    let before = first;
    for (const [i, member] of members.entries()) {
      const next = members[i + 1];
      const frames: readonly Frame[] = next ? [...around, { kind: 'piped', into: programText(next) }] : around;
      const start = this.commands.length;
      const given = this.statement(member, frames, isLast);
      const fed = given.length > 0 ? given : this.commands.slice(start);
      for (const command of fed)
        Object.assign(command, { fedBy: [...command.fedBy, ...before, ...before.flatMap(({ fedBy }) => fedBy)] });
      before = fed;
    }
    return before;
  }

  redirected(node: ShellNode, around: readonly Frame[], isLast: boolean): Command[] {
    const redirects = node.children.filter(({ type }) => /redirect$/.test(type));
    const body = node.children.find(({ type }) => STATEMENT.has(type));
    const isSimple = body && /^(?:command|declaration_command|test_command|variable_assignment)$/.test(body.type);
    const start = this.commands.length;
    if (!body || isSimple) this.simple(body ?? node, around, redirects);
    else {
      this.statement(body, around, isLast);
      for (const redirect of redirects) this.substitutions(redirect, around);
      const all = redirects.flatMap(readRedirect);
      for (const command of this.commands.slice(start))
        Object.assign(command, { redirects: [...command.redirects, ...all] });
    }
    const made = this.commands.slice(start);
    // `cat <<E | bash`: what follows the here-document stands inside its node.
    for (const redirect of redirects) {
      const pipeline = child(redirect, 'pipeline');
      if (pipeline) return this.pipeline(pipeline.children, around, isLast, made.slice(0, 1));
      for (const part of redirect.children.filter(({ type }) => STATEMENT.has(type)))
        this.statement(part, around, isLast);
    }
    return made.slice(0, 1);
  }

  simple(node: ShellNode, around: readonly Frame[], redirects: readonly ShellNode[]): Command {
    const isOwn = node.type !== 'redirected_statement';
    const inner = isOwn ? node.children.filter(({ type }) => /redirect$/.test(type)) : [];
    const all = [...inner, ...redirects];
    const parts = isOwn ? node.children.filter(({ type }) => !/redirect$/.test(type)) : [];
    const command: Command = {
      words: readWords(node, parts),
      assignments: node.type === 'declaration_command' ? [] : assignmentsIn(node),
      redirects: all.flatMap(readRedirect),
      around,
      fedBy: [],
      line: node.line,
      from: node.from,
      ...documentOf(all),
    };
    this.commands.push(command);
    // An array takes the words of a substitution, not its end.
    const isAssigned = node.type === 'variable_assignment' && node.children[2]?.type !== 'array';
    for (const part of [...parts, ...all])
      this.substitutions(part, around, undefined, isAssigned ? 'assigned' : 'substitution');
    return command;
  }

  /** Commands that run to make a word. */
  substitutions(
    node: ShellNode,
    around: readonly Frame[],
    except?: string,
    kind: 'assigned' | 'substitution' = 'substitution',
  ): void {
    if (node.type === except) return;
    if (SUBSTITUTIONS.has(node.type))
      this.sequence(node, [...around, { kind: 'substitution' }], false, [...around, { kind }]);
    else if (!STATEMENT.has(node.type) || node.type === 'variable_assignment')
      for (const part of node.children) this.substitutions(part, around, except, kind);
  }
}

/** Whether a pattern of `case` is what is asked for; undefined where only the run tells. */
function isPattern(pattern: ShellNode, asked: Word | undefined): boolean | undefined {
  const [word] = wordsOf(pattern);
  if (!asked || asked.dynamic || !word || word.dynamic) return undefined;
  if (word.quoted || !/[*?[\\(]/.test(pattern.text)) return word.text === asked.text;
  return word.text === '*' ? true : undefined;
}
