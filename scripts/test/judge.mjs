// Whether a test file passed, by its text and what its process printed: uvu alone reports success for a suite that never ran.

/** The output of several files, by file: each part begins where batch.mjs named it. */
export function outputByFile(output) {
  const parts = output.split(/^=== (?=\S)/m).slice(1);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part]));
}

/** The counts of a file, why it failed (nothing when it passed), and why some of it was skipped. `code` is the exit code of its process. */
export function judge(source, output, code) {
  const counts = summary(output);
  const skipReason = output.match(/^skipped: .+$/m)?.[0];
  const missing = suitesNotRun(source);
  const reasons = [
    missing.length > 0 && `never run: ${missing.join(', ')}`,
    !counts && 'no summary was printed',
    counts?.total === 0 && 'no test was found',
    counts && counts.passed !== counts.total && `${counts.total - counts.passed} of ${counts.total} did not pass`,
    counts?.skipped > 0 && !skipReason && `${counts.skipped} skipped without a line "skipped: why"`,
    counts?.skipped > 0 && process.env.CI && `${counts.skipped} skipped, and in CI nothing may be`,
    code !== 0 && `exit code ${code}`,
  ].filter(Boolean);
  const { total = 0, passed = 0, skipped = 0 } = counts ?? {};
  return { passed, failed: reasons.length === 0 ? 0 : Math.max(1, total - passed), skipped, reasons, skipReason };
}

/** Every suite a file declares must be run, or its tests never happen. */
function suitesNotRun(source) {
  const declared = [...source.matchAll(/\b(\w+)\s*=\s*suite\(/g)].map((m) => m[1]);
  if (/import \{[^}]*\btest\b[^}]*\} from 'uvu'/.test(source)) declared.push('test');
  if (declared.length === 0) return ['(the file declares no suite)'];
  return declared.filter((name) => !new RegExp(`^${name}\\.run\\(\\);`, 'm').test(source));
}

/** uvu's own summary, last of the output: numbers, or undefined when it never came. */
function summary(output) {
  const read = (word) => Number(output.match(new RegExp(`^  ${word}:\\s+(\\d+)`, 'm'))?.[1]);
  const counts = { total: read('Total'), passed: read('Passed'), skipped: read('Skipped') };
  return Number.isNaN(counts.total + counts.passed + counts.skipped) ? undefined : counts;
}
