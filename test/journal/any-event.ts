// Events as tests look at them: any type, any data.
import type { LoopEvent } from '../../src/events.ts';

export type AnyEvent = Omit<LoopEvent, 'data'> & { data: Record<string, unknown> };
