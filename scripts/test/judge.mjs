// Whether a test file passed, by what its process told: uvu alone reports success for a suite that never ran.

/**
 * The counts of a file, why what was skipped was, and why it failed (nothing when it passed). `told` are the lines of file.mjs,
 * `code` the exit code of its process, undefined when its time was up.
 */
export function judge({ told, code, left = [], kept, limit }, { inCi = false } = {}) {
  const end = told.findLast((line) => line.end)?.end;
  const begun = told.filter((line) => line.test && !line.leaves).map((line) => line.test);
  const where = begun.length > 0 ? `in "${begun.at(-1)}"` : 'before its first test';
  const how = typeof code === 'number' ? `exit code ${code}` : code;
  const { total = 0, passed = 0, skipped = 0, skips = [], leaks = 0, notRun = 0, isRun = true } = end ?? {};
  const reasons = [
    !end && (code === undefined ? `still running after ${limit} s, ${where}` : `ended with ${how}, ${where}`),
    end && code === undefined && 'does not end after its last test: something is still open',
    end && code !== 0 && code !== undefined && `ended with ${how}, after its last test`,
    end && !isRun && total > 0 && 'test.run() is never called',
    end && isRun && notRun > 0 && `${notRun} behind test.run()`,
    end && total + skipped === 0 && 'no test was found',
    end && passed !== total && `${total - passed} of ${total} did not pass`,
    end &&
      begun.length !== total &&
      passed === total &&
      notRun === 0 &&
      `${total} tests, but ${begun.length} began: uvu's \`test\` alone is watched`,
    skipped !== skips.length && `${skipped - skips.length} left out without saying why`,
    inCi && skipped > 0 && `${skipped} skipped, and with CI=true nothing may be`,
    ...told.map(({ test, leaves }) => leaves && `${test ? `"${test}"` : 'the file itself'} leaves ${leaves}`),
    left.length > 0 && `leaves running at its end: ${left.join('; ')}`,
    kept && `leaves a folder that cannot be removed: ${kept}`,
  ].filter(Boolean);
  const failed = reasons.length === 0 ? 0 : Math.max(1, total - passed + leaks);
  return { passed: Math.max(0, total - failed), failed, skips, reasons };
}
