// Where a pull request is opened on a remote, from its address alone. Pure.

/** An address without a password or token in it. */
export function publicUrl(url: string): string {
  return url.replace(/^(\w[\w+.-]*:\/\/)[^/@]*@/, '$1');
}

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
