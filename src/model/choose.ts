// A change chosen by its number, as a JSON object that the host holds to a schema. The edit is ours.
import * as z from 'zod';
import { withChoice } from '../outbound/choices.ts';
import type { Choice } from '../outbound/context.ts';
import type { Proposal } from '../plugin/contract.ts';

/** The schema of the answer: the number of one of `choices`, or 0. */
export function choiceSchema(choices: readonly Choice[]): object {
  const numbers = [0, ...choices.keys()].map((_, i) => i);
  const properties = { reason: { type: 'string' }, choice: { type: 'integer', enum: numbers } };
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const shape = z.object({ reason: z.string().default(''), choice: z.int() });
const MAX_WORDS = 600;

/** The file with the chosen change; undefined for none of them, and for what cannot be read as one. */
export async function readChoice(
  answer: string,
  choices: readonly Choice[],
  read: (path: string) => Promise<string>,
): Promise<Proposal | undefined> {
  const chosen = objectIn(answer, shape);
  const choice = chosen && choices[chosen.choice - 1];
  if (!choice) return undefined;
  const { path, line, old, new: now } = choice;
  const text = withChoice(await read(path), choice);
  if (text === undefined) return undefined;
  const reason = chosen.reason.trim().slice(0, MAX_WORDS) || 'not given';
  return {
    files: { [path]: text },
    note: { fix: `Write ${now} instead of ${old} in line ${line} of ${path}`, reason },
  };
}

/** The JSON object in an answer; undefined when there is none of this shape. */
export function objectIn<T>(answer: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.safeParse(JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1))).data;
  } catch {
    return undefined;
  }
}
