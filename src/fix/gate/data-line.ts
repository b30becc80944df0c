// The values of a line of YAML, JSON, TOML or program text that could be commands.

const KEYED = /^(?:-\s+)*(?:(["']?)([\w./$-]+)\1\s*(?::(?=\s|$)|=)\s*)?(.*)$/s;
/** Keys whose values people read. */
const SAID =
  /(?:^|[._-])(?:description|summary|title|message|msg|comment|comments|notes?|help|text|name|label|reason|doc|docs|info|changelog)$/i;
const BLOCK = /^[|>][+-]?\d*[+-]?$/;
const CALLS_TO_SAY =
  /^(?:await\s+)?(?:print|println|console\.\w+|(?:log|logger|logging)\.\w+|fmt\.Print\w*|raise\s+\w+|throw\s+new\s+\w+|puts)\s*\(/;
const COMMENT = /^(?:#|\/\/\s|\/?\*\s)/;

/** The part of the line that could be run, or undefined when there is none. */
export function dataValue(line: string): string | undefined {
  const trimmed = line.trim();
  if (COMMENT.test(trimmed) && !/["'](?=[\s;&|)])/.test(trimmed)) return undefined;
  if (CALLS_TO_SAY.test(trimmed) && !/\b(?:system|exec|popen|subprocess|spawn)/i.test(trimmed)) return undefined;
  const [, , key = '', rest = ''] = KEYED.exec(trimmed) ?? [];
  const value = rest.replace(/,\s*$/, '').trim();
  if (value === '' || BLOCK.test(value)) return undefined;
  // In a script such a line would end at the first operator; what follows is no longer a description.
  if (key !== '' && SAID.test(key)) return `echo ${value}`;
  // A list of words is the command that they make together.
  const listed = value
    .replace(/(["'])\s*,\s*\1/g, ' ')
    .replace(/^\[\s*(.*?)\s*\]$/s, '$1')
    .replace(/\[\s*(?=["'])/g, '( ');
  return unquoted(listed);
}

function unquoted(value: string): string {
  const [, quote, inner] = /^(["'])(.*)\1$/s.exec(value) ?? [];
  if (quote === undefined || inner === undefined || inner.includes(quote === '"' ? '" ' : "' ")) return value;
  if (quote === "'") return inner.replaceAll("''", "'");
  return inner.replace(/\\([nt"\\/])/g, (_, c: string) => ({ n: '\n', t: '\t' })[c] ?? c);
}

const ITEM = /^(\s*)(?:-\s+)?(?:"([^"]*)"|'([^']*)'|([^\s:#"'[\]{}][^\s:#]*)),?\s*$/;

/** The words of the list that the line at `index` is an item of, one word an item, when it is such an item. */
export function listAround(lines: readonly string[], index: number): string | undefined {
  const indent = itemOf(lines[index])?.indent;
  if (indent === undefined) return undefined;
  const words: string[] = [];
  let from = index;
  while (from > Math.max(0, index - 30) && itemOf(lines[from - 1])?.indent === indent) from--;
  for (let i = from; i < Math.min(lines.length, index + 30); i++) {
    const item = itemOf(lines[i]);
    if (item?.indent !== indent) break;
    words.push(item.word);
  }
  return words.length > 1 ? words.join(' ') : undefined;
}

function itemOf(line: string | undefined): { indent: string; word: string } | undefined {
  const found = ITEM.exec(line ?? '');
  if (!found) return undefined;
  const [, indent = '', double, single, plain] = found;
  return { indent: `${indent}${/^\s*-/.test(line ?? '') ? '-' : ''}`, word: double ?? single ?? plain ?? '' };
}
