// The rules about added lines, applied to one file: each added line is read as what it would do, and every rule is asked.
import { commandWords, isWipeScript, pathMatcher, rawWords } from '../../config/paths.ts';
import type { Edit } from '../edit.ts';
import { type ChangedLines, essence, type Line } from './changed-lines.ts';
import { DESTROY_RULES } from './destroy-rules.ts';
import { INSTALL_RULES } from './install-rules.ts';
import type { LineRule } from './line-rule.ts';
import { MASK_RULES } from './mask-rules.ts';
import {
  headOf,
  type Language,
  languageOf,
  logicalLine,
  type ParsedLine,
  parseInList,
  parseLine,
  parseShell,
} from './parsed-line.ts';
import { clip, type Finding } from './rules.ts';

/** In the order in which a refusal takes its code. */
export const LINE_RULES: readonly LineRule[] = [...DESTROY_RULES, ...INSTALL_RULES, ...MASK_RULES];

/** Beyond these no rule is asked: reading in part would be worse than not reading. */
const MAX_LINE_CHARS = 4_000;
const MAX_COMMAND_CHARS = 8_000;

/** What is wrong with the lines that `file` would gain. */
export function lineFindings(file: Edit, changed: ChangedLines, protect: readonly string[]): Finding[] {
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
    if (whole.cut || whole.text.length > MAX_COMMAND_CHARS)
      return [at('too_large', 'a command of too many lines to be read as one')];
    const others = whole.lines.filter(({ number }) => !added.has(number));
    const parsed = parseInList(whole.text, language, changed.after, line.number);
    const hits = LINE_RULES.filter((rule) => breaks(rule, parsed, whole.text, language));
    // A rule that a line beside it breaks by itself was broken before.
    const news = hits.filter(
      (rule) => !others.some(({ text }) => breaks(rule, parseLine(text, language), text, language)),
    );
    const named = namedProtected(parsed, file.path, protect);
    return [
      ...news
        .filter((rule, i) => news.findIndex(({ code }) => code === rule.code) === i)
        .map(({ code, why }) => at(code, why)),
      ...(named === undefined ? [] : [at('names_protected', `names ${named}, which may not be used either`)]),
      ...(silences(parsed, changed.removed, language)
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
  return breaks(rule, parseLine(line, language), line, language);
}

function breaks(
  { command, line, data }: LineRule,
  parsed: readonly ParsedLine[],
  text: string,
  language: Language,
): boolean {
  const any = (patterns: readonly RegExp[] | undefined, subject: string) =>
    patterns?.some((pattern) => pattern.test(subject)) === true;
  if (language === 'data' && data && any(data, withoutComment(text))) return true;
  return parsed.some((one) => any(line, one.line) || one.commands.some((c) => any(command, c)));
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
  if (text.length > MAX_LINE_CHARS)
    return { code: 'too_large', why: `a line of more than ${MAX_LINE_CHARS} characters` };
  return undefined;
}

const THROWN = /(?:^|\s)(?:2>>?|&>>?)\s?\/dev\/null(?=\s|$)|(?:^|\s)>>?\s?\/dev\/null 2>&1(?=\s|$)/;
const THROWN_ALL = new RegExp(THROWN.source, 'g');
const ASKS = /^(?:if|elif|while|until|!|then if)(?= )/;
const PROBES =
  /^(?:sudo )?(?:\S*\/)?(?:command|which|type|hash|id|getent|pgrep|kill|wait|tput|stty|cd|pushd|popd|pidof|test|\[\[?|grep|e?grep|systemctl is-\S+|docker info|declare|unset|ls|stat|readlink|realpath|mountpoint|ping|nc|echo|printf|fuser|sleep|rm)(?=\s)/;

const withoutThrowing = (command: string): string => command.replace(THROWN_ALL, '').replace(/\s+/g, ' ').trim();

/**
 * Whether an added line throws away errors on a command whose failure matters: one that was there before without it, or one
 * that stands alone. Where only the answer of a command is asked (`if`, `command -v`, `$(…)`), its errors may go.
 */
function silences(parsed: readonly ParsedLine[], removed: readonly Line[], language: Language): boolean {
  if (language !== 'shell') return false;
  return parsed.some(({ line, commands }) => {
    if (!THROWN.test(line) || ASKS.test(line)) return false;
    const quiet = commands.filter((command) => THROWN.test(command)).map(withoutThrowing);
    const before = removed.flatMap(({ text }) => parseShell(essence(text))[0]?.commands ?? []);
    if (quiet.some((command) => before.includes(command))) return true;
    if (/&&|\|\||\$\(|`|<\(/.test(line)) return false;
    const loud = commands.find((command) => THROWN.test(command));
    return loud !== undefined && headOf(loud.split(' ')) !== '' && !PROBES.test(loud);
  });
}

const LOOPS_OWN = /(?:^|\/)(?:ai\/(?:context_map|loop)\.yaml|\.git\/(?:hooks|config|info|objects|refs)(?:\/.*)?)$/i;
const GLOB = /[*?[\]{}()!+@]/;
/** Names that many files have: alone they say nothing. */
const COMMON =
  /^(?:run|main|verify|values|config|kustomization|readme|index|install|setup|makefile|dockerfile|deploy|defaults?|all|test|build|start|namespace|helmrelease|helm-release|secret|docker-compose|compose|package)(?:\.\w+)?$/i;

/** The first word that names a protected file or a wipe script: what may not be edited may not be run, moved or overwritten. */
function namedProtected(parsed: readonly ParsedLine[], path: string, protect: readonly string[]): string | undefined {
  const guarded = protectedWord(protect, path);
  for (const { line } of parsed) {
    const name = rawWords(line).find((word) => guarded(word) || runsWipe(word) || LOOPS_OWN.test(word));
    if (name !== undefined) return name;
  }
  return undefined;
}

/** Data may be about wiping; only what looks like a file to be run counts. */
const runsWipe = (word: string): boolean =>
  !word.startsWith('-') &&
  isWipeScript(word) &&
  (word.includes('/') || /\.(?:sh|bash|py|pl|rb|js|mjs|ya?ml)$/i.test(word)) &&
  !/^https?:/.test(word);

function protectedWord(protect: readonly string[], path: string): (word: string) => boolean {
  const matches = pathMatcher(protect, { ignoreCase: true });
  const literal = protect.filter((glob) => !GLOB.test(glob) && !glob.endsWith('/')).map((glob) => glob.toLowerCase());
  const folder = path.split('/').slice(0, -1).join('/').toLowerCase();
  return (word) => {
    if (word.startsWith('-') || word.length > 1024) return false;
    // "$DIR/name", ../../name and /somewhere/name may all end at the same file.
    const plain = word.toLowerCase().replace(/^(?:\$\{?\w+\}?\/+|\.{1,2}\/+|\/+)+/, '');
    if (plain === '' || /^\w+:\/\//.test(word)) return false;
    if (commandWords(plain).some((candidate) => matches(candidate))) return true;
    return literal.some((file) => {
      const name = file.split('/').at(-1) ?? '';
      if (plain === file || plain.endsWith(`/${file}`)) return true;
      if (plain.includes('/')) return file.endsWith(`/${plain}`);
      return plain === name && (!COMMON.test(name) || file === (folder ? `${folder}/${name}` : name));
    });
  };
}
