// Every simple command of a script, with what stands around it.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the shell
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Command, Frame } from '../../../src/fix/shell/command.ts';
import { readScript } from '../../../src/fix/shell/commands.ts';
import { parse } from '../gate/homelab.ts';

const script = (text: string) => readScript(parse(text));
const shown = ({ words }: Command) => words.map(({ text }) => text).join(' ');
const commandsOf = (text: string) => script(text).commands.map(shown);

/** The command of this program, which must be there once. */
function command(text: string, program: string): Command {
  const all = script(text).commands.filter(({ words }) => words[0]?.text === program);
  assert.is(all.length, 1, text);
  return all[0] as Command;
}

/** A frame in short: its kind, and what it says. */
function short(frame: Frame): string {
  if (frame.kind === 'or') return `or ${frame.fails}`;
  if (frame.kind === 'and') return `and ${frame.last}`;
  if (frame.kind === 'condition') return `condition ${frame.idle}`;
  if (frame.kind === 'piped') return `piped ${frame.into}`;
  if (frame.kind === 'function') return `function ${frame.name}`;
  return 'guard' in frame ? `${frame.kind} ${frame.guard}` : frame.kind;
}
const around = (text: string, program = 'run') => command(text, program).around.map(short);

const FRAMES: [what: string, text: string, ...frames: string[]][] = [
  ['nothing', 'run a'],
  ['a question with nothing to do', 'if run; then echo a; else :; fi', 'condition true'],
  ['a question with a loop that only waits', 'if run; then sleep 1; fi', 'condition true'],
  ['a question with something to do', 'if run; then start; fi', 'condition false'],
  ['a question with an end', 'if ! run; then echo a; exit 1; fi', 'condition false', 'negated'],
  ['a second question', 'if a; then b; elif run; then c; fi', 'condition false'],
  ['a branch', 'if a; then run; fi', 'branch if a'],
  ['the other branch', 'if a; then b; else run; fi', 'branch not a; if'],
  ['a third branch', 'if a; then b; elif c; then run; fi', 'branch not a; if c'],
  ['a loop that waits', 'until run; do sleep 1; done', 'condition false'],
  ['the body of a loop', 'while a; do run; done', 'branch while a;'],
  ['the body of a list of words', 'for x in a b; do run; done', 'branch for x in a b;'],
  ['a case', 'case $1 in a | b) run ;; esac', 'branch case $1 in a|b'],
  ['left of or', 'run || true', 'or false'],
  ['left of an end', 'run || exit 1', 'or true'],
  ['left of an end without a code', 'run || exit', 'or true'],
  ['left of a good end', 'run || exit 0', 'or false'],
  ['left of words and an end', 'run || { echo a; exit 1; }', 'or true'],
  ['left of words and an end without a code', 'run || { echo a; exit; }', 'or false'],
  ['left of a condition', 'run || { if a; then exit 1; fi; }', 'or false'],
  ['left of words and a function that fails', 'run || die "no"', 'or true'],
  ['right of or', 'a || run', 'branch unless a'],
  ['left of and, at the end', 'run && a', 'and true'],
  ['left of and', 'run && a\nb', 'and false'],
  ['right of and', 'a && run', 'branch if a'],
  ['a pipe', 'run | tee log', 'piped tee'],
  ['the end of a pipe', 'a | run'],
  ['negated', '! run', 'negated'],
  ['in the background', 'run &', 'background'],
  ['in the background of a branch', 'if a; then run & fi', 'branch if a', 'background'],
  ['a function', 'f() { run; }', 'function f'],
  ['a function by its word', 'function f { run; }', 'function f'],
  ['a substitution', 'echo $(run)', 'substitution'],
  ['a value', 'x=$(run)', 'assigned'],
  ['backquotes', 'echo `run`', 'substitution'],
  ['a process substitution', 'cat <(run)', 'substitution'],
  ['a substitution in double quotes', 'echo "a $(run) b"', 'substitution'],
  ['a substitution in a default', 'echo "${A:-$(run)}"', 'substitution'],
  ['a substitution in a here-document', 'cat <<E\n$(run)\nE', 'substitution'],
  ['a group', '{ run; }'],
  ['a subshell', '( run )'],
  ['a group left of or', '{ run; } || true', 'or false'],
  [
    'several at once',
    'f() { if a; then b && run || true; fi; }',
    'function f',
    'branch if a',
    'or false',
    'branch if b',
  ],
];

for (const [what, text, ...frames] of FRAMES) {
  test(`around a command: ${what}`, () => assert.equal(around(text), frames));
}

test('every command is read, in the order of the text', () => {
  assert.equal(commandsOf('a 1; b 2 && c 3 | d 4\n(e 5)\n{ f 6; }\nif g 7; then h 8; fi\n'), [
    ...['a 1', 'b 2', 'c 3', 'd 4', 'e 5', 'f 6', 'g 7', 'h 8'],
  ]);
  assert.equal(commandsOf('[ -n "$A" ] && [[ $B == c ]] && (( D > 1 ))').slice(0, 2), ['[[ -n $A', '[[ $B == c']);
  assert.equal(commandsOf('# rm -rf /\n: # rm -rf /\n'), [':']);
});

test('assignments alone, before a command and of declarations', () => {
  const set = (text: string) =>
    script(text).commands[0]?.assignments.map(({ name, values, append }) => [
      name,
      values.map((one) => one.text),
      append,
    ]);
  assert.equal(set('A=1'), [['A', ['1'], false]]);
  assert.equal(set('A="x y" run'), [['A', ['x y'], false]]);
  assert.equal(set('A+=2'), [['A', ['2'], true]]);
  assert.equal(set('A=(x "y z")'), [['A', ['x', 'y z'], false]]);
  assert.equal(commandsOf('export A=1 B="x y"'), ['export A=1 B=x y']);
});

test('redirections with their descriptors and targets, of single commands and of groups', () => {
  const sent = (text: string) =>
    command(text, 'run').redirects.map(
      ({ descriptor, operator, target }) => `${descriptor}${operator}${target?.text ?? ''}`,
    );
  assert.equal(sent('run > a'), ['>a']);
  assert.equal(sent('run >> "a b" 2>&1'), ['>>a b', '2>&1']);
  assert.equal(sent('run &> /dev/null'), ['&>/dev/null']);
  assert.equal(sent('run 2>/dev/null < in'), ['2>/dev/null', '<in']);
  assert.equal(sent('> a run'), ['>a']);
  assert.equal(sent('{ run; } > a'), ['>a']);
  assert.equal(sent('if a; then run; fi 2>/dev/null'), ['2>/dev/null']);
  assert.equal(sent('while a; do run; done > a'), ['>a']);
});

test('here-documents and here-strings are what a command reads, not commands', () => {
  const text = 'cat <<EOF > a\nrm -rf /\nEOF\n';
  assert.equal(commandsOf(text), ['cat']);
  assert.is(command(text, 'cat').document?.text, 'rm -rf /\n');
  assert.equal(
    command(text, 'cat').redirects.map(({ operator, target }) => `${operator}${target?.text ?? ''}`),
    ['<<', '>a'],
  );
  assert.is(command('bash <<< "rm -rf /"', 'bash').document?.text, 'rm -rf /');
});

test('what prints into a command, the nearest first; also behind a here-document', () => {
  const fed = (text: string, program: string) => command(text, program).fedBy.map(shown);
  assert.equal(fed('a 1 | b 2 | c 3', 'c'), ['b 2', 'a 1']);
  assert.equal(fed('cat <<EOF | bash\nx\nEOF\n', 'bash'), ['cat']);
  assert.equal(fed('a | sudo bash', 'sudo'), ['a']);
  assert.equal(fed('a | if b; then bash; fi', 'bash'), ['a']);
  assert.equal(fed('a; bash', 'bash'), []);
});

test('functions that the script defines', () => {
  assert.equal(script('f() { a; }\nfunction g { b; }\nfunction h() { c; }\n').functions, ['f', 'g', 'h']);
});

test('lines are counted from one', () => {
  assert.equal(
    script('a\n\nb \\\n  c\nd\n').commands.map(({ line }) => line),
    [1, 3, 5],
  );
});

test.run();
