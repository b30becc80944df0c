// Every repair that ships.
import { crlf } from './crlf.ts';
import { executable } from './executable.ts';
import { hereDocument } from './here-document.ts';
import { json } from './json.ts';
import { misspeltCommand } from './misspelt-command.ts';
import { misspeltPath } from './misspelt-path.ts';
import { misspeltVariable } from './misspelt-variable.ts';
import { openQuote } from './open-quote.ts';
import type { Repair } from './repair.ts';
import { shebang } from './shebang.ts';
import { yaml } from './yaml.ts';

export const REPAIRS: readonly Repair[] = [
  crlf,
  executable,
  yaml,
  json,
  misspeltCommand,
  misspeltPath,
  misspeltVariable,
  shebang,
  hereDocument,
  openQuote,
];
