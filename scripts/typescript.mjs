// Lets this process import .ts files, natively where Node strips types, elsewhere through typescript-hooks.mjs; and this package
// by its name from a clone, which has none of the files that a packed one exports.
import { register } from 'node:module';
import { lendDoors } from '../src/plugin/bare-imports.mjs';

if (!process.features.typescript) register('./typescript-hooks.mjs', import.meta.url);
lendDoors();
