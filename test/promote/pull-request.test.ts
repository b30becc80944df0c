// A pull request: its text, masked, in a file; opened by gh, whose stand-in writes down how it was called; nothing is
// pushed for it.
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sharePromotion } from '../../src/promote/promote.ts';
import { AI, commit, folder, git, numbers, refusal, write } from '../worktree/repository.ts';
import { fixedHome, PORTS } from './fixed-home.ts';

const FILE = 'ai/state/pull-request.md';
const PAGE = `https://github.com/me/lab/compare/main...${AI}?expand=1`;
const URL = 'https://github.com/me/lab/pull/7';

/** Answers as gh does, from files beside it, and records its arguments, a line each and an empty one after. */
const GH = `#!/bin/sh
here=$(dirname "$0")
{ printf '%s\\n' "$@"; echo; } >>"$here/calls"
case "$1 $2" in
  'auth status') [ -e "$here/logged-in" ] || { echo 'You are not logged into any GitHub hosts.' >&2; exit 1; } ;;
  'pr list') cat "$here/open" 2>/dev/null || : ;;
  'pr create') [ ! -e "$here/refuses" ] || { cat "$here/refuses" >&2; exit 1; }; echo '${URL}' ;;
  'api --hostname') cat "$here/protected" 2>/dev/null || echo false ;;
  *) echo "unknown command" >&2; exit 1 ;;
esac
`;

/** A home whose remote is called as on GitHub, and is a folder behind a stand-in for ssh. */
async function onGitHub({ gh = true } = {}) {
  const h = await fixedHome({ loop: { git: { push: 'origin' } } });
  const bin = folder();
  git(bin, 'init', '-q', '--bare', 'host/me/lab.git');
  write(bin, { ssh: `#!/bin/sh\ncd '${bin}/host' && exec sh -c "$2"\n`, ...(gh ? { gh: GH, 'logged-in': '' } : {}) });
  for (const name of ['ssh', ...(gh ? ['gh'] : [])]) chmodSync(join(bin, name), 0o755);
  h.git('config', 'core.sshCommand', join(bin, 'ssh'));
  h.git('config', 'ssh.variant', 'simple');
  h.git('remote', 'add', 'origin', 'git@github.com:me/lab.git');
  // A gh of whoever runs the tests must not be found where there is to be none.
  const env = { PATH: gh ? `${bin}:${process.env.PATH}` : bin, LAB_PASSWORD: 'correct-horse-battery' };
  return {
    ...h,
    bin,
    share: async (how: { push?: boolean; pr?: boolean }, dryRun = false) =>
      sharePromotion({ home: h.home, command: 'test', env, dryRun }, { push: false, pr: true, ...how }, PORTS),
    there: () => git(join(bin, 'host/me/lab.git'), 'for-each-ref', '--format=%(refname) %(objectname)'),
    /** Calls of gh since the last look. */
    calls(): string[][] {
      const path = join(bin, 'calls');
      if (!existsSync(path)) return [];
      const calls = readFileSync(path, 'utf8').split('\n\n').filter(Boolean);
      write(bin, { calls: '' });
      return calls.map((call) => call.split('\n'));
    },
  };
}

const AUTH = ['auth', 'status', '--hostname', 'github.com'];
const ENDS = ['--repo', 'github.com/me/lab', '--head', AI, '--base', 'main'];
const TEXT = ['--title', 'Promote 1 fix of a', '--body-file', FILE];
const LIST = ['pr', 'list', ...ENDS, '--json', 'url', '--jq', '.[].url'];
const CREATE = ['pr', 'create', ...ENDS, ...TEXT];
const CREATE_LINE = `gh pr create ${ENDS.join(' ')} --title 'Promote 1 fix of a' --body-file ${FILE}`;

test('pushed and opened by gh, with title, story and verification', async () => {
  const h = await onGitHub();
  const fix = await h.fix('a.txt', numbers({ 2: 'two' }), { note: 'Say two; closes #12 @owner `so`' });
  const dry = await h.share({ push: true }, true);
  assert.equal([dry.pull?.notes, h.there(), existsSync(join(h.home, FILE))], [['gh would open it'], '', false]);
  assert.equal(h.calls(), [AUTH, LIST]);
  const { pushed, pull } = await h.share({ push: true });
  assert.is(pushed?.remote, 'origin');
  assert.is(h.there(), `refs/heads/${AI} ${h.tip()}`);
  const asked = ['api', '--hostname', 'github.com', 'repos/me/lab/branches/main', '--jq', '.protected'];
  assert.equal(h.calls(), [AUTH, LIST, CREATE, asked]);
  assert.equal([pull?.url, pull?.notes, pull?.commands], [URL, [], []]);
  const [short, onto] = [fix.slice(0, 12), h.git('rev-parse', '--short=12', 'main')];
  const time = h.git('log', '-1', '--format=%cI', fix);
  assert.is(
    h.read(FILE),
    `What mendloop mended on \`${AI}\`, up to \`${fix}\`: each fix is a commit of its own.

### \`a\`

For \`unknown\` \`f1\`:

- \`${short}\` \`\` Say two; closes # 12 @ owner \`so\` \`\`
  - why: \`It broke\`
  - in \`a.txt\`; by \`probe (executor)\`, run \`run-1\`, ${time}

### Verification

- \`${short}\`: \`a\` was green with it.
- It is \`main\` at \`${onto}\` with these commits on top.

\`\`\`text
 a.txt | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)
\`\`\`
`,
  );
});

test('--pr alone pushes nothing, and leaves the text of one that is open; a protected base is told of', async () => {
  const h = await onGitHub();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  const { pushed, pull } = await h.share({});
  assert.equal([pushed, pull?.url, h.there(), h.calls()], [undefined, null, '', []]);
  assert.equal(pull?.notes, [`origin does not have ${h.tip().slice(0, 12)} yet`]);
  assert.equal([pull?.commands, pull?.page], [['mendloop promote --push --pr'], null]);
  assert.is(h.read(FILE), pull?.body);
  await h.share({ push: true, pr: false });
  write(h.bin, { protected: 'true\n' });
  const opened = (await h.share({})).pull;
  const note = 'main is protected there; git: { protected: true } in ai/loop.yaml makes promote show this way first';
  assert.equal([opened?.url, opened?.notes], [URL, [note]]);
  h.calls();
  write(h.bin, { open: `${URL}\n` });
  const open = (await h.share({})).pull;
  assert.equal(h.calls(), [AUTH, LIST]);
  assert.equal([open?.url, open?.notes], [URL, ['it was open already; to give it this text:']]);
  assert.equal(open?.commands, [`gh pr edit ${URL} --title 'Promote 1 fix of a' --body-file ${FILE}`]);
});

test('without gh, or where it is not logged in, the commands are named; where it fails, what it said', async () => {
  const none = await onGitHub({ gh: false });
  await none.fix('a.txt', numbers({ 2: 'two' }));
  const { pull } = await none.share({ push: true });
  assert.equal([pull?.url, pull?.page], [null, PAGE]);
  assert.equal([pull?.notes, pull?.commands], [['gh is not installed'], [CREATE_LINE]]);

  const h = await onGitHub();
  await h.fix('a.txt', numbers({ 2: 'two' }), { note: 'Log in with correct-horse-battery' });
  await h.share({ push: true, pr: false });
  write(h.bin, { refuses: 'GraphQL: Resource not accessible by personal access token (createPullRequest)\n' });
  assert.equal(await h.refused(() => h.share({})), {
    text: `error E_PULL_REQUEST: gh could not open the pull request; its text is in ${FILE}
  - GraphQL: Resource not accessible by personal access token (createPullRequest)
  next:  try it yourself: ${CREATE_LINE}`,
    exit: 3,
  });
  rmSync(join(h.bin, 'logged-in'));
  const out = (await h.share({})).pull;
  const login = 'gh auth login --hostname github.com';
  assert.equal([out?.notes, out?.commands], [['gh is not logged in to github.com'], [login, CREATE_LINE]]);
  assert.match(h.read(FILE), /`Log in with SECRET_\w+_END`/, 'no secret is in what leaves');
  assert.not.match(out?.body ?? '', 'correct-horse');
});

test('where it is not sure that all secrets are known, nothing is written and nothing pushed', async () => {
  const h = await onGitHub({ gh: false });
  await h.fix('a.txt', numbers({ 2: 'two' }));
  const map = { stages: { a: { command: 'true', files: ['a.txt'] } }, carry: ['secrets.yaml'] };
  commit(h.home, { 'ai/context_map.yaml': JSON.stringify(map), '.gitignore': 'secrets.yaml\n' });
  write(h.home, { 'secrets.yaml': 'password: "never closed\n' });
  assert.equal(await refusal(h.share({ push: true })), {
    text: `error E_REDACT: nothing more is let out: the carried file secrets.yaml does not parse, so its secrets are not known
  next:  mend secrets.yaml, or take it out of carry in ai/context_map.yaml`,
    exit: 2,
  });
  assert.equal([existsSync(join(h.home, FILE)), h.there()], [false, '']);
});

test('a remote that is off, a folder, or named by nobody: the text is written, and why there is no more', async () => {
  const h = await onGitHub({ gh: false });
  await h.fix('a.txt', numbers({ 2: 'two' }));
  const again = ['mendloop promote --push --pr'];
  h.git('remote', 'set-url', 'origin', '/nonexistent/lab.git');
  const off = (await h.share({})).pull;
  assert.match(
    off?.notes.join() ?? '',
    /^origin could not be asked: fatal: '\/nonexistent\/lab.git' does not appear to be/,
  );
  assert.equal([off?.commands, h.read(FILE)], [again, off?.body]);
  h.git('remote', 'set-url', 'origin', join(h.bin, 'host/me/lab.git'));
  const { pull } = await h.share({ push: true });
  assert.equal([pull?.notes, pull?.commands], [['the remote is a folder, which has no pull requests'], []]);
  commit(h.home, { 'ai/loop.yaml': '{unattended: all}\n' });
  const none = (await h.share({})).pull;
  const unnamed = 'no remote is named: write git: { push: <remote> } in ai/loop.yaml and commit it';
  assert.equal([none?.notes, none?.commands, none?.page], [[unnamed], again, null]);
});

test.run();
