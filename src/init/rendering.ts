// What makejinja renders: from which files, into which. Pure.
import { parse } from 'smol-toml';
import { inFolder, list, mapping, type Survey, unique } from './survey.ts';

interface Rendering {
  /** What is read: folders of templates, ending in `/`, and data. */
  readonly files: readonly string[];
  /** What is written, in the order of the templates. */
  readonly outputs: readonly string[];
}

const read = new WeakMap<Survey, Rendering>();

/** Read once a survey; empty where nothing is rendered. */
export function rendering(survey: Survey): Rendering {
  const made = read.get(survey) ?? readRendering(survey);
  read.set(survey, made);
  return made;
}

function readRendering(survey: Survey): Rendering {
  const settings = settingsOf(survey.text('makejinja.toml') ?? '');
  const paths = (value: unknown) => list(value).flatMap((one) => (typeof one === 'string' ? [inFolder('.', one)] : []));
  const tracked = [...survey.files.keys()];
  const folders = paths(settings.inputs).map((path) => `${path.replace(/\/$/, '')}/`);
  const [output = '.'] = paths(settings.output);
  const suffix = typeof settings.jinja_suffix === 'string' ? settings.jinja_suffix : '.jinja';
  const outputs = folders.flatMap((folder) =>
    tracked
      .filter((path) => path.startsWith(folder) && path.endsWith(suffix))
      .map((path) => inFolder(output, path.slice(folder.length, -suffix.length))),
  );
  const data = paths(settings.data).filter((path) => survey.files.has(path));
  const used = folders.filter((folder) => tracked.some((path) => path.startsWith(folder)));
  return { files: unique([...data, ...used]), outputs };
}

function settingsOf(text: string) {
  try {
    return mapping(parse(text).makejinja);
  } catch {
    return {};
  }
}
