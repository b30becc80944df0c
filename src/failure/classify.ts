// Error lines → class and flags, and which rule said so.
import { type Context, createContext, runInContext } from 'node:vm';
import type { FailureClass } from '../events.ts';
import { CLASS_RULES } from './class-rules.ts';
import { type LinesAround, messageOf, speaks, withoutFronts } from './speaker.ts';

export interface Classified {
  class: FailureClass;
  transient: boolean;
  external: boolean;
  /** With `external`: the one thing that the human must do. */
  advice?: string;
  /** The rules that decided, for `explain`; empty when none matched. */
  rules: string[];
  /** Rules of the project's own that took too long and were passed over. */
  slow?: string[];
}

/** A rule of the project's own or of a plugin; these come before the built-in ones. */
export interface ProjectRule extends Pick<Classified, 'class' | 'transient' | 'external'> {
  name: string;
  match: RegExp;
  advice?: string | undefined;
}

interface ClassifyInput {
  /** The error lines, one text. */
  errors: string;
  around: LinesAround;
  exitCode: number | null;
}

/** Never throws. A failure without error lines is `unknown`, but for what its exit code says by convention. */
export function classify(input: ClassifyInput, own: readonly ProjectRule[] = []): Classified {
  if (input.errors.trim() === '') return byExitCode(input.exitCode);
  const slow: string[] = [];
  const project = own.find(({ match, name }) => {
    const matched = boundedTest(match, input.errors);
    if (matched === 'slow') slow.push(name);
    return matched === true;
  });
  return { ...(project ? byProject(project) : byTable(input)), ...(slow.length > 0 ? { slow } : {}) };
}

function byProject({ class: name, transient, external, advice, name: rule }: ProjectRule): Classified {
  return { class: name, transient, external, ...(advice ? { advice } : {}), rules: [rule] };
}

/**
 * Below the error lines what stands behind their fronts, what records say in their telling fields, and lines with codes like
 * SignatureDoesNotMatch in words.
 * What a task of Ansible is called says nothing of what is wrong.
 */
function spelledOut(text: string): string {
  const lines = text.split('\n').filter((line) => !/^in (?:TASK|RUNNING HANDLER) \[/.test(line));
  const inWords = (line: string) =>
    line.replace(/\b(?:[A-Z][a-z]+){2,}\b/g, (code) => code.replace(/(?<=[a-z])(?=[A-Z])/g, ' '));
  return [...new Set([...lines, ...lines.map(withoutFronts), ...lines.map(messageOf), ...lines.map(inWords)])].join(
    '\n',
  );
}

function byTable({ errors: lines, around, exitCode }: ClassifyInput): Classified {
  const errors = spelledOut(lines);
  const fitting = CLASS_RULES.filter(
    ({ by, match, near, unless }) =>
      hits(match, errors) &&
      !unless?.test(errors) &&
      (!near || near.test(around.before)) &&
      (!by || speaks(by, errors, around)),
  );
  const rule = fitting.find((one) => one.class);
  // Of what is required several kinds may be missing at once: each has its own advice.
  const rules = fitting.filter((one) => one === rule || !one.class || (rule?.requires && one.requires));
  if (rules.length === 0) return byExitCode(exitCode);
  const advice = rules.flatMap(({ external, advice: mild }) => external ?? mild ?? []);
  const sentences = advice.map((one) => (typeof one === 'string' ? one : one(errors)));
  return {
    class: rule?.class ?? 'unknown',
    transient: rules.some(({ transient }) => transient),
    external: rules.some(({ external }) => external !== undefined),
    ...(sentences.length > 0 ? { advice: rule?.requires ? sentences.join('; ') : (sentences[0] as string) } : {}),
    rules: rules.map(({ name }) => name),
  };
}

/** What shells say by exit code alone. */
function byExitCode(exitCode: number | null): Classified {
  const plain = { transient: false, external: false };
  if (exitCode === 127) return { class: 'command_not_found', ...plain, rules: ['exit code 127'] };
  if (exitCode === 126) return { class: 'permission_denied', ...plain, rules: ['exit code 126'] };
  return { class: 'unknown', ...plain, rules: [] };
}

const hits = (patterns: readonly RegExp[], text: string): boolean => patterns.some((pattern) => pattern.test(text));

const MAX_TEST_MS = 200;
let context: Context | undefined;

/** Whether a pattern that a person wrote matches; `slow` when it was still at it when its time was up. */
function boundedTest(pattern: RegExp, text: string): boolean | 'slow' {
  context ??= createContext({});
  Object.assign(context, { pattern, text });
  try {
    return runInContext('pattern.test(text)', context, { timeout: MAX_TEST_MS }) as boolean;
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'slow';
    throw error;
  }
}
