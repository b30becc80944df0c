// fast-check as every test gets it. In `npm test` a test draws few cases, always the same; in `npm run test:long` many others.
import fc from 'fast-check';

const LONG = process.env.TEST_LONG === '1';

/** Decides every drawn case. TEST_SEED repeats a sweep that failed. */
export const SEED = Number(process.env.TEST_SEED ?? (LONG ? Date.now() % 2_147_483_647 : 20_261));
if (LONG) console.log(`TEST_SEED=${SEED}`);
fc.configureGlobal({ seed: SEED, numRuns: LONG ? 2000 : 50 });

export { fc };

/** Cases, or their number: those of every day, or those of the long sweep. */
export const cases = <T>(few: T, many: T): T => (LONG ? many : few);

/** The same for a property of fast-check. */
export const runs = (few: number, many: number): { numRuns: number } => ({ numRuns: cases(few, many) });
