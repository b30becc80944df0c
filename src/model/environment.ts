// Settings that plugins share, and what they take from the environment, for ai/loop.yaml is committed and holds only the names of
// variables: secrets, which no report may repeat, not even in parts; and what a program of the owner's is given.
import * as z from 'zod';
import { positiveDurationSchema } from '../config/schema-parts.ts';

/** A setting: the name of an environment variable. */
export const variableSetting = z
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

const PART_LENGTH = 6;
const MAX_LINE = 200;

/** `text` as one bounded line to report, without any word that shares six characters in a row with one of `secrets`. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const parts = secrets.flatMap((secret) => partsOf(secret, PART_LENGTH));
  const words = text
    .slice(0, 20 * MAX_LINE)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal would act on
    .split(/[\s\x00-\x1f\x7f-\x9f]+/)
    .filter((word) => word !== '')
    .map((word) => (parts.some((part) => word.includes(part)) ? '(hidden)' : word));
  const line = words.join(' ');
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE - 3)}...` : line;
}

/** The shortest part of a secret that counts as a repetition. */
const TELLING_LENGTH = 12;

/** Whether `text` repeats the secret, or a telling part of it. */
export const repeatsSecret = (text: string, secret: string): boolean =>
  partsOf(secret, TELLING_LENGTH).some((part) => text.includes(part));

/** Every stretch of `length` characters; a shorter secret as a whole. */
function partsOf(secret: string, length: number): string[] {
  if (secret.length <= length) return secret === '' ? [] : [secret];
  return Array.from({ length: secret.length - length + 1 }, (_, i) => secret.slice(i, i + length));
}

/** A setting: how long one answer of a model may take in all; without it that follows from its speed. */
export const timeoutSetting = positiveDurationSchema
  .nullable()
  .default(null)
  .describe('How long one answer may take in all; null: as long as words come, by measured speed');

/** A setting: the form that a model is asked to answer in. */
export const answerFormSetting = z
  .enum(['auto', 'diff', 'whole-file', 'search-replace', 'json'])
  .default('auto')
  .describe('The form that answers are asked for in');

/** The settings of a plugin that runs a program of the owner's; `timeout` is how long that may take when they do not say. */
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

/** What is set of PATH, HOME, LANG and `names`. */
export function programEnvironment(names: readonly string[]): Record<string, string> {
  const variables = ['PATH', 'HOME', 'LANG', ...names].map((name) => [name, process.env[name]]);
  return Object.fromEntries(variables.filter(([, value]) => value !== undefined));
}
