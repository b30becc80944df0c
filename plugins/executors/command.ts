// Asks a program of the owner's: the prompt on its stdin, the answer from its stdout. What the program does with the prompt
// is its own affair: one that asks a hosted model sends it there.
//
// With the Codex CLI, in ai/loop.yaml:
//   executors: [known-fixes, command]
//   plugins:
//     command:
//       argv: [codex, exec, --skip-git-repo-check, --ephemeral, --sandbox, read-only, "-"]
//       timeout: 4m
import { z } from 'zod';
import type { AnswerFormat } from '../../src/case/prompt/facts.ts';
import { followUp } from '../../src/case/prompt/follow-up.ts';
import { withFormat } from '../../src/case/prompt/format-rule.ts';
import { estimateTokens } from '../../src/case/prompt/tokens.ts';
import { positiveDurationSchema } from '../../src/config/duration.ts';
import { runModelCommand } from '../../src/io/egress/model-command.ts';
import { definePlugin } from '../../src/plugin/define.ts';
import { guardAnswer } from './ollama/guard.ts';

const options = z.strictObject({
  argv: z
    .array(z.string())
    .min(1, { error: 'expected the program and its arguments' })
    .refine(([program]) => program !== '', { error: 'expected the name of a program' })
    .describe('The program and its arguments; no shell'),
  timeout: positiveDurationSchema.prefault('240s').describe('How long one answer may take'),
  env: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'expected the name of an environment variable' }))
    .default([])
    .describe('Variables that it is given besides PATH, HOME and LANG'),
});

const ALWAYS = ['PATH', 'HOME', 'LANG'];
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
    const said = await runModelCommand({ argv, input, env: chosen(env), timeoutMs: timeout, signal });
    // Nobody else counts them.
    context.used(estimateTokens(input) + estimateTokens(said));
    const guarded = guardAnswer(said, 'stop', []);
    if ('says' in guarded) return { pass: `${argv[0]} proposes no change: ${guarded.says}` };
    return 'answer' in guarded ? guarded : { pass: `${argv[0]}: ${guarded.wrong}` };
  },
});

function chosen(names: readonly string[]): Record<string, string> {
  const set = [...ALWAYS, ...names].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(set);
}
