// Reads YAML and reports what is wrong with it in the words of Go's yaml package, which talosctl and kubectl print.
import { LineCounter, parseDocument } from 'yaml';

// What the scanner finds is reported with its own line, what the parser finds with the line before it, as Go's package does.
const WORDS = {
  BLOCK_AS_IMPLICIT_KEY: ['mapping values are not allowed in this context', 0],
  TAB_AS_INDENT: ['found character that cannot start any token', 0],
  BAD_SCALAR_START: ['found character that cannot start any token', 0],
  MULTILINE_IMPLICIT_KEY: ['mapping values are not allowed in this context', 0],
  KEY_OVER_1024_CHARS: ["could not find expected ':'", 0],
  MISSING_CHAR: ["could not find expected ':'", 1],
  BAD_ALIAS: ['did not find expected alphabetic or numeric character', 0],
  BAD_DQ_ESCAPE: ['found unknown escape character', 0],
  BAD_INDENT: ['did not find expected key', -1],
  UNEXPECTED_TOKEN: ['did not find expected key', -1],
};

function inGoWords(error, text) {
  const line = error.linePos?.[1]?.line ?? error.linePos?.[0].line ?? 1;
  if (error.code === 'DUPLICATE_KEY') {
    const key = text.split('\n')[line - 1]?.trim().split(':')[0] ?? '';
    return `yaml: unmarshal errors:\n  line ${line}: key "${key}" already set in map`;
  }
  if (error.code === 'MISSING_CHAR' && /quote/.test(error.message))
    return `yaml: line ${line}: found unexpected end of stream`;
  const flow = error.message.match(/Flow (map|sequence)/);
  if (flow)
    return `yaml: line ${Math.max(1, line - 1)}: did not find expected ',' or '${flow[1] === 'map' ? '}' : ']'}'`;
  if (/at node end/.test(error.message)) return `yaml: line ${line - 1}: did not find expected '-' indicator`;
  const [words, shift] = WORDS[error.code] ?? ['did not find expected key', -1];
  return `yaml: line ${Math.max(1, line + shift)}: ${words}`;
}

/** One document: its value, or the error as Go would word it. Never throws. */
export function readYaml(text) {
  const document = parseDocument(text, { lineCounter: new LineCounter(), logLevel: 'silent' });
  // A key over several lines is found twice; its last line is where Go's scanner stops.
  const first = document.errors.find((e) => e.linePos?.[1]?.line > e.linePos[0].line) ?? document.errors[0];
  return first ? { error: inGoWords(first, text) } : { value: document.toJS() };
}

/** Kubernetes reads the documents of a file one by one, so line numbers start anew after each separator. */
export function splitDocuments(text) {
  return text.split(/^---(?:[ \t].*)?$\n?/m).filter((part) => part.trim() !== '');
}
