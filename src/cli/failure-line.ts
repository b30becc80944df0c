// One line of `fingerprint --jsonl`: what it must hold, or what is wrong with it.

export interface FailureLine {
  id: string | number;
  stage: string;
  log: string;
  exit_code: number | null;
  last_green: string | undefined;
}

/** Never throws. `id` comes back with a problem when the line has one. */
export function readFailureLine(text: string): { value: FailureLine } | { problem: string; id?: string | number } {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    return { problem: `not JSON: ${(error as Error).message}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problem: 'expected an object' };
  const { id, stage = '', log, exit_code = null, last_green } = value as Record<string, unknown>;
  if (typeof id !== 'string' && typeof id !== 'number') return { problem: 'id: expected a text or a number' };
  const problems = [
    ...(typeof log === 'string' ? [] : ['log: expected a text']),
    ...(typeof stage === 'string' ? [] : ['stage: expected a text']),
    ...(exit_code === null || Number.isInteger(exit_code) ? [] : ['exit_code: expected a whole number']),
    ...(last_green === undefined || last_green === null || typeof last_green === 'string'
      ? []
      : ['last_green: expected a text']),
  ];
  if (problems.length > 0) return { problem: problems.join('; '), id };
  const green = typeof last_green === 'string' ? last_green : undefined;
  return {
    value: { id, stage: stage as string, log: log as string, exit_code: exit_code as number | null, last_green: green },
  };
}
