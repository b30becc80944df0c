// JSON Schemas of both files for editors, from the same definitions that check them.
import { z } from 'zod';
import { contextMapSchema } from '../src/config/context-map.ts';
import { loopConfigSchema } from '../src/config/loop-config.ts';

/** JSON Schema (draft 7, which editors know best) of `ai/context_map.yaml` as people write it. */
export const contextMapJsonSchema = () => schemaFor(contextMapSchema, 'ai/context_map.yaml');

/** JSON Schema of `ai/loop.yaml` as people write it. */
export const loopJsonSchema = () => schemaFor(loopConfigSchema, 'ai/loop.yaml');

function schemaFor(schema: z.ZodType, title: string): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema }) => {
      // True of every whole number, and noise in an editor.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return { $schema, title, ...rest };
}
