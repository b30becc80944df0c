// An answer of a host that is no answer of a model → why, in one line without anything secret.
import { z } from 'zod';
import { ModelFault } from '../../../src/io/egress/model-fault.ts';
import type { Posted } from '../../../src/io/egress/post-json.ts';
import { sayable } from '../../sending/hide.ts';

export interface Asked {
  /** `https://host` */
  readonly origin: string;
  readonly model: string;
  /** The protocol, as people call it. */
  readonly title: string;
  readonly key: string | undefined;
  readonly keyEnv: string | null;
}

const told = z.object({
  message: z.string().optional(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
  details: z.object({ error_code: z.string().optional() }).nullish().catch(undefined),
});
const errorBody = z.object({ error: z.union([told, z.string()]) });

const SPENT = ['insufficient_quota', 'enforced_spend_limit_reached', 'billing_error', 'billing_hard_limit_reached'];

/** What the host says went wrong; undefined when it says nothing of the kind. */
export function errorIn(text: string): { message: string; spent: boolean; status: number | undefined } | undefined {
  const { data } = errorBody.safeParse(jsonOf(text));
  if (!data) return undefined;
  const error = typeof data.error === 'string' ? { message: data.error } : data.error;
  const { message = '', type, code, details } = error as z.output<typeof told>;
  const spent = [type, code, details?.error_code].some((word) => SPENT.includes(String(word)));
  return { message, spent, status: typeof code === 'number' ? code : undefined };
}

/** For a status that is no success. */
export function statusFault({ status, text }: Posted, asked: Asked): ModelFault {
  const { origin, model, key } = asked;
  const said = errorIn(text);
  // What it says of a key may be the key.
  if (status === 401 || status === 403) return new ModelFault(notLetIn(status, asked), status);
  const words = said ? sayable(said.message, key === undefined ? [] : [key]) : isPage(text) ? 'a web page' : '';
  const what = `${origin} answered ${status}${words === '' ? '' : `: ${words}`}`;
  if (said?.spent || status === 402) return new ModelFault(`${what}; the account has no credit left`, status);
  if (status === 404) {
    return new ModelFault(`${what}; check plugins.api.base_url, and whether it has the model ${model}`, status);
  }
  return new ModelFault(what, status);
}

function notLetIn(status: number, { origin, model, keyEnv }: Asked): string {
  if (keyEnv === null) return `${origin} wants a key (${status}); name its variable in plugins.api.key_env`;
  const next = status === 401 ? 'put a valid one there' : `it may not be allowed to use ${model}`;
  return `${origin} does not take the key in ${keyEnv} (${status}); ${next}`;
}

/** For a success whose body is no answer. */
export function bodyFault({ text, status }: Posted, { origin, title, key }: Asked): ModelFault {
  if (text.trim() === '') return new ModelFault(`${origin} answered with nothing`);
  if (isPage(text)) {
    return new ModelFault(`${origin} answered with a web page; check plugins.api.base_url and what is in between`);
  }
  const body = jsonOf(text);
  if (body === undefined) return new ModelFault(`${origin} answered with JSON that is broken or cut off`);
  const said = errorIn(text);
  if (said) {
    const words = sayable(said.message, key === undefined ? [] : [key]);
    return new ModelFault(`${origin} answered ${status}, but with an error: ${words}`, said.status);
  }
  return new ModelFault(`${origin} does not answer as ${title} does; check plugins.api.kind and plugins.api.base_url`);
}

const isPage = (text: string): boolean => text.trimStart().startsWith('<');

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
