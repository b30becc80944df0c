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

interface Entry<D> {
  exit: number;
  what: (d: D) => string;
  next: (d: D) => string;
}

const entry = <D = Record<never, never>>(exit: number, what: (d: D) => string, next: (d: D) => string): Entry<D> => ({
  exit,
  what,
  next,
});

/** Exit codes a caller may rely on. */
export const EXIT = { ok: 0, failed: 1, usage: 2, human: 3, bug: 4, locked: 75, interrupted: 130 } as const;

const TABLE = {
  E_USAGE: entry<{ what: string; next: string }>(
    EXIT.usage,
    (d) => d.what,
    (d) => d.next,
  ),
  E_ROOT_MISSING: entry<{ root: string }>(
    EXIT.usage,
    (d) => `${d.root} is not a folder`,
    () => 'name your repository with --root, or start inside it',
  ),
  E_MAP_MISSING: entry<{ where: string }>(
    EXIT.usage,
    (d) => `there is no ai/context_map.yaml ${d.where}`,
    () =>
      'write one (README, "Your own repository"), then:\ngit add ai/context_map.yaml\ngit commit -m "Add the context map"',
  ),
  E_MAP_NOT_COMMITTED: entry<{ base: string }>(
    EXIT.usage,
    (d) => `ai/context_map.yaml is not committed on ${d.base}; a run reads it from there`,
    () => 'git add ai/context_map.yaml\ngit commit -m "Add the context map"',
  ),
  E_CONFIG: entry<{ files: string; count: number }>(
    EXIT.usage,
    (d) =>
      `${d.files} ${d.files.includes(' and ') ? 'have' : 'has'} ${d.count === 1 ? 'a problem' : `${d.count} problems`}`,
    () => 'mend it, check with: mendloop validate, and commit it',
  ),
  E_PLUGIN: entry<{ count: number }>(
    EXIT.usage,
    (d) => `plugins that ai/loop.yaml names have ${d.count === 1 ? 'a problem' : `${d.count} problems`}`,
    () => 'mend it, check with: mendloop validate, and commit it; a run reads plugins/ as committed',
  ),
  E_UNKNOWN_STAGE: entry<{ name: string; hint: string; known: string }>(
    EXIT.usage,
    (d) => `there is no stage or command ${JSON.stringify(d.name)}${d.hint}`,
    (d) => `stages: ${d.known}\ncommands: mendloop --help`,
  ),
  E_NEEDS_UNMET: entry<{ stages: string; command: string }>(
    EXIT.usage,
    (d) => `what ${d.stages} needs is not green`,
    (d) => `run what is missing too: ${d.command}`,
  ),
  E_DEADLINE_PASSED: entry<{ deadline: string }>(
    EXIT.usage,
    (d) => `the deadline ${d.deadline} has passed already`,
    () => 'give a later one, such as --deadline 2h or --deadline 06:30',
  ),
  E_FOUND_FAILED: entry<{ command: string }>(
    EXIT.human,
    () => 'stages were found failed, and retry_failed is off',
    (d) => `mend them, then: ${d.command}`,
  ),
  E_OTHER_LAB: entry<{ kept: string; lab: string }>(
    EXIT.usage,
    (d) =>
      `ai/state is from the ${d.kept} lab and this run is for the ${d.lab} one: green stages and outputs would be mixed up`,
    (d) => `put the ${d.kept} lab's state aside, then start again:\nmv ai/state ai/state.${d.kept}`,
  ),
  E_LOCKED: entry<{ pid: number; host: string; since: string; command: string; why: string }>(
    EXIT.locked,
    (d) => `another run is at work: pid ${d.pid} on ${d.host} since ${d.since} (${d.command})`,
    (d) =>
      d.why === 'alive'
        ? 'wait for it, or watch it: mendloop status'
        : `${d.why}; if it is gone for sure: mendloop abandon --unlock`,
  ),
  E_UNKNOWN_OUTPUT: entry<{ name: string; stage: string; hint: string }>(
    EXIT.usage,
    (d) => `there is no output ${d.name}${d.hint}`,
    (d) => `outputs are named under stages.${d.stage}.outputs in ai/context_map.yaml`,
  ),
  E_OUTPUT_MISSING: entry<{ name: string; inside: boolean }>(
    EXIT.failed,
    (d) => `${d.name} is not there: its stage is not green, or published nothing`,
    (d) => (d.inside ? 'inside a stage get only looks: name that stage under needs' : 'see why: mendloop status'),
  ),
  E_GET_SPEC: entry<{ name: string; theirs: string; ours: string }>(
    EXIT.usage,
    (d) => `get --force ${d.name}: that stage is for spec ${d.theirs}, this one runs on ${d.ours}`,
    () => 'leave --force out, or give both stages the same spec in ai/context_map.yaml',
  ),
  E_GET_BUSY: entry<{ name: string; why: string }>(
    EXIT.usage,
    (d) => `get --force ${d.name}: its command may not be run now, ${d.why}`,
    () => 'leave --force out, and name that stage under needs',
  ),
  E_ABANDON_LOSES: entry(
    EXIT.usage,
    () => 'ai/worktree holds files that exist nowhere else',
    () => 'copy what you need, then: mendloop abandon --worktree --yes',
  ),
  E_NO_LOG: entry<{ step: string; path: string }>(
    EXIT.usage,
    (d) => `${d.step} has no log yet${d.path ? ` (${d.path})` : ''}`,
    () => 'see what has run: mendloop status',
  ),
  E_LEFTOVER: entry<{ step: string; pid: number; host: string }>(
    EXIT.human,
    (d) =>
      `the last run left ${d.step} running (process group ${d.pid} on ${d.host}) and it cannot be shown to be over`,
    (d) => `look: ps -o pid,pgid,args -g ${d.pid}\nend it, then start again; or close that run: mendloop abandon`,
  ),
  E_DISK_FULL: entry<{ path: string }>(
    EXIT.failed,
    (d) => `the disk is full: ${d.path} could not be written`,
    () => 'free some space; the next start finishes this run',
  ),
  E_STATE_UNWRITABLE: entry<{ path: string; reason: string }>(
    EXIT.usage,
    (d) => `${d.path} cannot be written (${d.reason})`,
    (d) => `make it a folder that this user may write: ls -ld ${d.path}`,
  ),
  E_GIT_MISSING: entry(
    EXIT.usage,
    () => 'git could not be started',
    () => 'install git 2.38 or newer and put it on PATH',
  ),
  E_NOT_GIT: entry<{ home: string }>(
    EXIT.usage,
    (d) => `${d.home} is not a git repository that this user may use`,
    () => 'go to your repository, or make one here:\ngit init\ngit add <files>\ngit commit -m "first commit"',
  ),
  E_NOT_TOP_LEVEL: entry<{ home: string; top: string }>(
    EXIT.usage,
    (d) => `${d.home} is a folder inside the repository ${d.top}, not its top level`,
    (d) => `use --root ${d.top}`,
  ),
  E_NO_COMMIT: entry(
    EXIT.usage,
    () => 'the repository has no commit yet, so there is nothing to run from',
    () => 'git add <files>\ngit commit -m "first commit"',
  ),
  E_ON_AI_BRANCH: entry<{ branch: string; base: string }>(
    EXIT.usage,
    (d) => `your checkout is on ${d.branch}, the branch that stages run on`,
    (d) => `go back to your own branch:\ngit switch ${d.base}`,
  ),
  E_DETACHED: entry<{ branch: string }>(
    EXIT.usage,
    (d) => `this is the first run on ${d.branch} and your checkout is on no branch, so the base is unknown`,
    () => 'git switch <your branch>\nor name the base in ai/loop.yaml and commit it: base: <your branch>',
  ),
  E_BASE_IS_AI: entry<{ branch: string }>(
    EXIT.usage,
    (d) => `base and branch are both ${d.branch}; fixes may not land on the base by themselves`,
    () => 'name your own branch as base: in ai/loop.yaml, or another branch:, and commit it',
  ),
  E_BASE_DIFFERS: entry<{ branch: string; kept: string; asked: string; key: string }>(
    EXIT.usage,
    (d) => `ai/loop.yaml says base: ${d.asked}, but ${d.branch} was made from ${d.kept}`,
    (d) => `to stay: write base: ${d.kept} in ai/loop.yaml and commit it\nto change: git config ${d.key} ${d.asked}`,
  ),
  E_BASE_MISSING: entry<{ base: string; key: string }>(
    EXIT.usage,
    (d) => `the base ${d.base} is not a branch of this repository`,
    (d) => `make it: git branch ${d.base} <commit>\nor take another: git config ${d.key} <branch>`,
  ),
  E_AI_ONLY_REMOTE: entry<{ branch: string; remote: string }>(
    EXIT.usage,
    (d) => `${d.branch} is not here but on a remote as ${d.remote}; starting a second one would part the two`,
    (d) =>
      `to go on from it: git branch --no-track ${d.branch} ${d.remote}\nto start anew: write another branch: in ai/loop.yaml and commit it`,
  ),
  E_BRANCH_NAME: entry<{ branch: string }>(
    EXIT.usage,
    (d) => `git does not take ${JSON.stringify(d.branch)} as the name of a branch`,
    () => 'write another branch: in ai/loop.yaml and commit it',
  ),
  E_WORKTREE_TAKEN: entry<{ what: string }>(
    EXIT.usage,
    (d) => `ai/worktree is ${d.what}, not the worktree of this repository`,
    () => 'move it away:\nmv ai/worktree ai/worktree.old',
  ),
  E_WORKTREE_BRANCH: entry<{ branch: string; word: string; found: string }>(
    EXIT.usage,
    (d) => `ai/worktree is on ${d.found}, not on ${d.branch}`,
    (d) => `look: git -C ai/worktree status\ngo back: git -C ai/worktree switch ${d.word}`,
  ),
  E_WORKTREE_BUSY: entry<{ doing: string; end: string }>(
    EXIT.usage,
    (d) => `a ${d.doing} was begun in ai/worktree and not ended`,
    (d) => `look: git -C ai/worktree status\n${d.end}`,
  ),
  E_AI_BRANCH_ELSEWHERE: entry<{ branch: string; path: string; word: string }>(
    EXIT.usage,
    (d) => `${d.branch} is checked out in another worktree: ${d.path}`,
    (d) => `free it, no file changes: git -C ${d.word} switch --detach\nif that folder is gone: git worktree prune`,
  ),
  E_WORKTREE_GONE: entry(
    EXIT.human,
    () => 'ai/worktree went away while a stage was running',
    () => 'find out which command removed it; the next start makes it again from its branch',
  ),
  E_WORKTREE_IN_THE_WAY: entry<{ base: string; commands: string }>(
    EXIT.human,
    (d) => `${d.base} cannot be merged: it brings files that stages left untracked in ai/worktree`,
    (d) => `move them away:\n${d.commands}`,
  ),
  E_MERGE_CONFLICT: entry<{ branch: string; base: string; commands: string }>(
    EXIT.human,
    (d) => `${d.base} and ${d.branch} changed the same lines; nothing was merged`,
    (d) => `solve it by hand, then start again:\n${d.commands}`,
  ),
  E_GIT_LOCKED: entry<{ file: string; reason: string; command: string }>(
    EXIT.human,
    (d) => `git left a lock and its owner is not proven dead: ${d.file} (${d.reason})`,
    (d) => `when no git is running here:\n${d.command}`,
  ),
  E_UNKNOWN_FINGERPRINT: entry<{ word: string; known: number }>(
    EXIT.usage,
    (d) => (d.known === 0 ? 'no failure is recorded yet' : `no recorded failure begins with ${JSON.stringify(d.word)}`),
    (d) => (d.known === 0 ? 'run the stages first: mendloop' : 'name one of these; mendloop status shows the latest'),
  ),
  E_AMBIGUOUS_FINGERPRINT: entry<{ word: string }>(
    EXIT.usage,
    (d) => `${JSON.stringify(d.word)} is the beginning of more than one recorded failure`,
    () => 'name one of them by more of its letters, or as <stage>/<fingerprint>',
  ),
  E_GIT_FAILED: entry<{ doing: string; command: string }>(
    EXIT.usage,
    (d) => `git could not ${d.doing}`,
    (d) => `see what git says, and mend that:\n${d.command}`,
  ),
  E_HEAD_MOVED: entry<{ was: string; now: string; commands: string }>(
    EXIT.human,
    (d) => `a stage moved HEAD in ai/worktree from ${d.was} to ${d.now}`,
    (d) => `take the commit or branch switch out of the stage; look, then go back:\n${d.commands}`,
  ),
  E_FIX_STUCK: entry<{ commit: string; command: string }>(
    EXIT.human,
    (d) => `the fix ${d.commit} cannot be taken back: later changes are in the way`,
    (d) => `take it back by hand, then start again:\n${d.command}`,
  ),
  E_RESET_SOON: entry<{ stage: string; seconds: number }>(
    EXIT.usage,
    (d) => `the loop gave up on ${d.stage} ${d.seconds} s ago`,
    (d) => `look first: mendloop explain ${d.stage}; when you have mended it: mendloop reset ${d.stage} --force`,
  ),
  E_CASE_UNKNOWN: entry<{ case: string; hint: string }>(
    EXIT.usage,
    (d) => `there is no case ${d.case}${d.hint}`,
    () => 'see all of them: mendloop cases --all; where the folder of an open one is gone: mendloop reset <stage>',
  ),
  E_CASE_BROKEN: entry<{ case: string; problem: string }>(
    EXIT.usage,
    (d) => `the case ${d.case} cannot be used: ${d.problem}`,
    (d) => `look into ai/escalations/${d.case}; to be rid of it, reset its stage: mendloop reset <stage>`,
  ),
  E_CASE_CLOSED: entry<{ case: string; why: string }>(
    EXIT.usage,
    (d) => `the case ${d.case} is closed: ${d.why}`,
    () => 'there is nothing left to answer; see what waits: mendloop cases',
  ),
  E_CASE_NO_PATCH: entry<{ case: string }>(
    EXIT.usage,
    (d) => `no fix waits in the case ${d.case}, so there must be one in your answer`,
    (d) => `mendloop cases answer ${d.case} <file>; - for stdin`,
  ),
  E_CASE_REFUSED: entry<{ code: string; handOver: boolean }>(
    EXIT.usage,
    (d) => `the gate refuses this patch: ${d.code}`,
    (d) =>
      d.handOver
        ? 'no machine may do this: make the change on your own branch and commit it'
        : 'mend the patch, or make the change on your own branch and commit it',
  ),
  E_CARRY_REPLACED: entry<{ commands: string }>(
    EXIT.human,
    () => 'a carried path in ai/worktree is no longer the link to yours (a tool wrote a new file in its place)',
    (d) => `compare the two, then keep one:\n${d.commands}`,
  ),
  E_CARRY_TRACKED: entry<{ commands: string }>(
    EXIT.usage,
    () => 'carry is for files that git does not track; these are tracked',
    (d) => `take them out of carry in ai/context_map.yaml, or out of git (your files stay):\n${d.commands}`,
  ),
  E_CARRY_PATH: entry(
    EXIT.usage,
    () => 'carry names paths that cannot be linked into the worktree',
    () => 'write paths below the repository, as they are, in ai/context_map.yaml and commit it',
  ),
  E_STATE_UNCARRIED: entry(
    EXIT.usage,
    () => 'there is Terraform state that git does not hold and carry does not name; stages would start without it',
    () => 'add each of them, or its folder, to carry in ai/context_map.yaml and commit it',
  ),
  E_REDACT: entry<{ what: string; next: string }>(
    EXIT.usage,
    (d) => `nothing more is let out: ${d.what}`,
    (d) => d.next,
  ),
  E_PROMOTE_NOTHING: entry<{ branch: string; base: string }>(
    EXIT.usage,
    (d) => `there is nothing to promote: ${d.base} has all that ${d.branch} could bring`,
    () => 'see what is on the branch: mendloop fixes',
  ),
  E_PROMOTE_PART: entry<{ given: string; line: string }>(
    EXIT.usage,
    (d) => `--accept needs the whole name of the commit that was shown, not ${JSON.stringify(d.given)}`,
    (d) => d.line,
  ),
  E_PROMOTE_STALE: entry<{ branch: string; tip: string; since: boolean }>(
    EXIT.usage,
    (d) =>
      `${d.branch} is at ${d.tip} now, another commit than the one you accept${d.since ? '; since then came' : ''}`,
    () => 'look at it again: mendloop promote',
  ),
  E_PROMOTE_UNVERIFIED: entry<{ branch: string; commands: string }>(
    EXIT.human,
    (d) => `${d.branch} holds fixes that no green stage has verified`,
    (d) => `let a run judge them: mendloop\nor roll them back:\n${d.commands}`,
  ),
  E_PROMOTE_CONFLICT: entry<{ branch: string; base: string; commands: string }>(
    EXIT.human,
    (d) => `${d.base} and ${d.branch} changed the same lines; nothing was merged`,
    (d) => `solve it by hand, then look again with mendloop promote:\n${d.commands}`,
  ),
  E_PROMOTE_CHECKOUT: entry<{ base: string; what: string; next: string }>(
    EXIT.usage,
    (d) => `${d.base} ${d.what}; nothing was merged`,
    (d) => d.next,
  ),
  E_PROMOTE_DIRTY: entry<{ base: string; path: string; at: string }>(
    EXIT.usage,
    (d) => `${d.base} is checked out in ${d.path} with changes that are not committed; nothing was merged`,
    (d) => `commit them: git -C ${d.at} commit -a\nor put them aside: git -C ${d.at} stash`,
  ),
  E_PROMOTE_IN_THE_WAY: entry<{ base: string; commands: string }>(
    EXIT.usage,
    (d) => `the fixes bring files that lie untracked in the checkout of ${d.base}; nothing was merged`,
    (d) => `move them away:\n${d.commands}`,
  ),
  E_PROMOTE_MOVED: entry<{ base: string }>(
    EXIT.failed,
    (d) => `${d.base} moved while the merge was made; nothing was merged`,
    () => 'look at it again: mendloop promote',
  ),
  E_NO_IDENTITY: entry(
    EXIT.usage,
    () => 'git does not know who you are, and the merge is to be yours',
    () => 'git config --global user.name "<your name>"\ngit config --global user.email <your address>',
  ),
  E_PUSH_REMOTE: entry<{ remote: string | null; known: string }>(
    EXIT.usage,
    (d) => (d.remote === null ? 'no remote to push to is named' : `there is no remote ${JSON.stringify(d.remote)}`),
    (d) => `name one in ai/loop.yaml and commit it: git: { push: <remote> }\nremotes here: ${d.known}`,
  ),
  E_PUSH_REFUSED: entry<{ branch: string; remote: string }>(
    EXIT.human,
    (d) => `${d.branch} could not be pushed to ${d.remote}, and is never forced`,
    (d) => `see what is there:\ngit fetch ${d.remote} ${d.branch}\ngit log --oneline ${d.branch}..FETCH_HEAD`,
  ),
  E_UNKNOWN_FIX: entry<{ what: string }>(
    EXIT.usage,
    (d) => d.what,
    () => 'see the fixes that are not promoted yet: mendloop fixes\nand all: git log --grep "^Patch: "',
  ),
  E_AMBIGUOUS_FIX: entry<{ word: string }>(
    EXIT.usage,
    (d) => `${JSON.stringify(d.word)} is the beginning of more than one fix`,
    () => 'name one of them by its commit',
  ),
  E_FIX_TAKEN_BACK: entry<{ what: string; base: string; pending: boolean }>(
    EXIT.usage,
    (d) => `${d.what} taken back already`,
    (d) =>
      d.pending ? `${d.base} still has it; to undo it there: mendloop promote` : 'see what stands: mendloop fixes',
  ),
  E_ROLLBACK_CONFLICT: entry<{ commit: string; commands: string }>(
    EXIT.human,
    (d) => `${d.commit} cannot be rolled back: later changes are on the same lines; nothing was changed`,
    (d) => d.commands,
  ),
} as const;

export type ErrorCode = keyof typeof TABLE;
type Details<C extends ErrorCode> = (typeof TABLE)[C] extends Entry<infer D> ? D : never;

/** Builds the error of `code`; never throws. */
export function mendError<C extends ErrorCode>(
  code: C,
  details: Details<C>,
  problems: readonly string[] = [],
): MendError {
  const row = TABLE[code] as unknown as Entry<Details<C>>;
  return new MendError(code, row.exit, row.what(details), row.next(details), problems);
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
  const [first = '', ...rest] = error.next.split('\n');
  return [...lines, `  next:  ${first}`, ...rest.map((l) => `         ${l}`)].join('\n');
}
