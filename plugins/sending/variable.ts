// Secrets come from the environment: ai/loop.yaml is committed, and holds only the names of the variables.
import { z } from 'zod';

export const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'expected the name of an environment variable' });

/** The value of the variable, for an HTTP header or address. Throws when it is not set or cannot stand there. */
export function secretFrom(name: string, what: string): string {
  const value = (process.env[name] ?? '').trim();
  if (value === '') throw new Error(`the variable ${name} is not set; set it, where mendloop runs, to ${what}`);
  // What would end a header, or begin another.
  if (/[^\x20-\x7e]/.test(value)) throw new Error(`the variable ${name} holds what cannot be ${what}`);
  return value;
}
