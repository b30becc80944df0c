// What a place that is no proven repair is to a person: its kind, and one plain sentence.
import type { AskCode } from '../edit.ts';
import { isAccountKey, isAddress, isAddressKey, isBoolean, isNumber, isTolerant as isTolerantWord } from './never.ts';
import type { Place, WordPlace } from './place.ts';
import { blobAround } from './split-words.ts';

/** Keys whose value decides whether something runs, holds or counts as failed. */
const DECIDES =
  /^(?:when|if|unless|until|changed_when|that|assert|condition|expr|restart|verify|validate\w*|enabled?|suspend|prune|wait|timeout|retries|healthcheck|livenessProbe|readinessProbe)$/;

export interface Decision {
  readonly code: AskCode;
  readonly sentence: string;
}

/** The kind of a place, and what it does in a sentence with file and line. */
export function decisionOf(place: Place): Decision {
  const code = codeOf(place);
  return { code, sentence: `${place.path}:${place.line}: ${sentenceOf(place, code)}` };
}

function codeOf(place: Place): AskCode {
  if (isTolerant(place)) return 'tolerance';
  switch (place.what) {
    case 'word':
      return wordCode(place);
    case 'retyped':
      return isBoolean(place.old) ? 'condition' : isNumber(place.old) ? 'number' : 'value';
    case 'moved':
      return 'moved';
    case 'duplicate':
      return 'removed';
    case 'added-command':
    case 'executable':
      return 'command';
    case 'syntax':
      return 'text';
    case 'other':
      return otherCode(place.kind, place.old, place.new, place.keys ?? []);
  }
}

function otherCode(kind: AskCode, old: string, now: string, keys: readonly string[]): AskCode {
  if (kind !== 'value' && kind !== 'key' && kind !== 'text' && kind !== 'number') return kind;
  const key = lastKey(keys);
  if (isAddressKey(key) || isAccountKey(key) || hasAddress(now, old)) return 'address';
  if (DECIDES.test(key) || isBoolean(now) || isBoolean(old)) return 'condition';
  return kind;
}

function wordCode({ role, old, new: now, left, right, keys }: WordPlace): AskCode {
  const key = lastKey(keys);
  const [a, b] = [old, now].map((word) => blobAround({ left, right, old: word })) as [string, string];
  if (isAddress(a) || isAddress(b)) return 'address';
  if (role !== 'key' && (isAddressKey(key) || isAccountKey(key))) return 'address';
  if (
    isBoolean(old) ||
    isBoolean(now) ||
    (role !== 'key' && (DECIDES.test(key) || key === 'test' || key === 'exit' || key === 'return'))
  )
    return 'condition';
  if (isNumber(old) || isNumber(now)) return 'number';
  if (role === 'key') return 'key';
  return role === 'program' || role === 'operand' || role === 'option' ? 'command' : 'value';
}

const lastKey = (keys: readonly string[]): string => keys.findLast((key) => key !== '-' && key !== '') ?? '';

/** An address that was not there before. */
const hasAddress = (now: string, old: string): boolean =>
  now.split(/[\s"'`,;()[\]{}|=]+/).some((word) => word !== '' && !old.includes(word) && isAddress(word));

/** Added words that put up with a failure. */
function isTolerant(place: Place): boolean {
  const words = (text: string) => text.split(/[\s"'`,;()[\]{}|=]+|:(?=\s|$)/).filter((word) => word !== '');
  const before = new Set(words(place.old));
  if (
    /\|\|\s*(?:true|:|echo|exit 0)|\/dev\/null|:-|\bset \+/.test(place.new) &&
    !/\|\|\s*(?:true|:)|\/dev\/null/.test(place.old)
  )
    return true;
  const added = words(place.new).filter((word) => !before.has(word));
  return added.some(isTolerantWord);
}

const shown = (text: string): string => {
  const line = text.trim().replace(/\s+/g, ' ');
  return `\`${line.length > 80 ? `${line.slice(0, 79)}…` : line}\``;
};

function sentenceOf(place: Place, code: AskCode): string {
  const { old, new: now } = place;
  const key = 'keys' in place ? lastKey(place.keys ?? []) : '';
  const where = key !== '' && !old.includes(key) && !now.includes(key) ? ` (${key})` : '';
  if (code === 'new_file') return 'makes a new file';
  if (code === 'unread') return 'could not be read in the time or size there is for it';
  if (place.what === 'executable') return 'makes it executable, and it does not say what runs it';
  if (place.what === 'duplicate') return `removes ${shown(old)}`;
  if (place.what === 'moved') return `moves ${shown(place.key)} to another place`;
  if (place.what === 'syntax') return 'changes signs of a text that did not parse';
  if (old.trim() === '') return `adds ${shown(now)}${where}`;
  if (now.trim() === '') return `removes ${shown(old)}, which nothing replaces${where}`;
  return `changes ${shown(old)} to ${shown(now)}${where}`;
}
