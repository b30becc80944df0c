// What the Ollama client fetches with: guarded requests, errors as the host says them, every line of the stream sound.
import type { IncomingMessage } from 'node:http';
import { bounded, guardedRequest } from './guarded-request.ts';
import { ModelFault } from './model-fault.ts';

/** Bytes of an answer, its envelopes included, that are read at most. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Of one line: a piece of an answer in its envelope. */
const LONGEST_LINE = 1024 * 1024;

/** A fetch that reaches allowed addresses only and ends with `signal`. Throws ModelFault with the status for any but a success. */
export function ollamaFetch(mayReach: (address: string) => boolean, signal: AbortSignal) {
  return async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { method, headers, body } = init as { method?: string; headers?: Record<string, string>; body?: string };
    const answer = await guardedRequest(new URL(url), { method, headers, body, signal, mayReach });
    const status = answer.statusCode ?? 0;
    if (status < 200 || status > 299) {
      throw new ModelFault(`${new URL(url).origin} answered ${status}: ${await saidBy(answer)}`, status);
    }
    const type = answer.headers['content-type'] ?? '';
    const parts = bounded(answer, MOST_BYTES);
    const stream = ReadableStream.from(type.includes('ndjson') ? soundLines(parts) : parts);
    return new Response(stream as ReadableStream, { status, headers: { 'content-type': type } });
  };
}

/** What the host says of its error, in one line. */
async function saidBy(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of answer) {
    text += part;
    if (text.length > 2000) break;
  }
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === 'string') return error;
  } catch {
    // No JSON: the text itself tells.
  }
  return text.trim().slice(0, 2000) || (answer.statusMessage ?? '');
}

/** The client drops a line that it cannot read, and with it a piece of the answer: here it ends the stream. */
async function* soundLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  let rest = '';
  for await (const part of source) {
    rest += decoder.decode(part, { stream: true });
    const end = rest.lastIndexOf('\n') + 1;
    const lines = soundOnes(rest.slice(0, end));
    if (lines !== '') yield encoder.encode(lines);
    rest = rest.slice(end);
    if (rest.length > LONGEST_LINE) throw new ModelFault('the stream has a line longer than any answer');
  }
  const last = soundOnes(rest + decoder.decode());
  if (last !== '') yield encoder.encode(last);
}

function soundOnes(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  for (const line of lines) {
    if (!isObject(line)) throw new ModelFault(`the stream has a line that is not JSON: ${line.slice(0, 80)}`);
  }
  return lines.map((line) => `${line}\n`).join('');
}

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
