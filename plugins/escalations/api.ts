// Asks a model behind HTTP about a case. Only the masked case leaves. A host at fault is no call; a useless answer is passed over.
import { askModel, CASE_TASK, consult, definePlugin } from '../../src/model.ts';
import { apiSettings, leaksKey, openApi } from './api/host.ts';

export default definePlugin({
  name: 'api',
  kind: 'escalation',
  options: apiSettings,
  async escalate(context) {
    const { asked, host } = await openApi(context, { system: CASE_TASK });
    const maxTokens = context.options.max_tokens;
    return consult(context, {
      who: `${asked.model} at ${asked.url}`,
      async ask(turns) {
        const answer = await askModel(context, asked, { turns, maxTokens });
        if ('useless' in answer) return { text: '', wrong: answer.useless };
        const { text, doneReason } = answer;
        if (leaksKey(host, text)) return { refuses: 'repeats the key that it was sent; its answer is not used' };
        if (doneReason === 'refused') return { refuses: 'would not answer' };
        if (doneReason === 'length')
          return { text, wrong: 'it was cut off at max_tokens, before its end; answer in fewer words' };
        return { text };
      },
    });
  },
});
