// Guards that a change takes away, and ends that keep work from being done: what stops a script at its first failure, the calls
// of what checks it, and how it ends.
import { isShell } from '../shell/wrappers.ts';
import type { Change, Fact, FileFacts } from './facts.ts';
import { asks, type Finding, refuses } from './finding.ts';
import { shownWords } from './shown.ts';
import { functionOf, isFailure, isOwn, isWork, setsErrexit, stopsAtFailure } from './work.ts';

/** Guards that are fewer than before: what stops a script at its first failure, and the calls of what checks it. */
export function guards({ path, before, after, old, now }: Change, judges: readonly string[]): Finding[] {
  const say = (why: string) => refuses('removes_guard', path, undefined, why);
  const counts = (file: FileFacts, text: string) => ({
    errexit:
      file.commands.filter(stopsAtFailure).length +
      (/^#!\S*sh(?: \S+)* -\w*e|^#!\S*env (?:-S )?\S+ -\w*e/.test(text) ? 1 : 0),
    pipefail: file.commands.filter(
      ({ program, args }) =>
        program === 'set' && args.some(({ text }, i) => text === 'pipefail' && /^-/.test(args[i - 1]?.text ?? '')),
    ).length,
    shells: file.commands.filter(readsText).length,
    stopping: file.commands.filter(
      (fact) =>
        (readsText(fact) && isShell(fact.program) && fact.args.some(({ text }) => /^-[a-z]*e/.test(text))) ||
        (fact.around.some(({ kind }) => kind === 'argument' || kind === 'here-document') && setsErrexit(fact)),
    ).length,
    checks: file.commands.filter((fact) => !onlyLooks(fact) && fact.words.some(({ text }) => isJudge(text, judges)))
      .length,
  });
  const [was, is] = [counts(old, before ?? ''), counts(now, after)];
  const lost = old.commands.filter((fact) => {
    const same = now.commands.filter(({ key }) => key === fact.key);
    // A test may be asked in another way.
    const isLost = (other: Fact) => (isTest(fact) ? other.around.some(({ kind }) => kind === 'or') : true);
    return orFails(fact) && same.some(isLost) && !same.some(orFails);
  });
  const above = (file: FileFacts) =>
    file.commands.slice(0, file.commands.findIndex(stopsAtFailure)).filter(isWork).length;
  return [
    ...(is.errexit < was.errexit || (is.stopping < was.stopping && is.shells >= was.shells)
      ? [say('keep the `set -e` that makes the script stop at its first failure')]
      : []),
    ...(is.pipefail < was.pipefail ? [say('keep `pipefail`: without it a failure inside a pipe does not count')] : []),
    ...(is.errexit > 0 && was.errexit > 0 && above(now) > above(old)
      ? [say('leave `set -e` above the commands it guards')]
      : []),
    ...lost.map((fact) =>
      refuses(
        'removes_guard',
        path,
        fact.line,
        'keep the `|| exit` or `|| return` behind the command',
        shownWords(fact),
      ),
    ),
    ...(is.checks < was.checks ? [say('keep the call of the script that checks the stage')] : []),
  ];
}

/** `sh -c 'text'`, and what another shell or host is given to read. */
const readsText = ({ program, args, document }: Fact): boolean =>
  (isShell(program) && args.some(({ text }) => /^-[a-z]*c/.test(text))) ||
  (document !== undefined && (isShell(program) || program === 'ssh'));

const LOOKS = /^(?:cat|head|tail|less|ls|stat|wc|grep|file|chmod|echo|printf|test|\[\[?|true|:)$/;
/** Of what it names it runs nothing. */
const onlyLooks = ({ program, args }: Fact): boolean =>
  LOOKS.test(program) || (isShell(program) && /^(?:-\S+ )*-[a-z]*n/.test(args.map(({ text }) => text).join(' ')));

const orFails = ({ around }: Fact): boolean => around.some((frame) => frame.kind === 'or' && frame.fails);

const isTest = ({ program }: Fact): boolean => /^(?:\[\[?|test)$/.test(program);

function isJudge(word: string, judges: readonly string[]): boolean {
  const plain = word.replace(/^(?:\$\w+\/+|\$\(…\)\/+|\.{1,2}\/+|\/+)+/, '');
  if (plain === '' || plain.startsWith('-')) return false;
  return (
    /(?:^|\/)verify[\w-]*\.(?:sh|bash|py)$/.test(plain) ||
    judges.some(
      (judge) => !judge.endsWith('/') && (judge === plain || (plain.includes('/') && judge.endsWith(`/${plain}`))),
    )
  );
}

/** Ends that keep work from being done and are no failure. */
export function ends(change: Change): Finding[] {
  const { path, added, now, old } = change;
  const early = (file: FileFacts) => file.commands.filter((fact) => endsEarly(fact, file));
  const more = early(now).length > early(old).length ? early(now).slice(0, 1) : [];
  const why = 'ends before the work below it is done, as if all had gone well';
  const lost = more
    .filter((fact) => !added.includes(fact) && (old.unread.size === 0 || now.unread.size > 0))
    .map((fact) => refuses('masks', path, fact.line, why, shownWords(fact)));
  return [...lost, ...newEnds(change)];
}

/** An end that nothing asks about, is no failure, and has work behind it. */
const endsEarly = (fact: Fact, file: FileFacts): boolean =>
  fact.role !== 'maybe' &&
  (fact.program === 'exit' || fact.program === 'return') &&
  !isFailure(fact, file) &&
  fact.around.every(({ kind }) => kind === 'function') &&
  file.commands
    .slice(file.commands.indexOf(fact) + 1)
    .some((other) => other.unit === fact.unit && functionOf(other) === functionOf(fact) && isWork(other));

function newEnds({ path, isSourced, added, now, gone, old }: Change): Finding[] {
  return added.flatMap((fact) => {
    if (fact.role === 'maybe' || !isOwn(fact)) return [];
    const { program, args, around, line, unit } = fact;
    const isTrue =
      /^(?:true|:)$/.test(program) &&
      fact.args.length === 0 &&
      around.every(({ kind }) => kind === 'argument' || kind === 'given');
    const isEnd =
      isTrue ||
      program === 'exit' ||
      program === 'return' ||
      (program === 'exec' && args.length > 0 && fact.redirects.length === 0);
    if (!isEnd || isFailure(fact, now)) return [];
    const name = functionOf(fact);
    const index = now.commands.indexOf(fact);
    const isAfter = (other: Fact, i: number) =>
      program === 'exit' && name !== '' ? functionOf(other) !== name : i > index && functionOf(other) === name;
    // Each line of an image has a shell of its own.
    const isNear = (other: Fact) => other.unit === unit && (now.language !== 'docker' || other.text === fact.text);
    // `exec` of the command that stood there is that command.
    const isThatCommand = gone.some((other) => other.program === args[0]?.text.split('/').at(-1));
    const endsCaller = isSourced && (program === 'exit' || (program === 'exec' && !isThatCommand));
    const later = endsCaller || now.commands.some((other, i) => isNear(other) && isAfter(other, i) && isWork(other));
    const failing = gone.find(
      (other) => other.program === program && functionOf(other) === name && isFailure(other, old),
    );
    if (failing) return [asks('masks', path, line, 'was a failure before', shownWords(fact))];
    const last = now.commands.slice(0, index).findLast((other) => isNear(other) && isOwn(other));
    const isForgiving =
      !now.commands.some(stopsAtFailure) && now.language !== 'make' && /^0*$/.test(args[0]?.text ?? '');
    if (!later && last && isWork(last) && isForgiving && around.every(({ kind }) => kind !== 'branch'))
      return [refuses('masks', path, line, 'ends well whatever the command before it did', shownWords(fact))];
    if (!later) return [];
    const isConditional = around.some(({ kind }) => kind === 'branch');
    const wasDone = (other: Fact) => old.commands.some((one) => isWork(one) && one.program === other.program);
    const isOldWork = now.commands.some((other, i) => isAfter(other, i) && isWork(other) && wasDone(other));
    // A function that is new, and does nothing that was done before, answers a question with it.
    if (isConditional && program === 'return' && name !== '' && !old.functions.includes(name) && !isOldWork) return [];
    const why = 'ends before the work below it is done, as if all had gone well';
    return isConditional
      ? [asks('masks', path, line, why, shownWords(fact))]
      : [refuses('masks', path, line, why, shownWords(fact))];
  });
}
