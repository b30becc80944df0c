// One run of stages with whoever watches it: lines, the board or JSON, and the person at the terminal.
import type { Watcher } from '../console/board.ts';
import { plainWatcher } from '../console/plain.ts';
import { canAnswer } from '../io/stdin.ts';
import { type RunReport, runStages } from '../run/run.ts';
import type { RunRequest } from '../run/select.ts';
import type { CommandInput } from './command.ts';
import { leaveAtOnce, withPorts } from './ports.ts';

/** One run from its beginning to its end, shown as it goes. */
export async function runOnce(input: CommandInput, request: RunRequest): Promise<RunReport> {
  const { event, live, person } = await watcher(input);
  const progress = (text: string) => input.out.line(text);
  return withPorts([event], (ports) => runStages(request, { ...ports, live, person, progress }), leaveAtOnce);
}

async function watcher({ out, home }: CommandInput): Promise<Watcher> {
  if (out.json) return { event: (event) => out.jsonLine(event) };
  const board = out.isTerminal && !out.quiet && (await import('../console/board.ts')).boardWatcher(out, home());
  const watch: Watcher = board || plainWatcher(out, home());
  if (!out.isTerminal || !canAnswer()) return watch;
  const { personAt } = await import('../console/ask-person.ts');
  return { ...watch, person: personAt(out, board || { hold() {}, release() {} }) };
}
