// Which of a host's models is asked: the one the owner names, or the first of a list of preferences that is there and fits.
import { type HostedModel, isLoopback } from '../../../src/model.ts';

/** Families by preference, models made for code first; of one family the largest that fits. */
const PREFERRED: readonly string[] = (
  'qwen3-coder qwen2.5-coder devstral codestral deepseek-coder-v2 granite-code codegemma codellama starcoder2 ' +
  'gpt-oss qwen3 gemma3 mistral-small llama3.1 llama3.2 phi4'
).split(' ');

/** What to pull when nothing is there. */
const SUGGESTED = 'qwen2.5-coder:7b';
const NOT_FOR_TEXT = /embed|minilm|(?:^|\/)bge-|rerank|whisper|guard/i;
const CLOUD = /[:-]cloud$/;
const MAX_NAMED = 5;

/** What a host that is not this machine is taken to have; most of such cards. */
const LAN_MEMORY = 24e9;
/** Of a machine's memory, for a model. */
const SHARE_OF_MEMORY = 0.7;

/** How large a model may be at a host, in bytes. `memory` is that of this machine. */
export const maxModelBytes = (host: string, memory: number): number =>
  isLoopback(host) ? memory * SHARE_OF_MEMORY : LAN_MEMORY;

const isForText = (model: HostedModel): boolean => !runsElsewhere(model) && !NOT_FOR_TEXT.test(model.name);

/** Those that could be asked, and fit. */
export const fittingModels = (installed: readonly HostedModel[], maxBytes: number): HostedModel[] =>
  installed.filter((model) => isForText(model) && model.size <= maxBytes);

type Picked = { readonly model: string; readonly why: string };

/** `maxBytes` is how large a model may be. Throws an Error of one line when there is none to ask. */
export function pickModel(wanted: string, installed: readonly HostedModel[], host: string, maxBytes: number): Picked {
  if (wanted !== 'auto') return named(wanted, installed, host);
  const here = installed.filter(isForText);
  const fitting = fittingModels(installed, maxBytes);
  const from = (fitting.length > 0 ? fitting : here).toSorted((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1));
  const family = PREFERRED.find((one) => from.some(({ name }) => familyOf(name) === one));
  const candidates = from.filter(({ name }) => family === undefined || familyOf(name) === family);
  // When none fits, the smallest does the least harm.
  const model = fitting.length > 0 ? candidates[0] : candidates.at(-1);
  if (!model) throw new Error(`no model is installed at ${host}; pull one there: ollama pull ${SUGGESTED}`);
  const kind = family === undefined ? 'model' : `${family} model`;
  const memory = gigabytes(maxBytes);
  const why =
    fitting.length > 0
      ? `the largest ${kind} here that fits into ${memory}`
      : `the smallest ${kind} here, as none fits into ${memory}`;
  const other = family === undefined ? ', and none of the preferred ones is installed' : '';
  return { model: model.name, why: `${sized(model)}; ${why}${other}` };
}

function named(wanted: string, installed: readonly HostedModel[], host: string): Picked {
  const model = installed.find(({ name }) => name === wanted || name === `${wanted}:latest`);
  if (CLOUD.test(wanted) || (model && runsElsewhere(model))) {
    throw new Error(`${wanted} does not run at ${host} but at ${model?.remoteHost ?? 'ollama.com'}; prompts stay here`);
  }
  if (model) return { model: model.name, why: `${sized(model)}, named in the settings` };
  const names = installed.map(({ name }) => name);
  const there = names.length === 0 ? 'nothing' : names.slice(0, MAX_NAMED).join(', ');
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  throw new Error(
    `${wanted} is not installed at ${host}; pull it there: ollama pull ${wanted} (installed: ${there}${more})`,
  );
}

/** A model whose name is here while it runs somewhere else. */
export const runsElsewhere = ({ name, remoteHost }: { name: string; remoteHost?: string | undefined }): boolean =>
  remoteHost !== undefined || CLOUD.test(name);

const familyOf = (name: string): string => (name.split('/').at(-1) as string).split(':')[0] as string;

const sized = ({ size, parameters }: HostedModel): string => [parameters, gigabytes(size)].filter(Boolean).join(', ');

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
