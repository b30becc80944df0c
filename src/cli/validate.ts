// `mendloop validate`: both configuration files as they are in the working tree, every problem at once, and which files are checks.
import { validateHome } from '../inspect/validate.ts';
import { counted } from '../triage/words.ts';
import type { Answer, CommandInput } from './command.ts';
import { PORTS } from './ports.ts';
import { runOptions } from './run-options.ts';

export async function run(input: CommandInput): Promise<Answer> {
  const { backend } = runOptions(input);
  const validation = await validateHome(input.home(), PORTS, backend);
  const { stages, checkFiles, warnings, asked, differs } = validation;
  const lines = [
    `ok: ${counted(stages.length, 'stage')}: ${stages.join(', ')}`,
    ...asked,
    ...checkFiles.flatMap(({ stage, path, word, by }, i) => [
      ...(checkFiles[i - 1]?.stage === stage ? [] : [`check files of ${stage}, which no fix may touch:`]),
      `  ${path} (${word} in ${by.replace(`stages.${stage}.`, '')})`,
    ]),
    ...warnings.map((w) => `warning: ${w}`),
    ...differs.map((d) => `note: ${d}`),
  ];
  return { text: lines, json: { ok: true, ...validation }, hasFindings: warnings.length > 0 };
}
