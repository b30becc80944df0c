// What a person reads when a configuration file is refused: every problem, as printed.
import { parseContextMap, parseLoopConfig } from '../../src/config/parse.ts';
import { formatProblem } from '../../src/config/problem.ts';

const lines = (text: string): string => (text.startsWith('\n') ? text.slice(1).replace(/^ {4}/gm, '') : text);

/** The printed problems of a context map; a text that starts with a newline may be indented by four spaces. */
export function mapProblems(text: string): string[] {
  const parsed = parseContextMap(lines(text), 'ai/context_map.yaml');
  return parsed.ok ? [] : parsed.problems.map(formatProblem);
}

/** The printed problems of a loop configuration. */
export function loopProblems(text: string): string[] {
  const parsed = parseLoopConfig(lines(text), 'ai/loop.yaml');
  return parsed.ok ? [] : parsed.problems.map(formatProblem);
}
