// Lines of programs in other languages that hide a failure: read by their words.
import type { Change } from './facts.ts';
import { asks, type Finding, refuses } from './finding.ts';

export function programFindings({ path, lines, now: { language } }: Change): Finding[] {
  if (language !== 'program') return [];
  return [
    ...lines.added.flatMap(({ text, number }) => programLine(path, text, number)),
    ...lostChecks(path, lines),
    ...earlyReturns(path, lines),
    ...definedAgain(path, lines),
    ...uncalled(path, lines),
  ];
}

/** psql goes on behind an error unless it is told otherwise. */
const GOES_ON = /^\s*\\(?:set\s+ON_ERROR_STOP\s+(?:off|0|false|no)\b|unset\s+ON_ERROR_STOP\b)/i;

const EXITS_WELL =
  /\b(?:sys\.exit|process\.exit|os\._exit|os\.Exit|exit|quit)\s*\(\s*(?:0|None|)\s*\)|\b_exit\s*,\s*0|process\.exitCode\s*=\s*0/;

/** What a program calls to end or to run others, made anew. */
const REPLACES =
  /(?:^|[;\s])(?:sys\.exit|os\.(?:_exit|system|abort)|subprocess\.\w+|builtins\.\w+|process\.(?:exit|abort|kill)|child_process\.\w+)\s*=(?!=)|\bsetattr\(\s*(?:sys|os|subprocess|builtins)\s*,|^(?:exit|quit)\s*=(?!=)|^def\s+(?:exit|quit)\s*\(/;

const NEVER = /^\s*(?:el)?(?:if|while)\s*(?:\(\s*)?(?:False|false|0|None|null)\s*(?:\)|:)/;

const SWALLOWS =
  /^\s*sys\.excepthook\s*=(?!=)|^\s*except\b[^:]*:\s*(?:pass|continue)\s*(?:#.*)?$|^\s*except(?:\s+(?:Base)?Exception(?:\s+as\s+\w+)?)?\s*:\s*$|\bcatch\s*(?:\([^)]*\)\s*)?\{\s*\}|\bsuppress\(\s*(?:Base)?Exception|\brescue\s*nil|\bcheck\s*=\s*False\b|stderr\s*=\s*subprocess\.DEVNULL|\.nothrow\(|\bnothrow\s*[=:]\s*true\b|\.catch\(\s*\(?\w*\)?\s*=>\s*(?:\{\s*\}|null|undefined)|\[:0\]|\.slice\(0,\s*0\)|\bin\s+\[\s*\]\s*:/;

const CHECKS =
  /^\s*\\set\s+ON_ERROR_STOP\b|\braise_for_status\(|\bassert\b|\braise\s+\w|\bsys\.exit\(\s*(?!(?:0|None)?\s*\))|\bcheck\s*=\s*True\b|\bcheck_(?:call|output)\(|\bthrow\s+new\b|\bprocess\.exit\(\s*[1-9]/;

/** What told of failures in a program and is gone. */
function lostChecks(path: string, { added, removed }: Change['lines']): Finding[] {
  const code = (text: string) => text.replace(/^\s*(?:#|\/\/)\s*/, '').trim();
  const commented = added.find(
    ({ text }) =>
      /^\s*(?:#|\/\/)/.test(text) &&
      code(text).includes('(') &&
      removed.some((line) => line.text.trim() === code(text)),
  );
  if (commented) return [refuses('masks', path, commented.number, 'is commented out', commented.text.trim())];
  // Whether a module or a name is there is a question.
  const caught = added.find(({ text }) =>
    /^\s*(?:except\b(?! \(?(?:ImportError|ModuleNotFoundError|NameError)\b)|\}?\s*catch\b|rescue\b)/.test(text),
  );
  const isRaised = added.some(({ text }) => /\b(?:raise|throw|exit|abort|fatal)\b/.test(text));
  if (caught && !isRaised) return [asks('masks', path, caught.number, 'may swallow a failure', caught.text.trim())];
  const good = added.find(({ text }) => /^\s*return\s*(?:0|None|True|true|null)?\s*;?\s*$/.test(text));
  if (
    good &&
    removed.some(({ text }) => /^\s*return\s+(?:[1-9]\d*|(?:\w+\.)*(?:rc|\w*code|status))\s*;?\s*$/i.test(text))
  )
    return [asks('masks', path, good.number, 'was a failure before', good.text.trim())];
  const EXIT = /\b(?:sys\.exit|process\.exit|os\._exit|SystemExit|exit)\((.*)\)/;
  const plain = (text: string) => EXIT.exec(text)?.[1]?.replace(/(["'`]).*?\1/g, '""');
  const ended = added.find(
    ({ text }) => EXIT.test(text) && removed.some((line) => EXIT.test(line.text) && plain(line.text) !== plain(text)),
  );
  if (ended) return [asks('masks', path, ended.number, 'ends otherwise than before', ended.text.trim())];
  const count = (lines: readonly { text: string }[]) => lines.filter(({ text }) => CHECKS.test(text)).length;
  if (count(removed) <= count(added)) return [];
  return [
    asks(
      'masks',
      path,
      undefined,
      'no longer tells of a failure',
      removed.find(({ text }) => CHECKS.test(text))?.text.trim(),
    ),
  ];
}

const DEFINED =
  /^(?:async\s+)?(?:def|function)\s+(\w+)\s*\(|^(?:const\s+|let\s+|var\s+)?(\w+)\s*=\s*(?:lambda\b|\([^)]*\)\s*=>)/;

/** A function of a program that was there, made anew. */
function definedAgain(path: string, { added, before, after }: Change['lines']): Finding[] {
  // One that ends in a semicolon only says what it takes.
  const nameIn = (text: string): string | undefined =>
    /^(?:async\s+)?function\b.*;\s*$/.test(text) ? undefined : DEFINED.exec(text)?.slice(1).find(Boolean);
  const count = (lines: readonly string[], name: string) => lines.filter((text) => nameIn(text) === name).length;
  const again = added.find(({ text }) => {
    const name = nameIn(text);
    return name !== undefined && count(after, name) > 1 && count(after, name) > count(before, name);
  });
  return again ? [refuses('masks', path, again.number, 'takes the place of a function', again.text.trim())] : [];
}

/** A function that is still there, and that nothing calls or names any more. */
function uncalled(path: string, { removed, after }: Change['lines']): Finding[] {
  const calls = removed.flatMap(({ text }) => /^\s*(?:await\s+)?(\w+)\([^)]*\)\s*;?\s*$/.exec(text)?.[1] ?? []);
  const isNamed = (name: string, text: string) => new RegExp(`(?<![\\w.])${name}\\b`).test(text) && !DEFINED.test(text);
  const name = calls.find(
    (call) =>
      after.some((text) => DEFINED.exec(text)?.slice(1).includes(call)) && !after.some((text) => isNamed(call, text)),
  );
  return name === undefined ? [] : [asks('masks', path, undefined, 'is no longer called', name)];
}

/** A bare return with code behind it in the same block. */
function earlyReturns(path: string, { added, after }: Change['lines']): Finding[] {
  const early = added.find(({ text, number }) => {
    const [, indent] = /^(\s*)return(?:\s+(?:None|0|true|null))?\s*;?\s*$/.exec(text) ?? [];
    const next = after.slice(number).find((line) => line.trim() !== '') ?? '';
    return indent !== undefined && next.startsWith(indent) && /^[\w@$]/.test(next.slice(indent.length));
  });
  return early
    ? [refuses('masks', path, early.number, 'ends before the work below it is done', early.text.trim())]
    : [];
}

function programLine(path: string, text: string, number: number): Finding[] {
  if (/^\s*(?:#|\/\/)/.test(text)) return [];
  if (GOES_ON.test(text)) return [refuses('masks', path, number, 'goes on behind a failure', text.trim())];
  if (REPLACES.test(text))
    return [refuses('masks', path, number, 'replaces what ends the program or runs others', text.trim())];
  if (NEVER.test(text)) return [refuses('masks', path, number, 'never runs', text.trim())];
  if (EXITS_WELL.test(text)) return [refuses('masks', path, number, 'ends as if all had gone well', text.trim())];
  return SWALLOWS.test(text) ? [asks('masks', path, number, 'may swallow a failure', text.trim())] : [];
}
