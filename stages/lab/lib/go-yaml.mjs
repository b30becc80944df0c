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

function inGoWords(errors, text) {
  const [error] = errors;
  const start = error.linePos?.[0] ?? { line: 1, col: 1 };
  // A plain value that goes on into a line with a colon: the scanner stops at that colon.
  const goesOn = errors.find(
    (e) => e.code === 'MULTILINE_IMPLICIT_KEY' && e.linePos[0].line === start.line && e.linePos[0].col === start.col,
  );
  const line = goesOn?.linePos[1].line ?? start.line;
  const at = (words, shift = 0) => `yaml: line ${Math.max(1, line + shift)}: ${words}`;
  if (error.code === 'DUPLICATE_KEY') {
    const key = text.split('\n')[line - 1]?.trim().split(':')[0] ?? '';
    return `yaml: unmarshal errors:\n  line ${line}: key "${key}" already set in map`;
  }
  if (error.code === 'MISSING_CHAR' && /quote/.test(error.message)) return at('found unexpected end of stream');
  if (/Flow map/.test(error.message)) return at("did not find expected ',' or '}'", -1);
  if (/Flow sequence/.test(error.message)) return at("did not find expected ',' or ']'", -1);
  if (/block sequence/i.test(error.message)) return at('block sequence entries are not allowed in this context');
  if (/at node end/.test(error.message) && start.col === 1) return at("did not find expected '-' indicator", -1);
  return at(...(WORDS[error.code] ?? ['did not find expected key', -1]));
}

/** One document: its value, or the error as Go would word it. Never throws. */
export function readYaml(text) {
  const document = parseDocument(text, { lineCounter: new LineCounter(), logLevel: 'silent' });
  if (document.errors.length > 0) return { error: inGoWords(document.errors, text) };
  try {
    return { value: document.toJS() };
  } catch (error) {
    return { error: `yaml: unknown anchor '${error.message.split(': ').pop()}' referenced` };
  }
}

/** Kubernetes reads the documents of a file one by one, so line numbers start anew after each separator. */
export function splitDocuments(text) {
  return text.split(/^---(?:[ \t].*)?$\n?/m).filter((part) => part.trim() !== '');
}
