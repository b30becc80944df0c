// Characters that are wrong wherever they stand: spaces for make's tabs, blanks that only look like one, typographic
// quotes in code, and what yamllint finds and changes nothing of what the file means.
import { errorLines, sourceFile } from './complaints.ts';
import { lineAt, onlyOne, type Repair, type Repaired, rewritten, textsOf, withLine } from './repair.ts';
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
  'empty-lines': (text) =>
    text
      .replace(/\n{4,}/g, '\n\n\n')
      .replace(/^\n+/, '')
      .replace(/\n{2,}$/, '\n'),
  colons: (text) =>
    text
      .replace(/^(\s*(?:- )*[\w-]+)[ ]+:(?=\s)/gm, '$1:')
      .replace(/^(\s*(?:- )*[\w."'/-]+):[ ]{2,}(?=[^\s#])/gm, '$1: '),
  commas: (text) =>
    text.replace(/^(.*[[{].*)$/gm, (line) => line.replace(/ *, *(?=[^\s"'])/g, ', ').replace(/ *,(?=["'])/g, ', ')),
  brackets: (text) => text.replace(/\[ +(?=\S)/g, '[').replace(/(?<=\S) +\]/g, ']'),
  braces: (text) => text.replace(/(?<!\{)\{ +(?=[^\s{])/g, '{').replace(/(?<=[^\s}]) +\}(?!\})/g, '}'),
  hyphens: (text) => text.replace(/^(\s*-) {2,}(?=[\w"'])/gm, '$1 '),
  comments: (text) => text.replace(/(?<=\n)(\s*)#(?=\w)/g, '$1# ').replace(/(\S) #(?= )/g, '$1  #'),
  'document-start': (text) => (/^---/m.test(text) ? text : `---\n${text}`),
  'new-lines': (text) => text.replaceAll('\r\n', '\n'),
};

/** Every finding of one file, when the file means what it meant. */
export const lint: Repair = async (facts) => {
  const byFile = new Map<string, Set<string>>();
  const lines = errorLines(facts);
  for (const [i, line] of lines.entries()) {
    const [, name, , rule] = FINDING.exec(line) ?? [];
    const path = name ?? /^in (\S+\.ya?ml)$/.exec(lines[i + 1] ?? '')?.[1] ?? '';
    if (rule !== undefined) byFile.set(path, (byFile.get(path) ?? new Set()).add(rule));
  }
  const [first] = byFile;
  const file = await sourceFile(facts, first?.[0]);
  // A file that does not parse is no case for lint.
  if (!first || !file || first[1].has('syntax')) return undefined;
  const left = [...first[1]].filter((rule) => !(rule in LINT));
  if (left.length > 0) return { unsure: `${first[0]}: ${left.join(', ')} has more than one cure` };
  return linted(file.path, file.text, [...first[1]]);
};

function linted(path: string, text: string, rules: readonly string[]): Repaired | undefined {
  const mended = rules.reduce((rest, rule) => LINT[rule]?.(rest) ?? rest, text);
  const meaning = (one: string) => readYaml(one).meaning;
  if (meaning(mended) === undefined || meaning(mended) !== meaning(text)) return undefined;
  return rewritten({ path, text }, mended, {
    fix: `Write ${path} as yamllint wants it (${rules.join(', ')})`,
    reason: 'Its findings are about the form alone: the file means the same',
  });
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
