// The commands that a repository writes down for its people and its CI, in the order in which they stand there. Pure.
import { isMapping, type Mapping, mapping } from '../shape.ts';
import { otherPurpose } from './names.ts';
import { baseName, documentIn, folderOf, inFolder, isAside, list, perSurvey, type Survey } from './survey.ts';

export interface Written {
  /** One command, without a prompt or a comment. */
  readonly text: string;
  readonly file: string;
  readonly line: number;
  /** The folder that a `cd` before it, in the same block, went to. */
  readonly folder: string;
  /** Of those in one block of code or job. */
  readonly block: number;
  /** It stands in a block of code, not in a sentence. */
  readonly isCode: boolean;
}

const GUIDE =
  /^(?:(?:docs?|website|documentation|guides?|wiki)\/.*)?[^/]*(?:readme|install|getting|setup|deploy|bootstrap|quick|usage|provision)[^/]*(?:\/[^/]+)?\.mdx?$|^[\w-]+\/readme\.md$/i;
const MAX_GUIDES = 40;
const CI = /^(?:\.(?:github|gitea|forgejo)\/workflows\/[^/]+|\.woodpecker\/[^/]+|\.woodpecker|\.gitlab-ci)\.ya?ml$/;
/** A heading above commands that bring nothing up. */
const ELSEWHERE = /troubleshoot|contribut|develop|sandbox|credit|migrat|faq|clean|tear|remov|delet|destroy|uninstall/i;

/** The texts that tell people how to start: README first, then what lies least deep. */
export const guidesOf = perSurvey(({ paths }: Survey): string[] => {
  const rank = (path: string) => (/^readme(?:\.\w+)?$/i.test(path) ? 0 : path.split('/').length);
  const guides = paths.filter((path) => rank(path) === 0 || (GUIDE.test(path) && !isAside(path)));
  return guides.sort((a, b) => rank(a) - rank(b)).slice(0, MAX_GUIDES);
});

/** Each inner list is one document or one job of CI: its commands run in this order. */
export const writtenIn = perSurvey((survey: Survey): { guides: Written[][]; jobs: Written[][] } => ({
  guides: guidesOf(survey).map((file) => inGuide(survey, file)),
  jobs: survey.paths.filter((path) => CI.test(path)).flatMap((file) => inJobs(survey, file)),
}));

function inGuide(survey: Survey, file: string): Written[] {
  const written: Written[] = [];
  let [fence, folder, isElsewhere, block] = ['', '.', false, 0];
  const add = (text: string, line: number, isCode: boolean): void => {
    for (const command of commandsOf(text)) {
      if (isCode && GOES.test(command)) folder = folderBehind(survey, command, [folder, folderOf(file)]);
      else written.push({ text: command, file, line, folder: isCode ? folder : '.', block, isCode });
    }
  };
  let begun = '';
  for (const [i, given] of survey.text(file).split('\n').entries()) {
    const line = begun + given;
    begun = fence !== '' && given.endsWith('\\') ? `${line.slice(0, -1)} ` : '';
    if (begun !== '') continue;
    const mark = /^\s*(?:[-*]\s+|\d+\.\s+)?(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && (fence === '' || mark.startsWith(fence))) {
      fence = fence === '' ? mark : '';
      block = i;
      folder = '.';
    } else if (fence === '' && /^#{1,6}\s/.test(line)) {
      isElsewhere = ELSEWHERE.test(line) || otherPurpose(line.replace(/^#+/, '')) !== undefined;
    } else if (fence === '' && given.trim() === '') block = i;
    else if (isElsewhere) continue;
    else if (fence !== '') add(line, i + 1, true);
    else if (/^(?: {4}|\t)\S/.test(line) && !line.includes('`')) add(line, i + 1, true);
    else for (const [, span = ''] of line.matchAll(/`([^`]+)`/g)) add(span, i + 1, false);
  }
  return written;
}

/** The commands of one line: without prompt and comment, apart where `&&` or `;` joins them. */
function commandsOf(line: string): string[] {
  const plain = line.trim().replace(/^(?:[$>%]|\w+@[\w.-]+[:~\w/]*[$#])\s+/, '');
  if (plain.startsWith('#')) return [];
  const parts = plain.replace(/\s+#.*$/, '').match(/(?:'[^']*'|"[^"]*"|[^'";&]|(?<!&)&(?!&))+/g) ?? [];
  return parts.map((part) => part.replace(/\s*\\$/, '').trim()).filter((part) => /^[\w./~$-]/.test(part));
}

/** `run` of GitHub and its kin, `commands` of Woodpecker, `script` of GitLab. */
function inJobs(survey: Survey, file: string): Written[][] {
  const top = documentIn(survey, file);
  const jobs = isMapping(top.jobs) ? Object.values(top.jobs) : top.steps !== undefined ? [top] : Object.values(top);
  const stepsOf = (job: Mapping): unknown[] =>
    isMapping(job.steps) ? Object.values(job.steps) : job.script !== undefined ? [job] : [...list(job.steps)];
  return jobs.filter(isMapping).map((job, block) =>
    stepsOf(job).flatMap((one) => {
      const step = mapping(one);
      const texts = [step.run, ...list(step.commands), ...list(step.script)].filter((text) => typeof text === 'string');
      const given = step['working-directory'] ?? mapping(mapping(job.defaults).run)['working-directory'] ?? '.';
      let folder = inFolder('.', String(given));
      const commands = texts.flatMap((text) => text.replace(/\\\n\s*/g, ' ').split('\n')).flatMap(commandsOf);
      return commands.flatMap((text): Written[] => {
        if (GOES.test(text)) folder = folderBehind(survey, text, [folder]);
        return [{ text, file, line: lineOf(survey.text(file), text), folder, block, isCode: true }];
      });
    }),
  );
}

const GOES = /^cd\s+["']?([\w./-]+)["']?$/;

/** The folder that `cd` goes to from one of these; the root where there is none, such as behind `git clone`. */
function folderBehind({ paths }: Survey, command: string, from: readonly string[]): string {
  const to = GOES.exec(command)?.[1] ?? '.';
  const all = from.map((folder) => inFolder(folder, to));
  return all.find((folder) => paths.some((path) => path.startsWith(`${folder}/`))) ?? '.';
}

const lineOf = (text: string, part: string): number =>
  Math.max(
    0,
    text.split('\n').findIndex((line) => line.includes(part)),
  ) + 1;

/** The place of a command as comments name it. */
export const placeOf = ({ file, line }: Pick<Written, 'file' | 'line'>): string =>
  /^readme(?:\.\w+)?$/i.test(baseName(file)) && !file.includes('/') ? `README, line ${line}` : `${file}, line ${line}`;
