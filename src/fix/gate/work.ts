// What commands are to a script: work, or only words about it; failures, or ends that are none.
import type { Fact, FileFacts } from './facts.ts';

/** Commands that only say, ask or set something. */
const TALKS =
  /^(?:echo|printf|:|true|false|sleep|break|continue|set|cd|pushd|popd|export|local|declare|readonly|typeset|unset|shift|read|exit|return|trap|shopt|source|\.|alias|umask|wait|tput|clear|gum|figlet|banner|header\w*|notify\w*|msg[\w-]*|log\w*|info|warn\w*|debug|command|sudo|doas|env|nohup|time|nice|exec|type|which|hash|let|getopts|function|)$/;
export const isTalk = (program: string): boolean => TALKS.test(program);
/** They matter by their end only where they stand alone. */
const READS =
  /^(?:\[\[?|test|dirname|basename|mktemp|date|hostname|uname|id|whoami|pwd|cat|grep|head|tail|cut|tr|sed|awk|jq|sort|wc)$/;
const isAlone = ({ around, fedBy }: Fact): boolean =>
  fedBy.length === 0 && around.every(({ kind }) => /^(?:function|given|or|argument)$/.test(kind));

export const isOwn = ({ via }: Fact): boolean => via === undefined || /^(?:ba|da|z|k|a)?sh$/.test(via);

export const isWork = (fact: Fact): boolean =>
  fact.role !== 'maybe' &&
  isOwn(fact) &&
  !TALKS.test(fact.program) &&
  (!READS.test(fact.program) || isAlone(fact)) &&
  /^[\w./${}-]+$/.test(fact.program);

/** Work on another machine. */
export const isRemoteWork = (fact: Fact): boolean => fact.via === 'ssh' && isWork({ ...fact, via: 'sh' });

/** Work that takes the place of the script. */
export const isLastWork = (fact: Fact): boolean => fact.via === 'exec' && isWork({ ...fact, via: 'sh' });

/** A value that reads like a command: a program with an option or a path. */
export const mayWork = (fact: Fact): boolean =>
  fact.role === 'maybe' &&
  /^[a-z][\w.-]*$/.test(fact.program) &&
  fact.args.some(({ text }) => /^-{1,2}\w|\//.test(text)) &&
  isWork({ ...fact, role: 'container' });

export const functionOf = ({ around }: Fact): string =>
  around.findLast((frame) => frame.kind === 'function')?.name ?? '';

export const stopsAtFailure = (fact: Fact): boolean => fact.around.length === 0 && setsErrexit(fact);

export const setsErrexit = ({ program, args }: Fact): boolean =>
  program === 'set' &&
  args.some(
    ({ text }, i) => /^-[a-zA-Z]*e/.test(text) || (text === 'errexit' && /^-[a-zA-Z]*o$/.test(args[i - 1]?.text ?? '')),
  );

/** `exit 1`, `exit "$rc"`, `cmd || exit`. */
export function isFailure({ program, args, around }: Fact, { commands }: FileFacts): boolean {
  if (program === 'exec') return false;
  const code = args[0]?.text ?? '';
  if (/^[1-9]\d*$/.test(code)) return true;
  const name = /^\$(\w+)$/.exec(code)?.[1];
  if (name !== undefined)
    return commands.some(({ assignments }) =>
      assignments.some((one) => one.name === name && /^\$(?:\?|\(…\))$/.test(one.values[0]?.text ?? '')),
    );
  const last = around.at(-1);
  return (code === '' || code === '$?') && last?.kind === 'branch' && last.guard.startsWith('unless');
}

/** `2>/dev/null`, `&>/dev/null`, `>/dev/null 2>&1`, `2>&-`. */
export function isSilenced({ redirects }: Pick<Fact, 'redirects'>): boolean {
  const nowhere = (text: string | undefined) => text === '/dev/null';
  const out = redirects.some(
    ({ operator, descriptor, target }) =>
      /^>/.test(operator) && (descriptor === '' || descriptor === '1') && nowhere(target?.text),
  );
  return redirects.some(
    ({ operator, descriptor, target }) =>
      (/^>>?\|?$/.test(operator) && descriptor === '2' && nowhere(target?.text)) ||
      (/^&>>?$/.test(operator) && nowhere(target?.text)) ||
      (operator === '>&' &&
        descriptor === '2' &&
        (target === undefined || target.text === '-' || (target.text === '1' && out))) ||
      (operator === '>&-' && descriptor === '2'),
  );
}

const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** On what it depends that a command runs, the outermost first. */
export const guardsOf = ({ around }: Fact): string[] =>
  around.flatMap((frame) => (frame.kind === 'branch' || frame.kind === 'given' ? [squeezed(frame.guard)] : []));

/** A condition that never holds. */
export const neverIn = ({ around }: Fact): string | undefined =>
  around.flatMap((frame) => (frame.kind === 'branch' && frame.never ? [squeezed(frame.guard)] : []))[0];
