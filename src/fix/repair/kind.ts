// What a place that is no proven repair is to a person: its kind, and one plain sentence.
import type { AskCode } from '../edit.ts';
import { clip } from '../gate/rules.ts';
import { nearness } from './near.ts';
import {
  blobAround,
  decides,
  isAddress,
  isBoolean,
  isNumber,
  isOwnersKey,
  isRun,
  isTolerant,
  ownersKind,
} from './never.ts';
import type { OtherPlace, Place, WordPlace } from './place.ts';

/** Commands of the shell that decide how it goes on. */
const SHELL = /^(?:test|exit|return|set|shopt|trap|unset|exec|break|continue)$/;

export interface Decision {
  readonly code: AskCode;
  readonly sentence: string;
  /** A command, task or line of a program that takes the place of nothing: it may do anything beside what was there. */
  readonly isNew: boolean;
}

/** The kind of a place, and what it does in a sentence with file and line. */
export function decisionOf(place: Place): Decision {
  const code = codeOf(place);
  return { code, sentence: `${place.path}:${place.line}: ${sentenceOf(place, code)}`, isNew: isNew(place) };
}

/** In a list at the top of a file stand plays and tasks. */
const isTask = (keys: readonly string[]): boolean =>
  keys[0] === '-' || /^(?:tasks|handlers|(?:pre|post)_tasks|block|rescue|always)$/.test(lastKey(keys));

function isNew(place: Place): boolean {
  if (place.what === 'added-command') return true;
  if (place.what !== 'other' || lines(place.new) <= lines(place.old)) return false;
  return place.kind === 'command' || isTask(place.keys);
}

const lines = (text: string): number => text.split('\n').filter((line) => line.trim() !== '').length;

const CODES = {
  moved: 'moved',
  duplicate: 'removed',
  'added-command': 'command',
  executable: 'command',
  syntax: 'text',
} as const;

function codeOf(place: Place): AskCode {
  if (addsTolerance(place)) return 'tolerance';
  if (place.what === 'word') return wordCode(place);
  if (place.what === 'other') return otherCode(place);
  if (place.what !== 'retyped') return CODES[place.what];
  return isBoolean(place.old) ? 'condition' : isNumber(place.old) ? 'number' : 'value';
}

function otherCode({ kind, old, new: now, keys }: OtherPlace): AskCode {
  const key = lastKey(keys);
  if (kind === 'removed' || kind === 'new_file' || kind === 'unread') return kind;
  if (isOwnersKey(key) || hasAddress(now, old)) return 'address';
  if (kind === 'condition') return kind;
  if (decides(key) || isBoolean(now) || isBoolean(old)) return 'condition';
  // Of what is run, signs decide how it ends; a key of a task does so, too.
  if (kind === 'value' && isOfRun(keys) && old.trim() !== '') return 'condition';
  return kind === 'key' && isTask(keys) ? 'condition' : kind;
}

function wordCode(place: WordPlace): AskCode {
  const { role, old, new: now, left, right, keys } = place;
  const kind = ownersKind(place);
  const isPlaced = [old, now].some((word) => isAddress(blobAround(left, word, right)));
  if (kind === 'address' || isPlaced) return 'address';
  const key = lastKey(keys);
  if (role !== 'key' && (decides(key) || SHELL.test(key))) return 'condition';
  if (kind !== undefined) return kind;
  // Another program takes the place of what ran, or the same does otherwise what it did.
  const isOther = role === 'program' && nearness(old, now) === undefined;
  if (isOther || role === 'option' || (role === 'value' && isOfRun(keys) && /(?:^|-)$/.test(left.trim())))
    return 'condition';
  if (role === 'key') return 'key';
  return role === 'operand' || role === 'program' ? 'command' : 'value';
}

const isOfRun = (keys: readonly string[]): boolean => keys.some(isRun);

const lastKey = (keys: readonly string[]): string => keys.findLast((key) => key !== '-' && key !== '') ?? '';

/** An address that was not there before. */
const hasAddress = (now: string, old: string): boolean =>
  now.split(/[\s"'`,;()[\]{}|=]+/).some((word) => word !== '' && !old.includes(word) && isAddress(word));

/** Added words that put up with a failure. */
function addsTolerance(place: Place): boolean {
  const words = (text: string) => text.split(/[\s"'`,;()[\]{}|=]+|:(?=\s|$)/).filter((word) => word !== '');
  const before = new Set(words(place.old));
  if (
    /\|\|\s*(?:true|:|echo|exit 0)|\/dev\/null|:-|\bset \+/.test(place.new) &&
    !/\|\|\s*(?:true|:)|\/dev\/null/.test(place.old)
  )
    return true;
  return words(place.new).some((word) => !before.has(word) && isTolerant(word));
}

const shown = (text: string): string => `\`${clip(text.trim(), 80)}\``;

function sentenceOf(place: Place, code: AskCode): string {
  const { old, new: now } = place;
  const key = lastKey(place.keys ?? []);
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
