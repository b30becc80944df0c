// Tells ntfy, which tells phones; a change that waits for a word comes with two buttons, whose answers are read from a topic of their
// own. Published as JSON: nothing of a notice stands in a header or in an address.
import * as z from 'zod';
import type { Notice, NoticeAsk } from '../../src/model.ts';
import {
  baseAddressSetting,
  definePlugin,
  durationSetting,
  lanHost,
  ModelFault,
  mayReach,
  readLines,
  secretFrom,
  variableSetting,
} from '../../src/model.ts';
import { boundedNotice, cut, postNotice } from './deliver.ts';

const TOPIC = /^[-_A-Za-z0-9]{1,64}$/;
const NO_TOPIC = 'expected letters, digits, "-" and "_", at most 64';
/** ntfy makes a file of a message that is longer than 4,096 bytes. */
const MAX_TEXT_BYTES = 4000;
/** And takes no document that is longer than twice that, however it is escaped. */
const MAX_DOCUMENT_BYTES = 8000;
/** It sends a sign of life every 45 seconds. */
const SILENT_MS = 120_000;
const AUTH_MS = 5000;

const options = z
  .strictObject({
    server: baseAddressSetting.default('https://ntfy.sh').describe('Where ntfy is; plain http only on this network'),
    topic: z.string().regex(TOPIC, { error: NO_TOPIC }).optional().describe('Whoever knows it can read along'),
    topic_env: variableSetting.optional().describe('Instead of topic: the environment variable that holds it'),
    token_env: variableSetting.optional().describe('The environment variable with an access token'),
    answers: z.string().regex(TOPIC, { error: NO_TOPIC }).optional().describe('The topic that buttons answer to'),
    answers_token_env: variableSetting
      .optional()
      .describe('The environment variable with an access token that may only write that topic: it is in each notice'),
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

type Settings = Readonly<Omit<z.output<typeof options>, 'tags'>>;

export default definePlugin({
  name: 'ntfy',
  kind: 'notifier',
  options,
  async check({ options: settings }) {
    const { server, answers } = settings;
    if (answers === undefined) return `${server}, without buttons: plugins.ntfy.answers names no topic`;
    const why = await whyNoButtons(settings, new AbortController().signal);
    return why === undefined
      ? `${server}, with buttons that answer to a topic of their own`
      : `${server}, without buttons: ${why}`;
  },
  async notify(context) {
    const { options: settings } = context;
    const { server, token_env } = settings;
    const headers = authorization(settings);
    const { title, text, reason, stage, ask } = boundedNotice(context, MAX_TEXT_BYTES);
    const { priority, tag } = LOOKS[reason];
    const isOpen = ask && (await whyNoButtons(settings, context.signal)) === undefined;
    const message = ask ? (isOpen ? asked(ask) : ask.sentence) : text === '' ? title : text;
    const body = {
      topic: topicOf(settings),
      title,
      message: cut(message, MAX_TEXT_BYTES),
      tags: [tag, ...(stage === undefined ? [] : [stage]), ...settings.tags],
      priority: settings.priority ?? priority,
      ...(isOpen && { actions: buttons(ask, settings) }),
    };
    await postNotice(context, {
      url: server,
      headers,
      body: fitting(body),
      check: token_env === undefined ? 'plugins.ntfy' : `plugins.ntfy and the variable ${token_env}`,
    });
  },
  async answers(context) {
    const { options: settings, follow, since, signal, heard } = context;
    const { server, answers } = settings;
    if (answers === undefined) return;
    const url = `${server}/${answers}/json?since=${since}${follow ? '' : '&poll=1'}`;
    const read = { headers: authorization(settings), signal, mayReach: mayReach(server), silentMs: SILENT_MS };
    const status = await readLines(url, { ...read, timeoutMs: follow ? DAY_MS : AUTH_MS }, (line) => {
      const message = messageIn(line);
      if (message?.topic === answers) heard({ id: message.id, time: message.time, text: message.message ?? '' });
    });
    if (status !== 200) throw new Error(`${server} answered ${status} for the answer topic; check plugins.ntfy`);
  },
});

const DAY_MS = 86_400_000;
const messageSchema = z.object({
  id: z.string(),
  time: z.number(),
  event: z.literal('message'),
  topic: z.string(),
  message: z.string().optional(),
});

/** A line of a topic that is a message, and no sign of life. */
function messageIn(line: string): z.output<typeof messageSchema> | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

const topicOf = ({ topic, topic_env }: Settings): string => topic ?? topicIn(topic_env ?? '');

function authorization({ token_env }: Settings): Record<string, string> {
  return token_env === undefined
    ? {}
    : { authorization: `Bearer ${secretFrom(token_env, 'the access token for ntfy')}` };
}

/** Why a notice comes without its change and buttons: who could read it could press them. Undefined: it has both. */
async function whyNoButtons(settings: Settings, signal: AbortSignal): Promise<string | undefined> {
  const { server, answers, token_env, answers_token_env } = settings;
  if (answers === undefined) return 'plugins.ntfy.answers names no topic';
  if (!('refused' in lanHost(server))) return undefined;
  if (token_env === undefined || answers_token_env === undefined)
    return 'a server that others reach needs both token_env and answers_token_env';
  const topic = topicOf(settings);
  // What ntfy answers to who asks without a token whether they may read.
  const read = { signal, mayReach: mayReach(server), timeoutMs: AUTH_MS, silentMs: AUTH_MS };
  const status = await readLines(`${server}/${topic}/auth`, read, () => {}).catch((error: unknown) => {
    if (!(error instanceof ModelFault)) throw error;
    return 0;
  });
  if (status === 401 || status === 403) return undefined;
  return status === 200 ? 'everybody may read its topic' : 'it cannot be seen that its topic is closed to others';
}

/** The sentence, why a person is asked, the failure and the change. */
const asked = ({ sentence, reasons, error, diff, more }: NoticeAsk): string =>
  [
    sentence,
    ...reasons.map((reason) => `You are asked: ${reason}`),
    '',
    error,
    '',
    diff,
    ...(more > 0 ? [`… ${more} more lines`] : []),
  ].join('\n');

function buttons({ token }: NoticeAsk, { server, answers, answers_token_env }: Settings): object[] {
  const headers =
    answers_token_env === undefined
      ? {}
      : { headers: { Authorization: `Bearer ${secretFrom(answers_token_env, 'the access token for answers')}` } };
  const button = (label: string, word: string) => ({
    ...{ action: 'http', label, url: `${server}/${answers}`, method: 'POST', ...headers },
    ...{ body: `${word} ${token}`, clear: true },
  });
  return [button('Apply', 'accept'), button('Decline', 'decline')];
}

/** With a message that is cut until all of it is taken. */
function fitting<B extends { message: string }>(body: B): B {
  const over = Buffer.byteLength(JSON.stringify(body)) - MAX_DOCUMENT_BYTES;
  if (over <= 0) return body;
  return fitting({
    ...body,
    message: cut(body.message, Math.max(1, Buffer.byteLength(body.message) - Math.max(over, 100))),
  });
}

function topicIn(variable: string): string {
  const topic = secretFrom(variable, 'the topic to publish to');
  if (!TOPIC.test(topic)) throw new Error(`the variable ${variable} holds no topic: ${NO_TOPIC}`);
  return topic;
}
