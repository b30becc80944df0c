// `mendloop doctor`: everything a run depends on; with --model whether the model that would be asked is fit for this machine.
import { EXIT } from '../errors.ts';
import { examine, type Finding, tryConfiguredModels } from '../inspect/doctor.ts';
import type { Output } from '../io/output.ts';
import { stopSignals } from '../io/signals.ts';
import { counted } from '../triage/words.ts';
import type { Answer, CommandInput } from './command.ts';
import { PORTS } from './ports.ts';
import { runOptions } from './run-options.ts';

export async function run(input: CommandInput): Promise<Answer | number> {
  if (input.options.model === true) return tryModel(input);
  const { out, home } = input;
  const findings = await examine(home(), PORTS, runOptions(input));
  const problems = findings.filter((f) => f.level === 'problem').length;
  const verdict = problems === 0 ? 'no problem found' : counted(problems, 'problem');
  const lines = findings.flatMap((finding) => findingLines(finding, out));
  return { text: [...lines, verdict], json: { problems, findings }, hasFindings: problems > 0 };
}

/** Between two lines about what the model does just now. */
const TELL_MS = { terminal: 10_000, other: 50_000 };

async function tryModel({ out, layout }: CommandInput): Promise<Answer | number> {
  const { signal, dispose } = stopSignals((name) => new Error(`interrupted by ${name}`));
  const began = performance.now();
  let doing = '';
  const tell = () => out.line(`  ${doing}; ${Math.round((performance.now() - began) / 1000)} s so far`);
  const timer = setInterval(tell, out.isTerminal ? TELL_MS.terminal : TELL_MS.other);
  try {
    out.line('asks three questions with one right answer each; a slow machine takes some minutes');
    const tried = await tryConfiguredModels(layout(), {
      signal,
      say: (text) => out.line(`  ${text}`),
      progress: (text) => {
        doing = text;
      },
    });
    if (signal.aborted) return EXIT.interrupted;
    const lines = tried.map(({ plugin, verdict }) => `${plugin}: ${verdict}`);
    const none = ['no executor asks a model; name one in ai/loop.yaml: executors: [known-fixes, ollama]'];
    const hasFindings = tried.length === 0 || tried.some(({ mended }) => mended < 2);
    return { text: lines.length > 0 ? lines : none, json: { tried }, hasFindings };
  } finally {
    clearInterval(timer);
    dispose();
  }
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
