// A mistake in a small repository with the log of the tool that met it: what the plugin makes of it, without running anything.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { RepairFacts } from '../../plugins/executors/known-fixes/repair.ts';
import knownFixes from '../../plugins/executors/known-fixes.ts';
import { type Stage, stageSchema } from '../../src/config/context-map.ts';
import { pathMatcher } from '../../src/config/paths.ts';
import { excerptOf, identify } from '../../src/failure/fingerprint.ts';
import { type Context, type Proposal, proposalSchema } from '../../src/plugin/contract.ts';
import { parses } from './direct.ts';

export interface Mistake {
  readonly name: string;
  /** The repository as it is when the stage fails. */
  readonly files: Readonly<Record<string, string>>;
  /** What the stage runs and may change; every file when nothing is said. */
  readonly stage?: { readonly command?: string; readonly files?: readonly string[] };
  readonly log: string;
  readonly exit_code?: number;
  /** What mends it; none: it must be left alone. `old` stands in the file once. */
  readonly fix?: { readonly path: string; readonly old: string; readonly new: string };
}

export const FIXTURES = join(import.meta.dirname, '../fixtures');

/** The mistakes of one file of `test/fixtures/known-fixes`. */
export function mistakesIn(name: string): Mistake[] {
  const { mistakes } = parse(readFileSync(join(FIXTURES, 'known-fixes', `${name}.yaml`), 'utf8'), { merge: true });
  return mistakes;
}

/** The failures that the whole project is measured with, one a file; none where the folder is not there. */
export function realMistakes(folder = join(FIXTURES, 'mistakes')): Mistake[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return names.map((name) => ({ name, ...parse(readFileSync(join(folder, name), 'utf8')) }));
}

export type Verdict = 'mended' | 'left alone' | `wrong: ${string}`;

/** What the plugin answers, and whether that is right. */
export async function judged(mistake: Mistake): Promise<{ verdict: Verdict; proposal: Proposal }> {
  const proposal = await proposalFor(mistake);
  if (!('files' in proposal)) return { verdict: 'left alone', proposal };
  const { files, fix } = mistake;
  const change = JSON.stringify(proposal.note.fix);
  if (!fix) return { verdict: `wrong: ${change}`, proposal };
  if (files[fix.path]?.split(fix.old).length !== 2)
    throw new Error(`${mistake.name}: ${fix.old} does not stand there once`);
  const right = (files[fix.path] as string).replace(fix.old, () => fix.new);
  const isRight = Object.keys(proposal.files).join() === fix.path && proposal.files[fix.path] === right;
  return { verdict: isRight ? 'mended' : `wrong: ${change}`, proposal };
}

async function proposalFor(mistake: Mistake): Promise<Proposal> {
  const context = { ...factsOf(mistake), options: {}, signal: new AbortController().signal };
  return proposalSchema.parse(await knownFixes.propose?.(context as unknown as Context<'propose', never>)) as Proposal;
}

/** What the plugin is told of it. */
export function factsOf({ files, stage: given = {}, log, exit_code = 1 }: Mistake) {
  const { command = 'stages/run.sh', files: may = Object.keys(files) } = given;
  const stage = { ...(stageSchema.parse({ command, files: may }) as Stage), name: 'web' };
  const failure = identify({
    stage: 'web',
    ended: { exit_code, signal: null, timed_out: false },
    log: { text: log, cut: false },
  });
  const { fingerprint, class: failureClass } = failure;
  const facts: RepairFacts = {
    stage,
    failure: {
      ...{ fingerprint, class: failureClass, excerpt: excerptOf(failure), log: 'ai/logs/web/1.log' },
      error_lines: failure.errors.flatMap(({ lines }) => lines),
    },
    files: Object.keys(files).filter(pathMatcher(may)),
    read: async (path) => files[path] as string,
    look: async (path) => files[path] ?? '',
    surroundings: { path: '/usr/bin:/bin', variables: ['PATH', 'HOME', 'MENDLOOP_STAGE'] },
    tree: Object.keys(files),
    shell: { parses },
  };
  return { ...facts, tries: [], refused: [], limits: { files: 1, changed_lines: 100 } };
}
