// `mendloop validate`: both configuration files as they are in the working tree, every problem at once.

import { validateHome } from '../inspect/validate.ts';
import { counted } from '../triage/words.ts';
import type { CommandInput } from './command.ts';

export async function run({ out, home }: CommandInput): Promise<number> {
  const found = await validateHome(home());
  const lines = [
    `ok: ${counted(found.stages.length, 'stage')}: ${found.stages.join(', ')}`,
    ...found.warnings.map((w) => `warning: ${w}`),
    ...found.differs.map((d) => `note: ${d}`),
  ];
  out.answer(lines.join('\n'), { ok: true, ...found });
  return 0;
}
