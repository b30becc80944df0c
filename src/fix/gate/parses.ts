// Whether a file still parses: YAML, JSON and TOML. Never worse than before; templates that never parsed are left alone.
import { parse as parseToml, TomlError } from 'smol-toml';
import { isAlias, isMap, isScalar, LineCounter, type Node, parseAllDocuments, visit } from 'yaml';
import { deepOffset } from '../../config/yaml-depth.ts';
import { hideTemplates } from '../shell/hide-templates.ts';
import { clip, type Finding } from './rules.ts';

/** `isFilled`: templates are hidden in the text, and both branches of a statement stand in it. */
type Faults = (text: string, isFilled?: boolean) => string[];

const KINDS: readonly { path: RegExp; faults: Faults }[] = [
  { path: /\.ya?ml$/i, faults: yamlFaults },
  { path: /\.(?:json|geojson|webmanifest)$/i, faults: (text) => jsonFaults(text, withoutComments) },
  { path: /\.(?:jsonc|code-workspace)$/i, faults: (text) => jsonFaults(withoutComments(text)) },
  { path: /\.toml$/i, faults: (text) => tomlFaults(text) },
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
  const deep = deepOffset(text);
  if (deep !== undefined) return [`line ${text.slice(0, deep).split('\n').length}: nested too deeply`];
  return caught(() => {
    // The parser's own check of keys compares each with every other.
    const lines = new LineCounter();
    const options = { logLevel: 'error', uniqueKeys: false, prettyErrors: false, lineCounter: lines } as const;
    const documents = parseAllDocuments(text, options);
    const at = (offset: number) => `line ${Math.max(1, lines.linePos(offset).line)}`;
    return (Array.isArray(documents) ? documents : []).flatMap(({ errors, contents }) => [
      ...errors.map(({ message, pos }) => `${at(pos[0])}: ${clip(message)}`),
      ...nodeFaults(contents, isFilled).map(({ what, offset }) => `${at(offset)}: ${what}`),
    ]);
  });
}

/** Aliases of anchors that stand nowhere before them, and keys that stand twice in their mapping. */
function nodeFaults(contents: unknown, isFilled: boolean): { what: string; offset: number }[] {
  const anchors = new Set<string>();
  const faults: { what: string; offset: number }[] = [];
  const note = (what: string, { range }: Node) => faults.push({ what, offset: range?.[0] ?? 0 });
  visit(contents as Node, {
    Node(_, node) {
      if (isAlias(node)) {
        if (!anchors.has(node.source)) note(`nothing is called &${clip(node.source)}`, node);
        return;
      }
      if (node.anchor !== undefined) anchors.add(node.anchor);
      const keys = isMap(node) && !isFilled ? node.items.map(({ key }) => key).filter(isScalar) : [];
      const seen = new Set<string>();
      for (const key of keys) {
        const name = String(key.value);
        if (seen.has(name)) note(`the key ${clip(name)} stands here twice`, key);
        seen.add(name);
      }
    },
  });
  return faults;
}

/** What is wrong with a text as JSON; `also`: what may be taken out of it before. */
export function jsonFaults(text: string, also?: (text: string) => string): string[] {
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

export const tomlFaults = (text: string): string[] => caught(() => void parseToml(text, { maxDepth: 200 }));

/** The faults that `work` returns, or what it throws as one. */
function caught(work: () => string[] | undefined): string[] {
  try {
    return work() ?? [];
  } catch (error) {
    if (error instanceof TomlError) return [`line ${error.line}: ${clip(error.message.split('\n')[0] ?? '')}`];
    return [clip(error instanceof Error ? error.message : String(error))];
  }
}
