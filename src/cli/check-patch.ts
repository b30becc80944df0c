// `mendloop check-patch`: whether a model's answer would be applied, the owner asked about it, or refused. For people, and as
// JSON Lines for scripts.
import { pathMatcher } from '../config/paths.ts';
import { UNATTENDED } from '../config/unattended.ts';
import { repairLines } from '../console/fix-outcome.ts';
import { failUsage } from '../errors.ts';
import { cleanDiff } from '../fix/clean-diff.ts';
import { ASKS, type Ask, type Edit, type OrRefusal, REFUSALS, type Refusal, refuse } from '../fix/edit.ts';
import { editsOf } from '../fix/edits-of.ts';
import { editablePaths } from '../fix/gate/path-rules.ts';
import type { GateRules } from '../fix/gate/rules.ts';
import { refuseNearCopy } from '../fix/near-copy.ts';
import { judge } from '../io/gate/gate.ts';
import { shellCheck } from '../io/shell-check.ts';
import { filledForms } from '../outbound/answer-format.ts';
import { withoutLineNumbers } from '../outbound/shown-files.ts';
import { factsOf } from '../repository/repository.ts';
import { count, isTexts, listOf, oneOf, text } from '../shape.ts';
import type { Answer, CommandInput } from './command.ts';
import { answerLines, maybe, readAnswerText, readFields } from './input.ts';

const MAX_LINE_BYTES = 64 * 1024 * 1024;
const DEFAULT_MAX_FILES = 1;
const DEFAULT_MAX_LINES = 100;

export async function run({ words, options, out, home }: CommandInput): Promise<Answer | number> {
  if (options.jsonl) return answerLines(out, MAX_LINE_BYTES, readPatchLine, checkLine);
  const [file] = words;
  const stage = options.stage === undefined ? undefined : String(options.stage);
  if (file === undefined || words.length > 1 || stage === undefined) {
    failUsage(
      'check-patch needs an answer and the stage it is for',
      'mendloop check-patch <file> --stage <stage>; - for stdin',
    );
  }
  const { checkHere } = await import('./check-here.ts');
  const answer = withoutLineNumbers(await readAnswerText(file));
  const { checked, against } = await checkHere(home(), stage, answer);
  const view = viewOf(checked);
  const json = { ...view, stage, ...(checked.ok && { files: checked.files.map(({ path }) => path) }), against };
  return { text: lines(checked, stage, `judged against ${against}`), json, hasFindings: !view.ok };
}

type Checked = OrRefusal<{ files: Edit[]; diff: string; ask?: Ask | undefined; shapes: readonly string[] }>;

function lines(checked: Checked, stage: string, against: string): string[] {
  const reasons = (list: readonly string[]) => list.map((reason) => `  - ${reason}`);
  if (!checked.ok)
    return [`refused, ${checked.code}: ${REFUSALS[checked.code]}`, ...reasons(reasonsOf(checked)), against];
  const { ask, diff, shapes } = checked;
  const files = checked.files.map(({ path }) => path).join(', ');
  const head = ask
    ? [`the owner would be asked (${ask.code}): ${ASKS[ask.code]}`, ...reasons(ask.reasons)]
    : [`it would be applied for stage ${stage}: ${files}`, ...repairLines(shapes, '  ')];
  return [...head, against, '', diff.trimEnd()];
}

/** All reasons, and the expected form filled in for the nearest lines. */
const reasonsOf = ({ reasons, places = [] }: Refusal): string[] => [...reasons, ...filledForms('diff', places)];

/** The JSON of both forms; `ok` means that it would be applied. */
function viewOf(checked: Checked) {
  if (!checked.ok) return { ok: false, verdict: 'refuse', code: checked.code, reasons: reasonsOf(checked) };
  const { diff, ask, shapes } = checked;
  const files = Object.fromEntries(checked.files.map(({ path, after }) => [path, after]));
  return { ok: !ask, verdict: ask ? 'ask' : 'apply', files, diff, ...(ask ?? { shapes }) };
}

/**
 * `path`: the file of an answer that names none. `links`: symbolic links and their targets. `judging`: what checks run.
 * `known` of older callers is taken and ignored. `failed`: the command that failed; `log`: the log of that failure.
 * `unattended`: what may run before its owner has seen it.
 */
const FIELDS = {
  path: ['a text', maybe(text)],
  files: ['an object of texts by path', isTexts],
  links: ['an object of targets by path', maybe(isTexts)],
  answer: ['a text', text],
  allow: ['a list of patterns', listOf(text)],
  protect: ['a list of patterns', maybe(listOf(text))],
  judging: ['a list of paths', maybe(listOf(text))],
  known: ['a list of names', maybe(listOf(text))],
  failed: ['a text', maybe(text)],
  log: ['a text', maybe(text)],
  unattended: [`one of ${UNATTENDED.join(', ')}`, maybe(oneOf(UNATTENDED))],
  max_files: ['a whole number', maybe(count)],
  max_lines: ['a whole number', maybe(count)],
} as const;

/** One line of `--jsonl`. Never throws. */
export function readPatchLine(line: string) {
  const read = readFields(line, FIELDS);
  if ('problem' in read) return read;
  const { files, links = {}, protect = [], judging = [] } = read.value;
  const maps = { files: new Map(Object.entries(files)), links: new Map(Object.entries(links)) };
  return { value: { ...read.value, ...maps, protect, judging } };
}

type PatchLine = Extract<ReturnType<typeof readPatchLine>, { value: unknown }>['value'];

/** One line out. */
async function checkLine(line: PatchLine) {
  const {
    path,
    files,
    links,
    answer,
    allow,
    protect,
    judging,
    failed,
    log,
    unattended = 'repairs',
    max_files,
    max_lines,
  } = line;
  const rules: GateRules = {
    allow,
    protect,
    untouchable: judging,
    ...(failed !== undefined && { failed }),
    ...(log !== undefined && { log }),
    unattended,
    tree: { files: [...files.keys()], links },
    maxFiles: max_files ?? DEFAULT_MAX_FILES,
    maxLines: max_lines ?? DEFAULT_MAX_LINES,
  };
  const text = (wanted: string) => (links.has(wanted) ? undefined : files.get(wanted));
  const editable = editablePaths([...files.keys()], rules);
  const applied = editsOf(withoutLineNumbers(answer), text, { path, editable });
  if (!applied.ok) return viewOf(applied);
  const verdict = await judge(applied.files, rules, factsOf(files, undefined, { links }));
  if (!verdict.ok) return viewOf(verdict);
  const isEditable = pathMatcher(allow);
  const others = [...files].filter(([other]) => isEditable(other));
  const copy = refuseNearCopy(applied.files, others);
  const { shellProblems } = await import('../mend/proposal.ts');
  const problems = copy ? [] : await shellProblems(applied.files, shellCheck);
  const sound = { ...applied, diff: cleanDiff(applied.files), ask: verdict.ask, shapes: verdict.shapes };
  return viewOf(copy ?? (problems.length > 0 ? refuse('does_not_parse', ...problems) : sound));
}
