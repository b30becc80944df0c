// The thread that judges: edits, rules and what the repository defines in, a verdict out; or a text in, its commands out. It can be
// ended at any time, whatever it is reading.
import { readlinkSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { Edit } from '../../fix/edit.ts';
import { destroyingIn } from '../../fix/gate/destroys.ts';
import { judgeEdits } from '../../fix/gate/judge.ts';
import type { GateRules } from '../../fix/gate/rules.ts';
import { type CommandText, readCommands } from '../../fix/shell/read-commands.ts';
import type { Repository } from '../../repository/definition.ts';
import { factsOf, type RepositoryFacts, repositoryOf } from '../../repository/repository.ts';
import { loadShellGrammar } from './grammar.ts';
import { vocabularies } from './vocabularies.ts';

export interface GateQuestion {
  readonly edits: readonly Edit[];
  readonly rules: GateRules;
  readonly unparsed: readonly string[];
  /** What the repository defines; absent when it is that of the last question. */
  readonly facts?: RepositoryFacts;
}
/** A judgement on edits, the commands of a text, or what of a file destroys. */
export type Question =
  | GateQuestion
  | { readonly shell: CommandText }
  | { readonly path: string; readonly text: string };

const parse = await loadShellGrammar();
let repository: Repository | undefined;
warmUp();
parentPort?.on('message', (question: Question) => parentPort?.postMessage(answer(question)));
parentPort?.postMessage(ownTask());

function answer(question: Question): unknown {
  if ('shell' in question) return readCommands(question.shell, parse);
  if ('path' in question) return destroyingIn(question.path, question.text, parse);
  if (question.facts) repository = repositoryOf(question.facts);
  if (!repository) throw new Error('the first question has no repository');
  return judgeEdits(question.edits, question.rules, { parse, vocabulary: vocabularies, repository }, question.unparsed);
}

/** This thread's place below /proc, where the system has one: others can read there how long it has computed. */
function ownTask(): string {
  try {
    return `/proc/${readlinkSync('/proc/thread-self')}`;
  } catch {
    return '';
  }
}

/** Compiles what every verdict runs, so that the clock of the first one measures the change alone. */
function warmUp(): void {
  const script = 'set -e\nif ! kubectl apply -f "$DIR/a.yaml"; then\n  exit 1\nfi\n';
  const edits = [
    { path: 'a.sh', before: script, after: script.replace('a.yaml', 'b.yaml') },
    { path: 'b.yaml', before: 'a: 1\nb: [c, d]\n', after: 'a: 2\nb: [c, d]\n' },
  ];
  const tree = { files: ['a.sh', 'b.yaml'] };
  const rules: GateRules = {
    allow: ['**'],
    protect: [],
    untouchable: [],
    maxFiles: 2,
    maxLines: 100,
    unattended: 'repairs',
    tree,
  };
  const empty = repositoryOf(factsOf(new Map(edits.map(({ path, before }) => [path, before]))));
  for (let i = 0; i < 3; i++) judgeEdits(edits, rules, { parse, vocabulary: vocabularies, repository: empty });
}
