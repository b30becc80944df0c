// Lets this process import .ts files: natively where Node strips types, elsewhere through typescript-hooks.mjs.
import { register } from 'node:module';

if (!process.features.typescript) register('./typescript-hooks.mjs', import.meta.url);
