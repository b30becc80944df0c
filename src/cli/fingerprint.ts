// `mendloop fingerprint`: identifies a failure by its log. For people, and as JSON Lines for scripts.
import { LOOP_FILE } from '../config/files.ts';
import { failConfig } from '../config/problem.ts';
import { failureReport } from '../console/failure-report.ts';
import { failUsage } from '../errors.ts';
import type { AttemptEnd } from '../events.ts';
import type { ProjectRule } from '../failure/classify.ts';
import { endOfBytes, type Failure, identifyFrom, masksOf, type ReadEnd } from '../failure/fingerprint.ts';
import { LOOK_BACK_BYTES } from '../failure/log-end.ts';
import { localMasks } from '../failure/mask.ts';
import { fileFacts, readTail } from '../io/files.ts';
import { readStreamEnd } from '../io/stdin.ts';
import { readText } from '../io/store.ts';
import { endOfLog, projectRules } from '../mend/identify.ts';
import { cellValues, splitStepName } from '../plan/matrix.ts';
import { integer, optional, text } from '../shape.ts';
import { type Answer, type CommandInput, checkoutOf } from './command.ts';
import { answerLines, maybe, readFields } from './input.ts';

export async function run(input: CommandInput): Promise<Answer | number> {
  const { words, options, out } = input;
  if (words.length > 1) failUsage('fingerprint reads one log', 'mendloop fingerprint <log>');
  const alone = ['stage', 'exit-code', 'signal', 'last-green'].filter((name) => options[name] !== undefined);
  const useless = [...words, ...alone.map((name) => `--${name}`)];
  if (options.jsonl && useless.length > 0) {
    const what = `with --jsonl everything is in the lines; ${useless.join(', ')} cannot be`;
    failUsage(what, 'mendloop fingerprint --jsonl <lines.jsonl');
  }
  const rules = await rulesOnDisk(input.home);
  const root = checkoutOf(input.home);
  if (options.jsonl) {
    return answerLines(out, MAX_LINE_BYTES, readFailureLine, (line) => answerOf(identifyLine(line, rules, root)));
  }
  const ended = endedOption(options);
  const { stage, cell } = splitStepName(String(options.stage ?? ''));
  const green = options['last-green'] === undefined ? undefined : endOfFile(String(options['last-green']));
  const local = localMasks(root, cellValues(cell));
  const failure = identifyFrom(await logOf(words[0]), { stage, ended, green, rules, local });
  return { text: failureReport(failure, { stage, ended }), json: { ...answerOf(failure), masked: masksOf(failure) } };
}

/** The owner's rules in the working tree; none outside of a repository. Throws E_CONFIG when a file that has some is not sound. */
async function rulesOnDisk(home: () => string): Promise<ProjectRule[]> {
  const root = checkoutOf(home);
  const loop = root === undefined ? undefined : readText(`${root}/${LOOP_FILE}`);
  // Parsing the configuration is slow to load, and most have no rules.
  if (loop === undefined || !/\bclassify\b/.test(loop)) return [];
  const { parseLoopConfig } = await import('../config/parse.ts');
  const parsed = parseLoopConfig(loop, LOOP_FILE);
  return parsed.ok ? projectRules(parsed.value) : failConfig(parsed.problems);
}

const MAX_LINE_BYTES = 256 * 1024 * 1024;

const FIELDS = {
  log: ['a text', text],
  /** Or a step: `talos[host=cp1]`; the values of its cell are in no fingerprint. */
  stage: ['a text', optional(text)],
  /** Where the checkout was, when it is another than this one. */
  root: ['a text', maybe(text)],
  exit_code: ['a whole number', maybe(integer)],
  last_green: ['a text', maybe(text)],
} as const;

/** One line of `--jsonl`. Never throws. */
export function readFailureLine(line: string) {
  const read = readFields(line, FIELDS);
  if ('problem' in read) return read;
  const { stage: step = '', exit_code = null, ...rest } = read.value;
  return { value: { ...rest, ...splitStepName(step), exit_code } };
}

type FailureLine = Extract<ReturnType<typeof readFailureLine>, { value: unknown }>['value'];

/** `here`: the checkout, for a line without `root`. Never throws. */
export function identifyLine(line: FailureLine, rules: readonly ProjectRule[], here: string | undefined): Failure {
  const { stage, cell, log, exit_code, last_green, root = here } = line;
  const green = last_green === undefined ? undefined : endOfBytes(Buffer.from(last_green));
  const ended = { exit_code, signal: null, timed_out: false };
  const local = localMasks(root, cellValues(cell));
  return identifyFrom(endOfBytes(Buffer.from(log)), { stage, ended, green, rules, local });
}

/** What others rely on, by these names. */
function answerOf({ fingerprint, class: failureClass, transient, external, errors }: Failure) {
  return {
    fingerprint,
    class: failureClass,
    transient,
    external,
    error_lines: errors.flatMap(({ lines }) => lines),
    templates: errors.map(({ template }) => template),
  };
}

async function logOf(path: string | undefined): Promise<ReadEnd> {
  const file = path === '-' ? undefined : path;
  const facts = file === undefined ? undefined : fileFacts(file);
  // A pipe from process substitution has no size, and can be read only once.
  const isPipe = facts && !facts.isFile && !facts.isFolder;
  if (file !== undefined && !isPipe) return endOfFile(file);
  if (file === undefined && process.stdin.isTTY) {
    failUsage('fingerprint reads a log', 'mendloop fingerprint <log>, or: … | mendloop fingerprint');
  }
  const { end, cut } = await readStreamEnd(LOOK_BACK_BYTES, file);
  return endOfBytes(end, cut);
}

function endOfFile(path: string): ReadEnd {
  const facts = fileFacts(path);
  const next = 'name a log, or - for stdin';
  if (!facts) failUsage(`there is no file ${path}`, next);
  if (facts.isFolder) failUsage(`${path} is a folder`, next);
  if (!readTail(path, 1)) failUsage(`${path} cannot be read`, next);
  return endOfLog(path);
}

function endedOption({ 'exit-code': code, signal }: CommandInput['options']): AttemptEnd {
  if (code !== undefined && !(/^\d{1,3}$/.test(String(code)) && Number(code) <= 255)) {
    failUsage(`--exit-code ${code} is not a number from 0 to 255`, 'for example: --exit-code 1');
  }
  return {
    exit_code: code === undefined ? null : Number(code),
    signal: signal === undefined ? null : String(signal),
    timed_out: false,
  };
}
