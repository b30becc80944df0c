// All exams of the model bench, and which of them are asked for.
import { BROKEN_STAGES, type BrokenStage } from '../../../test/known-fixes/broken-stages.ts';
import type { Exam } from './exam.ts';
import { READING_STAGES } from './reading-stages.ts';
import { DECLINED_EXAMS, REAL_EXAMS } from './real-exams.ts';

/**
 * Those with a certain repair, but for what no text can say: an executable bit, and the line ends of a script, which
 * every answer is given in any case. Of the faults in line ends one is left: a settings file, whose reader can be
 * mended.
 */
const bySpelling = BROKEN_STAGES.filter(({ repair, broken }) => {
  if (repair === null || repair === 'executable') return false;
  return repair !== 'crlf' || !Object.keys(broken).some((path) => path.endsWith('.sh'));
});

function small(group: 'spelling' | 'reading', stage: BrokenStage): Exam {
  const { fault, sound, broken, plain = [], command, files: may, tools = [] } = stage;
  const files = { ...sound, ...broken };
  const mended = { ...sound, ...stage.mended };
  const path = Object.keys(broken)[0] as string;
  return {
    ...{ name: fault, group, files, plain, protectedFiles: [] },
    stage: { command, files: may, requires: { tools } },
    judge: { mended },
    right: [{ path, before: broken[path] ?? '', after: mended[path] ?? '' }],
    isLeft: async () => group === 'reading',
  };
}

export const EXAMS: readonly Exam[] = [
  ...bySpelling.map((stage) => small('spelling', stage)),
  ...READING_STAGES.map((stage) => small('reading', stage)),
  ...REAL_EXAMS,
  ...DECLINED_EXAMS,
];

/** Those whose names have `words` in them, whatever their case; all when there are none. */
export const examsNamed = (words: string): Exam[] =>
  EXAMS.filter(({ name }) => name.toLowerCase().includes(words.toLowerCase()));

export type ChosenExam = Exam & { readonly left: boolean };

/** Of each group as many as make twelve, spread over its order, so that they are of different tools. */
const QUICK = { reading: 2, real: 7, declined: 3 } as const;

/**
 * By name, else what known fixes leave and what must be declined; `all`: also what they mend; `quick`: twelve of
 * these.
 */
export async function chooseExams(want: {
  only: readonly string[];
  all: boolean;
  quick: boolean;
}): Promise<ChosenExam[]> {
  const named = want.only.flatMap(examsNamed);
  const asked = want.only.length > 0 ? EXAMS.filter((exam) => named.includes(exam)) : EXAMS;
  const known: ChosenExam[] = [];
  for (const exam of asked) known.push({ ...exam, left: await exam.isLeft() });
  const wanted = known.filter(({ left }) => left || want.all || want.only.length > 0);
  return want.quick ? twelveOf(wanted) : wanted;
}

/** Twelve of those that known fixes leave. */
export const twelveOf = (exams: readonly ChosenExam[]): ChosenExam[] =>
  Object.entries(QUICK).flatMap(([group, count]) => {
    const own = exams.filter((exam) => exam.group === group && exam.left);
    const number = Math.min(count, own.length);
    return Array.from({ length: number }, (_, n) => own[Math.floor(((n + 0.5) * own.length) / number)] as ChosenExam);
  });
