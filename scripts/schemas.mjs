#!/usr/bin/env node
// Writes the JSON Schemas that editors use for ai/context_map.yaml and ai/loop.yaml: `npm run schemas`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import './typescript.mjs';

const { contextMapJsonSchema, loopJsonSchema } = await import('./json-schema.ts');
const folder = resolve(import.meta.dirname, '..', 'ai', 'schema');

mkdirSync(folder, { recursive: true });
for (const [name, schema] of [
  ['context_map', contextMapJsonSchema()],
  ['loop', loopJsonSchema()],
]) {
  writeFileSync(join(folder, `${name}.schema.json`), `${JSON.stringify(schema, null, 2)}\n`);
}
