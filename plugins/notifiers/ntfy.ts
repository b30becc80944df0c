// Tells ntfy, which tells phones. Published as JSON: nothing of a notice stands in a header or in an address.
import * as z from 'zod';
import type { Notice } from '../../src/model.ts';
import { baseAddressSetting, definePlugin, durationSetting, secretFrom, variableSetting } from '../../src/model.ts';
import { boundedNotice, postNotice } from './deliver.ts';

const TOPIC = /^[-_A-Za-z0-9]{1,64}$/;
const NO_TOPIC = 'expected letters, digits, "-" and "_", at most 64';
/** ntfy makes a file of a message that is longer than 4,096 bytes. */
const MAX_TEXT_BYTES = 4000;

const options = z
  .strictObject({
    server: baseAddressSetting.default('https://ntfy.sh').describe('Where ntfy is; plain http only on this network'),
    topic: z.string().regex(TOPIC, { error: NO_TOPIC }).optional().describe('Whoever knows it can read along'),
    topic_env: variableSetting.optional().describe('Instead of topic: the environment variable that holds it'),
    token_env: variableSetting.optional().describe('The environment variable with an access token'),
    priority: z.int().min(1).max(5).optional().describe('From 1 to 5; without it, by what is told'),
    tags: z
      .array(z.string().regex(/^[\w+-]{1,40}$/, { error: 'expected a tag, such as house' }))
      .max(10)
      .default([])
      .describe('Tags besides that of what is told'),
    timeout: durationSetting.prefault('25s').describe('How long telling may take, three tries together'),
  })
  .refine(({ topic, topic_env }) => (topic === undefined) !== (topic_env === undefined), {
    error: 'expected either topic or topic_env',
  });

const LOOKS: Readonly<Record<Notice['reason'], { priority: number; tag: string }>> = {
  conflict: { priority: 4, tag: 'raised_hand' },
  hand_over: { priority: 4, tag: 'raised_hand' },
  give_up: { priority: 4, tag: 'warning' },
  external: { priority: 4, tag: 'wrench' },
  safe_mode: { priority: 5, tag: 'rotating_light' },
  recovered: { priority: 2, tag: 'white_check_mark' },
};

export default definePlugin({
  name: 'ntfy',
  kind: 'notifier',
  options,
  async notify(context) {
    const { options: settings } = context;
    const { server, topic, topic_env, token_env } = settings;
    const token = token_env === undefined ? undefined : secretFrom(token_env, 'the access token for ntfy');
    const { title, text, reason, stage } = boundedNotice(context, MAX_TEXT_BYTES);
    const { priority, tag } = LOOKS[reason];
    await postNotice(context, {
      url: server,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      body: {
        topic: topic ?? topicIn(topic_env ?? ''),
        title,
        message: text === '' ? title : text,
        tags: [tag, ...(stage === undefined ? [] : [stage]), ...settings.tags],
        priority: settings.priority ?? priority,
      },
      check: token_env === undefined ? 'plugins.ntfy' : `plugins.ntfy and the variable ${token_env}`,
    });
  },
});

function topicIn(variable: string): string {
  const topic = secretFrom(variable, 'the topic to publish to');
  if (!TOPIC.test(topic)) throw new Error(`the variable ${variable} holds no topic: ${NO_TOPIC}`);
  return topic;
}
