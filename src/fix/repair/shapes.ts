// All shapes of a repair, in the order in which they are asked. What none of them can show is a decision of the owner.
import type { Shape } from './shape.ts';
import { addedLook } from './shapes/added-look.ts';
import { definition } from './shapes/definition.ts';
import { duplicate } from './shapes/duplicate.ts';
import { entry } from './shapes/entry.ts';
import { executable } from './shapes/executable.ts';
import { key } from './shapes/key.ts';
import { movedKey } from './shapes/moved-key.ts';
import { name } from './shapes/name.ts';
import { offered } from './shapes/offered.ts';
import { parsesAgain } from './shapes/parses-again.ts';
import { path } from './shapes/path.ts';
import { program } from './shapes/program.ts';
import { retyped } from './shapes/retyped.ts';

/** Name → shape; the name is what commits, `fixes` and cases say. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  'parses again': parsesAgain,
  'quotes and types': retyped,
  'key one level off': movedKey,
  duplicate,
  executable,
  'looks or waits': addedLook,
  path,
  name,
  entry,
  key,
  'offered by the log': offered,
  'used definition': definition,
  program,
};
