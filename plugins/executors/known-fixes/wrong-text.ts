// Characters that are wrong wherever they stand: spaces for make's tabs, blanks that only look like one, typographic
// quotes in code, and what yamllint finds and changes nothing of what the file means.
import { errorLines, sourceFile } from './complaints.ts';
import {
  isTemplate,
  lineAt,
  onlyOne,
  type Repair,
  type RepairFacts,
  rewritten,
  type SourceFile,
  textsOf,
  withLine,
} from './repair.ts';
import { readYaml } from './yaml.ts';

const NO_TAB = /^([^\s:]+):(\d+): \*\*\* missing separator/;
const RECIPE_LINE = /^ +(?=\S)/;

/** A rule's recipe, and only that, with tabs. */
export const makeTabs: Repair = async (facts) => {
  const [, name, number] =
    errorLines(facts)
      .map((line) => NO_TAB.exec(line))
      .find((match) => match !== null) ?? [];
  const file = await sourceFile(facts, name);
  const lines = file?.text.split('\n') ?? [];
  const at = Number(number) - 1;
  const rule = lines.slice(0, at).findLastIndex((line) => /^[^\s#=:][^=:]*:(?!=)/.test(line));
  const between = lines.slice(rule + 1, at);
  if (!file || rule < 0 || !RECIPE_LINE.test(lines[at] ?? '') || !between.every((line) => /^\s|^#|^$/.test(line)))
    return undefined;
  let end = at;
  while (end < lines.length && RECIPE_LINE.test(lines[end] as string)) end++;
  const mended = lines.map((line, i) => (i > rule && i < end ? line.replace(RECIPE_LINE, '\t') : line)).join('\n');
  return rewritten(file, mended, {
    fix: `Begin the recipe at line ${number} of ${file.path} with tabs`,
    reason: 'make takes only lines that begin with a tab for commands of a rule',
  });
};

/** Characters of word processors, with the plain ones that are meant. */
const INVISIBLE: readonly (readonly [RegExp, string])[] = [
  [/[\u00a0\u2000-\u200a\u202f\u3000]/g, ' '],
  [/[\u200b-\u200d\u2060\ufeff]/g, ''],
  [/[\u201c\u201d\u201e]/g, '"'],
  [/[\u2018\u2019]/g, "'"],
];
const PLACES = [
  /^(?:\/\S*\/)?([^\s:"']+?):(?: line)? ?(\d+):/,
  /File "([^"]+)", line (\d+)/,
  /^In (\S+) line (\d+):/,
  /\bin "([^"]+)", line (\d+)/,
  /'([^']+)': line (\d+), column/,
];

/** Replaces such characters outside of quotes, in the line that an error names. */
export const invisible: Repair = async (facts) => {
  for (const error of errorLines(facts)) {
    const [, name, number] = PLACES.map((pattern) => pattern.exec(error)).find((match) => match !== null) ?? [];
    const file = name === undefined ? undefined : await sourceFile(facts, name);
    const line = file && lineAt(file.text, Number(number));
    if (!file || line === undefined) continue;
    const plain = outsideQuotes(line, (code) =>
      INVISIBLE.reduce((rest, [pattern, to]) => rest.replace(pattern, to), code),
    );
    if (plain === line) continue;
    const mended = withLine(file.text, Number(number), plain);
    if (/\.(?:sh|bash)$/.test(file.path) && !(await facts.shell.parses(mended))) return undefined;
    if (/\.ya?ml$/.test(file.path) && readYaml(mended).errors.length > 0) return undefined;
    return rewritten(file, mended, {
      fix: `Write plain characters in line ${number} of ${file.path}`,
      reason: 'The line holds characters that only look like the blanks or quotes that are meant',
    });
  }
  return undefined;
};

/** What stands in quotes is data. */
const outsideQuotes = (line: string, edit: (code: string) => string): string =>
  line.replace(/("[^"]*"|'[^']*')|([^"']+|["'])/g, (_, quoted, code) => quoted ?? edit(code));

const FINDING = /^(?:([^\s:]+):)?(\d+):\d+:?\s+\[?(?:error|warning)\]?\s+.*\(([\w-]+)\)$/;

/** What each rule of yamllint wants of a whole text. */
const LINT: Readonly<Record<string, (text: string) => string>> = {
  'trailing-spaces': (text) => text.replace(/[ \t]+$/gm, ''),
  'new-line-at-end-of-file': (text) => `${text.trimEnd()}\n`,
  colons: (text) =>
    text
      .replace(/^(\s*(?:- )*[\w-]+)[ ]+:(?=\s)/gm, '$1:')
      .replace(/^(\s*(?:- )*(?:[\w."'/-]+|\{\{[^{}]*\}\})):[ ]{2,}(?=[^\s#])/gm, '$1: '),
  commas: (text) =>
    text.replace(/^(.*[[{].*)$/gm, (line) => line.replace(/ *, *(?=[^\s"'])/g, ', ').replace(/ *,(?=["'])/g, ', ')),
};

/** Every finding of one file, or of the template that it is made from, when the file means what it meant. */
export const lint: Repair = async (facts) => {
  const byFile = new Map<string, Set<string>>();
  const lines = errorLines(facts);
  for (const [i, line] of lines.entries()) {
    const [, name, , rule] = FINDING.exec(line) ?? [];
    const path = name ?? /^in (\S+\.ya?ml)$/.exec(lines[i + 1] ?? '')?.[1] ?? '';
    if (rule !== undefined) byFile.set(path, (byFile.get(path) ?? new Set()).add(rule));
  }
  const [first] = byFile;
  const rules = [...(first?.[1] ?? [])];
  const file = first && ((await sourceFile(facts, first[0])) ?? (await templateOf(facts, first[0])));
  // A file that does not parse is no case for lint.
  if (!file || rules.includes('syntax')) return undefined;
  const left = rules.filter((rule) => !(rule in LINT));
  if (left.length > 0) return { unsure: `${first[0]}: ${left.join(', ')} has more than one cure` };
  const mended = rules.reduce((rest, rule) => LINT[rule]?.(rest) ?? rest, file.text);
  const { meaning } = readYaml(file.text);
  const isTheSame = isTemplate(file.text)
    ? isOnlyBlanks(file.text, mended)
    : meaning && readYaml(mended).meaning === meaning;
  if (!isTheSame) return undefined;
  return rewritten(file, mended, {
    fix: `Write ${file.path} as yamllint wants it (${rules.join(', ')})`,
    reason: 'Its findings are about the form alone: the file means the same',
  });
};

const isOnlyBlanks = (one: string, other: string): boolean =>
  one.replace(/[ \t]+/g, '') === other.replace(/[ \t]+/g, '') && !/: [|>]/.test(one);

/** The one template that a rendered file is called after. */
async function templateOf(facts: RepairFacts, rendered: string): Promise<SourceFile | undefined> {
  const tail = rendered.split('/').slice(-2).join('/');
  const made = facts.files.filter(
    (path) => /\.(?:j2|tmpl|tpl)$/.test(path) && path.replace(/\.\w+$/, '').endsWith(`/${tail}`),
  );
  return made.length === 1 ? sourceFile(facts, made[0]) : undefined;
}

/** A diff of a formatter, which the errors show: applied where it changes blanks alone. */
export const formatted: Repair = async (facts) => {
  const lines = facts.failure.error_lines.flatMap((text) => text.split('\n'));
  const name = lines.flatMap((line) => /^\+\+\+ (?:[ab]\/|new\/)?(\S+)/.exec(line)?.[1] ?? [])[0];
  const changed = (sign: string) =>
    lines.flatMap((line) => (line.startsWith(sign) && !/^(?:---|\+\+\+) /.test(line) ? line.slice(1) : []));
  const [before, after] = [changed('-'), changed('+')];
  if (name === undefined || before.length === 0 || before.length !== after.length) return undefined;
  if (!before.every((line, i) => isOnlyBlanks(line, after[i] as string))) return undefined;
  const texts = await textsOf(facts, (path) => path === name || path.endsWith(`/${name}`));
  const ways = [...texts].flatMap(([path, text]) => {
    const at = before.map((line, i) => placeOf(line, after[i] as string, text.split('\n')));
    const mended = text.split('\n').map((line, i) => (at.includes(i) ? (after[at.indexOf(i)] as string) : line));
    return at.includes(undefined) ? [] : [{ path, text, mended: mended.join('\n') }];
  });
  const only = onlyOne(ways);
  return (
    only &&
    rewritten(only, only.mended, {
      fix: `Write ${only.path} as the formatter shows it`,
      reason: 'Its diff changes blanks alone',
    })
  );
};

/** Which line a diff changes: the only one like it, or the only one beside which the new one is aligned. */
function placeOf(old: string, now: string, lines: readonly string[]): number | undefined {
  const like = lines.flatMap((line, i) => (line === old ? [i] : []));
  const column = now.indexOf(' = ');
  const isAligned = (line = '') => column > 0 && line.indexOf(' = ') === column;
  return onlyOne(like) ?? onlyOne(like.filter((i) => isAligned(lines[i - 1]) || isAligned(lines[i + 1])));
}

const BARE = /^(\s*(?:- )*[\w.-]+:\s+)(\{\{[^"\n]*\}\})(\s*)$/gm;

/** A Jinja expression that begins a value in a file that is YAML first: without quotes it is a mapping. */
export const bareTemplate: Repair = async (facts) => {
  if (!errorLines(facts).some((line) => /\bYAML\b|unhashable|unacceptable key/.test(line))) return undefined;
  const texts = await textsOf(facts, (path) => /\.ya?ml$/.test(path));
  const bare = [...texts].filter(
    ([path, text]) =>
      /(?:^|\/)(?:tasks|handlers|vars|defaults|group_vars|host_vars|playbooks)\/|^[^/]+$/.test(path) &&
      text.search(BARE) >= 0,
  );
  const [path, text] = onlyOne(bare) ?? [];
  const mended = text?.replace(BARE, '$1"$2"$3');
  if (path === undefined || text === undefined || mended === undefined || readYaml(mended).errors.length > 0)
    return undefined;
  return rewritten({ path, text }, mended, {
    fix: `Quote the expression that begins a value in ${path}`,
    reason: 'YAML reads braces at the beginning of a value as a mapping, and Ansible wants text there',
  });
};
