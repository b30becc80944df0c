// What makejinja renders: from which files, into which. Pure.

import picomatch from 'picomatch';
import { parse } from 'smol-toml';
import { mapping } from '../shape.ts';
import { shellWord } from '../worktree/messages.ts';
import { inFolder, list, perSurvey, type Survey, unique } from './survey.ts';

/**
 * `files`: what is read, folders of templates, ending in `/`, and data. `outputs`: what is written, last what a condition may
 * leave out. Both empty where nothing is rendered.
 */
export const rendering = perSurvey((survey): { files: string[]; outputs: string[] } => {
  const settings = settingsOf(survey.text('makejinja.toml'));
  const paths = (value: unknown) => list(value).flatMap((one) => (typeof one === 'string' ? [inFolder('.', one)] : []));
  const folders = paths(settings.inputs).map((path) => `${path}/`);
  const [output = '.'] = paths(settings.output);
  const suffix = typeof settings.jinja_suffix === 'string' ? settings.jinja_suffix : '.jinja';
  const patterns = list(settings.exclude_patterns).filter((one) => typeof one === 'string');
  const isExcluded = picomatch(patterns, { basename: true, dot: true });
  const { block_start = '{%' } = mapping(settings.delimiter);
  // A file that is empty when rendered is not written.
  const isConditional = (path: string) => Number(survey.text(path).startsWith(`${block_start} if `));
  const outputs = folders.flatMap((folder) =>
    survey.paths
      .filter((path) => path.startsWith(folder) && path.endsWith(suffix) && !isExcluded(path))
      .toSorted((a, b) => isConditional(a) - isConditional(b))
      .map((path) => inFolder(output, path.slice(folder.length, -suffix.length))),
  );
  const data = paths(settings.data).filter((path) => survey.files.has(path));
  const used = folders.filter((folder) => survey.paths.some((path) => path.startsWith(folder)));
  return { files: unique([...data, ...used]), outputs };
});

/** Where to get what is rendered, unless git ignores or has it: a stage writes into its worktree. */
export function whereRendered(survey: Survey): string[] {
  const ignored = survey
    .text('.gitignore')
    .split('\n')
    .map((line) => line.trim().replace(/^\/+|\/+$/g, ''));
  const tops = unique(rendering(survey).outputs.map((path) => path.split('/')[0] as string));
  const free = tops.filter((top) => !ignored.includes(top) && !survey.paths.some((path) => path.split('/')[0] === top));
  if (free.length === 0) return [];
  const copied = free.map((top) => `ai/worktree/${shellWord(top)}`).join(' ');
  return [`It renders into ai/worktree; to commit that yourself, once it is green: cp -R ${copied} .`];
}

function settingsOf(text: string) {
  try {
    return mapping(parse(text).makejinja);
  } catch {
    return {};
  }
}
