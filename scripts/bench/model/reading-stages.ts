// Twenty stages that must be read to be mended: the failure tells the symptom, the files tell the cause. Each has one root
// cause in one file, and is judged by checks and tools that the stage may not change.
import type { BrokenStage } from '../../../test/known-fixes/broken-stages.ts';
import { readingCommands } from './reading/commands.ts';
import { readingManifests } from './reading/manifests.ts';
import { readingSettings } from './reading/settings.ts';
import { readingShell } from './reading/shell.ts';

export const READING_STAGES: readonly BrokenStage[] = [
  ...readingCommands,
  ...readingShell,
  ...readingManifests,
  ...readingSettings,
];
