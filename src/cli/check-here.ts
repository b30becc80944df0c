// An answer against this very repository: the files as they are in the working tree, the rules of the map on disk.
import { join } from 'node:path';
import { commandWords } from '../config/paths.ts';
import { applyChanges, spellings } from '../fix/apply-changes.ts';
import { cleanDiff } from '../fix/clean-diff.ts';
import { type Edit, type Refusal, refuse } from '../fix/edit.ts';
import { judgeResult } from '../fix/gate/judge.ts';
import { pathFault } from '../fix/gate/path-text.ts';
import { carriedPaths, checkCommands, judgingScripts } from '../fix/gate/protected-names.ts';
import type { GateRules, Tree } from '../fix/gate/rules.ts';
import { readAnswer } from '../fix/read-answer.ts';
import { fileFacts, isExecutable } from '../io/files.ts';
import { type Entry, entryAt } from '../io/links.ts';
import { shellCheck } from '../io/shell-check.ts';
import { readText } from '../io/store.ts';
import { shellProblems } from '../mend/proposal.ts';
import { withoutLineNumbers } from '../outbound/shown-files.ts';
import { configurationOnDisk } from '../stage/configuration.ts';
import { packagePaths } from '../stage/own-plugins.ts';
import { unknownStage } from '../stage/unknown-stage.ts';

/** Throws MendError for a stage that nobody knows and a map that is not sound; never for the answer. */
export async function checkHere(
  home: string,
  name: string,
  answer: string,
): Promise<{ ok: true; files: Edit[]; diff: string } | Refusal> {
  const { map, loop } = configurationOnDisk(home);
  const stage = map.stages[name] ?? unknownStage(name, Object.keys(map.stages));
  const read = readAnswer(withoutLineNumbers(answer));
  if (!read.ok) return read;
  const paths = read.changes.flatMap(({ path }) => (path === undefined ? [] : spellings(path)));
  const checks = checkCommands(map);
  const looked = [...paths, ...checks.flatMap(commandWords)].filter((path) => pathFault(path) === undefined);
  const { tree, text } = await lookAt(home, looked);
  const applied = applyChanges(read.changes, text);
  if (!applied.ok) return applied;
  const rules: GateRules = {
    allow: stage.files,
    protect: map.protected_files,
    tier: 'executor',
    tree,
    untouchable: [...judgingScripts(checks, tree), ...carriedPaths(map.carry), ...(await packagePaths(home))],
    maxFiles: loop.limits.executor_files,
    maxLines: loop.limits.changed_lines,
  };
  const verdict = judgeResult(applied.files, rules);
  if (!verdict.ok) return verdict;
  const problems = await shellProblems(applied.files, shellCheck);
  return problems.length > 0 ? refuse('does_not_parse', ...problems) : { ...applied, diff: cleanDiff(applied.files) };
}

/** The working tree as far as `paths` go, never through a link. */
async function lookAt(
  home: string,
  paths: readonly string[],
): Promise<{ tree: Tree; text: (path: string) => string | undefined }> {
  const entries = new Map<string, Entry>();
  for (const path of new Set(paths)) {
    const parts = path.split('/');
    for (let i = 1; i <= parts.length; i++) {
      const part = parts.slice(0, i).join('/');
      if (!entries.has(part)) entries.set(part, await entryAt(join(home, part)));
      if (entries.get(part)?.kind === 'link') break;
    }
  }
  const text = (path: string) =>
    entries.get(path)?.kind === 'file' && fileFacts(join(home, path))?.isFile ? readText(join(home, path)) : undefined;
  const tree: Tree = {
    exists: (path) => (entries.get(path)?.kind ?? 'nothing') !== 'nothing',
    isFolder: (path) => entries.get(path)?.kind === 'folder',
    linkTarget: (path) => {
      const entry = entries.get(path);
      return entry?.kind === 'link' ? entry.target : undefined;
    },
    isExecutable: (path) => isExecutable(join(home, path)),
  };
  return { tree, text };
}
