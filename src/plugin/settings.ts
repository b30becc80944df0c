// A plugin's settings, checked against the schema that it brought along.
import type { z } from 'zod';
import { frozenCopy } from '../config/freeze.ts';
import { check, formatPath } from '../config/problem.ts';
import { thrown } from './thrown.ts';

export type Settled = { readonly options: unknown } | { readonly problems: readonly string[] };

/** The settings with their defaults, frozen; or every problem by its path in ai/loop.yaml, where they stand below `below`. Never throws. */
export function settle(
  name: string,
  schema: z.ZodType | undefined,
  written: object | undefined,
  below: readonly string[] = [],
): Settled {
  if (schema === undefined) {
    const keys = Object.keys(written ?? {});
    if (keys.length === 0) return { options: Object.freeze({}) };
    return { problems: [`it takes no settings, but plugins.${name} has ${keys.join(', ')}`] };
  }
  try {
    const checked = check(schema, written ?? {});
    if ('value' in checked) return { options: frozenCopy(checked.value) };
    return {
      problems: checked.findings.map(
        ({ path, message }) => `${formatPath(['plugins', name, ...below, ...path])}: ${message}`,
      ),
    };
  } catch (error) {
    return { problems: [`its options cannot be used: ${thrown(error)}`] };
  }
}
