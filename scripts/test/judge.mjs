// Whether a test file passed, by what its process told: uvu alone reports success for a suite that never ran.

/**
 * The counts of a file, why what was skipped was, and why it failed (nothing when it passed). `told` are the lines of file.mjs,
 * `code` the exit code of its process, undefined when its time was up.
 */
export function judge({ told, code, left = [], limit }, { inCi = false } = {}) {
  const end = told.findLast((line) => line.end)?.end;
  const begun = told.filter((line) => line.test && !line.leaves).map((line) => line.test);
  const leaks = told.filter((line) => line.leaves);
  const where = begun.length > 0 ? `in "${begun.at(-1)}"` : 'before its first test';
  const { total = 0, passed = 0, skipped = 0, skips = [], notRun = 0, isRun = true } = end ?? {};
  const reasons = [
    !end && (code === undefined ? `still running after ${limit} s, ${where}` : `ended with ${code}, ${where}`),
    end && code === undefined && 'does not end after its last test: something is still open',
    end && code !== 0 && code !== undefined && `ended with ${code} after its last test`,
    end && !isRun && 'test.run() is never called',
    end && isRun && notRun > 0 && `${notRun} stand behind test.run()`,
    end && total + skipped === 0 && 'no test was found',
    end && passed !== total && `${total - passed} of ${total} did not pass`,
    end && begun.length !== total && passed === total && `${total} tests, but ${begun.length} began`,
    skipped !== skips.length && `${skipped - skips.length} left out without saying why`,
    inCi && skipped > 0 && `${skipped} skipped, and with CI=true nothing may be`,
    ...leaks.map(({ test, leaves }) => `${test ? `"${test}"` : 'the file itself'} leaves ${leaves}`),
    left.length > 0 && `leaves running at its end: ${left.join('; ')}`,
  ].filter(Boolean);
  const leaking = new Set(leaks.map(({ test }) => test)).size;
  const failed = reasons.length === 0 ? 0 : Math.max(1, Math.min(total, total - passed + leaking));
  return { passed: Math.min(passed, total - Math.min(failed, total)), failed, skips, reasons };
}
