// Every repair that ships, by its name.
import { executable, shebang } from './cannot-start.ts';
import { crlf } from './crlf.ts';
import { json } from './json.ts';
import { misspeltPath } from './misspelt-path.ts';
import { outlier } from './outlier.ts';
import type { Repair } from './repair.ts';
import { hereDocument, openQuote } from './unended.ts';
import { wrongLevel } from './wrong-level.ts';
import { bareTemplate, formatted, invisible, lint, makeTabs } from './wrong-text.ts';
import { wrongType } from './wrong-type.ts';
import { wrongWord } from './wrong-word.ts';
import { yaml } from './yaml.ts';

export const REPAIRS: Readonly<Record<string, Repair>> = {
  crlf,
  executable,
  yaml,
  json,
  'misspelt-path': misspeltPath,
  shebang,
  'here-document': hereDocument,
  'open-quote': openQuote,
  'wrong-word': wrongWord,
  outlier,
  'wrong-type': wrongType,
  'wrong-level': wrongLevel,
  'make-tabs': makeTabs,
  invisible,
  lint,
  formatted,
  'bare-template': bareTemplate,
};
