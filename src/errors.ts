// Every error a person can meet: one table, code → exit code, what happened, what to do next. All print the same way.

/** An error meant for a person: usage, configuration or environment. Anything else that is thrown is a bug. */
export class MendError extends Error {
  readonly code: ErrorCode;
  readonly exit: number;
  readonly next: string;
  /** One line each: every problem found, not only the first. */
  readonly problems: readonly string[];

  constructor(code: ErrorCode, exit: number, message: string, next: string, problems: readonly string[]) {
    super(message);
    this.name = 'MendError';
    this.code = code;
    this.exit = exit;
    this.next = next;
    this.problems = problems;
  }
}

/** Exit codes a caller may rely on. */
export const EXIT = { ok: 0, failed: 1, usage: 2, human: 3, bug: 4, locked: 75, interrupted: 130 } as const;

interface Entry<D> {
  exit: number;
  texts: (details: D) => [what: string, next: string];
}

const exits =
  (exit: number) =>
  <D = Record<never, never>>(texts: Entry<D>['texts']): Entry<D> => ({ exit, texts });
const usage = exits(EXIT.usage);
const human = exits(EXIT.human);
const failed = exits(EXIT.failed);
const locked = exits(EXIT.locked);
const interrupted = exits(EXIT.interrupted);

const problemCount = (count: number): string => (count === 1 ? 'a problem' : `${count} problems`);

const TABLE = {
  E_USAGE: usage((d: { what: string; next: string }) => [d.what, d.next]),
  E_TASK: usage((d: { file: string }) => [
    `${d.file} is no attempt that can be made: it is missing, cut off or of another version`,
    'this program is started by mendloop itself; see that home is shared with this machine: mendloop doctor',
  ]),
  E_TASK_BEGUN: usage((d: { file: string }) => [
    `this attempt was begun before or withdrawn, and none is made twice: ${d.file}`,
    'ask for another: mendloop',
  ]),
  E_WORKER_VERSION: usage((d: { here: string; there: string }) => [
    `this is mendloop ${d.here}, and was started for a run of mendloop ${d.there}`,
    'have one version on all machines, and begin the run anew: mendloop',
  ]),
  E_NOT_PRIVATE: usage((d: { path: string }) => [
    `others may write into ${d.path}, and whoever writes there decides what runs here`,
    `see who did: ls -la ${d.path}\nthen: chmod -R go-w ${d.path}, or chown it to yourself`,
  ]),
  E_ROOT_MISSING: usage((d: { root: string }) => [
    `${d.root} is not a folder`,
    'name your repository with --root, or start inside it',
  ]),
  E_MAP_MISSING: usage((d: { where: string }) => [
    `there is no ai/context_map.yaml ${d.where}`,
    'have one proposed: mendloop init\nor write one (README, "Your own repository"), then:\ngit add ai/context_map.yaml\ngit commit -m "Add the context map"',
  ]),
  E_INIT_EXISTS: usage((d: { path: string }) => [
    `${d.path} is there already, and init overwrites nothing`,
    'check it: mendloop validate\nsee what init would propose: mendloop init --dry-run',
  ]),
  E_INIT_NOTHING: usage((d: { what: string }) => [
    d.what,
    'commit what brings your lab up (a Makefile, playbooks, Terraform, compose files, scripts), then: mendloop init\n' +
      'or write ai/context_map.yaml yourself (README, "Your own repository")',
  ]),
  E_DEMO_FOLDER: usage((d: { path: string; what: string }) => [
    `the demo needs a folder of its own, and ${d.path} ${d.what}`,
    'name one that is not there yet: mendloop demo --dir DIR',
  ]),
  E_MAP_NOT_COMMITTED: usage((d: { base: string; add: string }) => [
    `ai/context_map.yaml is not committed on ${d.base}; a run reads it from there`,
    `${d.add}\ngit commit -m "Add the context map"`,
  ]),
  E_LOOP_NOT_COMMITTED: usage((d: { base: string; add: string }) => [
    `ai/loop.yaml says unattended: none, but is not committed on ${d.base}; a run reads it from there, and would run repairs unasked`,
    `${d.add}\ngit commit -m "Let mendloop ask first"\nor, to have proven repairs run unasked, write unattended: repairs there`,
  ]),
  E_CONFIG: usage((d: { files: string; count: number }) => [
    `${d.files} ${d.files.includes(' and ') ? 'have' : 'has'} ${problemCount(d.count)}`,
    'mend it, check with: mendloop validate, and commit it',
  ]),
  E_PLUGIN: usage((d: { count: number }) => [
    `plugins that ai/loop.yaml names have ${problemCount(d.count)}`,
    'mend it, check with: mendloop validate, and commit it; a run reads plugins/ as committed',
  ]),
  E_UNKNOWN_STAGE: usage((d: { name: string; hint: string; known: string }) => [
    `there is no stage or command ${JSON.stringify(d.name)}${d.hint}`,
    `stages: ${d.known || 'none yet; what to do: mendloop validate'}\ncommands: mendloop --help`,
  ]),
  E_NEEDS_UNMET: usage((d: { stages: string; command: string; drifted?: readonly string[] }) => [
    `what ${d.stages} needs is not green`,
    `run what is missing too: ${d.command}${d.drifted?.length ? `\nor, where its checks hold again: mendloop verify ${d.drifted.join(' ')}` : ''}`,
  ]),
  E_DEADLINE_PASSED: usage((d: { deadline: string }) => [
    `the deadline ${d.deadline} has passed already`,
    'give a later one, such as --deadline 2h or --deadline 06:30',
  ]),
  E_FOUND_FAILED: human((d: { command: string }) => [
    'stages were found failed, and are not tried again by themselves (retry_failed, limits.max_compute_retries)',
    `mend them, then: ${d.command}`,
  ]),
  E_OTHER_LAB: usage((d: { kept: string; lab: string }) => [
    `ai/state is from the ${d.kept} lab and this run is for the ${d.lab} one: green stages and outputs would be mixed up`,
    `put the ${d.kept} lab's state aside, then start again:\nmv ai/state ai/state.${d.kept}`,
  ]),
  E_LOCKED: locked((d: { pid: number; host: string; since: string; command: string; kind?: string | undefined }) => [
    `${d.kind === 'command' ? 'another command' : 'another run'} is at work: pid ${d.pid} on ${d.host} since ${d.since} (${d.command})`,
    'wait for it, or watch it: mendloop status',
  ]),
  E_LOCK_UNPROVEN: locked((d: { holder: string }) => [
    `the lock is held by ${d.holder}`,
    'look there; if it is gone for sure: mendloop abandon --unlock',
  ]),
  E_LOCK_LOST: human((d: { path: string; now: string }) => [
    `${d.path} is no longer the lock of this run: ${d.now}; two runs may not go on`,
    'find out what removed it (a stage, a person, abandon --unlock); the next start finishes what was cut off',
  ]),
  E_UNKNOWN_OUTPUT: usage((d: { name: string; stage: string; hint: string }) => [
    `there is no output ${d.name}${d.hint}`,
    `outputs are named under stages.${d.stage}.outputs in ai/context_map.yaml`,
  ]),
  E_OUTPUT_MISSING: failed((d: { name: string; inside: boolean }) => [
    `${d.name} is not there: its stage is not green, or published nothing`,
    d.inside ? 'inside a stage get only looks: name that stage under needs' : 'see why: mendloop status',
  ]),
  E_GET_SPEC: usage((d: { name: string; theirs: string; ours: string }) => [
    `get --force ${d.name}: that stage is for spec ${d.theirs}, this one runs on ${d.ours}`,
    'leave --force out, or give both stages the same spec in ai/context_map.yaml',
  ]),
  E_GET_BUSY: usage((d: { name: string; why: string }) => [
    `get --force ${d.name}: its command may not be run now, ${d.why}`,
    'leave --force out, and name that stage under needs',
  ]),
  E_ABANDON_LOSES: usage(() => [
    'ai/worktree holds files that exist nowhere else',
    'copy what you need, then: mendloop abandon --worktree --yes',
  ]),
  E_UNINSTALL: usage(() => [
    'this is what would be taken away, and what would stay',
    'copy what you need, then: mendloop uninstall --yes; the AI branch too: --branch --yes',
  ]),
  E_CRON_ASK: usage(() => ['this is what would be done', 'to do it: the same with --yes']),
  E_CRON_UNFIT: usage((d: { what: string; next: string }) => [d.what, d.next]),
  E_SCHEDULER: usage((d: { what: string; next: string }) => [d.what, d.next]),
  E_PORT_IN_USE: usage((d: { host: string; port: number }) => [
    `port ${d.port} of ${d.host} is in use`,
    'the page may be served already: open it there; or name another port: mendloop serve --port N (0: any that is free)',
  ]),
  E_LISTEN: usage((d: { host: string; port: number; why: string }) => [
    `nobody may listen at ${d.host}, port ${d.port}: ${d.why}`,
    'name an address of this machine, and a port from 1024 on: mendloop serve --host H --port N',
  ]),
  E_NO_LOG: usage((d: { step: string; path: string; others: number }) => [
    d.path
      ? `${d.step} has no such log (${d.path}); ${d.others > 0 ? 'those there are:' : 'there is none'}`
      : `${d.step} has no log yet`,
    'see what has run: mendloop status',
  ]),
  E_LEFTOVER: human((d: { step: string; pid: number; host: string }) => [
    `the last run left ${d.step} running (process group ${d.pid} on ${d.host}) and it cannot be shown to be over`,
    `look: ps -o pid,pgid,args -g ${d.pid}\nend it, then start again; or close that run: mendloop abandon`,
  ]),
  E_DISK_FULL: failed((d: { path: string }) => [
    `the disk is full: ${d.path} could not be written`,
    'free some space; the next start finishes this run',
  ]),
  E_MEMORY: usage((d: { what: string }) => [
    `${d.what} was refused the memory that it needs`,
    'see to free memory and to the limits of this user: ulimit -a; no limit of address space: ulimit -v unlimited',
  ]),
  E_LOG_LOST: failed((d: { path: string; reason: string }) => [
    `${d.path} could not be written to its end (${d.reason})`,
    'see to the disk and the limits of this user (ulimit -a); the next start finishes this run',
  ]),
  E_STATE_UNWRITABLE: usage((d: { path: string; reason: string }) => [
    `${d.path} cannot be written (${d.reason})`,
    `let this user write there: ls -ld ${d.path}`,
  ]),
  E_FILE_UNWRITABLE: usage((d: { path: string; why: string }) => [
    `${d.path} cannot be written: ${d.why}`,
    'name a file in a folder that is there and that this user may write',
  ]),
  E_STATE_PLACE: usage((d: { path: string; what: string }) => [
    `${d.path} is ${d.what}`,
    `look: ls -ld ${d.path}\nmove it away, then start again: mv ${d.path} ${d.path}.old`,
  ]),
  E_STATE_CHANGED: human((d: { path: string; what: string }) => [
    `${d.path} ${d.what} while it was in use; nothing more was recorded`,
    'find out what did it (a stage that cleans up, a second run, a person); the next start says what is left and goes on',
  ]),
  E_GIT_MISSING: usage(() => ['git could not be started', 'install git 2.38 or newer and put it on PATH']),
  /** `trust`: the command that has git use a repository of another user. */
  E_NOT_GIT: usage((d: { home: string; trust?: string | undefined }) => [
    `${d.home} is not a git repository that this user may use`,
    d.trust
      ? `start as the user who owns it, or, where you trust what it runs:\n${d.trust}`
      : 'go to your repository, or make one here:\ngit init\ngit add <files>\ngit commit -m "first commit"\n' +
        'or see first what mendloop does: mendloop demo',
  ]),
  E_NOT_TOP_LEVEL: usage((d: { home: string; top: string }) => [
    `${d.home} is a folder inside the repository ${d.top}, not its top level`,
    `use --root ${d.top}`,
  ]),
  E_NO_COMMIT: usage(() => [
    'the repository has no commit yet, so there is nothing to run from',
    'git add <files>\ngit commit -m "first commit"',
  ]),
  E_ON_AI_BRANCH: usage((d: { branch: string; base: string }) => [
    `your checkout is on ${d.branch}, the branch that stages run on`,
    `go back to your own branch:\ngit switch ${d.base}`,
  ]),
  E_DETACHED: usage((d: { branch: string }) => [
    `this is the first run on ${d.branch} and your checkout is on no branch, so the base is unknown`,
    'git switch <your branch>\nor name the base in ai/loop.yaml and commit it: base: <your branch>',
  ]),
  E_BASE_IS_AI: usage((d: { branch: string }) => [
    `base and branch are both ${d.branch}; fixes may not land on the base by themselves`,
    'name your own branch as base: in ai/loop.yaml, or another branch:, and commit it',
  ]),
  E_BASE_DIFFERS: usage((d: { branch: string; kept: string; asked: string; key: string }) => [
    `ai/loop.yaml says base: ${d.asked}, but ${d.branch} was made from ${d.kept}`,
    `to stay: write base: ${d.kept} in ai/loop.yaml and commit it\nto change: git config ${d.key} ${d.asked}`,
  ]),
  E_BASE_MISSING: usage((d: { base: string; key: string; head: string }) => [
    `the base ${d.base} is not a branch of this repository`,
    `if it was renamed, or to take another: git config ${d.key} ${d.head}\nor make it: git branch ${d.base} <commit>`,
  ]),
  E_AI_ONLY_REMOTE: usage((d: { branch: string; remote: string }) => [
    `${d.branch} is not here but on a remote as ${d.remote}; starting a second one would part the two`,
    `to go on from it: git branch --no-track ${d.branch} ${d.remote}\nto start anew: write another branch: in ai/loop.yaml and commit it`,
  ]),
  E_BRANCH_NAME: usage((d: { branch: string }) => [
    `git does not take ${JSON.stringify(d.branch)} as the name of a branch`,
    'write another branch: in ai/loop.yaml and commit it',
  ]),
  E_WORKTREE_TAKEN: usage((d: { what: string }) => [
    `ai/worktree is ${d.what}, not the worktree of this repository`,
    'move it away:\nmv ai/worktree ai/worktree.old',
  ]),
  E_WORKTREE_BRANCH: usage((d: { branch: string; back: string; found: string }) => [
    `ai/worktree is on ${d.found}, not on ${d.branch}`,
    `look: git -C ai/worktree status\ngo back: ${d.back}`,
  ]),
  E_WORKTREE_BUSY: usage((d: { doing: string; end: string }) => [
    `a ${d.doing} was begun in ai/worktree and not ended`,
    `look: git -C ai/worktree status\n${d.end}`,
  ]),
  E_AI_BRANCH_ELSEWHERE: usage((d: { branch: string; path: string; word: string }) => [
    `${d.branch} is checked out in another worktree: ${d.path}`,
    `free it, no file changes: git -C ${d.word} switch --detach\nif that folder is gone: git worktree prune`,
  ]),
  E_WORKTREE_GONE: human(() => [
    'ai/worktree went away while a stage was running',
    'find out which command removed it; the next start makes it again from its branch',
  ]),
  E_WORKTREE_IN_THE_WAY: human((d: { base: string; commands: string }) => [
    `${d.base} brings files that stages left untracked in ai/worktree; nothing was changed`,
    `move them away:\n${d.commands}`,
  ]),
  E_BASE_CONFLICT: human((d: { branch: string; base: string; commands: string }) => [
    `${d.base} moved, and not all that is yours on ${d.branch} can be put onto it; nothing was changed`,
    `do it by hand, then start again:\n${d.commands}`,
  ]),
  E_NO_COMMON_BASE: human((d: { branch: string; base: string; ref: string; isShallow: boolean }) => [
    `${d.branch} and ${d.base} have no commit in common, so nobody can tell which commits are the branch's own`,
    d.isShallow
      ? 'this clone is shallow; fetch the rest of it, then start again: git fetch --unshallow'
      : `name the commit that ${d.branch} began from, then start again: git update-ref ${d.ref} <commit>`,
  ]),
  E_GIT_LOCKED: human((d: { file: string; reason: string; command: string }) => [
    `git left a lock and its owner is not proven dead: ${d.file} (${d.reason})`,
    `when no git is running here:\n${d.command}`,
  ]),
  E_UNKNOWN_FINGERPRINT: usage((d: { word: string; known: number }) => [
    d.known === 0 ? 'no failure is recorded yet' : `no recorded failure begins with ${JSON.stringify(d.word)}`,
    d.known === 0 ? 'run the stages first: mendloop' : 'name one of these; mendloop status shows the latest',
  ]),
  E_AMBIGUOUS_FINGERPRINT: usage((d: { word: string }) => [
    `${JSON.stringify(d.word)} is the beginning of more than one recorded failure`,
    'name one of them by more of its letters, or as <stage>/<fingerprint>',
  ]),
  E_REF_BROKEN: human((d: { branch: string; what: string; logSays: string; commands: string }) => [
    `the branch ${d.branch} was damaged, perhaps by a power loss: its file ${d.what}; ${d.logSays}`,
    `put it back, then start again:\n${d.commands}`,
  ]),
  E_HEAD_BROKEN: human((d: { file: string; ref: string }) => [
    `${d.file} was damaged, perhaps by a power loss: it does not say which branch is checked out`,
    `put it back, look whether it is the right branch, then start again:\necho ${d.ref} > ${d.file}\ngit status`,
  ]),
  E_GIT_FAILED: usage((d: { doing: string; command: string }) => [
    `git could not ${d.doing}`,
    `see what git says, and mend that:\n${d.command}`,
  ]),
  E_HEAD_MOVED: human((d: { was: string; now: string; commands: string; keep?: string | undefined }) =>
    d.keep === undefined
      ? [
          `a stage moved HEAD in ai/worktree from ${d.was} to ${d.now}`,
          `take the commit or branch switch out of the stage; look, then go back:\n${d.commands}`,
        ]
      : [
          `ai/worktree moved from ${d.was} to ${d.now}: by a stage before its run was cut off, or by you since; nobody can tell`,
          `by a stage: take the commit out of the stage; look, then drop it:\n${d.commands}\nby you: keep it:\n${d.keep}`,
        ],
  ),
  E_RESET_SOON: usage((d: { stage: string; seconds: number }) => [
    `the loop gave up on ${d.stage} ${d.seconds} s ago`,
    `look first: mendloop explain ${d.stage}; when you have mended it: mendloop reset ${d.stage} --force`,
  ]),
  E_CASE_UNKNOWN: usage((d: { case: string; hint: string }) => [
    `there is no case ${d.case}${d.hint}`,
    'see all of them: mendloop cases --all; where the folder of an open one is gone: mendloop reset <stage>',
  ]),
  E_CASE_BROKEN: usage((d: { case: string; problem: string; stage?: string }) => [
    `the case ${d.case} cannot be used: ${d.problem}`,
    `look into ai/escalations/${d.case}; to be rid of it, reset its stage: mendloop reset ${d.stage ?? '<stage>'}`,
  ]),
  E_CASE_CLOSED: usage((d: { case: string; why: string }) => [
    `the case ${d.case} is closed: ${d.why}`,
    'there is nothing left to answer; see what waits: mendloop cases',
  ]),
  E_CASE_NOT_OPEN: usage((d: { case: string; stage: string }) => [
    `nothing in the case ${d.case} waits for your word`,
    `see it: mendloop cases show ${d.case}; to start anew: mendloop reset ${d.stage}`,
  ]),
  E_ANSWER_REFUSED: usage((d: { why: string }) => [
    `the answer is not taken: ${d.why}`,
    'see what waits, and answer there: mendloop cases',
  ]),
  E_CASE_CHANGED: usage((d: { case: string }) => [
    `the change in the case ${d.case} is another one than the one that you saw; nothing was done`,
    `look at it again: mendloop cases show ${d.case}`,
  ]),
  E_CASE_NO_PATCH: usage((d: { case: string }) => [
    `no fix waits in the case ${d.case}, so there must be one in your answer`,
    `mendloop cases answer ${d.case} <file>; - for stdin`,
  ]),
  E_CASE_REFUSED: usage((d: { code: string }) => [
    `the gate refuses this patch: ${d.code}`,
    'mend the patch, or make the change on your own branch and commit it',
  ]),
  E_FIX_IN_THE_WAY: human((d: { path: string; command: string }) => [
    `a fix makes the file ${d.path}, but something that git does not hold stands there in ai/worktree`,
    `move it away, or let your stage write elsewhere:\n${d.command}`,
  ]),
  E_CARRY_REPLACED: human((d: { commands: string }) => [
    'a carried path in ai/worktree is no longer the link to yours (a tool removed it, or wrote a new file in its place)',
    `compare the two, then keep one:\n${d.commands}`,
  ]),
  E_CARRY_TRACKED: usage((d: { commands: string }) => [
    'carry is for files that git does not track; these are tracked',
    `take them out of carry in ai/context_map.yaml, or out of git (your files stay):\n${d.commands}`,
  ]),
  E_CARRY_PATH: usage(() => [
    'carry names paths that cannot be linked into the worktree',
    'write paths below the repository, as they are, in ai/context_map.yaml and commit it',
  ]),
  E_STATE_UNCARRIED: usage(() => [
    'there is Terraform state that git does not hold and carry does not name; stages would start without it',
    'add each of them, or its folder, to carry in ai/context_map.yaml and commit it',
  ]),
  E_REDACT: usage((d: { what: string; next: string }) => [`nothing more is let out: ${d.what}`, d.next]),
  E_PROMOTE_NOTHING: usage((d: { branch: string; base: string }) => [
    `there is nothing to promote: ${d.base} has all that ${d.branch} could bring`,
    'see what is on the branch: mendloop fixes',
  ]),
  E_PROMOTE_PART: usage((d: { given: string; line: string }) => [
    `--accept needs the whole name of the commit that was shown, not ${JSON.stringify(d.given)}`,
    d.line,
  ]),
  E_PROMOTE_STALE: usage((d: { branch: string; tip: string; line: string }) => [
    `${d.branch} is at ${d.tip} now, another commit than the one you accept`,
    `look at it: mendloop promote\nand land exactly that: ${d.line}`,
  ]),
  E_PROMOTE_UNVERIFIED: human((d: { branch: string; run: string; commands: string }) => [
    `${d.branch} has fixes that may not land`,
    `let a run judge them: ${d.run}\nor roll them back:\n${d.commands}`,
  ]),
  E_STAGE_FILES_LOST: human((d: { step: string; patch: string }) => [
    `${d.step} must not run twice, and what it wrote into tracked files does not fit what is there now`,
    `write it by hand from ${d.patch} and commit it on your branch, then: mendloop`,
  ]),
  E_PROMOTE_CHECKOUT: usage((d: { base: string; what: string; next: string }) => [
    `${d.base} ${d.what}; nothing has landed`,
    d.next,
  ]),
  E_PROMOTE_DIRTY: usage((d: { base: string; path: string; at: string }) => [
    `${d.base} is checked out in ${d.path} with changes that are not committed; nothing has landed`,
    `commit them: git -C ${d.at} commit -a\nor put them aside: git -C ${d.at} stash`,
  ]),
  E_PROMOTE_IN_THE_WAY: usage((d: { base: string; commands: string }) => [
    `the fixes bring files that lie untracked in the checkout of ${d.base}; nothing has landed`,
    `move them away:\n${d.commands}`,
  ]),
  E_PROMOTE_MOVED: failed((d: { base: string }) => [
    `${d.base} moved meanwhile; nothing has landed`,
    'look at it again: mendloop promote',
  ]),
  E_LANDING_HELD: human((d: { base: string; what: string; file?: string | undefined }) => [
    `a landing on ${d.base} was cut off, and cannot be brought to an end now: ${d.what}`,
    d.file
      ? `let that git end, then the same again; if no git runs there: rm ${d.file}`
      : 'the same again when it has ended',
  ]),
  E_NO_IDENTITY: usage(() => [
    'git does not know who you are, and the commit is to be yours',
    'git config --global user.name "<your name>"\ngit config --global user.email <your address>',
  ]),
  E_PUSH_REMOTE: usage((d: { remote: string | null; known: string }) => [
    d.remote === null ? 'no remote to push to is named' : `there is no remote ${JSON.stringify(d.remote)}`,
    `name one in ai/loop.yaml and commit it: git: { push: <remote> }\nremotes here: ${d.known}`,
  ]),
  E_PUSH_REFUSED: human((d: { branch: string; remote: string }) => [
    `${d.branch} could not be pushed to ${d.remote}`,
    `see what is there:\ngit fetch ${d.remote} ${d.branch}\ngit log --oneline ${d.branch}..FETCH_HEAD`,
  ]),
  E_PUSH_NOT_OURS: usage((d: { branch: string; remote: string; there: string; key: string }) => [
    `${d.branch} on ${d.remote} is at ${d.there.slice(0, 12)}, which this home did not push; one home pushes a branch, so nothing was pushed`,
    `see what it is:
git fetch ${d.remote} ${d.branch}
git log --oneline ${d.branch}..FETCH_HEAD
if another machine pushes it, give this one a branch of its own, with all that is on it:
git branch -m ${d.branch} ai/<machine>
and write branch: ai/<machine> in ai/loop.yaml
if somebody else's commits are to come here: git -C ai/worktree cherry-pick ${d.branch}..${d.there}
if it may be replaced by what is here: git config --replace-all ${d.key} ${d.there}`,
  ]),
  E_PULL_REQUEST: human((d: { file: string; command: string }) => [
    `gh could not open the pull request; its text is in ${d.file}`,
    `try it yourself: ${d.command}`,
  ]),
  E_UNKNOWN_FIX: usage((d: { what: string }) => [
    d.what,
    'see the fixes that are not promoted yet: mendloop fixes\nand all: git log --grep "^Patch: "',
  ]),
  E_AMBIGUOUS_FIX: usage((d: { word: string }) => [
    `${JSON.stringify(d.word)} is the beginning of more than one fix`,
    'name one of them by its commit',
  ]),
  E_FIX_TAKEN_BACK: usage((d: { what: string; base: string; pending: boolean }) => [
    `${d.what} taken back already`,
    d.pending ? `${d.base} still has it; to undo it there: mendloop promote` : 'see what stands: mendloop fixes',
  ]),
  E_ROLLBACK_CONFLICT: human((d: { commit: string; commands: string }) => [
    `${d.commit} cannot be rolled back: later changes are on the same lines; nothing was rolled back`,
    d.commands,
  ]),
  E_MANY_JOBS: usage((d: { jobs: number; most: number }) => [
    `this would be ${d.jobs} jobs, and more than ${d.most} are submitted only at your word`,
    'see what they are: mendloop plan\nsubmit them: mendloop --yes',
  ]),
  E_NOT_SHARED: usage((d: { home: string; words: string; next?: string }) => [
    `jobs cannot work in ${d.home}: ${d.words}`,
    d.next ??
      'every node needs this folder, this program and Node.js at the same paths, and may write there (docs/more-than-one-machine.md)',
  ]),
  E_INTERRUPTED: interrupted((d: { why: string }) => [`${d.why}, before anything was run`, 'start again: mendloop']),
  /** `why`: Slurm could not be asked. A pool's workers have no numbers here. */
  E_JOBS_LEFT: human((d: { jobs: readonly string[]; why?: string }) => {
    const ids = d.jobs.join(' ');
    const end = ids ? `scancel ${ids}` : 'squeue --me names the workers, scancel <job> ends one';
    return [
      `jobs of an earlier run ${d.why ? 'may still run' : 'do not end'}, and nothing may be changed under them: ${d.why ?? ids}`,
      d.why
        ? `end them: ${end}\nthen, when Slurm answers: mendloop\nor, when you know that they are gone: mendloop abandon`
        : `see what holds them: squeue --jobs=${d.jobs.join(',')}\nend them: ${end}\nthen: mendloop`,
    ];
  }),
  E_SLURM_MISSING: usage((d: { program: string }) => [
    `there is no ${d.program} here, and a Slurm backend needs Slurm's programs`,
    'start on a machine that submits jobs, or say backend: local in ai/loop.yaml (docs/more-than-one-machine.md)',
  ]),
  E_SLURM_UNREACHABLE: failed((d: { program: string; words: string; next: string }) => [
    `Slurm cannot be reached: ${d.program}: ${d.words}`,
    d.next,
  ]),
  E_SLURM_REFUSED: usage((d: { program: string; words: string; next?: string }) => [
    `Slurm refused: ${d.program}: ${d.words}`,
    d.next ?? 'change partition or options under slurm.specs in ai/loop.yaml; what there is: sinfo -N -l',
  ]),
} as const;

export type ErrorCode = keyof typeof TABLE;
type Details<C extends ErrorCode> = (typeof TABLE)[C] extends Entry<infer D> ? D : never;

/** Builds the error of `code`; never throws. */
export function mendError<C extends ErrorCode>(code: C, details: Details<C>, problems: readonly string[] = []) {
  const { exit, texts } = TABLE[code] as unknown as Entry<Details<C>>;
  return new MendError(code, exit, ...texts(details), problems);
}

/** Throws the error of `code`. */
export function fail<C extends ErrorCode>(code: C, details: Details<C>, problems: readonly string[] = []): never {
  throw mendError(code, details, problems);
}

/** Throws E_USAGE: a command line that means nothing, and what to type instead. */
export function failUsage(what: string, next: string): never {
  fail('E_USAGE', { what, next });
}

/** The text of an error as every command prints it, without colour. */
export function formatError(error: MendError): string {
  const lines = [`error ${error.code}: ${error.message}`, ...error.problems.map((p) => `  - ${p}`)];
  return [...lines, ...nextLines(error.next)].join('\n');
}

/** What to do next as every command prints it. */
export const nextLines = (next: string): string[] =>
  next.split('\n').map((line, i) => `${i === 0 ? '  next:  ' : '         '}${line}`);
