// `mendloop doctor`: everything a run depends on.
import { examine, type Finding } from '../inspect/doctor.ts';
import type { Output } from '../io/output.ts';
import { counted } from '../triage/words.ts';
import type { Answer, CommandInput } from './command.ts';
import { PORTS } from './ports.ts';
import { runOptions } from './run-options.ts';

export async function run(input: CommandInput): Promise<Answer> {
  const { out, home } = input;
  const findings = await examine(home(), PORTS, runOptions(input));
  const problems = findings.filter((f) => f.level === 'problem').length;
  const verdict = problems === 0 ? 'no problem found' : counted(problems, 'problem');
  const lines = findings.flatMap((finding) => findingLines(finding, out));
  return { text: [...lines, verdict], json: { problems, findings }, hasFindings: problems > 0 };
}

/** What was found, for people. */
export function findingLines({ level, what, next }: Finding, { colour }: Pick<Output, 'colour'>): string[] {
  const paint = { ok: colour.green, note: colour.yellow, problem: colour.red }[level];
  const [first = '', ...rest] = what.split('\n');
  return [
    `${paint(level.padEnd(7))}  ${first}`,
    ...rest.map((line) => `         - ${line}`),
    ...(next ? next.split('\n').map((line, i) => `         ${i === 0 ? 'next: ' : '      '}${line}`) : []),
  ];
}
