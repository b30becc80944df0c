// Repositories as init sees them, made of a few texts; shell is read by the real grammar.
import { runBy } from '../../src/fix/check-files/check-files.ts';
import type { TryOut } from '../../src/init/checks.ts';
import { type Proposal, propose } from '../../src/init/propose.ts';
import { settled } from '../../src/init/settle.ts';
import type { Survey } from '../../src/init/survey.ts';
import { readCommands, readDestroying } from '../../src/io/gate/gate.ts';

export interface Given {
  /** Lying in the checkout, ignored by git: path → text. */
  ignored?: Record<string, string>;
  /** Programs that are not installed. */
  missing?: string[];
  tooLarge?: string[];
  /** How compose files are run; none: not at all. */
  compose?: 'docker-compose' | 'none';
  tryOut?: TryOut;
}

const modeOf = (text: string): string => (text.startsWith('#!') ? '100755' : '100644');

/** What init proposes for a repository with these files. */
export async function proposalOf(texts: Record<string, string>, given: Given = {}): Promise<Proposal> {
  const { ignored = {}, missing = [], tryOut = async () => ({ ok: true }) } = given;
  const listing = new Map(Object.entries(texts).map(([path, text]) => [path, { mode: modeOf(text) }]));
  const survey: Survey = {
    files: listing,
    paths: [...listing.keys()],
    text: (path) => (given.tooLarge?.includes(path) ? '' : (texts[path] ?? '')),
    isTooLarge: (path) => given.tooLarge?.includes(path) === true,
    ignored: Object.keys(ignored),
    exists: (path) => path in texts || path in ignored,
    installed: (tool) => !missing.includes(tool),
    compose: given.compose === 'none' ? undefined : (given.compose ?? 'docker compose'),
  };
  const sources = { listing, text: async (path: string) => texts[path], read: readCommands };
  const proposal = await propose(survey, {
    runBy: (command) => runBy(command, 'init', sources),
    harm: readDestroying,
    peek: (path) => ignored[path],
    tryOut,
  });
  return settled(proposal, sources);
}

/** `name: command <- needs`, a line each. */
export const stagesOf = ({ stages }: Proposal): string[] =>
  stages.slice(1).map(({ name, command, needs }) => `${name}: ${command.split('\n').at(-1)} <- ${needs.join(' ')}`);
