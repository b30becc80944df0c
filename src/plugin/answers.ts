// What plugins may answer, as schemas: an answer is plain data, and anything more or less than this is a failure of its plugin.
import { z } from 'zod';
import { classRuleSchema } from '../config/loop-config.ts';

const LONGEST_ANSWER = 1_000_000;
const LONGEST_WORDS = 4_000;

const text = (most: number) =>
  z
    .string()
    .min(1)
    .max(most, { error: `expected text of at most ${most} characters` });

const words = text(LONGEST_WORDS);
const noteSchema = z.strictObject({ fix: words, reason: words });

/** What a model said, as it said it: read and judged by the loop. */
const said = z.strictObject({ answer: text(LONGEST_ANSWER), note: noteSchema.optional() });

/** New texts of whole files, and files to be made executable. */
const edited = z
  .strictObject({
    files: z.record(
      z.string().min(1),
      z.string().max(LONGEST_ANSWER, { error: 'expected a text, not a whole archive' }),
    ),
    executable: z.array(z.string().min(1)).optional(),
    note: noteSchema,
  })
  .refine(({ files, executable = [] }) => Object.keys(files).length + executable.length > 0, {
    error: 'it changes no file',
  });

/** Nothing to say about this failure, and why. */
const passed = z.strictObject({ pass: words });

/** Commands whose output would help: argv each, no shell. */
const asked = z.strictObject({ diagnostics: z.array(z.array(z.string().min(1)).min(1)).min(1) });

/** This needs a person; what to tell them. */
const handedOver = z.strictObject({ hand_over: text(LONGEST_ANSWER) });

export const proposalSchema = z.union([said, edited, passed], {
  error: 'expected exactly one of answer, files and pass',
});

export const escalationSchema = z.union([said, edited, passed, asked, handedOver], {
  error: 'expected exactly one of answer, files, pass, diagnostics and hand_over',
});

/** One line: who would be asked, and how it is reached. */
export const checkSchema = words;

export const classRulesSchema = z.array(classRuleSchema);

const isFunction = (value: unknown): boolean => typeof value === 'function';

/** The one answer that is no plain data: an object that runs commands. */
export const backendSchema = z.custom<object>(
  (value) => typeof value === 'object' && value !== null && isFunction((value as { run?: unknown }).run),
  { error: 'expected an object with a function run' },
);

/** What a notifier returns is nobody's concern: it was told, or it threw. */
export const nothingSchema = z.unknown().transform(() => undefined);
