// Asks a program of the owner's: the prompt on its stdin, the answer from its stdout. What the program does with the prompt
// is its own affair: one that asks a hosted model sends it there.
import {
  type AnswerFormat,
  definePlugin,
  estimateTokens,
  followUp,
  guardAnswer,
  programEnvironment,
  programSettings,
  runModelCommand,
  withFormat,
} from '../../src/model.ts';

const FORMAT: AnswerFormat = 'diff';

export default definePlugin({
  name: 'command',
  kind: 'executor',
  options: programSettings('15m'),
  async propose({ prompt, refused, signal, say, used, timeLeft, options: { argv, timeout, env } }) {
    if (prompt === '') throw new Error('it was given no prompt to send');
    say(`asks ${argv[0]}`);
    const question = withFormat(prompt, FORMAT);
    const input = refused.length === 0 ? question : `${question}\n${followUp(refused, FORMAT, question)}`;
    const timeoutMs = Math.min(timeout, timeLeft());
    const text = await runModelCommand({ argv, input, env: programEnvironment(env), timeoutMs, signal });
    // A program does not say how many tokens it used.
    used(estimateTokens(input) + estimateTokens(text));
    const guarded = guardAnswer(text, 'stop', []);
    if ('says' in guarded) return { pass: `${argv[0]} proposes no change: ${guarded.says}` };
    return 'answer' in guarded ? guarded : { pass: `${argv[0]}: ${guarded.wrong}` };
  },
});
