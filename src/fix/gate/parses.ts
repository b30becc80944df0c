// Whether a file still parses: YAML, JSON and TOML. Never worse than before; templates that never parsed are left alone.
import { parse as parseToml, TomlError } from 'smol-toml';
import { isMap, isScalar, isSeq, LineCounter, parseAllDocuments, visit } from 'yaml';
import { deepOffset } from '../../config/yaml-depth.ts';
import { hideTemplates } from '../shell/hide-templates.ts';
import type { Finding } from './finding.ts';
import { clip } from './rules.ts';

/** `isFilled`: templates are hidden in the text, and both branches of a statement stand in it. */
type Faults = (text: string, isFilled?: boolean) => string[];

const KINDS: readonly { path: RegExp; faults: Faults }[] = [
  { path: /\.ya?ml$/i, faults: yamlFaults },
  { path: /\.(?:json|geojson|webmanifest)$/i, faults: (text) => jsonFaults(text, withoutComments) },
  { path: /\.(?:jsonc|code-workspace)$/i, faults: (text) => jsonFaults(withoutComments(text)) },
  { path: /\.toml$/i, faults: tomlFaults },
];

/** What Helm and Ansible fill in before anybody reads it. */
const FILLED_IN = /(?:^|\/)templates\//;
/** Of Go: printed as it is, and may have braces in it. */
const RAW_TEXT = /\{\{-?\s*`[^`\n]*`\s*-?\}\}/g;
const TEMPLATE = /\{\{|\{%|<%|\$\{\{/;

/**
 * What is wrong with the syntax of `after`. Nothing when the file was as wrong before, unless its syntax was the failure
 * to be mended (`failedToParse`): then it must be clean. Files of other kinds have no faults here. Never throws.
 */
export function parses(path: string, before: string | null, after: string, failedToParse = false): Finding[] {
  const kind = KINDS.find((one) => one.path.test(path));
  if (!kind) return [];
  const filled = (text: string) => hideTemplates(text.replace(RAW_TEXT, 'raw'));
  const faultsOf = (text: string) =>
    FILLED_IN.test(path) && kind.faults(filled(text), true).length === 0 ? [] : kind.faults(text);
  const faults = faultsOf(after);
  if (faults.length === 0) return [];
  const wasWrong = before === null ? TEMPLATE.test(after) : faultsOf(before).length > 0;
  if (wasWrong && !failedToParse) return [];
  return faults.map((fault) => ({ code: 'does_not_parse', reason: `${path}: ${fault}` }));
}

function yamlFaults(text: string, isFilled = false): string[] {
  const deep = couldBeDeep(text) ? deepOffset(text) : undefined;
  if (deep !== undefined) return [`line ${text.slice(0, deep).split('\n').length}: nested too deeply`];
  return caught(() => {
    // The parser's own check of keys compares each with every other.
    const lines = new LineCounter();
    const options = { logLevel: 'error', uniqueKeys: false, prettyErrors: false, lineCounter: lines } as const;
    const documents = parseAllDocuments(text, options);
    const at = (offset: number) => `line ${Math.max(1, lines.linePos(offset).line)}`;
    return (Array.isArray(documents) ? documents : []).flatMap(({ errors, contents }) => [
      ...errors.map(({ message, pos }) => `${at(pos[0])}: ${clip(message)}`),
      ...unknownAliases(contents).map(({ name, offset }) => `${at(offset)}: nothing is called &${clip(name)}`),
      ...(isFilled ? [] : repeatedKeys(contents)).map(
        ({ key, offset }) => `${at(offset)}: the key ${clip(key)} stands here twice`,
      ),
    ]);
  });
}

/** A level of nesting takes a column, or a bracket: short lines with few brackets need no closer look. */
function couldBeDeep(text: string): boolean {
  return text.split(/[[{]/).length > 40 || text.split('\n').some((line) => line.length > 150);
}

/** Aliases of anchors that stand nowhere before them. */
function unknownAliases(contents: unknown): { name: string; offset: number }[] {
  const anchors = new Set<string>();
  const unknown: { name: string; offset: number }[] = [];
  visit(contents as Parameters<typeof visit>[0], {
    Node: (_, node) => void ('anchor' in node && node.anchor !== undefined && anchors.add(node.anchor)),
    Alias: (_, { source, range }) =>
      void (anchors.has(source) || unknown.push({ name: source, offset: range?.[0] as number })),
  });
  return unknown;
}

function repeatedKeys(node: unknown): { key: string; offset: number }[] {
  if (isSeq(node)) return node.items.flatMap(repeatedKeys);
  if (!isMap(node)) return [];
  const seen = new Set<string>();
  return node.items.flatMap(({ key, value }) => {
    const below = repeatedKeys(value);
    if (!isScalar(key)) return below;
    const name = String(key.value);
    const again = seen.has(name);
    seen.add(name);
    return again ? [{ key: name, offset: key.range?.[0] as number }, ...below] : below;
  });
}

function jsonFaults(text: string, also?: (text: string) => string): string[] {
  const faults = caught(() => void JSON.parse(text));
  // Some tools' .json files have comments by custom; then they count without.
  if (faults.length === 0 || !also || !/^\s*(?:\/\/|\/\*)/m.test(text)) return faults;
  return jsonFaults(also(text));
}

/** JSON with comments and trailing commas, without them. */
function withoutComments(text: string): string {
  const strings = /("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  const bare = text.replace(strings, (_, string: string | undefined) => string ?? ' ');
  return bare.replace(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g, (_, string: string | undefined) => string ?? '');
}

function tomlFaults(text: string): string[] {
  return caught(() => void parseToml(text, { maxDepth: 200 }));
}

/** The faults that `work` returns, or what it throws as one. */
function caught(work: () => string[] | undefined): string[] {
  try {
    return work() ?? [];
  } catch (error) {
    if (error instanceof TomlError) return [`line ${error.line}: ${clip(error.message.split('\n')[0] ?? '')}`];
    return [clip(error instanceof Error ? error.message : String(error))];
  }
}
