// A fix on the AI branch as the loop keeps it in mind until it is judged, and the commit message that tells its story.
import type { Note } from '../fix/edit.ts';
import type { PatchData } from '../triage/records.ts';

export interface AppliedFix {
  stage: string;
  step: string;
  /** What it is for. */
  fingerprint: string;
  hash: string;
  commit: string;
  paths: readonly string[];
  tier: PatchData['tier'];
  plugin: string;
  note: Note;
}

export interface FixStory extends Omit<AppliedFix, 'commit' | 'paths' | 'hash'> {
  class: string;
  attempt: number;
  run: string;
  hash: string;
  /** The case it answers. */
  case?: string;
}

const SUBJECT = 72;
const BODY = 2000;

/** Subject, what and why, and trailers that a later process finds it by. */
export function fixMessage(story: FixStory): string {
  const { stage, note } = story;
  return [
    clip(`Mend ${stage}: ${oneLine(note.fix)}`, SUBJECT),
    '',
    `Fix: ${clip(oneLine(note.fix), BODY)}`,
    `Reason: ${clip(oneLine(note.reason), BODY)}`,
    '',
    ...trailers(story),
    '',
  ].join('\n');
}

/** The commit that takes a fix back. */
export function revertMessage(fix: AppliedFix, outcome: PatchData['outcome'], why: string, run: string): string {
  return [
    clip(`Take back: ${oneLine(fix.note.fix)}`, SUBJECT),
    '',
    `This takes back ${fix.commit}: ${why}.`,
    '',
    `Stage: ${fix.stage}`,
    `Fingerprint: ${fix.fingerprint}`,
    `Patch: ${fix.hash}`,
    `Run: ${run}`,
    `Reverts: ${fix.commit}`,
    `Outcome: ${outcome}`,
    '',
  ].join('\n');
}

function trailers(story: FixStory): string[] {
  const { stage, step, fingerprint, class: found, tier, plugin, attempt, run, hash } = story;
  return [
    `Stage: ${stage}`,
    ...(step === stage ? [] : [`Step: ${step}`]),
    `Fingerprint: ${fingerprint}`,
    `Class: ${found}`,
    `Tier: ${tier}`,
    `Plugin: ${plugin}`,
    `Attempt: ${attempt}`,
    `Run: ${run}`,
    ...(story.case === undefined ? [] : [`Case: ${story.case}`]),
    `Patch: ${hash}`,
  ];
}

/** Without control characters: git refuses some of them, and a line of its own could pass for a trailer. */
const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
const clip = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
