import { existsSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { contextMapJsonSchema, loopJsonSchema } from '../../scripts/json-schema.ts';
import { mapProblems } from './problem-texts.ts';

const ai = (path: string) => new URL(`../../ai/${path}`, import.meta.url);

interface Schema {
  description?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
}

test('the schemas on disk are those of the code; npm run schemas writes them', () => {
  for (const [name, schema] of [
    ['context_map', contextMapJsonSchema()],
    ['loop', loopJsonSchema()],
  ] as const) {
    const text = readFileSync(ai(`schema/${name}.schema.json`), 'utf8');
    assert.is(text, `${JSON.stringify(schema, null, 2)}\n`, name);
  }
});

test('an editor can explain every key', () => {
  const silent = (schema: Schema, path: string): string[] => [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => [
      ...(inner.description ? [] : [`${path}.${key}`]),
      ...silent(inner, `${path}.${key}`),
    ]),
    ...(typeof schema.additionalProperties === 'object' ? silent(schema.additionalProperties, `${path}.*`) : []),
    ...(schema.items ? silent(schema.items, `${path}[]`) : []),
    ...(schema.anyOf ?? []).flatMap((inner) => silent(inner, path)),
  ];
  assert.equal(silent(contextMapJsonSchema() as Schema, ''), []);
  assert.equal(silent(loopJsonSchema() as Schema, ''), []);
});

test('only stages and their command are required', () => {
  const map = contextMapJsonSchema() as Schema;
  assert.equal(map.required, ['stages']);
  const stage = map.properties?.stages?.additionalProperties as Schema | undefined;
  assert.equal(stage?.required, ['command']);
  assert.is((loopJsonSchema() as Schema).required, undefined);
});

test('the context map of this repository is valid', () => {
  if (existsSync(ai('context_map.yaml'))) assert.equal(mapProblems(readFileSync(ai('context_map.yaml'), 'utf8')), []);
});

test.run();
