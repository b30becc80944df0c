// What a call refuses, as a person would read it.
import { formatError, MendError } from '../src/errors.ts';

/** The whole text of the MendError that `work` throws; anything else is thrown on. */
export function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof MendError) return formatError(error);
    throw error;
  }
  return 'nothing was refused';
}

/** Its code and message alone. */
export function shortRefusal(work: () => unknown): string {
  return (
    refusal(work)
      .split('\n')[0]
      ?.replace(/^error (\w+): /, '$1 ') ?? ''
  );
}
