// The recorded mistakes with their fixes, as the gate would see them with the log of the failure.
import { MISTAKES } from '../../fixtures/mistakes.ts';
import type { ExamRow } from './exam.ts';

export const mistakeRows = (): ExamRow[] =>
  MISTAKES.map(({ name, tool, files, stage, log, fix, also = [] }) => {
    const paths = [...new Set([fix, ...also].map(({ path }) => path))];
    const edits = paths.map((path) => {
      const before = files[path] as string;
      const after = [fix, ...also]
        .filter((one) => one.path === path)
        .reduce((text, one) => text.replace(one.old, () => one.new), before);
      return { path, before, after };
    });
    const failed = Array.isArray(stage.command) ? stage.command.join(' ') : String(stage.command);
    return {
      id: `mistakes/${name}`,
      what: name,
      family: tool,
      language: tool,
      files,
      edits,
      log,
      failed,
      programs: stage.requires.tools,
    };
  });
