// Which of a host's models is asked: the one the owner names, or the first of a list of preferences that is there, fits and answers
// in time.
import { type HostedModel, isLoopback, type Speed, usualTime } from '../../../src/model.ts';

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

/** Billions of parameters that a machine without a GPU answers in a time that anybody waits for; names round them. */
const MAX_WITHOUT_GPU = 8.5;
/** On disk, in the usual four bits. */
const BYTES_PER_BILLION = 0.6e9;

const billions = ({ parameters, size }: HostedModel): number => {
  const [, number, unit] = /^([\d.]+)([MB])$/i.exec(parameters) ?? [];
  return number === undefined ? size / BYTES_PER_BILLION : Number(number) / (unit?.toUpperCase() === 'M' ? 1000 : 1);
};

/** Of a question with its answer: one that took longer is only taken when no other is there. */
const MAX_USUAL_MS = 300_000;

export interface Machine {
  /** How large a model may be, in bytes. */
  readonly maxBytes: number;
  /** Whether one is seen; on another host only while it has a model in memory. */
  readonly hasGpu: boolean;
  readonly speedOf: (model: string) => readonly Speed[];
}

type Picked = { readonly model: string; readonly why: string };

/** Throws an Error of one line when there is none to ask. */
export function pickModel(wanted: string, installed: readonly HostedModel[], host: string, machine: Machine): Picked {
  if (wanted !== 'auto') return named(wanted, installed, host);
  const here = installed.filter(isForText).toSorted((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1));
  const fitting = fittingModels(here, machine.maxBytes);
  const light = machine.hasGpu ? fitting : fitting.filter((model) => billions(model) <= MAX_WITHOUT_GPU);
  const usual = ({ name }: HostedModel): number => usualTime(machine.speedOf(name)) ?? 0;
  const quick = light.filter((model) => usual(model) <= MAX_USUAL_MS);
  const memory = gigabytes(machine.maxBytes);
  const [quickest] = light.toSorted((a, b) => usual(a) - usual(b));
  if (quick.length > 0) {
    const { model, kind, other } = preferred(quick);
    const than = light.length > quick.length ? ' and answers in less than 5 min' : '';
    const without = light.length < fitting.length ? ', of at most 8B as no GPU is seen' : '';
    return {
      model: model.name,
      why: `${sized(model)}; the largest ${kind} here that fits into ${memory}${than}${without}${other}`,
    };
  }
  if (quickest)
    return { model: quickest.name, why: `${sized(quickest)}; the fastest here, as all took longer than 5 min` };
  // The smallest does the least harm.
  const [smallest] = (fitting.length > 0 ? fitting : here).toReversed();
  if (!smallest) throw new Error(`no model is installed at ${host}; pull one there: ollama pull ${SUGGESTED}`);
  const none = fitting.length > 0 ? 'none has at most 8B and no GPU is seen' : `none fits into ${memory}`;
  return { model: smallest.name, why: `${sized(smallest)}; the smallest here, as ${none}` };
}

/** The largest of the first preferred family. */
function preferred(models: readonly HostedModel[]) {
  const family = PREFERRED.find((one) => models.some(({ name }) => familyOf(name) === one));
  const model = models.find(({ name }) => family === undefined || familyOf(name) === family) as HostedModel;
  const other = family === undefined ? ', and none of the preferred ones is installed' : '';
  return { model, kind: family === undefined ? 'model' : `${family} model`, other };
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
