// Guards that a change takes away: what stops a script at its first failure, and the calls of what checks it. Counted
// over the file, so that a guard may move or be written differently, but not go.
import { rawWords } from '../../config/paths.ts';
import { type ChangedLines, essence } from './changed-lines.ts';
import { languageOf, type ParsedLine, parseShell } from './parsed-line.ts';
import type { Finding } from './rules.ts';

interface Guard {
  name: string;
  why: string;
  count: (parsed: ParsedLine, text: string) => number;
}

const times = (pattern: RegExp, text: string): number => text.match(pattern)?.length ?? 0;

export const GUARDS: readonly Guard[] = [
  {
    name: 'set -e',
    why: 'keep the `set -e` that makes the script stop at its first failure',
    count: ({ commands }, text) =>
      commands.filter((c) => /^(?:\S+ )*?set (?:\S+ )*?-(?:[a-z]*e[a-z]*|o errexit|[a-df-z]*o errexit)(?= |$)/.test(c))
        .length + (/^#!\S*sh(?: \S+)* -\w*e|^#!\S*env \S+ -\w*e/.test(text) ? 1 : 0),
  },
  {
    name: 'pipefail',
    why: 'keep `pipefail`: without it a failure inside a pipe does not count',
    count: ({ commands }) =>
      commands.filter((c) => /^(?:\S+ )*?set (?:\S+ )*?-?o? ?pipefail(?= |$)/.test(c) && !/\+o pipefail/.test(c))
        .length,
  },
  {
    name: '|| exit',
    why: 'keep the `|| exit` or `|| return` behind the command',
    count: ({ line }) =>
      times(
        /\|\| (?:\{ )?(?:[^|&]*?; ?)?(?:exit(?! 0)|return [1-9]\S*|return "?\$|die|fail|fatal|abort)(?= |$|;)/g,
        line,
      ),
  },
];

/** Which guards of `changed` are fewer than before; `judges` are the scripts that check stages. */
export function guardFindings(
  path: string,
  changed: ChangedLines,
  after: string,
  judges: readonly string[],
): Finding[] {
  const finding = (why: string): Finding => ({ code: 'removes_guard', reason: `${path}: ${why}` });
  const language = languageOf(path, after);
  if (language === 'prose') return [];
  const gone = changed.removed.map(({ text }) => ({ text, parsed: parseShell(text)[0] }));
  const come = changed.added.map(({ text }) => ({ text, parsed: parseShell(text)[0] }));
  const total = (lines: typeof gone, count: Guard['count']) =>
    lines.reduce((sum, { text, parsed }) => sum + count(parsed ?? { commands: [], line: '' }, text), 0);
  const fewer = GUARDS.filter(({ count }) => total(gone, count) > total(come, count)).map(({ why }) => finding(why));
  const scripts = judges.filter((judge) => /\/[^/]+$|\.(?:sh|bash|py|mjs|js|ts|rb|pl)$/.test(judge));
  const calls = (lines: typeof gone) =>
    lines.reduce((sum, { parsed }) => sum + (parsed && callsJudge(parsed.line, scripts) ? 1 : 0), 0);
  return [
    ...fewer,
    ...(calls(gone) > calls(come) ? [finding('keep the call of the script that checks the stage')] : []),
    ...(language === 'shell' && cutShort(changed)
      ? [finding('an `exit 0` would end the script before it has done its work')]
      : []),
    ...(language === 'shell' && movedDown(changed) ? [finding('leave `set -e` above the commands it guards')] : []),
  ];
}

function callsJudge(line: string, judges: readonly string[]): boolean {
  return rawWords(line).some((word) => {
    const plain = word.replace(/^(?:\$\{?\w+\}?\/+|\.{1,2}\/+|\/+)+/, '');
    if (/(?:^|\/)verify[\w-]*\.(?:sh|bash|py)$/.test(plain)) return true;
    return (
      plain !== '' && judges.some((judge) => judge === plain || (plain.includes('/') && judge.endsWith(`/${plain}`)))
    );
  });
}

const isCode = (line: string): boolean => line.trim() !== '' && !line.trim().startsWith('#');

/** More unconditional ends with work below them than before: one moved up, or lost the `if` around it. */
function cutShort({ before, after }: ChangedLines): boolean {
  const ends = (lines: readonly string[]) =>
    lines.filter((line, i) => /^exit\s+0\b/.test(line) && lines.slice(i + 1).some(isCode)).length;
  return ends(after) > ends(before);
}

/** Commands that stood below the first `set -e` now stand above it. */
function movedDown({ before, after }: ChangedLines): boolean {
  const guard = (lines: readonly string[]) =>
    lines.findIndex((line) => /^\s*set\s+-\w*e/.test(line) || /^\s*set\s+-o\s+errexit/.test(line));
  const [was, is] = [guard(before), guard(after)];
  if (was === -1 || is === -1 || is <= was) return false;
  const below = new Set(
    before
      .slice(was + 1)
      .filter(isCode)
      .map(essence),
  );
  return after.slice(0, is).some((line) => below.has(essence(line)));
}
