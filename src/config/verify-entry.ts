// What must hold for a stage to be green: commands, or one of the built-in checks.
import * as z from 'zod';
import type { Frozen } from './freeze.ts';
import { checkPathSchema } from './schema-parts.ts';

const COMMAND = { error: 'expected a command: text for bash, or a list of words to run without a shell' };
const NUL = { error: 'has a NUL character' };

/** A command for bash. */
export const shellSchema = z
  .string(COMMAND)
  .regex(/\S/, COMMAND)
  .refine((text) => !text.includes('\0'), NUL);

const argvSchema = z
  .array(
    z.string().refine((word) => !word.includes('\0'), NUL),
    COMMAND,
  )
  .min(1)
  .refine((words) => words[0] !== '', { error: 'the first word, the program, is empty' });

/** A command: text is run by bash, a list is argv without a shell. */
export const commandSchema = z.union([shellSchema, argvSchema], COMMAND);

const path = (what: string) => checkPathSchema.describe(`${what}; out:<path> is below $MENDLOOP_OUT`);

/** `host:port`; an IPv6 address stands in brackets. */
const hostPortSchema = z
  .string({ error: 'expected host:port' })
  .regex(/^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}$/, { error: 'expected host:port', abort: true })
  .refine((text) => isPort(Number(text.split(':').at(-1))), { error: 'expected a port from 1 to 65535' });

const isPort = (port: number): boolean => 1 <= port && port <= 65_535;

const URL_EXPECTED = { error: 'expected an http:// or https:// address' };
const urlSchema = z
  .string(URL_EXPECTED)
  .regex(/^https?:\/\/\S+$/, { ...URL_EXPECTED, abort: true })
  .refine((text) => URL.canParse(text), URL_EXPECTED);

const CHECKS = [
  z.strictObject({ file: path('This file exists') }),
  z.strictObject({ nonempty: path('This file exists and is not empty') }),
  z.strictObject({ yaml: path('This file is valid YAML') }),
  z.strictObject({
    json: path('This file is valid JSON'),
    has: z
      .string()
      .regex(/^[^.\s]+(?:\.[^.\s]+)*$/, { error: 'expected a dotted key such as status.ready' })
      .optional()
      .describe('A dotted key that must be in it, such as status.ready'),
  }),
  z.strictObject({
    contains: z
      .strictObject({ file: path('The file to look in'), text: z.string().min(1).describe('The text it must contain') })
      .describe('This file contains this text'),
  }),
  z.strictObject({ tcp: hostPortSchema.describe('A TCP connection to host:port succeeds') }),
  z.strictObject({
    http: urlSchema.describe('A GET of this address answers'),
    status: z.int().min(100).max(599).default(200).describe('The status it must answer with'),
  }),
] as const;

/** An entry of `verify`. */
export const verifyEntrySchema = z.union([shellSchema, argvSchema, ...CHECKS], {
  error:
    'expected a command (text or a list of words), or exactly one check of file, nonempty, yaml, json, contains, tcp, http',
});

/** A command, or a built-in check such as `{ nonempty: 'out:kubeconfig' }`. */
export type VerifyEntry = Frozen<z.output<typeof verifyEntrySchema>>;
/** A built-in check: exactly one of its keys says which. */
export type BuiltInCheck = Exclude<VerifyEntry, string | readonly string[]>;

/** Whether an entry is a built-in check and not a command. */
export function isBuiltInCheck(entry: VerifyEntry): entry is BuiltInCheck {
  return typeof entry !== 'string' && !Array.isArray(entry);
}
