// The case of a failure that keeps coming back, as markdown: what a person reads first, and what an escalation is sent. A
// table of parts, and last the answers that are accepted from a machine.
import { counted } from '../triage/words.ts';
import { patchRule } from './answer-format.ts';
import type { FailureContext, MaskText } from './context.ts';
import { toolLines } from './diagnostics/tools.ts';
import { buildDocument, type Document, type Part } from './document.ts';
import { diagnosticLines, noteLines } from './parts/diagnostics.ts';
import { errorLines, howItFailed, logEnd, stageLines } from './parts/failure.ts';
import { fileLines } from './parts/files.ts';
import { memoLines } from './parts/memo.ts';
import { readingLines } from './parts/reading.ts';
import { earlierTries } from './parts/tries.ts';
import { fenceNote, oneLine } from './text.ts';

const DEFAULT_CHARS = 60_000;
/** With less, only the frame would fit. */
export const MIN_CASE_CHARS = 10_000;
const CHARS_PER_TOKEN = 4;

/** What only a case tells: its name, and the story of the failure in figures. */
export interface CaseOptions {
  readonly case: string;
  /** 2: the diagnostics that were asked for are in it. */
  readonly version: 1 | 2;
  readonly run: string;
  readonly fingerprint: string;
  readonly times_seen: number;
  readonly first_seen: string;
  readonly last_seen: string;
  /** Where the whole log is, from home. */
  readonly log_file?: string;
  /** Attempts of the step in this run. */
  readonly attempts: number;
  readonly tries_spent: { readonly spent: number; readonly of: number };
  readonly calls_spent: CaseOptions['tries_spent'];
  /** What is wanted of a person, where nobody else is asked; without it whoever reads is to find the cause. */
  readonly lead?: string | undefined;
  /** Characters that the whole case may have; 60 000 by default, 10 000 at least. */
  readonly max_chars?: number;
}

/** Masked; at most `max_chars` characters before that, however long the log. Throws only what `mask` throws. */
export function buildCase(context: FailureContext, options: CaseOptions, mask: MaskText): Document {
  const chars = Math.max(MIN_CASE_CHARS, options.max_chars ?? DEFAULT_CHARS);
  const layout = {
    opening: (masked: FailureContext) => openingOf(masked, options),
    parts: CASE_PARTS,
    closing: machineRule(options.version),
    budget: Math.floor(chars / CHARS_PER_TOKEN),
    remarks: {
      shortened: '(Shortened: there was no room for all of it.)',
      leftOut: '(Left out: there was no room for it.)',
    },
  };
  return buildDocument(layout, context, mask);
}

const CASE_PARTS: readonly Part[] = [
  { name: 'error lines', title: 'The failure', share: 0.1, lines: errorLines },
  { name: 'stage', title: 'The stage', share: 0.08, lines: stageLines },
  { name: 'log', title: 'The end of the log', share: 0.2, lines: logEnd },
  { name: 'diagnostics', title: 'Diagnostics', share: 0.3, lines: diagnosticLines },
  { name: 'earlier attempts', title: 'Earlier attempts', share: 0.2, lines: earlierTries(true) },
  { name: 'files', title: 'The files', share: 0.3, lines: fileLines({ most: 12, share: 0 }) },
  { name: 'reading', title: 'What may help', share: 0.1, lines: readingLines },
  { name: 'memo', title: 'What is known about this homelab', share: 0.1, lines: memoLines },
  { name: 'notes', title: 'Notes', share: 0.05, lines: noteLines },
];

function openingOf({ stage, step, failure, limits, nonce }: FailureContext, options: CaseOptions): string {
  const { version, times_seen: times, first_seen: first, last_seen: last, log_file: log } = options;
  const seen = times === 1 ? `once, ${last}` : `${times} times, first ${first}, last ${last}`;
  const most = limits.files === 1 ? 'at most one file and' : 'in as few files as it takes, at most';
  const asking = version === 1 ? ', ask for diagnostics,' : ',';
  const attempts = counted(options.attempts, 'attempt');
  const tries = used(options.tries_spent, 'try', 'tries');
  const calls = used(options.calls_spent, 'escalation call', 'escalation calls');
  const lines = [
    `- Case: ${options.case}, version ${version}`,
    `- ${howItFailed(failure)}`,
    `- Fingerprint: ${options.fingerprint}, seen ${seen}`,
    `- Run: ${options.run}, ${attempts} of ${oneLine(step ?? stage.name)} in it`,
    `- Spent: ${tries}, ${calls}`,
    ...(log === undefined ? [] : [`- Whole log: ${oneLine(log)}`]),
  ];
  const task = `What the loop could do by itself did not mend this. Find the cause. Then give the smallest change that mends it (${most}
${limits.changed_lines} lines, in the files that this stage may change)${asking} or say what a person has to do.`;
  return `# ${stage.name} failed: ${failure.class}, ${oneLine(failure.ended)}

${options.lead ?? task}

${lines.join('\n')}

${fenceNote(nonce)}
`;
}

const used = ({ spent, of }: CaseOptions['tries_spent'], one: string, many: string): string =>
  `${spent} of ${counted(of, one, many)}`;

const DIAGNOSTICS = `A request for diagnostics: one JSON object and nothing else, at most 8 commands, each a list of words without a shell.
They only look: what writes, follows, reads secrets or goes elsewhere is not run. The outputs come back with this case, once.

{"diagnostics": [["kubectl", "get", "pods", "-A"], ["talosctl", "services"]]}

What may be asked:`;

const HAND_OVER = `A hand-over to a person: one JSON object and nothing else.

{"hand_over": "what they have to do, and why no change to these files can"}`;

/** The answers that are accepted; the form of a patch stands last. */
export function machineRule(version: 1 | 2): string {
  const first = version === 1;
  const kinds = first
    ? 'three: a patch, in the form at the end; diagnostics;'
    : 'two (what was asked for has been run): a patch, in the form at the end;';
  const asking = first ? [DIAGNOSTICS, ...toolLines().map((line) => `- ${line}`), ''] : [];
  const opening = `# For a machine\n\nAnswer with one of ${kinds} a hand-over.\n`;
  return [opening, ...asking, HAND_OVER, '', patchRule()].join('\n');
}
