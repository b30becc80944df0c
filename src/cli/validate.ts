// `mendloop validate`: both configuration files as they are in the working tree, every problem at once.
import { validateHome } from '../inspect/validate.ts';
import { LAB_TOOLS } from '../io/package.ts';
import { counted } from '../triage/words.ts';
import type { Answer, CommandInput } from './command.ts';

export async function run({ home }: CommandInput): Promise<Answer> {
  const validation = await validateHome(home(), { env: process.env, labTools: LAB_TOOLS });
  const { stages, warnings, differs } = validation;
  const lines = [
    `ok: ${counted(stages.length, 'stage')}: ${stages.join(', ')}`,
    ...warnings.map((w) => `warning: ${w}`),
    ...differs.map((d) => `note: ${d}`),
  ];
  return { text: lines, json: { ok: true, ...validation }, found: warnings.length > 0 };
}
