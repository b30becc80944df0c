// Which of a host's models is asked: the one the owner names, or the first of a list of preferences that is there and fits.
import type { HostedModel } from '../../../src/io/egress/ollama-chat.ts';
import { isLoopback } from './lan.ts';

/** Families by preference, models made for code first; of one family the largest that fits. */
const PREFERRED: readonly string[] = [
  'qwen3-coder',
  'qwen2.5-coder',
  'devstral',
  'codestral',
  'deepseek-coder-v2',
  'granite-code',
  'codegemma',
  'codellama',
  'starcoder2',
  'gpt-oss',
  'qwen3',
  'gemma3',
  'mistral-small',
  'llama3.1',
  'llama3.2',
  'phi4',
];

/** What to pull when nothing is there. */
const SUGGESTED = 'qwen2.5-coder:7b';
const NOT_FOR_TEXT = /embed|minilm|(?:^|\/)bge-|rerank|whisper|guard/i;
const CLOUD = /[:-]cloud$/;
const NAMED_AT_MOST = 5;

/** What a host that is not this machine is taken to have; most of such cards. */
const LAN_MEMORY = 24e9;
/** Of a machine's memory, for a model. */
const SHARE_OF_MEMORY = 0.7;

/** How large a model may be at a host, in bytes. `memory` is that of this machine. */
export const largestModel = (host: string, memory: number): number =>
  isLoopback(host) ? memory * SHARE_OF_MEMORY : LAN_MEMORY;

export interface Picked {
  readonly model: string;
  readonly why: string;
}

/** `most` is how large a model may be, in bytes. Throws an Error of one line when there is none to ask. */
export function pickModel(wanted: string, installed: readonly HostedModel[], host: string, most: number): Picked {
  const here = installed.filter((model) => !isElsewhere(model) && !NOT_FOR_TEXT.test(model.name));
  if (wanted !== 'auto') return named(wanted, installed, host);
  if (here.length === 0) {
    throw new Error(`no model is installed at ${host}; pull one there: ollama pull ${SUGGESTED}`);
  }
  const fitting = here.filter(({ size }) => size <= most);
  const from = (fitting.length > 0 ? fitting : here).toSorted((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1));
  for (const family of PREFERRED) {
    const found = from.filter(({ name }) => familyOf(name) === family);
    // When none fits, the smallest does the least harm.
    const model = fitting.length > 0 ? found[0] : found.at(-1);
    if (model) return { model: model.name, why: `${sized(model)}; ${reason(fitting, most, `${family} `)}` };
  }
  const model = (fitting.length > 0 ? from[0] : from.at(-1)) as HostedModel;
  return {
    model: model.name,
    why: `${sized(model)}; ${reason(fitting, most, '')}, and none of the preferred ones is installed`,
  };
}

function named(wanted: string, installed: readonly HostedModel[], host: string): Picked {
  const model = installed.find(({ name }) => name === wanted || name === `${wanted}:latest`);
  if (CLOUD.test(wanted) || (model && isElsewhere(model))) {
    throw new Error(`${wanted} does not run at ${host} but at ${model?.remoteHost ?? 'ollama.com'}; prompts stay here`);
  }
  if (model) return { model: model.name, why: `${sized(model)}, named in the settings` };
  const names = installed.map(({ name }) => name);
  const there = names.length === 0 ? 'nothing' : names.slice(0, NAMED_AT_MOST).join(', ');
  const more = names.length > NAMED_AT_MOST ? ` and ${names.length - NAMED_AT_MOST} more` : '';
  throw new Error(
    `${wanted} is not installed at ${host}; pull it there: ollama pull ${wanted} (installed: ${there}${more})`,
  );
}

/** A model whose name is here while it runs somewhere else. */
export const isElsewhere = ({ name, remoteHost }: { name: string; remoteHost?: string | undefined }): boolean =>
  remoteHost !== undefined || CLOUD.test(name);

const familyOf = (name: string): string => (name.split('/').at(-1) as string).split(':')[0] as string;

const reason = (fitting: readonly unknown[], most: number, family: string): string =>
  fitting.length > 0
    ? `the largest ${family}model here that fits into ${gigabytes(most)}`
    : `the smallest ${family}model here, as none fits into ${gigabytes(most)}`;

const sized = ({ size, parameters }: HostedModel): string => [parameters, gigabytes(size)].filter(Boolean).join(', ');

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
