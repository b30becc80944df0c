// The owner's own rules for classing failures, from `classify` in ai/loop.yaml.
import { LOOP_FILE } from '../config/files.ts';
import { formatProblem } from '../config/problem.ts';
import { fail, MendError } from '../errors.ts';
import type { ProjectRule } from '../failure/classify.ts';
import { readText } from '../io/store.ts';
import { projectRules } from '../mend/identify.ts';

/** Those in the working tree; none outside of a repository. Throws E_CONFIG when a file that has some is not sound. */
export async function rulesOnDisk(home: () => string): Promise<ProjectRule[]> {
  const root = repository(home);
  const text = root === undefined ? undefined : readText(`${root}/${LOOP_FILE}`);
  // Reading the configuration loads much; most have no rules of their own.
  if (text === undefined || !/\bclassify\b/.test(text)) return [];
  const { parseLoopConfig } = await import('../config/parse.ts');
  const found = parseLoopConfig(text, LOOP_FILE);
  if (found.ok) return projectRules(found.value);
  return fail('E_CONFIG', { files: LOOP_FILE, count: found.problems.length }, found.problems.map(formatProblem));
}

function repository(home: () => string): string | undefined {
  try {
    return home();
  } catch (error) {
    if (error instanceof MendError && error.code === 'E_NOT_GIT') return undefined;
    throw error;
  }
}
