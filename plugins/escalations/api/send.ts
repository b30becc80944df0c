// One question to a hosted model, asked again while the host is only busy. Throws ModelFault when the host is at fault.

import { ModelFault } from '../../../src/io/egress/model-fault.ts';
import { type Posted, postJson } from '../../../src/io/egress/post-json.ts';
import { estimateTokens } from '../../../src/outbound/prompt/tokens.ts';
import { mayReach } from '../../sending/address.ts';
import { pause } from '../../sending/pause.ts';
import { mayPass, retryAfterMs } from '../../sending/retry-after.ts';
import { type Asked, bodyFault, errorIn, jsonOf, statusFault } from './fault.ts';
import type { Answered, Protocol, Question } from './protocol.ts';

export interface Sending extends Asked {
  readonly protocol: Protocol;
  readonly url: string;
  readonly retries: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Milliseconds that the whole call still has. */
  left(): number;
  say(text: string): void;
  used(tokens: number): void;
}

const CONNECT_MS = 10_000;
const LONGEST_WAIT_MS = 60_000;

export async function send(sending: Sending, question: Question): Promise<Answered> {
  const { protocol, retries, url } = sending;
  let body = protocol.body(question, url);
  let other = false;
  for (let asked = 0; ; asked++) {
    const posted = await post(sending, body);
    const { status, text } = posted;
    const answer = isSuccess(status) ? protocol.answered(jsonOf(text)) : undefined;
    if (answer) return answer;
    const second: Record<string, unknown> | undefined =
      status === 400 && !other ? protocol.otherBody(body, errorIn(text)?.message ?? '') : undefined;
    if (second) {
      [body, other] = [second, true];
      asked--;
      continue;
    }
    const fault = isSuccess(status) ? bodyFault(posted, sending) : statusFault(posted, sending);
    if (!mayPass(fault.status ?? 0) || errorIn(text)?.spent || asked >= retries) throw fault;
    await waitOut(sending, posted, asked, fault);
  }
}

async function post(sending: Sending, body: unknown): Promise<Posted> {
  const { url, protocol, key, signal, left, used } = sending;
  const timeoutMs = Math.max(1, Math.min(sending.timeoutMs, left()));
  try {
    // Some hosts turn away who does not say what they are.
    const headers = { 'user-agent': 'mendloop', accept: 'application/json', ...protocol.headers(key) };
    return await postJson(url, { headers, body, signal, timeoutMs, mayReach: mayReach(url), connectMs: CONNECT_MS });
  } catch (error) {
    // Where it was read before the connection failed, it is paid for.
    if (error instanceof ModelFault && wasRead(error)) used(estimateTokens(JSON.stringify(body)));
    throw error;
  }
}

const wasRead = ({ message, status }: ModelFault): boolean =>
  status === undefined && !/ cannot be (?:reached|trusted): | is outside of this machine /.test(message);

async function waitOut(
  { signal, left, say, origin }: Sending,
  { headers }: Posted,
  asked: number,
  fault: ModelFault,
): Promise<void> {
  const told = retryAfterMs(headers['retry-after'], Date.now());
  const wait = told ?? 1000 * 4 ** asked;
  if (wait > LONGEST_WAIT_MS || wait >= left()) {
    throw new ModelFault(`${fault.message}; it asks to wait ${Math.ceil(wait / 1000)} s`, fault.status);
  }
  say(`${origin} answered ${fault.status}; asks it again in ${(wait / 1000).toFixed(1)} s`);
  await pause(wait, signal);
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;
