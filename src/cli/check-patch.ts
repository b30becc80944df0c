// `mendloop check-patch`: whether a model's answer would pass the gate. For people, and as JSON Lines for scripts.
import { failUsage } from '../errors.ts';
import { applyChanges } from '../fix/apply-changes.ts';
import { cleanDiff } from '../fix/clean-diff.ts';
import { type Edit, REFUSALS, type Refusal } from '../fix/edit.ts';
import { judgeResult } from '../fix/gate/judge.ts';
import type { GateRules, Tree } from '../fix/gate/rules.ts';
import { readAnswer } from '../fix/read-answer.ts';
import { withoutLineNumbers } from '../outbound/shown-files.ts';
import { count, listOf, text } from '../shape.ts';
import type { Answer, CommandInput } from './command.ts';
import { answerLines, isObject, maybe, readAnswerText, readFields } from './input.ts';

const MAX_LINE_BYTES = 64 * 1024 * 1024;
const DEFAULT_MAX_FILES = 1;
const DEFAULT_MAX_LINES = 100;

export async function run({ words, options, out, home }: CommandInput): Promise<Answer | number> {
  if (options.jsonl) return answerLines(out, MAX_LINE_BYTES, readPatchLine, (line) => answerLine(checkLine(line)));
  const [file] = words;
  const stage = options.stage === undefined ? undefined : String(options.stage);
  if (file === undefined || words.length > 1 || stage === undefined) {
    failUsage(
      'check-patch needs an answer and the stage it is for',
      'mendloop check-patch <file> --stage <stage>; - for stdin',
    );
  }
  const answer = await readAnswerText(file);
  const { checkHere } = await import('./check-here.ts');
  const result = await checkHere(home(), stage, answer);
  if (result.ok) {
    const paths = result.files.map(({ path }) => path);
    const text = `it would pass for stage ${stage}: ${paths.join(', ')}\n\n${result.diff.trimEnd()}`;
    return { text, json: { ok: true, stage, files: paths, diff: result.diff } };
  }
  const { code, reasons } = result;
  const text = [`refused, ${code}: ${REFUSALS[code]}`, ...reasons.map((reason) => `  - ${reason}`)];
  return { text, json: { ok: false, stage, code, reasons } };
}

const textsByPath = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every(text);

/** `path`: the file of an answer that names none. `links`: symbolic links and their targets. */
const FIELDS = {
  path: ['a text', maybe(text)],
  files: ['an object of texts by path', textsByPath],
  links: ['an object of targets by path', maybe(textsByPath)],
  answer: ['a text', text],
  allow: ['a list of patterns', listOf(text)],
  protect: ['a list of patterns', maybe(listOf(text))],
  max_files: ['a whole number', maybe(count)],
  max_lines: ['a whole number', maybe(count)],
} as const;

/** One line of `--jsonl`. Never throws. */
export function readPatchLine(line: string) {
  const read = readFields(line, FIELDS);
  if ('problem' in read) return read;
  const { id, path, files, links, answer, allow, protect, max_files, max_lines } = read.value;
  const value = {
    id,
    path: path ?? undefined,
    files: new Map(Object.entries(files)),
    links: new Map(Object.entries(links ?? {})),
    answer,
    allow,
    protect: protect ?? [],
    max_files: max_files ?? undefined,
    max_lines: max_lines ?? undefined,
  };
  return { value };
}

type PatchLine = Extract<ReturnType<typeof readPatchLine>, { value: unknown }>['value'];
type Checked = { ok: true; files: Edit[]; diff: string } | Refusal;

function checkLine({ path, files, links, answer, allow, protect, max_files, max_lines }: PatchLine): Checked {
  const read = readAnswer(withoutLineNumbers(answer), { path });
  if (!read.ok) return read;
  const applied = applyChanges(read.changes, (wanted) => (links.has(wanted) ? undefined : files.get(wanted)), { path });
  if (!applied.ok) return applied;
  const rules: GateRules = {
    allow,
    protect,
    untouchable: [],
    tier: 'executor',
    tree: treeOf(files, links),
    maxFiles: max_files ?? DEFAULT_MAX_FILES,
    maxLines: max_lines ?? DEFAULT_MAX_LINES,
  };
  const verdict = judgeResult(applied.files, rules);
  return verdict.ok ? { ...applied, diff: cleanDiff(applied.files) } : verdict;
}

function treeOf(files: ReadonlyMap<string, string>, links: ReadonlyMap<string, string>): Tree {
  const folders = new Set(
    [...files.keys(), ...links.keys()].flatMap((path) => {
      const parts = path.split('/').slice(0, -1);
      return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
    }),
  );
  return {
    exists: (path) => files.has(path) || links.has(path) || folders.has(path),
    isFolder: (path) => folders.has(path),
    linkTarget: (path) => links.get(path),
  };
}

/** What others rely on, by these names. */
function answerLine(checked: Checked) {
  if (!checked.ok) return { ok: false, code: checked.code, reasons: checked.reasons };
  return {
    ok: true,
    files: Object.fromEntries(checked.files.map(({ path, after }) => [path, after])),
    diff: checked.diff,
  };
}
