// The axes of a stage's matrix. Their values become names of folders and environment values, hence the narrow alphabet.
import { z } from 'zod';

/** More steps than this for one stage is a mistake, not a plan. */
export const MAX_CELLS = 1024;

const VALUE = 'a value of up to 64 letters, digits, ".", "_" and "-"';

const valueSchema = z
  .union([z.string(), z.number(), z.boolean()], { error: `expected ${VALUE}` })
  .transform(String)
  .pipe(z.string().regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/, { error: `expected ${VALUE}` }));

const axisSchema = z
  .array(valueSchema, { error: 'expected a list of values' })
  .min(1, { error: 'expected at least one value' })
  .superRefine((values, ctx) => {
    values.forEach((value, index) => {
      if (values.indexOf(value) < index) {
        ctx.addIssue({ code: 'custom', path: [index], message: `${JSON.stringify(value)} is listed twice` });
      }
    });
  });

/** Axis name to its values, as text. */
export const matrixSchema = z
  .record(
    z.string().regex(/^[a-z][a-z0-9_]*$/, {
      error: 'expected an axis name of a-z, 0-9 and "_" that starts with a letter, such as host',
    }),
    axisSchema,
  )
  .superRefine((axes, ctx) => {
    const cells = Object.values(axes).reduce((product, values) => product * values.length, 1);
    if (cells > MAX_CELLS) {
      ctx.addIssue({ code: 'custom', message: `the axes multiply to ${cells} steps; the limit is ${MAX_CELLS}` });
    }
  });
