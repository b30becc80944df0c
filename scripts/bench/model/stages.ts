// The sixty stages of the model bench: forty that are mended by the letter, and twenty that have to be read.
import { BROKEN_STAGES, type BrokenStage } from '../../../test/known-fixes/broken-stages.ts';
import { READING_STAGES } from './reading-stages.ts';

export interface Exam {
  readonly group: 'spelling' | 'reading';
  readonly stage: BrokenStage;
}

/**
 * Those with a certain repair, but for what no text can say: an executable bit, and the line ends of a script, which every
 * answer is given in any case. Of the faults in line ends one is left: a settings file, whose reader can be mended.
 */
const bySpelling = BROKEN_STAGES.filter(({ repair, broken }) => {
  if (repair === null || repair === 'executable') return false;
  return repair !== 'crlf' || !Object.keys(broken).some((path) => path.endsWith('.sh'));
});

export const EXAMS: readonly Exam[] = [
  ...bySpelling.map((stage) => ({ group: 'spelling' as const, stage })),
  ...READING_STAGES.map((stage) => ({ group: 'reading' as const, stage })),
];

/** Those whose names have `words` in them, whatever their case; all when there are none. */
export const examsNamed = (words: string): Exam[] =>
  EXAMS.filter(({ stage }) => stage.fault.toLowerCase().includes(words.toLowerCase()));
