// Testing a pattern that a person wrote: one that takes for ever is stopped, and the loop goes on.
import { type Context, createContext, runInContext } from 'node:vm';

const LIMIT_MS = 200;
let context: Context | undefined;

/** Whether `pattern` matches, or that it was still at it when its time was up. */
export function boundedTest(pattern: RegExp, text: string): boolean | 'slow' {
  context ??= createContext({});
  Object.assign(context, { pattern, text });
  try {
    return runInContext('pattern.test(text)', context, { timeout: LIMIT_MS }) as boolean;
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'slow';
    throw error;
  }
}
