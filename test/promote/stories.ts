// A story of a promotion, in plain values: one verified fix, on the base.
import type { Story, StoryFix } from '../../src/promote/story.ts';

export const commitOf = (letter: string) => letter.repeat(40);

export const fix = (letter: string, more: Partial<StoryFix> = {}): StoryFix => ({
  commit: commitOf(letter),
  stage: 'web',
  fingerprint: 'f1',
  class: 'unknown',
  time: '2026-11-16T11:00:00Z',
  fix: 'Say two',
  reason: 'It said one',
  plugin: 'probe',
  tier: 'executor',
  run: 'run-1',
  paths: ['a.txt'],
  shapes: [],
  outcome: 'kept',
  ...more,
});

export const story = (more: Partial<Story> = {}): Story => ({
  branch: 'ai/x',
  base: 'main',
  base_commit: commitOf('0'),
  tip: commitOf('f'),
  nothing: false,
  fixes: [fix('a')],
  undone: [],
  others: [],
  moves: false,
  landed: 0,
  superseded: [],
  stuck: [],
  stat: ' a.txt | 2 +-',
  ...more,
});
