// An escalation asked as the loop asks it, about a case; a host of models that says what it is told to.
import type { z } from 'zod';
import type { Escalation, Plugin, RefusedRound } from '../../src/plugin/contract.ts';
import { type ApiReply, type ApiServer, type ApiServerOptions, startApiServer } from '../../src/testing/api-server.ts';
import { fixFacts } from '../plugin/plugin-folder.ts';

export const CASE = {
  name: 'talos-0123456789ab',
  version: 1,
  text: '# Case talos\n\nIt fails with: bad indentation\n',
};
export const KEY = 'sk-test-4f9a8b7c6d5e4f3a2b1c0d';

export interface AskOptions {
  options?: Record<string, unknown>;
  refused?: RefusedRound[];
  case?: typeof CASE;
  signal?: AbortSignal;
}

export interface Heard {
  reply: Escalation;
  said: string[];
  tokens: number;
}

const plain = (text: string) => text.replaceAll(/127\.0\.0\.1:\d+/g, 'host').replaceAll(/in \d+\.\d s/g, 'in N s');

/** What it told while it worked, whatever came of it. */
export const heard: { said: string[]; tokens: number } = { said: [], tokens: 0 };

export async function askedAbout(
  plugin: Plugin,
  { options = {}, refused = [], signal, ...given }: AskOptions,
): Promise<Heard> {
  Object.assign(heard, { said: [], tokens: 0 });
  const context = {
    ...fixFacts({ refused }),
    case: given.case ?? CASE,
    say: (text: string) => heard.said.push(plain(text)),
    progress() {},
    timeLeft: () => Number.POSITIVE_INFINITY,
    speeds: { of: () => [], add() {} },
    mask: (text: string) => text,
    used: (tokens: number) => {
      heard.tokens += tokens;
    },
    options: plugin.options ? (plugin.options as z.ZodType).parse(options) : {},
    signal: signal ?? new AbortController().signal,
  };
  const reply = (await plugin.escalate?.(context as never)) as Escalation;
  const { said, tokens } = heard;
  return { reply: 'pass' in reply ? { pass: plain(reply.pass) } : reply, said, tokens };
}

export async function serving<T>(options: ApiServerOptions, work: (server: ApiServer) => Promise<T>): Promise<T> {
  const server = await startApiServer(options);
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}

export type Script = readonly ApiReply[];
