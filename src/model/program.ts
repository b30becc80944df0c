// The settings of a plugin that runs a program of the owner's, and the environment that such a program sees.
import { z } from 'zod';
import { positiveDurationSchema } from '../config/duration.ts';
import { variableSetting } from './secrets.ts';

/** `timeout` is how long it may take when the owner does not say. */
export const programSettings = (timeout: string) =>
  z.strictObject({
    argv: z
      .array(z.string())
      .min(1, { error: 'expected the program and its arguments' })
      .refine(([program]) => program !== '', { error: 'expected the name of a program' })
      .describe('The program and its arguments; no shell'),
    timeout: positiveDurationSchema.prefault(timeout).describe('How long one run of it may take'),
    env: z.array(variableSetting).default([]).describe('Variables that it is given besides PATH, HOME and LANG'),
  });

const ALWAYS_GIVEN = ['PATH', 'HOME', 'LANG'];

/** What is set of PATH, HOME, LANG and `names`. */
export function programEnvironment(names: readonly string[]): Record<string, string> {
  const set = [...ALWAYS_GIVEN, ...names].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(set);
}
