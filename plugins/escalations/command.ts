// Asks a program of the owner's about a case: the case on its stdin, the answer from its stdout. What the program does with
// the case is its own affair: one that asks a hosted model sends it there.
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

export default definePlugin({
  name: 'command',
  kind: 'escalation',
  options: programSettings('15m'),
  escalate(context) {
    const { signal, used, options, timeLeft } = context;
    const { argv, timeout } = options;
    return consult(context, {
      who: argv[0] as string,
      async ask(turns) {
        const input = `${CASE_TASK}\n${turns.map(turnText).join('\n')}`;
        const env = programEnvironment(options.env);
        const text = await runModelCommand({ argv, input, env, timeoutMs: Math.min(timeout, timeLeft()), signal });
        // A program does not say how many tokens it used.
        used(estimateTokens(input) + estimateTokens(text));
        return { text };
      },
    });
  },
});

/** A program is asked anew each time: it is shown what it answered. */
const turnText = ({ role, content }: Turn): string =>
  role === 'user' ? content : `# Your answer before\n\n${content.trimEnd()}\n`;
