// A script that says what runs it may be run.
import type { Shape } from '../shape.ts';

export const executable: Shape = (place) =>
  place.what === 'executable' && place.text.startsWith('#!') ? 'a script with its interpreter may be run' : undefined;
