// The commit messages of a fix and of the commit that takes it back.

import { createHash } from 'node:crypto';
import type { Fix } from '../events.ts';

/** The fields of a fix's message; find-fix.ts reads its trailers. */
export interface FixStory extends Omit<Fix, 'commit'> {
  class: string;
  attempt: number;
  run: string;
  /** The case it answers. */
  case?: string | undefined;
  /** Where its owner accepted it. */
  answered_at?: string | undefined;
  /** The repairs that it consists of: the shape of each, and why. */
  shapes?: readonly string[];
  /** The item of the work queue that it is part of. */
  item?: string | undefined;
}

export const MAX_SUBJECT = 72;
const MAX_BODY = 2000;
const MAX_SHAPE = 300;

/** Subject, what and why, and trailers that a later process finds it by. */
export function fixMessage(story: FixStory): string {
  const { stage, note } = story;
  return [
    clip(`Mend ${stage}: ${oneLine(note.fix)}`, MAX_SUBJECT),
    '',
    `Fix: ${clip(oneLine(note.fix), MAX_BODY)}`,
    `Reason: ${clip(oneLine(note.reason), MAX_BODY)}`,
    '',
    ...trailers(story),
    '',
  ].join('\n');
}

/** The commit that takes a fix back for its owner. */
export function revertMessage(
  fix: Pick<Fix, 'stage' | 'fingerprint' | 'hash' | 'note' | 'commit'>,
  why: string,
  run: string,
): string {
  return [
    clip(`Take back: ${oneLine(fix.note.fix)}`, MAX_SUBJECT),
    '',
    `This takes back ${fix.commit}: ${why}.`,
    '',
    `Stage: ${fix.stage}`,
    `Fingerprint: ${fix.fingerprint}`,
    `Patch: ${fix.hash}`,
    `Run: ${run}`,
    `Reverts: ${fix.commit}`,
    'Outcome: declined',
    '',
  ].join('\n');
}

function trailers(story: FixStory): string[] {
  const { stage, step, fingerprint, class: failureClass, tier, plugin, attempt, run, hash } = story;
  return [
    `Stage: ${stage}`,
    ...(story.item === undefined ? [] : [`Item: ${story.item}`]),
    ...(step === stage ? [] : [`Step: ${step}`]),
    `Fingerprint: ${fingerprint}`,
    `Class: ${failureClass}`,
    `Tier: ${tier}`,
    `Plugin: ${plugin}`,
    ...(story.shapes ?? []).map((shape) => `Shape: ${clip(oneLine(shape), MAX_SHAPE)}`),
    `Attempt: ${attempt}`,
    `Run: ${run}`,
    ...(story.case === undefined ? [] : [`Case: ${story.case}`]),
    ...(story.answered_at === undefined ? [] : [`Accepted-at: ${story.answered_at}`]),
    `Patch: ${hash}`,
    `Fix-Id: ${fixId(story)}`,
  ];
}

/** The same whatever its commit becomes: carried, picked or squashed. */
function fixId({ stage, step, fingerprint, hash, run, attempt }: FixStory): string {
  const key = JSON.stringify([stage, step, fingerprint, hash, run, attempt]);
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}

/**
 * Without control characters: git refuses some of them, and a line of its own could pass for a trailer. And without what a
 * forge acts on once the commit is pushed: `Fixes #12` closes an issue, `@name` writes to somebody, `[skip ci]` stops checks.
 */
const oneLine = (text: string): string =>
  text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/\b(GH-|issues\/|pull\/|merge_requests\/)(?=\d)/gi, '$1 ')
    .replace(/(?<=[#!])(?=\d)|(?<=(?:^|[^\w.])@)(?=\w)/g, ' ')
    .replace(/\[((?:skip|no) (?:ci|actions)|(?:ci|actions) skip)\]/gi, '$1')
    .trim();
export const clip = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
