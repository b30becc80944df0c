// Whether the model that would be asked is fit for this machine: three small failures of its own, each with one right change, as a run
// would ask about them. Nothing is run, and nothing of the repository is sent.
import { join } from 'node:path';
import { type Stage, stageSchema } from '../config/context-map.ts';
import { durationText } from '../config/duration.ts';
import { INSTRUCTIONS_FILE } from '../config/files.ts';
import { KNOWN_FIXES } from '../events.ts';
import { applyChanges } from '../fix/apply-changes.ts';
import { readAnswer } from '../fix/read-answer.ts';
import { vocabularies } from '../io/gate/vocabularies.ts';
import type { Layout } from '../io/layout.ts';
import { PACKAGE_ROOT } from '../io/package.ts';
import { readText } from '../io/store.ts';
import { speedsOf } from '../mend/speeds.ts';
import type { FailureContext } from '../outbound/context.ts';
import { buildPrompt } from '../outbound/prompt.ts';
import { callHook, faultLine } from '../plugin/call.ts';
import type { Change, FixFacts } from '../plugin/contract.ts';
import type { LoadedPlugin } from '../plugin/examine.ts';
import { repositoryFromTexts } from '../repository/repository.ts';

interface Exam {
  readonly command: string;
  readonly path: string;
  readonly text: string;
  readonly error: string;
  /** Any of these in the place of `old` is right, and nothing else. */
  readonly old: string;
  readonly right: readonly string[];
}

const EXAMS: readonly Exam[] = [
  {
    command: 'docker compose -f compose.yaml config --quiet',
    path: 'compose.yaml',
    text: 'services:\n  web:\n    image: nginx:1.27\n    depends_on:\n      - databse\n  database:\n    image: postgres:17\n',
    error: 'service "web" depends on undefined service "databse": invalid compose project',
    old: '- databse',
    right: ['- database'],
  },
  {
    command: 'stages/backup.sh',
    path: 'stages/backup.sh',
    text: '#!/usr/bin/env bash\nset -euo pipefail\ntarget=/srv/backup\nmkdir -p "$target"\ntar -czf "$tagret/etc.tar.gz" config\n',
    error: 'stages/backup.sh: line 5: tagret: unbound variable',
    old: '$tagret/',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash
    right: ['$target/', '${target}/'],
  },
  {
    command: 'kubectl apply --dry-run=server -f manifests/web.yaml',
    path: 'manifests/web.yaml',
    text:
      'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: web\n      image: nginx:1.27\n' +
      '      resources:\n        limits:\n          memory: 512MB\n',
    error:
      'Error from server (BadRequest): error when creating "manifests/web.yaml": Pod in version "v1" cannot be handled as a Pod: ' +
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    old: 'memory: 512MB',
    right: ['512M', '512Mi', '"512M"', '"512Mi"'].map((value) => `memory: ${value}`),
  },
];

const instructionsOf = (): string => readText(join(PACKAGE_ROOT, INSTRUCTIONS_FILE)) ?? '';

function askedAbout({ command, path, text, error }: Exam): { context: FailureContext; facts: FixFacts } {
  const stage = { ...(stageSchema.parse({ command, files: [path] }) as Stage), name: 'example' };
  const failure = { class: 'config_error' as const, error_lines: [error] };
  const limits = { files: 1, changed_lines: 100 };
  const nonce = Math.random().toString(36).slice(2).padEnd(12, '0');
  const files = [{ path, text }];
  const read = async () => text;
  const repository = repositoryFromTexts(new Map([[path, text]]));
  return {
    context: {
      stage,
      failure: { ...failure, ended: 'exit code 1' },
      log: `${error}\n`,
      tree: [path],
      files,
      limits,
      nonce,
    },
    facts: {
      stage,
      failure: { ...failure, fingerprint: '0'.repeat(16), excerpt: error, log: '' },
      ...{
        files: [path],
        tree: [path],
        places: [],
        definitions: [],
        read,
        look: read,
        shell: { parses: async () => true },
      },
      definitions: async () => ({ repository, vocabulary: vocabularies }),
      ...{ surroundings: { path: '', variables: [] }, prompt: '', choices: [], tries: [], refused: [], limits },
    },
  };
}

function isRight({ path, text, old, right }: Exam, change: Change): boolean {
  const wanted = right.map((now) => text.replace(old, () => now));
  if ('files' in change) return wanted.includes(change.files[path] ?? '');
  const read = readAnswer(change.answer);
  const placed = read.ok ? applyChanges(read.changes, (asked) => (asked === path ? text : undefined)) : read;
  return placed.ok && placed.files.length === 1 && wanted.includes(placed.files[0]?.after ?? '');
}

export interface Tried {
  readonly plugin: string;
  /** Milliseconds of each answer; one that never came is not among them. */
  readonly answers: readonly number[];
  readonly mended: number;
  /** One sentence. */
  readonly verdict: string;
}

interface Watching {
  readonly say: (text: string) => void;
  readonly progress: (text: string) => void;
  readonly signal: AbortSignal;
}

/** The executors that ask a model, each with three questions. An answer that does not come counts as lost. */
export async function tryModels(
  layout: Layout,
  executors: readonly LoadedPlugin[],
  { say, progress, signal }: Watching,
): Promise<Tried[]> {
  const tried: Tried[] = [];
  const reporting = { say, progress, speeds: speedsOf(layout, say) };
  for (const plugin of executors.filter(({ name }) => name !== KNOWN_FIXES)) {
    const answers: number[] = [];
    let [mended, lost] = [0, ''];
    for (const exam of EXAMS) {
      const { context, facts } = askedAbout(exam);
      const { text: prompt } = buildPrompt(context, { instructions: instructionsOf(), format: 'diff' }, (one) => one);
      const began = performance.now();
      const called = await callHook(plugin, 'propose', { ...facts, prompt }, { signal, reporting });
      if (signal.aborted) return tried;
      if ('failed' in called) lost = faultLine(called);
      else {
        answers.push(performance.now() - began);
        const { answer } = called;
        if (('answer' in answer || 'files' in answer) && isRight(exam, answer)) mended++;
      }
      // A host that is not there is not there for the others either.
      if (lost !== '' && answers.length === 0) break;
    }
    tried.push({ plugin: plugin.name, answers, mended, verdict: verdictOf(answers, mended, lost) });
  }
  return tried;
}

/** Longer is a night of few tries. */
const PATIENT_MS = 180_000;

/** What the figures mean for whoever has to choose. Pure. */
export function verdictOf(answers: readonly number[], mended: number, lost: string): string {
  const [middle] = answers.toSorted((a, b) => a - b).slice(answers.length >> 1);
  if (middle === undefined) return `no answer: ${lost}`;
  const missing = lost === '' ? '' : `, ${EXAMS.length - answers.length} without an answer`;
  const seen = `answers in ${durationText(Math.max(1000, middle))}, mended ${mended} of ${EXAMS.length}${missing}`;
  if (mended < 2) return `${seen}: too weak; take a larger model, or one made for code`;
  if (middle > PATIENT_MS) return `${seen}: right, but slow for this machine; a smaller model is faster`;
  return `${seen}: ${mended === EXAMS.length ? 'fine for this machine' : 'usable; what it gets wrong is asked about, or undone'}`;
}
