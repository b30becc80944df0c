// The plugin asked as the loop asks it, with a prompt, against a server that says what it is told to.
import type { z } from 'zod';
import ollama from '../../plugins/executors/ollama.ts';
import type { FixFacts, Proposal, RefusedRound, Speed } from '../../src/plugin/contract.ts';
import {
  type OllamaServer,
  type ServedReply,
  type ServerOptions,
  startOllamaServer,
} from '../../src/testing/ollama-server.ts';
import { promptOf as buildPrompt } from '../outbound/failure-context.ts';
import { fixFacts } from '../plugin/plugin-folder.ts';

export const PATH = 'config/talos/all.yaml';
export const TEXT = 'machine:\n  network:\n   hostname: cp1\n';
export const DIFF = `\`\`\`diff
--- a/${PATH}
+++ b/${PATH}
@@
   network:
-   hostname: cp1
+    hostname: cp1
\`\`\`
Fix: Indent the name
Reason: YAML wants the same depth
`;
export const WHOLE = `${PATH}\n\`\`\`\nmachine:\n  network:\n    hostname: cp1\n\`\`\`\nFix: a\nReason: b\n`;

export interface AskOptions {
  files?: Record<string, string>;
  /** Instead of one that is built. */
  prompt?: string | undefined;
  refused?: RefusedRound[];
  choices?: FixFacts['choices'];
  options?: Record<string, unknown>;
  signal?: AbortSignal;
  error_lines?: string[];
  /** How fast the model answered before, each answer one. */
  speeds?: Speed[];
  timeLeft?: number;
  plugin?: { readonly options?: unknown; readonly propose?: unknown };
}

export interface Heard {
  proposal: Proposal;
  said: string[];
  progress: string[];
  tokens: number;
  /** What it was heard to measure. */
  measured: Speed[];
}

let tries = 0;

/** A prompt that no other try has. */
export function promptOf(files: Record<string, string>, error_lines = [`${PATH}:3: bad indentation`]): string {
  const all = Object.entries(files).map(([path, text]) => ({ path, text }));
  const failure = { class: 'unknown', ended: 'exit code 1', error_lines };
  return buildPrompt({ files: all, nonce: `nonce${++tries}`, failure }).text;
}

export async function asked(url: string, given: AskOptions = {}): Promise<Heard> {
  const { files = { [PATH]: TEXT }, refused = [], choices = [], options = {}, error_lines, plugin = ollama } = given;
  const said: string[] = [];
  const [progress, tokens]: [string[], number[]] = [[], []];
  const where = plugin === ollama ? { host: url } : { base_url: `${url}/v1` };
  const settings = (plugin.options as z.ZodType).parse({ ...where, ...options });
  const measured: Speed[] = [];
  const context = {
    ...fixFacts({ files: Object.keys(files), refused, choices, read: async (path) => files[path] ?? '' }),
    prompt: 'prompt' in given ? given.prompt : promptOf(files, error_lines),
    say: (text: string) => said.push(text.replaceAll(/127\.0\.0\.1:\d+/g, 'host')),
    progress: (text: string) => progress.push(text),
    used: (count: number) => tokens.push(count),
    mask: (text: string) => text,
    timeLeft: () => given.timeLeft ?? Number.POSITIVE_INFINITY,
    speeds: { of: () => given.speeds ?? [], add: (_: string, speed: Speed) => void measured.push(speed) },
    ...{ options: settings, signal: given.signal ?? new AbortController().signal },
  };
  const proposal = await (plugin.propose as (context: unknown) => Promise<Proposal>)(context);
  return { proposal, said, progress, tokens: tokens.reduce((sum, count) => sum + count, 0), measured };
}

export async function serving<T>(options: ServerOptions, work: (server: OllamaServer) => Promise<T>): Promise<T> {
  const server = await startOllamaServer(options);
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}

/** One question, these answers, what came of it. */
export const ask = (script: ServedReply[], given: AskOptions = {}, options: ServerOptions = {}) =>
  serving({ ...options, script }, async (server) => ({ ...(await asked(server.url, given)), chats: server.chats }));

/** The line of what is thrown, the port left out. */
export async function thrownBy(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'nothing was thrown';
  } catch (error) {
    return (error as Error).message.replaceAll(/127\.0\.0\.1:\d+/g, 'host');
  }
}
