// A pull request of the AI branch: title and text, masked, in a file; opened by gh where that is logged in and the branch is
// pushed.
import { join } from 'node:path';
import { fail, mendError } from '../errors.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { type ProgramEnd, runProgram } from '../io/program.ts';
import { writeAtomic } from '../io/store.ts';
import { outgoingRedactor } from '../mend/documents.ts';
import { RedactionError } from '../outbound/redact/secret.ts';
import { asCode } from '../outbound/text.ts';
import type { Configuration } from '../stage/configuration.ts';
import { authorOf } from '../triage/words.ts';
import type { Base } from '../worktree/base.ts';
import { complaints, shellWord, short } from '../worktree/messages.ts';
import { type Project, projectOf, pullRequestPage, type Remote } from './push.ts';
import { byStage, promoteTitle, type Story, type StoryFix } from './story.ts';

export interface PullRequest {
  readonly title: string;
  readonly body: string;
  /** Where `body` was written; below home. */
  readonly file: string;
  /** The pull request; null: there is none yet. */
  readonly url: string | null;
  /** The page that opens one by hand, where that is known and the branch is there. */
  readonly page: string | null;
  /** Why nothing was opened, what to type instead, and what else to know. */
  readonly notes: readonly string[];
  readonly commands: readonly string[];
}

export interface PullRequestOptions {
  readonly home: string;
  readonly base: Base;
  readonly config: Configuration;
  /** Undefined: the owner named none. */
  readonly remote: Remote | undefined;
  /** Where the AI branch is here. */
  readonly tip: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Write nothing and open nothing. */
  readonly dry: boolean;
}

const FILE = 'ai/state/pull-request.md';
const GH_MS = 60_000;
/** GitHub takes 65,536 characters. */
const MAX_BODY = 60_000;

/** Writes the text, and opens the pull request where that is possible. Pushes nothing. Throws E_PULL_REQUEST. */
export async function requestPull(texts: PullRequestTexts, options: PullRequestOptions): Promise<PullRequest> {
  const { home, base, remote, dry } = options;
  if (!dry) writeAtomic(join(home, FILE), texts.body);
  const unopened = { ...texts, file: FILE, url: null, page: null, commands: [] };
  const early = tooEarly(options);
  if (early || !remote) return { ...unopened, ...early, notes: early?.notes ?? [] };
  const project = projectOf(remote.url);
  const page = pullRequestPage(remote.url, base.name, base.branch) ?? null;
  return { ...unopened, page, ...(project ? await openByGh(texts.title, project, options) : NO_PROJECT) };
}

type State = Partial<Pick<PullRequest, 'url' | 'commands'>> & Pick<PullRequest, 'notes'>;

const NO_PROJECT: State = { notes: ['the remote is a folder, which has no pull requests'] };

/** Why there can be no pull request before something else is done; undefined when there can. */
function tooEarly({ remote, tip }: PullRequestOptions): State | undefined {
  const after = (why: string): State => ({ notes: [why], commands: ['mendloop promote --push --pr'] });
  if (!remote) return after('no remote is named: write git: { push: <remote> } in ai/loop.yaml and commit it');
  if (remote.tip === undefined) return after(`${remote.name} could not be asked: ${remote.messages[0]}`);
  return remote.tip === tip ? undefined : after(`${remote.name} does not have ${short(tip)} yet`);
}

async function openByGh(title: string, { host, path }: Project, options: PullRequestOptions): Promise<State> {
  const { home, base, config, env, dry } = options;
  const repo = ['--repo', `${host}/${path}`];
  // Without --head it would push by itself.
  const ends = ['--head', base.branch, '--base', base.name];
  const text = ['--title', title, '--body-file', FILE];
  const create = ['pr', 'create', ...repo, ...ends, ...text];
  const gh = (...args: string[]) => runProgram('gh', args, { cwd: home, env, limitMs: GH_MS });
  const login = await gh('auth', 'status', '--hostname', host);
  const byHand = (...lines: string[]) => (host === 'github.com' ? [...lines, ghLine(create)] : []);
  if (!login) return { notes: ['gh is not installed'], commands: byHand() };
  if (!login.ok) {
    return { notes: [`gh is not logged in to ${host}`], commands: byHand(`gh auth login --hostname ${host}`) };
  }
  const open = lastLine(await gh('pr', 'list', ...repo, ...ends, '--json', 'url', '--jq', '.[].url'));
  if (open !== '') {
    const edit = ghLine(['pr', 'edit', open, ...text]);
    return { url: open, notes: ['it was open already; to give it this text:'], commands: [edit] };
  }
  if (dry) return { notes: ['gh would open it'] };
  const created = await gh(...create);
  const url = lastLine(created);
  if (url === '') fail('E_PULL_REQUEST', { file: FILE, command: ghLine(create) }, complaints(created?.stderr ?? ''));
  const branch = ['api', '--hostname', host, `repos/${path}/branches/${encodeURIComponent(base.name)}`];
  const isNews = !config.loop.git.protected && lastLine(await gh(...branch, '--jq', '.protected')) === 'true';
  const news = `${base.name} is protected there; git: { protected: true } in ai/loop.yaml makes promote show this way first`;
  return { url, notes: isNews ? [news] : [] };
}

const ghLine = (args: readonly string[]): string =>
  ['gh', ...args.map((word) => (/^--[a-z-]+$/.test(word) ? word : shellWord(word)))].join(' ');

/** The last line that it printed; empty when it failed. */
const lastLine = (end: ProgramEnd | undefined): string => (end?.ok ? (end.stdout.trim().split('\n').at(-1) ?? '') : '');

export type PullRequestTexts = Pick<PullRequest, 'title' | 'body'>;

/** Title and text, masked like all that leaves. Throws E_REDACT. */
export async function pullRequestTexts(
  { home, config, env }: Pick<PullRequestOptions, 'home' | 'config' | 'env'>,
  story: Story,
): Promise<PullRequestTexts> {
  try {
    const { redact } = await outgoingRedactor({ layout: layoutOf(home), config, env });
    return { title: redact(promoteTitle(story)), body: fitBody(redact(pullRequestText(story)), story.branch) };
  } catch (error) {
    throw error instanceof RedactionError ? mendError('E_REDACT', { what: error.message, next: error.next }) : error;
  }
}

/** A text that is too long for a pull request, cut at the end of a line. Pure. */
export function fitBody(body: string, branch: string): string {
  if (body.length <= MAX_BODY) return body;
  const rest = `\n\n(too long for a pull request; the rest is in the commits of ${asCode(branch)})\n`;
  return body.slice(0, body.lastIndexOf('\n', MAX_BODY)) + rest;
}

/** The story and its verification, in Markdown. Pure. */
export function pullRequestText(story: Story): string {
  const { branch, base, base_commit: onto, tip, fixes, undone, others, stat } = story;
  const section = (title: string, lines: readonly string[]) =>
    lines.length > 0 ? [`### ${title}`, '', ...lines, ''] : [];
  const listed = (commit: string, words: string) => `- ${asCode(short(commit))} ${words}`;
  const place = `It is ${asCode(base)} at ${asCode(short(onto))} with these commits on top.`;
  return [
    `What mendloop mended on ${asCode(branch)}, up to ${asCode(tip ?? '')}: each fix is a commit of its own.`,
    '',
    ...byStage(fixes).flatMap(({ stage, failures }) =>
      section(
        asCode(stage),
        failures.flatMap((failure) => [
          `For ${asCode(failure.class)} ${asCode(failure.fingerprint)}:`,
          '',
          ...failure.fixes.flatMap((fix) => [listed(fix.commit, asCode(fix.fix)), ...aboutFix(fix)]),
        ]),
      ),
    ),
    ...section(
      'Rolled back, and taken out again',
      undone.map((fix) => listed(fix.commit, `${asCode(fix.stage)} ${asCode(fix.fix)}`)),
    ),
    ...section(
      'Other commits',
      others.map(({ commit, subject }) => listed(commit, asCode(subject))),
    ),
    ...section('Verification', [...fixes.map((fix) => verified(fix, onto)), `- ${place}`]),
    '```text',
    ...stat.split('\n'),
    '```',
    '',
  ].join('\n');
}

function aboutFix(fix: StoryFix): string[] {
  const { reason, paths, tier, run, time, shapes } = fix;
  return [
    `  - why: ${asCode(reason)}`,
    `  - in ${paths.map(asCode).join(', ')}; by ${asCode(authorOf(fix, tier))}, run ${asCode(run)}, ${time}`,
    ...shapes.map((shape) => `  - repair: ${asCode(shape)}`),
  ];
}

/** What is not verified is never shared. `onto`: the commit of the base that it is on now. */
function verified(
  { commit, stage, left, unchecked, verified_on: on, not_seen: unseen = [] }: StoryFix,
  onto: string,
): string {
  const who = left
    ? `some cells of ${asCode(stage)} were green with it, not ${asCode(left)}`
    : `${asCode(stage)} was green with it`;
  const blind = unchecked ? ' by its exit code alone: it has no checks' : '';
  const where = on !== undefined && on !== onto ? `, on ${asCode(short(on))}` : '';
  const rest = unseen.length > 0 ? `; not seen with it: ${unseen.map(asCode).join(', ')}` : '';
  return `- ${asCode(short(commit))}: ${who}${blind}${where}${rest}.`;
}
