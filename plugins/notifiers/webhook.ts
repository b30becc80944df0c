// Posts each notice as one JSON object to an address of the owner's. Such an address is often a secret: it may come from the
// environment, and no message repeats more of it than its host.
import * as z from 'zod';
import {
  addressFault,
  addressSetting,
  definePlugin,
  durationSetting,
  secretFrom,
  variableSetting,
} from '../../src/model.ts';
import { boundedNotice, postNotice } from './deliver.ts';

const MAX_TEXT_BYTES = 32_000;
/** Headers that belong to the request itself. */
const RESERVED = /^(?:host|connection|content-.*|transfer-encoding|expect|upgrade|te|trailer)$/i;

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,64}$/, { error: 'expected the name of a header' })
  .refine((name) => !RESERVED.test(name), { error: 'this header is not yours to set' });

const options = z
  .strictObject({
    url: addressSetting.optional().describe('Where to post to; plain http only on this network'),
    url_env: variableSetting.optional().describe('Instead of url: the environment variable that holds it'),
    headers: z
      .record(headerName, variableSetting)
      .default({})
      .describe('Headers, each with the variable that holds it'),
    timeout: durationSetting.prefault('25s').describe('How long telling may take, three tries together'),
  })
  .refine(({ url, url_env }) => (url === undefined) !== (url_env === undefined), {
    error: 'expected either url or url_env',
  });

export default definePlugin({
  name: 'webhook',
  kind: 'notifier',
  options,
  async notify(context) {
    const { url, url_env, headers } = context.options;
    const values = Object.entries(headers).map(([name, variable]) => [
      name.toLowerCase(),
      secretFrom(variable, `the header ${name}`),
    ]);
    await postNotice(context, {
      url: url ?? addressIn(url_env ?? ''),
      headers: Object.fromEntries(values),
      body: boundedNotice(context, MAX_TEXT_BYTES),
      check: url_env ?? 'plugins.webhook.url',
    });
  },
});

function addressIn(variable: string): string {
  const address = secretFrom(variable, 'the address to post to');
  const fault = addressFault(address);
  if (fault !== undefined) throw new Error(`the variable ${variable}: ${fault}`);
  return address;
}
