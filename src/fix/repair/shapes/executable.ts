// A script that says what runs it may be run.
import type { Shape } from '../shape.ts';

export const executable: Shape = (place, { text }) =>
  place.what === 'executable' && text.startsWith('#!') ? 'a script with its interpreter may be run' : undefined;
