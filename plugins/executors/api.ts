// Asks a model behind HTTP for a change: llama.cpp, LM Studio, vLLM or LiteLLM on this machine or its network, or a host outside
// where its owner allows that. Text in, text out: the model has no tools.
import type { Context } from '../../src/model.ts';
import { askForChange, definePlugin, ModelFault, speedText } from '../../src/model.ts';
import { type ApiSettings, apiSettings, isOnLan, leaksKey, openApi, originOf } from '../escalations/api/host.ts';

const LARGER = 'raise plugins.api.num_ctx, where the host takes as much';

const options = apiSettings.superRefine((settings, { addIssue }) => {
  if (settings.public || isOnLan(settings)) return;
  const why = `${originOf(settings)} is outside of this network, and prompts hold your files and logs`;
  addIssue({ code: 'custom', path: ['base_url'], message: `${why}; set public: true to send them there` });
});

export default definePlugin({
  name: 'api',
  kind: 'executor',
  options,
  async check(context) {
    const { asked } = await open(context);
    const speed = speedText(context.speeds.of(`${asked.model} at ${asked.url}`));
    return `${asked.model} at ${asked.url}${speed === undefined ? '' : `; it ${speed}`}`;
  },
  async propose(context) {
    if (context.prompt === '') throw new Error('it was given no prompt to send');
    const { asked, host } = await open(context);
    const { format, num_ctx: contextTokens } = context.options;
    if (context.refused.length === 0) context.say(`asks ${asked.model} at ${asked.url}`);
    return askForChange(context, {
      ...{ ...asked, contextTokens, larger: LARGER, format },
      async chat(question) {
        const end = await asked.chat(question);
        if (!leaksKey(host, end.text)) return end;
        throw new ModelFault(`${asked.url} repeats the key that it was sent; its answer is not used`);
      },
    });
  },
});

const open = (context: Pick<Context<'check', ApiSettings>, 'say' | 'signal' | 'options'>) =>
  openApi(context, { temperature: 0, think: context.options.think });
