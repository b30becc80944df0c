// The AI branch to a remote: in the place of what this home pushed last, and of nothing else.
import { fail } from '../errors.ts';
import { lines, openGit } from '../io/git.ts';
import type { Base } from '../worktree/base.ts';
import { complaints, shellWord } from '../worktree/messages.ts';

export interface Remote {
  readonly name: string;
  /** As git pushes to it; may hold a password. */
  readonly url: string;
  /** Where its AI branch is; null: it has none. Undefined: it could not be asked. */
  readonly tip: string | null | undefined;
  /** Git's output of that attempt. */
  readonly messages: readonly string[];
}

export interface Pushed {
  readonly remote: string;
  /** Without any secret in it. */
  readonly url: string;
  /** Where a pull request is opened, when that is known. */
  readonly page: string | undefined;
  /** The remote's messages. */
  readonly said: readonly string[];
}

/** A remote that is silent for this long is down, or waits for a password. */
const QUIET_MS = 120_000;

/** The remote that the owner named, and what it has of the AI branch. Throws E_PUSH_REMOTE. */
export async function askRemote(home: string, { branch }: Base, name: string | null): Promise<Remote> {
  const git = openGit(home, { quietMs: QUIET_MS });
  const remotes = lines(await git.run(['remote']));
  if (name === null || !remotes.includes(name)) {
    const names = remotes.length > 0 ? remotes.join(', ') : 'none; add one: git remote add origin <address>';
    fail('E_PUSH_REMOTE', { remote: name, known: names });
  }
  const url = await git.line(['remote', 'get-url', '--push', name]);
  const answer = await git.attempt(['ls-remote', '--', url, `refs/heads/${branch}`]);
  const tip = answer.ok ? answer.stdout.split('\t')[0] || null : undefined;
  return { name, url, tip, messages: messagesOf(answer.stderr) };
}

/** The git config key under which this home keeps the tip that it pushed last, and the one that it is about to push. */
const pushedKey = (branch: string): string => `branch.${branch}.mendloop-pushed`;

/**
 * Pushes the AI branch as it is at `tip`, in the place of what this home pushed last and of nothing else; with `dry` the remote is
 * only asked whether it would take it. Throws E_PUSH_NOT_OURS or E_PUSH_REFUSED; then the remote is as it was.
 */
export async function pushBranch(
  home: string,
  { name: baseName, branch }: Base,
  tip: string,
  remote: Remote,
  { hooks, dry }: { hooks: boolean; dry: boolean },
): Promise<Pushed> {
  const git = openGit(home, { hooks, quietMs: QUIET_MS });
  const names = { branch: shellWord(branch), remote: shellWord(remote.name) };
  if (remote.tip === undefined) fail('E_PUSH_REFUSED', names, remote.messages);
  const key = pushedKey(branch);
  const own = lines((await git.attempt(['config', '--local', '--get-all', key])).stdout);
  if (remote.tip !== null && ![tip, ...own].includes(remote.tip)) {
    fail('E_PUSH_NOT_OURS', { ...names, there: remote.tip, key: shellWord(key) });
  }
  // Both: killed between the push and its record, this home still knows what it pushed.
  if (!dry) await git.run(['config', '--local', '--add', key, tip]);
  const ref = `refs/heads/${branch}`;
  const how = ['--no-follow-tags', `--force-with-lease=${ref}:${remote.tip ?? ''}`, ...(dry ? ['--dry-run'] : [])];
  const answer = await git.attempt(['push', ...how, remote.name, `${tip}:${ref}`]);
  const messages = messagesOf(answer.stderr);
  if (!answer.ok) fail('E_PUSH_REFUSED', names, messages);
  if (!dry) await git.run(['config', '--local', '--replace-all', key, tip]);
  const remoteLines = messages.flatMap((line) => /^remote: *(\S.*)$/.exec(line)?.[1] ?? []);
  const page = pullRequestPage(remote.url, baseName, branch);
  return { remote: remote.name, url: publicUrl(remote.url), page, said: remoteLines };
}

const messagesOf = (stderr: string): string[] =>
  complaints(stderr).map((line) => line.replace(/(\w:\/\/)[^/@\s]*@/g, '$1'));

/** An address without a password or token in it. */
export const publicUrl = (url: string): string => url.replace(/^(\w[\w+.-]*:\/\/)[^/@]*@/, '$1');

export interface Project {
  readonly host: string;
  /** Such as me/lab. */
  readonly path: string;
}

/** The project at an address; undefined for a folder of this machine. */
export function projectOf(url: string): Project | undefined {
  const [, host = '', rest = ''] =
    /^(?:https?|ssh|git):\/\/(?:[^/@]*@)?([^/:]+)(?::\d+)?\/(.+)$/.exec(url) ??
    /^(?:[^/@:]+@)?([^/:]+):(?!\/\/)(.+)$/.exec(url) ??
    [];
  const path = rest.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
  return path === '' ? undefined : { host, path };
}

/** The page that opens a pull request of `branch` into `base`; undefined for a host whose pages are not known. */
export function pullRequestPage(url: string, base: string, branch: string): string | undefined {
  const { host = '', path } = projectOf(url) ?? {};
  const to = encodeURIComponent(base);
  const from = encodeURIComponent(branch);
  if (host === 'github.com') {
    const names = [base, branch].map((name) => name.split('/').map(encodeURIComponent).join('/'));
    return `https://${host}/${path}/compare/${names.join('...')}?expand=1`;
  }
  if (/(^|\.)gitlab\./.test(host)) {
    const query = `merge_request%5Bsource_branch%5D=${from}&merge_request%5Btarget_branch%5D=${to}`;
    return `https://${host}/${path}/-/merge_requests/new?${query}`;
  }
  const isForgejo = host === 'codeberg.org' || /(^|\.)gitea\./.test(host);
  return isForgejo ? `https://${host}/${path}/compare/${to}...${from}` : undefined;
}
