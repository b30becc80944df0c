// What a failure says that can be looked up in files: paths, names, quoted phrases and lines of source that tools repeat. The
// error lines count most, then the lines around them, warnings, the rest of the log, and the command.
/** Where clues are looked for. */
export interface Evidence {
  readonly error_lines: readonly string[];
  readonly log: readonly string[];
  /** Of more than one line where it has more. */
  readonly command: string;
}

/** A path as written, and the line number behind it. `beside`: other paths of the same line, which may be what it is below. */
export interface PathClue {
  readonly written: string;
  readonly weight: number;
  readonly line?: number | undefined;
  readonly beside: readonly string[];
  /** It was absolute and is below the worktree: this very place is meant, and no other that ends alike. */
  readonly isRooted: boolean;
  /** The line says that something is not there. */
  readonly isAbsent: boolean;
}

/** A name or phrase. `strong`: quoted, or of a form that no plain word has. */
export interface NameClue {
  readonly text: string;
  readonly weight: number;
  readonly strong: boolean;
}

export interface Clues {
  readonly paths: readonly PathClue[];
  readonly names: readonly NameClue[];
  /** Lines that may be quoted from a file. */
  readonly source: readonly { readonly text: string; readonly weight: number }[];
  /** Line numbers that error lines name without a path before them. */
  readonly numbers: readonly number[];
}

const PATHS = /[\w.@+~/-]*[\w+~-]\.?[\w@+~-]+/g;
const LINE_BEHIND = /^["'`]?(?::|,?:? ?(?:at |on |in )?line:? |\()(\d{1,6})/i;
/** `line 12`, and the `12:3` that a linter's finding begins with. */
const ANY_LINE = /\bline:? (\d{1,6})|^\s*(\d{1,6}):\d{1,4}\s/gi;
const QUOTED = /(["'`])((?:(?!\1).){2,80}?)\1|<([^<>]{2,80})>|\[(?:[^[\]]{1,40} : )?([^[\]]{2,80})\]/g;
const WORDS = /[A-Za-z_][\w.-]{1,80}\w/g;
const SHAPED = /[A-Za-z\d][_.-][A-Za-z\d]|[a-z][A-Z]|\d[A-Za-z]|[A-Za-z]\d/;
/** `v1` stands in every manifest. */
const API_VERSION = /^v\d+(?:(?:alpha|beta)\d+)?$/;
/** What a complaint is about: `NAME is not set`, `NAME: unbound`, `unknown field NAME`, and the keys of YAML that a tool repeats. */
const SUBJECT =
  /([\w.-]+)(?= (?:is|was|are) (?:not |un)?(?:set|defined|required|missing|undefined|known|declared|allowed)\b|: (?:unbound|not found|parameter not set))|(?:variable|key|field|property|attribute|option|argument|parameter|directive|module|role|handler|target|recipe|type)s?:? ([A-Za-z_][\w.-]+)|^\s+([A-Za-z][\w-]*):(?=\s|$)/g;
const ABSENT =
  /no such|not (?:be )?(?:found|exist|access|a valid|stat|open|read)|does not exist|missing|cannot|can't|unable|could not|no rule|no (?:file|folder|directory)\b|no [\w.-]+ found|\b(?:stat|open|test) |required/i;
const WARNING = /\b(?:warn(?:ing)?|error|fail(?:ed|ure)?|fatal|could not|cannot|skipping|not found|ignoring)\b/i;
/** `make: *** [Makefile:31: check] Error 1`, `in TASK [nfs : Write exports]`: where it was, not why. */
const PLACE = /^(?:in TASK \[|make(?:\[\d+\])?: \*\*\* \[.* Error \d+$|task: Failed to run task|.*\bexit status \d+$)/;
/** Which machines it was tells nothing of a file: `on 2 hosts: a, b`, and the recap of a playbook. */
const ONLY_HOSTS = /^(?:on \d+ hosts: |\S+ +: ok=\d+ )/;
/** `fatal: [host]: FAILED! =>`: nor here. */
const HOST = /^\s*(?:fatal|failed|changed|ok|skipping): \[[^\]]+\](?:: [A-Z]+! =>)?/;
/** `"msg": "`, `err="`: what a record says is no name, but may quote some. */
const FIELD = /"?\b(?:msg|message|stderr|stdout|reason|error|err)"?(?:: |=)"/g;
const COMMON_WORDS = new Set(
  `error errors failed failure fail fatal warning line file with from this that cannot could unable not found invalid
   unexpected expected while when such exit status code command stage value type name path read open true false null json
   yaml column changed task rule version create state config field unknown missing resource for is not in of syntax
   to the and must was has are be on at by or mapping here allowed named called rc cmd delta`.split(/\s+/),
);
/** Also in the plural: `mapping values are not allowed here` names nothing. */
const isCommon = (word: string): boolean => {
  const lower = word.toLowerCase();
  return COMMON_WORDS.has(lower) || COMMON_WORDS.has(lower.replace(/s$/, ''));
};
const MAX_LINE_CHARS = 2000;
const MAX_NAMES = 60;
const AROUND = { before: 3, after: 6 };
const WEIGHTS = { error: 1, behind: 0.5, before: 0.25, warning: 0.4, place: 0.3, log: 0.2, command: 0.1 };

/** Where in the repository's worktree a path is: what stands before that is this machine's. */
const WORKTREE = /^.*\/ai\/worktree\//;

export function cluesOf({ error_lines, log, command }: Evidence): Clues {
  const paths: PathClue[] = [];
  const names = new Map<string, NameClue>();
  const source: { text: string; weight: number }[] = [];
  const name = (text: string, weight: number, strong: boolean): void => {
    const before = names.get(text);
    if (before === undefined || before.weight < weight) names.set(text, { text, weight, strong });
  };
  const look = (line: string, weight: number): void => {
    if (ONLY_HOSTS.test(line)) return;
    paths.push(...pathsIn(line, weight));
    if (weight < WEIGHTS.before) return;
    const text = line.replace(HOST, '').replaceAll(FIELD, ' ').replaceAll('\\n', ' ').replaceAll('\\"', '"');
    const quoted = [...text.matchAll(QUOTED)].map((m) => [m.index, (m[2] ?? m[3] ?? m[4] ?? '').trim()] as const);
    const subjects = [...text.matchAll(SUBJECT)].map((m) => [m.index, m[1] ?? m[2] ?? m[3] ?? ''] as const);
    for (const [at, phrase] of [...quoted, ...subjects]) {
      const isWord = /[A-Za-z]{2}/.test(phrase) && !isCommon(phrase);
      if (isWord) name(phrase, 120 * weight * byPlace(text, at), true);
    }
    for (const { 0: word, index } of text.matchAll(WORDS)) {
      const parts = word.includes('.') ? [word, ...word.split('.')] : [word];
      for (const part of parts) {
        if (SHAPED.test(part) && !API_VERSION.test(part)) name(part, 60 * weight * byPlace(text, index), true);
        else if (part.length >= 4 && !isCommon(part)) name(part, 12 * weight, false);
      }
    }
  };
  const wanted = new Set(error_lines.map(headOf));
  const near = linesAround(log, wanted);
  const quote = (line: string, weight: number): void => {
    source.push({ text: line.replace(/^[\s│|]*(?:\d+ ?[:|│])?\s*/, '').trim(), weight });
  };
  for (const [i, line] of error_lines.entries()) {
    const isQuoted = /^\s*[\^~]+\s*$/.test(error_lines[i + 1] ?? '');
    if (isQuoted) quote(line, WEIGHTS.behind);
    look(endFirst(line), isQuoted ? WEIGHTS.behind : PLACE.test(line) ? WEIGHTS.place : WEIGHTS.error);
  }
  log.forEach((line, i) => {
    if (wanted.has(headOf(line))) return;
    const beside = PLACE.test(line) ? undefined : near.get(i);
    look(line, Math.max(beside ?? 0, WARNING.test(line) ? WEIGHTS.warning : WEIGHTS.log));
    if (beside) quote(line, beside);
  });
  look(command.replaceAll('\n', ' ; '), WEIGHTS.command);
  const strongestFirst = [...names.values()].sort((a, b) => b.weight - a.weight).slice(0, MAX_NAMES);
  // A finding of a linter comes once a form among the error lines.
  const forms = new Set(error_lines.map(formOf));
  const alike = log.filter((line) => /^\s*\d/.test(line) && forms.has(formOf(line)));
  const numbers = [...error_lines, ...alike].flatMap((line) =>
    [...endFirst(line).matchAll(ANY_LINE)].map((m) => Number(m[1] ?? m[2])),
  );
  return { paths, names: strongestFirst, source, numbers };
}

const formOf = (line: string): string => line.trim().replaceAll(/\d+/g, '#');

/** A line of a log may be cut; so much of it is left. */
const HEAD_CHARS = 200;
const headOf = (line: string): string => line.trim().slice(0, HEAD_CHARS);

/** Of a long line the end comes first, for there many tools name the cause, and only so much of it is looked at. */
const endFirst = (line: string): string =>
  line.length > MAX_LINE_CHARS ? `${line.slice(-MAX_LINE_CHARS)} ${line.slice(0, MAX_LINE_CHARS)}` : line;

/** In a long line the cause stands last: tools say where they were before they say what they found. */
const byPlace = (line: string, at: number): number => (line.length > 160 ? 0.5 + (0.5 * at) / line.length : 1);

/** Log lines around error lines by index, with their weight; one behind is worth more: there tools show what they read. */
function linesAround(log: readonly string[], wanted: ReadonlySet<string>): Map<number, number> {
  const around = new Map<number, number>();
  log.forEach((line, i) => {
    if (!wanted.has(headOf(line))) return;
    for (let at = i - AROUND.before; at <= i + AROUND.after; at++) {
      around.set(at, Math.max(around.get(at) ?? 0, at > i ? WEIGHTS.behind : WEIGHTS.before));
    }
  });
  return around;
}

/** Everything in a line that could be a path. */
export function pathsIn(line: string, weight: number): PathClue[] {
  const written = [...line.slice(0, 2 * MAX_LINE_CHARS).matchAll(PATHS)].filter(([text]) =>
    (weight < WEIGHTS.behind ? /[A-Za-z].*[./]|[./].*[A-Za-z]/ : /[A-Za-z]/).test(text),
  );
  const folders = written.map(([text]) => text.replace(WORKTREE, '')).filter((text) => text.includes('/'));
  const isAbsent = ABSENT.test(line);
  return written.map(({ 0: text, index }) => {
    const end = index + text.length;
    const behind = LINE_BEHIND.exec(line.slice(end, end + 40))?.[1];
    return {
      written: text.replace(WORKTREE, '').replace(/^(?:\.\/)+/, ''),
      weight: weight * byPlace(line, index),
      ...(behind === undefined ? {} : { line: Number(behind) }),
      beside: folders,
      isRooted: WORKTREE.test(text),
      isAbsent,
    };
  });
}
