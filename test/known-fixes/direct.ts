// A broken stage in a folder of its own, run and mended without the loop around it: the script fails, the plugin is
// asked, its proposal is written, the script runs again.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RepairFacts } from '../../plugins/executors/known-fixes/repair.ts';
import knownFixes from '../../plugins/executors/known-fixes.ts';
import { type Stage, stageSchema } from '../../src/config/context-map.ts';
import { pathMatcher } from '../../src/config/paths.ts';
import { excerptOf } from '../../src/failure/excerpt.ts';
import { identify } from '../../src/failure/fingerprint.ts';
import { vocabularies } from '../../src/io/gate/vocabularies.ts';
import type { Context, Proposal } from '../../src/plugin/contract.ts';
import { proposalSchema } from '../../src/plugin/contract.ts';
import { repositoryFromTexts } from '../../src/repository/repository.ts';
import type { BrokenStage } from './broken-stages.ts';

const made = mkdtempSync(join(realpathSync(tmpdir()), 'mendloop-known-fixes-'));
process.on('exit', () => rmSync(made, { recursive: true, force: true }));

export interface Ended {
  readonly exit: number | null;
  readonly output: string;
}

/** Runs argv to its end, stdout and stderr as one. */
export function run(argv: readonly string[], cwd: string, input = ''): Promise<Ended> {
  return new Promise((done, failed) => {
    const [program = '', ...args] = argv;
    const env = { ...process.env, MENDLOOP_STAGE: 'web' };
    const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    child.stdin.on('error', () => {}).end(input);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('error', failed).once('close', (exit) => done({ exit, output }));
  });
}

/** Whether bash takes a text for a script. */
export const parses = async (text: string): Promise<boolean> => (await run(['bash', '-n'], made, text)).exit === 0;

export interface Outcome {
  readonly first: Ended;
  readonly proposal: Proposal;
  /** How the stage ended with the proposal; undefined when there was none. */
  readonly second?: Ended;
  /** Every file of the repository afterwards. */
  readonly after: Readonly<Record<string, string>>;
  /** What the plugin says when it is asked about the same failure once more. */
  readonly again: Proposal;
}

/** Breaks, runs, asks, applies and runs again. */
export async function mend(broken: BrokenStage): Promise<Outcome> {
  const folder = mkdtempSync(join(made, 's-'));
  const files = { ...broken.sound, ...broken.broken };
  for (const [path, text] of Object.entries(files)) put(folder, path, text, !broken.plain?.includes(path));
  const first = await runStage(broken, folder);
  const proposal = await ask(broken, folder, first);
  if ('files' in proposal) {
    for (const [path, text] of Object.entries(proposal.files)) put(folder, path, text, true);
    for (const path of proposal.executable ?? []) chmodSync(join(folder, path), 0o755);
  }
  const second = 'files' in proposal ? await runStage(broken, folder) : undefined;
  const after = Object.fromEntries(Object.keys(files).map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
  return { first, proposal, ...(second ? { second } : {}), after, again: await ask(broken, folder, first) };
}

function put(folder: string, path: string, text: string, executable: boolean): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
  chmodSync(join(folder, path), executable ? 0o755 : 0o644);
}

function runStage({ command }: BrokenStage, folder: string): Promise<Ended> {
  return run(
    typeof command === 'string' ? ['bash', '-c', command] : ['bash', '-c', 'exec "$@"', 'bash', ...command],
    folder,
  );
}

async function ask(broken: BrokenStage, folder: string, { exit, output }: Ended): Promise<Proposal> {
  const context = { ...factsOf(broken, folder, exit, output), options: {}, signal: new AbortController().signal };
  return proposalSchema.parse(await knownFixes.propose?.(context as unknown as Context<'propose', never>)) as Proposal;
}

function factsOf(broken: BrokenStage, folder: string, exit: number | null, output: string) {
  const stage = stageSchema.parse({
    ...{ command: broken.command, files: broken.files, requires: { tools: broken.tools ?? [] } },
  }) as Stage;
  const failure = identify({
    stage: 'web',
    ended: { exit_code: exit, signal: null, timed_out: false },
    log: { text: output, cut: false },
  });
  const tree = Object.keys({ ...broken.sound, ...broken.broken });
  const facts: RepairFacts = {
    stage: { ...stage, name: 'web' },
    failure: {
      ...{
        fingerprint: failure.fingerprint,
        class: failure.class,
        excerpt: excerptOf(failure),
        log: 'ai/logs/web/1.log',
      },
      error_lines: failure.errors.flatMap(({ lines }) => lines),
    },
    files: tree.filter(pathMatcher(broken.files)),
    read: async (path) => readFileSync(join(folder, path), 'utf8'),
    look: async (path) => readFileSync(join(folder, path), 'utf8'),
    surroundings: { path: process.env.PATH ?? '', variables: [...Object.keys(process.env), 'MENDLOOP_STAGE'] },
    tree,
    shell: { parses },
    definitions: async () => {
      const texts = new Map(tree.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
      return { repository: repositoryFromTexts(texts), vocabulary: vocabularies };
    },
  };
  return { ...facts, tries: [], refused: [], limits: { files: 1, changed_lines: 100 } };
}
