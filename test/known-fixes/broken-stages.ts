// All stages as people break them.
import { brokenData } from './broken-data.ts';
import { brokenScripts } from './broken-scripts.ts';
import type { BrokenStage } from './broken-stage.ts';
import { asLooksAlike } from './look-alikes.ts';

export type { BrokenStage } from './broken-stage.ts';

export const BROKEN_STAGES: readonly BrokenStage[] = [...brokenScripts, ...brokenData, ...asLooksAlike];
