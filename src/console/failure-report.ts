// Everything that is known of a failure from its log, explained for someone who never saw how it is done.
import { type AttemptEnd, endOf, type Failure, masksOf } from '../failure/fingerprint.ts';
import { kind } from './failure-lines.ts';

/** Sections of lines; `log` names where the text was read from. */
export function failureReport(failure: Failure, context: { stage: string; ended: AttemptEnd; log?: string }): string[] {
  const { stage, ended, log } = context;
  const from = [...(stage === '' ? [] : [`stage ${stage}`]), endOf(ended)].join(', ');
  return [
    `fingerprint ${failure.fingerprint}  (from ${from}, and the templates below)`,
    '',
    `error lines${log ? ` in ${log}` : ''}${SURE[failure.grade] ?? ''}`,
    ...errorLines(failure),
    ...(failure.errors.length > 0 ? ['', 'templates: the same lines with what changes from run to run masked'] : []),
    ...failure.errors.map(({ template }) => `  ${template}`),
    ...masked(failure),
    '',
    `class ${kind(failure)}`,
    ...classReasons(failure),
  ];
}

/** Said only when the choice of lines was not a clear one. */
const SURE: Readonly<Record<string, string>> = {
  weak: ' (no clear error line; these come closest)',
  warning: ' (no error line; a warning)',
  wrapper: ' (no error line; what was said last)',
  plain: ' (no error line; what was said last)',
  info: ' (no error line; what was said last)',
};

function errorLines({ errors, silence }: Failure): string[] {
  if (silence) return [`  none: ${SILENCE[silence]}`];
  return errors.flatMap(({ lines }) => lines.map((line) => `  | ${line}`));
}

const SILENCE = {
  'no log': 'there is no log',
  'empty log': 'the log is empty',
  'no text': 'the log holds no readable text',
  'only progress': 'the log holds nothing but progress',
} as const;

function masked(failure: Failure): string[] {
  const found = masksOf(failure);
  if (failure.errors.length === 0) return [];
  if (found.length === 0) return ['', 'masked: nothing'];
  const width = Math.min(40, Math.max(...found.map(({ text }) => text.length)));
  return ['', 'masked', ...found.map(({ text, mask, why }) => `  ${text.padEnd(width)}  ${mask}: ${why}`)];
}

function classReasons({ rules, advice }: Failure): string[] {
  return [
    ...(rules.length === 0
      ? ['  no rule matched']
      : rules.map((name, i) => `  ${i === 0 ? 'by the rule' : 'and'} "${name}"`)),
    ...(advice ? [`  to do: ${advice}`] : []),
  ];
}
