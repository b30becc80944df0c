// How states are shown, on the page and in every form of the report: the words for them, and a sign that tells them without colour.
import { type Html, html } from './html.ts';

/** A sign, and the class of the style sheet that gives it its colour. */
const MARKS = {
  good: ['✓', 'good'],
  busy: ['▶', 'busy'],
  bad: ['✕', 'bad'],
  alarm: ['!', 'bad'],
  part: ['◐', 'warn'],
  waits: ['◆', 'warn'],
  idle: ['○', 'idle'],
} as const;

type Row = readonly [mark: keyof typeof MARKS, word?: string];

/** Stored word → its mark, and the words for it where they differ; what is not listed is idle. */
const STATES = {
  stage: {
    green: ['good'],
    fresh: ['good', 'still holds'],
    old: ['idle', 'green then'],
    running: ['busy'],
    open: ['busy'],
    failed: ['bad'],
    give_up: ['alarm', 'given up'],
  },
  run: {
    success: ['good', 'all green'],
    partial: ['part', 'partly green'],
    failure: ['bad', 'failed'],
    interrupted: ['idle'],
    abandoned: ['idle'],
    open: ['busy', 'at work or cut off'],
  },
  failure: {
    waits: ['waits', 'waits for you'],
    given_up: ['alarm'],
    mended: ['good'],
    passed: ['good', 'green since'],
    open: ['bad', 'not mended'],
  },
  fix: {
    kept: ['good'],
    landed: ['good'],
    applied: ['busy', 'being tried'],
    no_effect: ['idle', 'undone, no effect'],
    broke: ['bad', 'undone, it broke something'],
    undone: ['idle', 'undone'],
    superseded: ['idle', 'superseded by yours'],
  },
  case: { open: ['waits', 'waits'], asked: ['busy'], answered: ['busy'], given_up: ['alarm'] },
  item: { done: ['good'], stuck: ['alarm'] },
} as const satisfies Record<string, Readonly<Record<string, Row>>>;

type StateKind = keyof typeof STATES;

export function stateOf(kind: StateKind, state: string): { sign: string; look: string; word: string } {
  const rows: Readonly<Record<string, Row>> = STATES[kind];
  const [mark, word = state.replaceAll('_', ' ')] = rows[state] ?? ['idle'];
  const [sign, look] = MARKS[mark];
  return { sign, look, word };
}

/** A state with its sign, its colour and its word, or another one. */
export function stateHtml(kind: StateKind, state: string, given?: string): Html {
  const { sign, look, word } = stateOf(kind, state);
  return html`<span class="state ${look}"><span class="sign" aria-hidden="true">${sign}</span> ${given ?? word}</span>`;
}
