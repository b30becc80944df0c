// What makejinja renders: from which files, into which. Pure.

import { parse } from 'smol-toml';
import { mapping } from '../shape.ts';
import { inFolder, list, perSurvey, unique } from './survey.ts';

/**
 * `files`: what is read, folders of templates, ending in `/`, and data. `outputs`: what is written, in the order of the templates.
 * Both empty where nothing is rendered.
 */
export const rendering = perSurvey((survey): { files: string[]; outputs: string[] } => {
  const settings = settingsOf(survey.text('makejinja.toml'));
  const paths = (value: unknown) => list(value).flatMap((one) => (typeof one === 'string' ? [inFolder('.', one)] : []));
  const folders = paths(settings.inputs).map((path) => `${path}/`);
  const [output = '.'] = paths(settings.output);
  const suffix = typeof settings.jinja_suffix === 'string' ? settings.jinja_suffix : '.jinja';
  const outputs = folders.flatMap((folder) =>
    survey.paths
      .filter((path) => path.startsWith(folder) && path.endsWith(suffix))
      .map((path) => inFolder(output, path.slice(folder.length, -suffix.length))),
  );
  const data = paths(settings.data).filter((path) => survey.files.has(path));
  const used = folders.filter((folder) => survey.paths.some((path) => path.startsWith(folder)));
  return { files: unique([...data, ...used]), outputs };
});

function settingsOf(text: string) {
  try {
    return mapping(parse(text).makejinja);
  } catch {
    return {};
  }
}
