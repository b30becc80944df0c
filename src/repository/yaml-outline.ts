// Indented YAML as a flat list of its keys and items, read line by line: also of a file that is broken or a template.
/** One key, or one plain item of a list (its key is ''). */
export interface Entry {
  readonly key: string;
  /** Without quotes, anchor, tag and comment; of a block, its text; '' where keys or items follow. */
  value: string;
  readonly line: number;
  /** The keys above it; lists do not count. */
  readonly path: readonly string[];
  readonly owner?: Entry;
  /** The keys of the same mapping, itself included. */
  readonly siblings: readonly Entry[];
  /** The keys and items below it, those of all items of a list. */
  readonly children: readonly Entry[];
}

/** The value at a way of keys below some entries; '' where there is none. */
export const valueAt = (entries: readonly Entry[], ...way: string[]): string => entryAt(entries, ...way)?.value ?? '';

export function entryAt(entries: readonly Entry[], ...[key, ...rest]: string[]): Entry | undefined {
  const entry = entries.find((one) => one.key === key);
  return rest.length === 0 || !entry ? entry : entryAt(entry.children, ...rest);
}

/** A mapping whose keys stand at `column`. */
interface Open {
  readonly column: number;
  readonly path: readonly string[];
  readonly owner?: Entry;
  readonly entries: Entry[];
  last?: Entry;
}

const MAX_DEPTH = 64;
const MARK = /^(?:---|\.\.\.)(?:\s|$)/;
const TEMPLATE_LINE = /^\{[{%#].*[}%#]\}\s*$/;
const BLOCK = /^[|>][-+\d]{0,2}\s*(?:#.*)?$/;
const QUOTED = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')/s;
const FLOW_TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|\{\{[^{}]*\}\}|[{}[\],:]|[^\s{}[\],:"']+|\s+|["']/g;

/** Every key and plain item in order; undefined where they are nested too deeply. */
export function outline(text: string): readonly Entry[] | undefined {
  const lines = text.split(/\r?\n/);
  const all: Entry[] = [];
  const anchors = new Map<string, string>();
  let open: Open[] = [root()];
  const top = () => open.at(-1) as Open;

  function made(to: Open, key: string, value: string, line: number): Entry {
    const { path, owner, entries } = to;
    return { key, value, line, path, siblings: entries, children: [], ...(owner && { owner }) };
  }

  function add(to: Open, key: string, value: string, line: number): Entry {
    const entry = made(to, key, value, line);
    to.entries.push(entry);
    to.last = entry;
    (to.owner?.children as Entry[] | undefined)?.push(entry);
    all.push(entry);
    return entry;
  }

  /** Takes the value that begins in `at`: how many further lines belong to it. */
  function value(entry: Entry, given: string, at: number, column: number): number {
    const [properties = '', anchor] = /^(?:&(\S+)(?:\s+|$)|!\S*(?:\s+|$))*/.exec(given) ?? [];
    const rest = given.slice(properties.length);
    const more = () => linesBelow(lines, at, column);
    if (BLOCK.test(rest)) {
      const count = more();
      entry.value = lines.slice(at + 1, at + 1 + count).join('\n');
      return count;
    }
    if (/^["']/.test(rest) || isFlow(rest)) return several(entry, rest, at, more);
    const alias = /^\*([^\s,]+)/.exec(rest)?.[1];
    entry.value = (alias !== undefined && anchors.get(alias)) || bare(rest);
    if (anchor) anchors.set(anchor, entry.value);
    return 0;
  }

  /** A quoted text or a flow value, which may go on in the lines below it. */
  function several(entry: Entry, rest: string, at: number, more: () => number): number {
    const isWhole = (text: string) => (isFlow(text) ? isBalanced(text) : QUOTED.test(text));
    const count = isWhole(rest) ? 0 : more();
    const closes = count > 0 && /^\s*[\]}]/.test(lines[at + 1 + count] ?? '') ? 1 : 0;
    const joined = [rest, ...lines.slice(at + 1, at + 1 + count + closes)].join('\n');
    // Where nothing closes it, the file is broken: what follows is read as if it were closed.
    const isClosed = isWhole(joined);
    const text = isClosed ? joined : rest;
    if (isFlow(text)) flow(entry, text);
    else entry.value = unquoted(QUOTED.exec(text)?.[0] ?? bare(text));
    return isClosed ? text.split('\n').length - 1 : 0;
  }

  function flow(of: Entry, text: string): void {
    const below = (entry: Entry) => ({ column: 0, path: [...entry.path, entry.key], owner: entry });
    const outer = of.key === '' ? { column: 0, path: of.path, ...(of.owner && { owner: of.owner }) } : below(of);
    const opened: Open[] = [];
    let key: string | undefined;
    let word = '';
    const flush = () => {
      const to = opened.at(-1);
      const text = unquoted(word.trim());
      const isAny = to && (key !== undefined || text !== '');
      const added = isAny && add(key === undefined ? { ...to, entries: [] } : to, key ?? '', text, of.line);
      key = undefined;
      word = '';
      return added;
    };
    for (const [token] of text.matchAll(FLOW_TOKEN)) {
      if (token === '{' || token === '[') {
        // In a list there is no key: what stands below it hangs where the list does.
        const entry = key === undefined ? undefined : flush();
        opened.push({ ...(entry ? below(entry) : (opened.at(-1) ?? outer)), entries: [] });
        if (opened.length > MAX_DEPTH) return;
      } else if (token === ',' || token === '}' || token === ']') {
        flush();
        if (token !== ',') opened.pop();
        if (opened.length === 0) return;
      } else if (token === ':' && key === undefined) {
        key = unquoted(word.trim());
        word = '';
      } else word += token;
    }
    flush();
  }

  for (let at = 0; at < lines.length; at++) {
    const raw = lines[at] as string;
    let rest = raw.trimStart();
    let column = raw.length - rest.length;
    if (MARK.test(raw)) {
      open = [root()];
      anchors.clear();
    }
    if (rest === '' || rest.startsWith('#') || MARK.test(raw) || TEMPLATE_LINE.test(rest)) continue;
    let isItem = false;
    for (; /^-(?:\s|$)/.test(rest); isItem = true) {
      while (top().column > column) open.pop();
      const inner = rest.slice(1).trimStart();
      column += rest.length - inner.length;
      rest = inner;
    }
    if (rest === '' || rest.startsWith('#')) continue;
    const found = keyIn(rest);
    if (found === undefined && !isItem) {
      const { last } = top();
      if (last?.value && column > top().column) last.value += ` ${bare(rest)}`;
      continue;
    }
    while (top().column > column) open.pop();
    if (isItem || top().column < column) {
      const { last, path } = top();
      open.push({ column, path: last ? [...path, last.key] : path, entries: [], ...(last && { owner: last }) });
    }
    if (open.length > MAX_DEPTH) return undefined;
    const isBare = found === undefined && isFlow(rest);
    const entry = isBare ? made(top(), '', '', at + 1) : add(top(), found?.key ?? '', '', at + 1);
    if (found === undefined) open.pop();
    at += value(entry, found?.value ?? rest, at, found ? column : column - 1);
  }
  return all;
}

const root = (): Open => ({ column: -1, path: [], entries: [] });
const isFlow = (text: string) => /^(?:\{(?![{%#])|\[)/.test(text);

/** How many lines below `at` are empty or stand deeper than `column`; lines of a template alone may stand anywhere. */
function linesBelow(lines: readonly string[], at: number, column: number): number {
  let end = at + 1;
  for (let next = end; next < lines.length; next++) {
    const line = lines[next] as string;
    const text = line.trimStart();
    const isInside = line.length - text.length > column;
    if (isInside && text !== '') end = next + 1;
    else if (text !== '' && !TEMPLATE_LINE.test(text)) break;
  }
  return end - at - 1;
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(FLOW_TOKEN)) {
    if (token === '{' || token === '[') depth++;
    if ((token === '}' || token === ']') && --depth === 0) return true;
  }
  return false;
}

/** `key: value`, by the first colon behind which the key can end. */
function keyIn(text: string): { key: string; value: string } | undefined {
  const quoted = QUOTED.exec(text)?.[0] ?? '';
  if (quoted === '' && (/^["'#|>%@?]/.test(text) || isFlow(text))) return undefined;
  for (let colon = text.indexOf(':', quoted.length); isKeyEnd(colon); colon = text.indexOf(':', colon + 1)) {
    if (!/\s/.test(text[colon + 1] ?? ' ')) continue;
    const key = text.slice(0, colon).trimEnd();
    if (/\s#/.test(key) || (quoted !== '' && key !== quoted)) return undefined;
    return { key: unquoted(key.replace(/^&\S+\s+/, '')), value: text.slice(colon + 1).trim() };
  }
  return undefined;
}

/** YAML has no longer keys. */
const isKeyEnd = (at: number): boolean => at !== -1 && at <= 1024;

/** A plain text without the comment behind it. */
function bare(text: string): string {
  const comment = text.startsWith('#') ? 0 : text.search(/\s#/);
  return (comment === -1 ? text : text.slice(0, comment)).trim();
}

function unquoted(text: string): string {
  const [whole, double, single] = QUOTED.exec(text) ?? [];
  if (whole === undefined) return text;
  return double === undefined ? (single as string).replaceAll("''", "'") : double.replace(/\\(["\\])/g, '$1');
}
