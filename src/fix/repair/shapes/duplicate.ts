// A sibling is gone whose equal stays below the same parent.
import type { Shape } from '../shape.ts';

export const duplicate: Shape = (place) => (place.what === 'duplicate' ? 'it stood there twice, alike' : undefined);
