// The rules about added lines, applied to one file: each added line is read as what it would do, and every rule is asked.
import type { EditedFile } from '../edit.ts';
import type { ChangedLines, Line } from './changed-lines.ts';
import { dataValue, listAround } from './data-line.ts';
import { DESTROY_RULES } from './destroy-rules.ts';
import { clip, type Finding } from './finding.ts';
import { INSTALL_RULES } from './install-rules.ts';
import { type Language, languageOf } from './language.ts';
import type { LineRule } from './line-rule.ts';
import { logicalLine } from './logical-line.ts';
import { MASK_RULES } from './mask-rules.ts';
import { namedProtected } from './named-protected.ts';
import { type Reading, readShell, readText } from './reading.ts';
import { silences } from './silenced.ts';

/** In the order in which a refusal takes its code. */
export const LINE_RULES: readonly LineRule[] = [...DESTROY_RULES, ...INSTALL_RULES, ...MASK_RULES];

/** Beyond these no rule is asked: reading in part would be worse than not reading. */
const LONGEST_LINE = 4_000;
const LONGEST_COMMAND = 8_000;

/** What is wrong with the lines that `file` would gain. */
export function lineFindings(file: EditedFile, changed: ChangedLines, protect: readonly string[]): Finding[] {
  const language = languageOf(file.path, file.after);
  const added = new Set(changed.added.map(({ number }) => number));
  const findings = changed.added.flatMap((line): Finding[] => {
    const at = (code: Finding['code'], why: string): Finding => ({
      code,
      reason: `${file.path}:${line.number}: ${why}: ${clip(line.text.trim())}`,
    });
    const text = textFault(line.number === 1 ? line.text.replace(/^\ufeff/, '') : line.text);
    if (text) return [at(text.code, text.why)];
    if (language === 'prose') return [];
    const whole = logicalLine(changed.after, line.number, language);
    if (whole.cut || whole.text.length > LONGEST_COMMAND)
      return [at('too_large', 'a command of too many lines to be read as one')];
    const others = whole.lines.filter(({ number }) => !added.has(number));
    const readings = readingsOf(whole.text, language, changed.after, line);
    const hits = LINE_RULES.filter((rule) => breaks(rule, readings, whole.text, language));
    // A rule that a line beside it breaks by itself was broken before.
    const news = hits.filter(
      (rule) => !others.some(({ text }) => breaks(rule, readLine(text, language), text, language)),
    );
    const named = namedProtected(readings, file.path, protect);
    return [
      ...news
        .filter((rule, i) => news.findIndex(({ code }) => code === rule.code) === i)
        .map(({ code, why }) => at(code, why)),
      ...(named === undefined ? [] : [at('names_protected', `names ${named}, which may not be used either`)]),
      ...(silences(readings, changed.removed, language)
        ? [at('masks', 'throws away what the command says about its failure')]
        : []),
    ];
  });
  return findings.sort((a, b) => rank(a) - rank(b));
}

const RANKS = ['unsafe_text', 'too_large', 'destroys', 'names_protected', 'masks', 'installs'];
const rank = ({ code }: Finding): number => RANKS.indexOf(code);

/** Whether `line`, added to a file of this name, breaks the rule; for its examples. */
export function breaksRule(rule: LineRule, path: string, line: string): boolean {
  const language = languageOf(path, '');
  return breaks(rule, readLine(line, language), line, language);
}

function readLine(text: string, language: Language): Reading[] {
  if (language === 'shell') return readShell(text);
  const value = dataValue(text);
  return value === undefined ? [] : readText(value);
}

function readingsOf(text: string, language: Language, after: readonly string[], line: Line): Reading[] {
  const own = readLine(text, language);
  const list = language === 'data' ? listAround(after, line.number - 1) : undefined;
  return list === undefined ? own : [...own, ...readText(list)];
}

function breaks(
  { command, line, data }: LineRule,
  readings: readonly Reading[],
  text: string,
  language: Language,
): boolean {
  const any = (patterns: readonly RegExp[] | undefined, subject: string) =>
    patterns?.some((pattern) => pattern.test(subject)) === true;
  if (language === 'data' && data && any(data, withoutComment(text))) return true;
  return readings.some((reading) => any(line, reading.line) || reading.commands.some((c) => any(command, c)));
}

function withoutComment(text: string): string {
  const trimmed = text.trim();
  if (trimmed.startsWith('#')) return '';
  return trimmed.replace(/\s#(?=[^"']*$).*$/, '').trim();
}

const NOT_SEEN = /(?!\t)\p{Cc}|[\p{Cs}\u200b\u2060\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/u;

/** Text that no eye sees as it is. */
function textFault(text: string): { code: 'unsafe_text' | 'too_large'; why: string } | undefined {
  if (NOT_SEEN.test(text)) return { code: 'unsafe_text', why: 'has characters that are not seen' };
  if (text.length > LONGEST_LINE) return { code: 'too_large', why: `a line of more than ${LONGEST_LINE} characters` };
  return undefined;
}
