// Asks a model of an Ollama host on this machine or its network. Text in, text out: the model has no tools.
import * as z from 'zod';
import type { Context, Proposal } from '../../src/model.ts';
import {
  answerFormSetting,
  askForChange,
  definePlugin,
  durationSetting,
  isLanAddress,
  isLoopback,
  lanHost,
  lanHostSetting,
  ModelFault,
  machineHasGpu,
  machineMemory,
  openChat,
  speedText,
  timeoutSetting,
} from '../../src/model.ts';
import { fittingModels, maxModelBytes, pickModel, runsElsewhere } from './ollama/pick-model.ts';

const options = z.strictObject({
  host: lanHostSetting.optional().describe('Where Ollama listens; without it OLLAMA_HOST, else http://127.0.0.1:11434'),
  model: z.string().min(1).default('auto').describe('A model that is installed there, or auto'),
  num_ctx: z.int().min(2048).max(1_048_576).default(8192).describe('Tokens of prompt and answer together'),
  keep_alive: durationSetting.prefault('30m').describe('How long the model stays in memory after an answer'),
  think: z
    .union([z.boolean(), z.enum(['low', 'medium', 'high'])])
    .default(false)
    .describe('Whether a model that knows how to thinks before it answers, which takes longer'),
  timeout: timeoutSetting,
  format: answerFormSetting,
});

type Settings = z.output<typeof options>;

const LARGER = 'raise plugins.ollama.num_ctx, or take a model with a larger context';
const MAX_OTHERS = 5;
/** Of requests that read nothing and write nothing; the machine may be busy with an answer to somebody else. */
const LOOK_MS = 60_000;
/** What a model may think beside its answer. */
const THOUGHT_TOKENS = 4000;

export default definePlugin({ name: 'ollama', kind: 'executor', options, check, propose });

async function check(context: Context<'check', Settings>): Promise<string> {
  const { model, why, url, fitting } = await reach(context);
  const others = fitting.filter((name) => name !== model);
  const speed = speedText(context.speeds.of(`${model} at ${url}`));
  const more = [
    ...(speed === undefined ? [] : [`it ${speed}`]),
    ...(others.length > 0 ? [`also fit: ${others.slice(0, MAX_OTHERS).join(', ')}`] : []),
  ];
  return [`${model} at ${url} (${why})`, ...more].join('; ');
}

async function propose(context: Context<'propose', Settings>): Promise<Proposal> {
  const { prompt, say, refused, options: settings } = context;
  if (prompt === '') throw new Error('it was given no prompt to send');
  const { host, model, url, why, contextTokens, thinks } = await reach(context);
  if (refused.length === 0) say(`asks ${model} at ${url} (${why})`);
  const think = thinks ? settings.think : undefined;
  return askForChange(context, {
    ...{ model, url, contextTokens, larger: LARGER, isLocal: true, format: settings.format },
    setting: { name: 'plugins.ollama.timeout', ms: settings.timeout },
    ...(think ? { thoughtTokens: THOUGHT_TOKENS } : {}),
    chat: ({ turns, maxTokens, schema, signal, onText }) =>
      host
        .chat({
          ...{ model, messages: turns, signal, onText, format: schema, think },
          keep_alive: `${settings.keep_alive / 1000}s`,
          // The context never changes: another one would make the host load the model again.
          options: { num_ctx: settings.num_ctx, temperature: 0, num_predict: maxTokens },
        })
        .catch((error: Error) => {
          throw /context length/.test(error.message) ? new ModelFault(`${error.message}; ${LARGER}`) : error;
        }),
  });
}

type Reaching = Pick<Context<'check', Settings>, 'signal' | 'options' | 'speeds'>;

/** The host, the model that is asked there, and the tokens that it can take. Throws one line when there is no host or no model. */
async function reach({ signal, options: settings, speeds }: Reaching) {
  const address = lanHost(settings.host ?? (process.env.OLLAMA_HOST || 'http://127.0.0.1:11434'));
  if ('refused' in address) throw new Error(address.refused);
  const { url, name } = address;
  const host = openChat(url, {
    signal,
    timeoutMs: Math.min(settings.timeout ?? LOOK_MS, LOOK_MS),
    mayReach: isLanAddress,
  });
  const installed = await host.models().catch((error: unknown) => {
    const isDown = error instanceof ModelFault && /cannot be reached: ECONNREFUSED/.test(error.message);
    throw isDown ? new Error(`nothing listens at ${url}; start it there: ollama serve`) : error;
  });
  const maxBytes = maxModelBytes(name, machineMemory());
  const hasGpu = (isLoopback(name) && machineHasGpu()) || (await host.onGpu().catch(unlessAnswered)) === true;
  const speedOf = (model: string) => speeds.of(`${model} at ${url}`);
  const { model, why } = pickModel(settings.model, installed, url, { maxBytes, hasGpu, speedOf });
  const fitting = fittingModels(installed, maxBytes).map((one) => one.name);
  // A host too old to say how many tokens a model takes is believed to take any.
  const shown = await host.show(model).catch(unlessAnswered);
  if (shown && runsElsewhere({ name: model, remoteHost: shown.remoteHost })) {
    throw new Error(`${model} does not run at ${url} but at ${shown.remoteHost}; prompts stay here`);
  }
  const contextTokens = Math.min(settings.num_ctx, shown?.context ?? Number.POSITIVE_INFINITY);
  return { url, host, model, why, contextTokens, fitting, thinks: shown?.thinks ?? false };
}

/** A host that does not know a question answers it with a status. */
function unlessAnswered(error: unknown): undefined {
  if (!(error instanceof ModelFault) || error.status === undefined) throw error;
}
