// Asks a program of the owner's about a case: the case on its stdin, the answer from its stdout. What the program does with
// the case is its own affair: one that asks a hosted model sends it there.
//
// With the Codex CLI, in ai/loop.yaml:
//   escalations: [command, case-file]
//   plugins:
//     command:
//       argv: [codex, exec, --skip-git-repo-check, --ephemeral, --sandbox, read-only, "-"]
//       timeout: 8m

import {
  CASE_TASK,
  consult,
  definePlugin,
  estimateTokens,
  programEnvironment,
  programSettings,
  runModelCommand,
  type Turn,
} from '../../src/model.ts';

/** Of the time that the loop gives a call, with some to spare. */
const CALL_LIMIT_MS = 580_000;

export default definePlugin({
  name: 'command',
  kind: 'escalation',
  options: programSettings('280s'),
  escalate(context) {
    const { argv, timeout, env } = context.options;
    const [who = ''] = argv;
    const began = performance.now();
    const left = () => CALL_LIMIT_MS - (performance.now() - began);
    context.say(`asks ${who} about ${context.case.name}`);
    return consult(context, {
      who,
      mayAskAgain: () => left() >= timeout,
      async ask(turns) {
        const input = `${CASE_TASK}\n${turns.map(turnText).join('\n')}`;
        const timeoutMs = Math.min(timeout, left());
        const command = { argv, input, env: programEnvironment(env), timeoutMs, signal: context.signal };
        const text = await runModelCommand(command);
        // A program does not say how many tokens it used.
        context.used(estimateTokens(input) + estimateTokens(text));
        return { text };
      },
    });
  },
});

/** A program is asked anew each time: it is shown what it answered. */
const turnText = ({ role, content }: Turn): string =>
  role === 'user' ? content : `# Your answer before\n\n${content.trimEnd()}\n`;
