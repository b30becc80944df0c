// The AI branch to a remote, never by force, and the page where a pull request of it is opened.
import { fail } from '../errors.ts';
import { lines, openGit } from '../io/git.ts';
import type { Base } from '../worktree/base.ts';
import { complaints, shellWord } from '../worktree/messages.ts';

export interface Pushed {
  readonly remote: string;
  /** Without any secret in it. */
  readonly url: string;
  /** Where a pull request is opened, when that is known. */
  readonly page: string | undefined;
  /** What the remote said. */
  readonly said: readonly string[];
}

export interface PushOptions {
  /** Its name; null: the owner named none. */
  readonly remote: string | null;
  readonly hooks: boolean;
  /** Ask the remote whether it would take it, and send nothing. */
  readonly dry: boolean;
}

/** A remote that says nothing for so long waits for a password, or is off. */
const QUIET_MS = 120_000;

/** Pushes the AI branch as it is at `tip`. Throws E_PUSH_REMOTE or E_PUSH_REFUSED; then the remote is as it was. */
export async function pushBranch(home: string, base: Base, tip: string, options: PushOptions): Promise<Pushed> {
  const { remote, hooks, dry } = options;
  const git = openGit(home, { hooks, quietMs: QUIET_MS });
  const remotes = lines(await git.run(['remote']));
  if (remote === null || !remotes.includes(remote)) {
    const names = remotes.length > 0 ? remotes.join(', ') : 'none; add one: git remote add origin <address>';
    fail('E_PUSH_REMOTE', { remote, known: names });
  }
  const url = await git.line(['remote', 'get-url', '--push', remote]);
  const how = ['--no-follow-tags', ...(dry ? ['--dry-run'] : [])];
  const answer = await git.attempt(['push', ...how, remote, `${tip}:refs/heads/${base.branch}`]);
  const messages = complaints(answer.stderr).map(withoutSecrets);
  if (!answer.ok) fail('E_PUSH_REFUSED', { branch: shellWord(base.branch), remote: shellWord(remote) }, messages);
  return {
    remote,
    url: publicUrl(url),
    page: pullRequestPage(url, base.name, base.branch),
    said: messages.flatMap((line) => /^remote: *(\S.*)$/.exec(line)?.[1] ?? []),
  };
}

const withoutSecrets = (line: string): string => line.replace(/(\w:\/\/)[^/@\s]*@/g, '$1');

/** An address without a password or token in it. */
export const publicUrl = (url: string): string => url.replace(/^(\w[\w+.-]*:\/\/)[^/@]*@/, '$1');

/** The page that opens a pull request of `branch` into `base`; undefined for a host whose pages are not known. */
export function pullRequestPage(url: string, base: string, branch: string): string | undefined {
  const [, host = '', path = ''] =
    /^(?:https?|ssh|git):\/\/(?:[^/@]*@)?([^/:]+)(?::\d+)?\/(.+)$/.exec(url) ??
    /^(?:[^/@:]+@)?([^/:]+):(.+)$/.exec(url) ??
    [];
  const project = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
  if (project === '') return undefined;
  const to = encodeURIComponent(base);
  const from = encodeURIComponent(branch);
  if (host === 'github.com') {
    const names = [base, branch].map((name) => name.split('/').map(encodeURIComponent).join('/'));
    return `https://${host}/${project}/compare/${names.join('...')}?expand=1`;
  }
  if (/(^|\.)gitlab\./.test(host)) {
    const query = `merge_request%5Bsource_branch%5D=${from}&merge_request%5Btarget_branch%5D=${to}`;
    return `https://${host}/${project}/-/merge_requests/new?${query}`;
  }
  if (host === 'codeberg.org' || /(^|\.)gitea\./.test(host))
    return `https://${host}/${project}/compare/${to}...${from}`;
  return undefined;
}
