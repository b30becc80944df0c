// Asks a program of the owner's: the prompt on its stdin, the answer from its stdout. What the program does with the prompt
// is its own affair: one that asks a hosted model sends it there.
//
// With the Codex CLI, in ai/loop.yaml:
//   executors: [known-fixes, command]
//   plugins:
//     command:
//       argv: [codex, exec, --skip-git-repo-check, --ephemeral, --sandbox, read-only, "-"]
//       timeout: 4m

import { runModelCommand } from '../../src/io/egress/model-command.ts';
import type { AnswerFormat } from '../../src/outbound/prompt/facts.ts';
import { followUp } from '../../src/outbound/prompt/follow-up.ts';
import { withFormat } from '../../src/outbound/prompt/format-rule.ts';
import { estimateTokens } from '../../src/outbound/prompt/tokens.ts';
import { definePlugin } from '../../src/plugin/define.ts';
import { commandSettings, environment } from '../command/settings.ts';
import { guardAnswer } from './ollama/guard.ts';

const options = commandSettings('240s');
const FORMAT: AnswerFormat = 'diff';

export default definePlugin({
  name: 'command',
  kind: 'executor',
  options,
  async propose(context) {
    const { prompt, refused, signal, options: settings } = context;
    if (prompt === '') throw new Error('it was given no prompt to send');
    const { argv, timeout, env } = settings;
    context.say(`asks ${argv[0]}`);
    const asked = withFormat(prompt, FORMAT);
    const input = refused.length === 0 ? asked : `${asked}\n${followUp(refused, FORMAT)}`;
    const said = await runModelCommand({ argv, input, env: environment(env), timeoutMs: timeout, signal });
    // Nobody else counts them.
    context.used(estimateTokens(input) + estimateTokens(said));
    const guarded = guardAnswer(said, 'stop', []);
    if ('says' in guarded) return { pass: `${argv[0]} proposes no change: ${guarded.says}` };
    return 'answer' in guarded ? guarded : { pass: `${argv[0]}: ${guarded.wrong}` };
  },
});
