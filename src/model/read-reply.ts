// What somebody answered to a case → a patch, a request for diagnostics or a hand-over, by schema; or what is wrong with it. Pure.
import * as z from 'zod';
import { stretches } from '../fix/formats/fences.ts';
import { readAnswer } from '../fix/read-answer.ts';
import { withoutLineNumbers } from '../outbound/shown-files.ts';
import type { Escalation } from '../plugin/contract.ts';
import { isMapping, type Mapping } from '../shape.ts';

/** `wrong` is for whoever answered. */
export type ReadReply = { readonly reply: Escalation } | { readonly wrong: string };

const MAX_CHARACTERS = 1_000_000;
const MAX_COMMANDS = 12;
const MAX_WORDS = 64;
/** Of fenced blocks: more are no answer in one form. */
const MAX_BLOCKS = 8;

const words = (most: number) => z.string().trim().min(1).max(most);
const command = z.array(z.string().min(1).max(4000)).min(1).max(MAX_WORDS);

const FORMS = {
  patch: z.strictObject({ patch: words(MAX_CHARACTERS / 2), fix: words(2000), reason: words(2000) }),
  diagnostics: z.strictObject({ diagnostics: z.array(command).min(1).max(MAX_COMMANDS) }),
  hand_over: z.strictObject({ hand_over: words(20_000) }),
};
const KEYS = Object.keys(FORMS) as (keyof typeof FORMS)[];
const keysIn = (object: object) => KEYS.filter((key) => Object.hasOwn(object, key));

/** Never throws. */
export function readReply(raw: string): ReadReply {
  if (raw.length > MAX_CHARACTERS) return { wrong: `it has more than ${MAX_CHARACTERS} characters` };
  // Drop the thoughts of a reasoning model.
  const text = raw.replace(/^\ufeff/, '').replace(/^\s*<think(?:ing)?>.*?<\/think(?:ing)?>/s, '');
  if (text.trim() === '') return { wrong: 'it is empty' };
  const whole = objectOf(text);
  const answer = withoutLineNumbers(text);
  if (whole !== undefined)
    return keysIn(whole).length === 0 && readAnswer(answer).ok ? { reply: { answer } } : readForm(whole);
  const change = readAnswer(answer);
  const namesFile = change.ok && change.changes.some(({ path }) => path !== undefined);
  const within = namesFile ? undefined : embedded(text);
  if (within !== undefined) return readForm(within);
  // Lines without a place are no change.
  if (change.ok && change.changes.some(({ path, form }) => path !== undefined || form !== 'whole-file')) {
    return { reply: { answer } };
  }
  // Pass on what was meant as a change: the loop says what is wrong with it.
  const isMeantAsChange = /^\s*(?:`{3}|~{3}|@@|<{5}|\+\+\+ |--- |diff --git )/m.test(text);
  if (isMeantAsChange) return { reply: { answer } };
  return { wrong: 'it is neither a change of files nor one JSON object with diagnostics or hand_over' };
}

function readForm(object: Readonly<Record<string, unknown>>): ReadReply {
  const keys = keysIn(object);
  const [key] = keys;
  if (key === undefined || keys.length > 1) {
    const has = key === undefined ? 'none' : keys.join(' and ');
    return { wrong: `the JSON object has ${has} of the keys ${KEYS.join(', ')}; expected exactly one` };
  }
  const read = FORMS[key].safeParse(object);
  if (!read.success) {
    const [{ path, message } = { path: [], message: '' }] = read.error.issues;
    const at = path.length === 0 ? 'the JSON object' : path.join('.');
    return { wrong: `${at} is not as described: ${message}` };
  }
  if (!('patch' in read.data)) return { reply: read.data };
  const { patch, ...note } = read.data;
  return { reply: { answer: fenced(patch), note } };
}

/** A diff that stands by itself, in a fence: without one its last lines could be taken for prose. */
function fenced(patch: string): string {
  const isBare = /^(?:diff --git |--- |@@)/m.test(patch) && !/^(?:`{3}|~{3}|<{5})/m.test(patch);
  return isBare ? `\`\`\`diff\n${patch}\n\`\`\`\n` : patch;
}

/** The one JSON object in a fence or at the end of some prose, when it has one of our keys. */
function embedded(text: string): Record<string, unknown> | undefined {
  const blocks = stretches(text.split(/\r?\n/))
    .filter(({ kind, info }) => kind === 'block' && /^(?:json[c5]?)?$/i.test(info.trim()))
    .slice(0, MAX_BLOCKS);
  const from = /^[ \t]*\{/m.exec(text)?.index ?? text.length;
  const candidates = [...blocks.map(({ lines }) => lines.join('\n')), text.slice(from, text.lastIndexOf('}') + 1)];
  const [first, second] = candidates.map(objectOf).filter((one) => one !== undefined && keysIn(one).length > 0);
  return second !== undefined && JSON.stringify(first) !== JSON.stringify(second) ? undefined : first;
}

function objectOf(text: string): Mapping | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
