// The vocabularies that are shipped beside their reader: JSON, read from their place when they are first asked for.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Vocabularies, vocabulariesFrom } from '../../repository/vocabulary/vocabulary.ts';

const FOLDER = join(import.meta.dirname, '../../repository/vocabulary');

export const vocabularies: Vocabularies = vocabulariesFrom((tool) =>
  JSON.parse(readFileSync(join(FOLDER, `${tool}.json`), 'utf8')),
);
