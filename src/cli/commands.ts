// Every command, with what help says of it. The modules are loaded one at a time, when called.
import type { Command } from './command.ts';
import { type Options, RUN_OPTIONS } from './options.ts';

const NEEDS: Options = { 'with-needs': 'run what the named stages need, too' };
const EXIT_CODE = (finding: string): Options => ({ 'exit-code': `exit 1 when ${finding}` });
const { 'dry-run': DRY, 'no-recheck': NO_RECHECK, 'yes|y': YES, ...OF_A_RUN } = RUN_OPTIONS;
const WHERE: Options = { 'backend=NAME': RUN_OPTIONS['backend=NAME'] };
const RUN: Options = {
  ...NEEDS,
  'no-recheck': NO_RECHECK,
  ...OF_A_RUN,
  'yes|y': 'submit more than 100 jobs, where the backend submits any',
  'dry-run': DRY,
};

const ABOUT_RUNS = `Runs the stages in the order of their needs, in the worktree ai/worktree on the AI branch. A green stage whose inputs
did not change is only checked again. After a crash the next start finishes the same run.`;

type Row = Omit<Command, 'load'> & Partial<Command>;

const row = (usage: string, summary: string, rest: Omit<Row, 'usage' | 'summary'>): Row => ({
  usage,
  summary,
  ...rest,
});

type Rare = keyof typeof import('./by-hand.ts');

const byHand = (name: Rare) => async () => (await import('./by-hand.ts'))[name];

const ROWS: Readonly<Record<string, Row>> = {
  all: row('[all] [<stage>…]', 'run every stage (the default), or only those that are named; also: run', {
    options: RUN,
    about: `${ABOUT_RUNS} A stage that is called as a command is: mendloop -- <stage>`,
    load: () => import('./run.ts'),
  }),
  retry: row('retry <stage>…', 'run one stage again, whatever its state', {
    options: RUN,
    about: ABOUT_RUNS,
    load: async () => ({ run: (await import('./run.ts')).retry }),
  }),
  plan: row('plan [<stage>…]', 'show what a run would do, and why', {
    options: { ...NEEDS, 'no-recheck': NO_RECHECK, ...WHERE },
    about: `Reads only. For each step: its state, and the reason it would or would not run; what is not committed, and so not a part
of it; and the fixes on the AI branch, which are.`,
    load: () => import('./plan.ts'),
  }),
  status: row('status [<stage>…]', 'show where every stage stands', {
    options: EXIT_CODE('a stage failed or was given up'),
    about:
      'Reads only; also beside a run that is at work. A stage with a matrix is told with its cells; disks[w1] is one.',
    load: () => import('./status.ts'),
  }),
  logs: row('logs <stage> [-f] [-n N] [--raw] [--path] [--run RUN] [--attempt N]', "print a stage's latest log", {
    options: {
      'follow|f': 'go on printing until the attempt is over',
      'lines|n=N': 'only the last N lines',
      raw: 'as it is, also on a terminal, where control characters are spelled out and colours left out',
      path: "print the file's path only",
      'run=RUN': 'the log of that run; `last` is the newest that has one, and a part of its name is enough',
      'attempt=N': 'the log of that attempt; `verify` is that of mendloop verify',
    },
    load: () => import('./logs.ts'),
  }),
  runs: row('runs [--stage NAME] [--outcome O] [--fingerprint F] [-n N]', 'list the runs there have been', {
    options: {
      'stage=NAME': 'only runs that had to do with this stage',
      'outcome=O': 'only those that ended so: success, partial, failure, interrupted, abandoned, open',
      'fingerprint=F': 'only those that saw this failure; its first letters are enough',
      'last|n=N': 'at most N (default: 20)',
    },
    about: 'Reads only. The newest first.',
  }),
  show: row('show <run>', 'tell how a run went, from its journal', {
    about:
      'Reads only. A few first or last letters of its name are enough, and `last` is the newest; --json prints its events.',
    load: async () => ({ run: (await import('./by-hand.ts')).runs.show }),
  }),
  report: row(
    'report [<run>] [--days N | --since DATE] [--markdown | --html FILE]',
    'tell what ran, broke, was mended, waits for you and cost',
    {
      options: {
        'days=N': 'the last N days, today included (default: 30)',
        'since=DATE': 'since then: 2026-11-01, or 2026-11-01T06:30Z',
        markdown: 'for a mail or an issue, with the changes that were made',
        'html=FILE': 'write one file for a browser: pictures and changes, no script, nothing is loaded from anywhere',
      },
      about: `Changes nothing else. One run, or all that began in a time: what broke most, fixes and what became of them, open cases, drift,
slow stages and their trend, tokens and money. Secrets are masked. A few letters of a run's name are enough, and \`last\` is
the newest.`,
    },
  ),
  fingerprint: row(
    'fingerprint [<log>] [--stage NAME] [--exit-code N] [--jsonl]',
    'tell from a log which failure it is',
    {
      options: {
        'stage=NAME': 'the stage it is from; part of the fingerprint',
        'exit-code=N': 'how the command ended; part of the fingerprint',
        'signal=NAME': 'the signal that ended it, for example SIGKILL',
        'last-green=LOG': "the stage's last green log; only decides between lines that are no clear errors",
        jsonl: `one JSON object a line in: {id, stage?, log, exit_code?, last_green?}, and one out for each:
{id, fingerprint, class, transient, external, error_lines, templates}`,
      },
      about: `Reads a log (or stdin) and prints its error lines, what was masked in them, the class and the fingerprint. The same log
gives the same answer on any machine on any day; rules under classify in ai/loop.yaml come first.`,
      load: () => import('./fingerprint.ts'),
    },
  ),
  explain: row('explain <fingerprint>|<stage>', 'tell everything about a failure, and what would be done next', {
    options: { 'no-ai': 'as if a run were started with it' },
    about: `Reads only. The error lines, what was masked and why, the rule that gave the class, what the ledger remembers, and what
the loop would do about it now. A few first letters of the fingerprint are enough; a stage means its latest failure.`,
  }),
  'check-patch': row('check-patch <file> --stage <stage> | --jsonl', "tell whether a model's answer would be applied", {
    options: {
      'stage=NAME': 'the stage whose files may be changed',
      jsonl: `one JSON object a line in: {id, path?, files: {path: text}, links?: {path: target}, answer,
allow: [pattern], protect?: [pattern], judging?: [path], log?, failed?, unattended?, max_files?, max_lines?},
and one out for each: {id, ok, verdict, files?: {path: text}, diff?, code?, reasons?}; the verdict is
apply, ask or refuse, and ok means apply`,
      ...EXIT_CODE('it would not be applied'),
    },
    about: `Reads an answer (- for stdin) as a model would give it, applies it in memory to the files that a run would change (those of
the AI branch, with what the next run merges into it; before the first run those of the base), and prints the clean
diff of what would be applied, what the owner would be asked, or why it is refused. Changes no file, and exits 0 for each;
--json says which. What it prints can be piped into git apply.`,
    load: () => import('./check-patch.ts'),
  }),
  redact: row('redact <text', 'mask the secrets in a text, as before anything is sent to a model', {
    about: `Reads stdin, writes stdout. Masked are the values of carried files and of variables with secret-like names, also in base64,
URL-encoded or wrapped, what has the form of a secret, and what the patterns under redact in ai/loop.yaml match. The same
secret has the same placeholder. When it cannot be done for sure, nothing more is written and the exit code is 2.`,
    load: () => import('./redact.ts'),
  }),
  verify: row('verify [<stage>…]', "run the stages' checks, nothing else", {
    options: { 'dry-run': 'say whose checks would be run' },
    about: `Runs \`verify\` of the named stages (default: all green ones) in the worktree. Exit 0 when all hold, 1 otherwise: a
stage whose checks do not hold is to do, until they do or a run has made it again.`,
    load: () => import('./verify.ts'),
  }),
  get: row('get <stage>[.<output>] [--force]', "print the path of a stage's output; make it first when missing", {
    options: { force: 'make it anew (inside a stage: only a stage of the same spec)', 'dry-run': DRY },
    about: `By hand, runs the stage and what it needs when the output is missing. Inside a running stage it only looks. A stage
alone: lists its outputs.`,
    load: () => import('./get.ts'),
  }),
  fixes: row('fixes [<stage>] [--diff]', 'list the fixes on the AI branch, with their story', {
    options: { diff: 'show each change itself' },
    about: `Reads only. Every fix that is on the AI branch and not in your branch: what it changes, why, for which failure, and whether
it helped. What was taken back is listed, too.`,
  }),
  cases: row(
    'cases [--all] | show|accept|decline <case> | review | answer <case> <file>',
    'list what waits for you, show a case, take or decline its change, answer it with a patch',
    {
      options: {
        all: 'list closed ones, too; of one case, what a model was told, too',
        run: 'start the stage of what is accepted at once',
        'token=TOKEN': 'answer only the change that this one-time token of a notice is about',
        'dry-run': 'say what would be taken or declined',
      },
      about: `A case holds all that is known of a failure: what broke, what was tried and why it did not help. An answer is a patch in
any form a model may give; it goes through the same gate, and is tried before its stage runs again. While a run is at work, it takes the
answer and tries it before it ends.

  accept             take the change that waits for your word: your branch is merged in first, and the gate looks once more for
                     what it refuses; it lapses when the stage turns green without it
  decline            do without it: it counts as tried, and the next run goes on with the next try
  review             every change that waits, one after the other: yes, no, skip or later; then one run for all accepted`,
    },
  ),
  backlog: row(
    'backlog [show <NN> | run [<NN>] [--max N] | check [<folder>] | add <title>]',
    'work through the list of jobs in ai/backlog, one accepted change at a time',
    {
      options: {
        'max=N': 'work on at most N items (default: 20)',
        'scope=GLOB': 'of a new item: the paths that may be changed',
        'accept=CMD': 'of a new item: the command that succeeds when it is done',
        ...OF_A_RUN,
        'dry-run': DRY,
        ...EXIT_CODE('check finds a problem'),
      },
      about: `ai/backlog/00-index.md lists the items in their order, ai/backlog/NN-<slug>.md tells of one: Scope, Why, Steps, Acceptance,
Tests, Progress log. An item is worked on as a failing stage is mended, inside of its scope, on the AI branch; it is ticked, there,
only when its commands accepted it. What counts is what is committed.

  run                work on the first open item, then on the next; exit 0 all done or N reached, 1 no progress, 3 stuck
  check              every problem of the queue in the working tree, or of one in another folder
  add                write an item and its line; you commit them`,
    },
  ),
  'safe-mode': row('safe-mode [on|off] [<why>]', 'stop the AI from changing anything, or let it again', {
    options: { 'dry-run': 'say what would be changed' },
    about: `While it is on stages run as always, and no fix is asked for or applied anywhere. It goes on by itself when in one run
fixes on 3 different failures had to be taken back, or when a fix turned a green stage red. Without a word it says how
things stand.`,
    load: byHand('safeMode'),
  }),
  promote: row(
    'promote [--diff] [--accept COMMIT [--squash] | [--push] [--pr]]',
    'show what the AI branch would bring to yours; land it with --accept, share it with --push and --pr',
    {
      options: {
        diff: 'show the whole change, also where it has more than 40 lines',
        'accept=COMMIT': `bring your branch forward to exactly this commit of the AI branch; refused during a run, where a
stage has failed with a fix since, and where your checkout has uncommitted changes`,
        squash: 'land all of it as one commit of yours; always so where git.sign or git.hooks is set in ai/loop.yaml',
        push: `push the AI branch to the remote under git.push in ai/loop.yaml, for a pull request; only in the place of what
this home pushed last`,
        pr: `write title, story and verification of a pull request, without secrets, and open it with gh, where that is
logged in and the branch is pushed; else say what to type. With --push, push first`,
        'dry-run': 'say what --accept, --push or --pr would do',
      },
      about: `Shows every fix that your branch does not have, by stage and failure, with its verification, as they are on top of it. The
last line is the command that lands exactly what was shown: your branch goes forward to it, as git merge --ff-only does. Nothing ever lands or leaves without being asked for.`,
    },
  ),
  rollback: row('rollback <fix> | --run RUN [--yes]', 'take fixes back that you do not want', {
    options: {
      'run=RUN': 'all fixes of that run, or none when one cannot be taken back',
      'yes|y': 'drop them from the AI branch; without it, it only says what would be dropped',
      'dry-run': 'say what would be rolled back',
    },
    about: `Drops a fix from the AI branch. It counts as declined and does not come again by itself. One that has landed is taken back
by a commit on the AI branch, and stays on yours until that is promoted, too.

  <fix>              its commit or hash, or at least the first 7 letters`,
  }),
  reset: row('reset <stage>… [--force]', 'set a stage back to idle', {
    options: { force: 'also within 5 minutes of the loop giving up on it', 'dry-run': 'say what would be set back' },
    about: 'The stage is to do again, and the counters of its failures start anew. Its logs and history stay.',
  }),
  init: row('init [--yes | --dry-run | --explain]', 'propose the stages of this repository, and write ai/', {
    options: {
      'yes|y': 'take every proposal; without it you are asked stage by stage',
      'dry-run': 'print the map, write nothing',
      explain: 'say of each entry that was found why it is a stage or none, write nothing',
    },
    about: `Reads what the repository is run with (Makefile, justfile, Taskfile, package.json, playbooks, Terraform, helmfile, talhelper,
Flux, Argo CD, kustomizations, compose files, scripts, README, docs, CI, what lies ignored) and writes ai/context_map.yaml with a comment
for each decision, ai/loop.yaml by which only proven repairs run unasked, and ai/schema for your editor. The order is the one you wrote
down: a target that only calls others, the commands of README and docs, jobs of CI; where nothing says it you are asked, and with
--yes only the stage check is proposed. What can be tried without reaching a host, cluster or network is tried once, in a copy without
what git does not hold. Overwrites nothing, commits nothing; where there is a map it shows what differs today. What destroys is never
a stage.`,
  }),
  demo: row(
    'demo [--fast] [--dir DIR] [--no-ai]',
    'break a small homelab in a scratch folder, and watch it being mended',
    {
      options: {
        fast: 'without pauses for reading',
        'dir=DIR': 'make it there; it must be empty or not be there yet (default: a new folder for temporary files)',
        'no-ai': 'ask no Ollama, also where there is one: a prepared answer stands in, and is called that',
        'dry-run': 'say what would be done',
      },
      about: `Five faults, one after the other: one passes by itself, two have a known fix, one is for a model, one is for you; then what was
mended is landed. All of it really happens, in a git repository of its own: nothing else on this machine is touched. Takes under
a minute. The folder stays, with the commands to look around in it and to remove it.`,
    },
  ),
  validate: row('validate', 'check ai/context_map.yaml and ai/loop.yaml', {
    options: { ...EXIT_CODE('there are warnings (problems exit 2 in any case)'), ...WHERE },
    about:
      'Checks the working tree, names every problem at once, and says where it differs from what a run would read.',
  }),
  doctor: row('doctor', 'look at everything a run depends on', {
    options: {
      ...EXIT_CODE('there is a problem'),
      model: 'ask the models that a run would ask three questions, and say whether they are fit for this machine',
      ...WHERE,
    },
    about: `Changes nothing: versions, tools, worktree, lock, carried and ignored files, secrets, disk, where steps run, and whether
that and the models that would be asked can be reached. Exits 0 whatever it finds, without --exit-code; --json has the number of
problems. With --model it only keeps how fast the answers came, in ai/state/speeds.json.`,
  }),
  cron: row(
    'cron [print|install|status|remove] [--at TIME] [--every DURATION]',
    'run it by itself: print, install, look at or remove a line of crontab or a timer',
    {
      options: {
        'at=TIME': 'a time of day that it runs at, such as 03:30, local time; alone: once a day',
        'every=DURATION': 'how far apart runs are: 5m to 30m, 1h to 12h, 1d (default: 1h, 17 minutes past)',
        crontab: 'a line of your crontab (the default where there is a crontab)',
        systemd: 'a timer and a service of systemd, as units of yours',
        'yes|y': 'install without asking',
        'dry-run': 'say what install or remove would do',
      },
      about: `Without a word, or with print, it prints what install would write. That has the PATH of this shell, and of its other variables what
mendloop reads and what stages name under requires, but no secrets; options of a run (--deadline, --no-ai, …) are passed on.
install shows it and asks, replaces what an earlier install of this home wrote, and touches nothing else.

  status             the last run, the next, and times at which none began
  remove             take away what install wrote`,
    },
  ),
  metrics: row('metrics [--textfile FILE]', 'print how things stand, for Prometheus', {
    options: { 'textfile=FILE': "write it there, whole or not at all: a file of node_exporter's textfile collector" },
    about:
      'Reads only. Stages by state, last green, attempts, durations, failures by class, fixes, asks, cases, tokens, money, the last run.',
  }),
  serve: row('serve [--host H] [--port N] [--token] [--act]', 'show how things stand on a page, in a browser', {
    options: {
      'host=H': 'the address to listen at (default: 127.0.0.1); any but loopback needs the token',
      'port=N': 'the port (default: 8420; 0: any that is free)',
      token: 'also on loopback, only for who has the link that is printed',
      act: 'with buttons, for who has the link that is printed: answer cases, run, retry, promote, safe mode',
    },
    about: `Reads only: stages and what needs what, runs, failures, fixes, cases, logs and the work queue, kept up to date while you look,
and /metrics for Prometheus. It runs until it is stopped. For others than this machine it prints a link with a token, a new one each
time; MENDLOOP_TOKEN has it use yours. The page works without scripts, and asks nobody else for anything.

With --act it has buttons, each for exactly what is shown beside it: apply or decline the change of a case, run all or one stage,
retry one, promote exactly the commit shown, safe mode. It also takes the answers of buttons in notices at once. What it starts are
runs under the usual lock, which go on when the page or the server is closed.`,
    load: () => import('./serve.ts'),
  }),
  gc: row('gc [--days N] [--keep-runs N] [--max-mb N]', 'forget what is old: runs, logs, prompts, patches, cases', {
    options: {
      'days=N': 'what is older than N days',
      'keep-runs=N': 'all runs but the newest N',
      'max-mb=N': 'the oldest, until the rest takes at most N megabytes',
      'dry-run': 'say what would be removed, with its size',
    },
    about: `Without options, as retention in ai/loop.yaml says; with retention a run does it at its end, once a day. Runs go with their logs,
prompts and patches; closed cases, patches of fixes that are over and unpacked plugins by their age. The last ten runs stay, and
the run that last made a stage green, a stage's last failed log, and whatever an open case, a fix that may come back or one that
is not promoted needs. The ledger's journal is shortened, and loses no count.`,
  }),
  abandon: row('abandon [--worktree] [--unlock] [--yes]', 'close a run that was cut off; remove worktree or lock', {
    options: {
      worktree: 'remove ai/worktree (the AI branch stays); lists first what would be lost',
      unlock: 'remove the lock of another host; shows it first',
      'yes|y': YES,
      'dry-run': 'say what would be closed or removed',
    },
  }),
  uninstall: row('uninstall [--branch] [--yes]', 'take away everything mendloop made here; keeps what you wrote', {
    options: {
      branch:
        'also delete the AI branch with its fixes, and what is kept below refs/mendloop; at a terminal you are asked',
      'yes|y': 'do it; without it, it only says what it would take away and what it would leave',
      'dry-run': DRY,
    },
    about: `Takes away ai/worktree, ai/state, ai/logs, ai/patches, ai/escalations, its git config keys and its lines in git's exclude
file. Your configuration, plugins, stages and branches stay; whatever else stays is listed.`,
  }),
  completions: row('completions bash|zsh|fish', 'print what makes your shell complete commands, options and stages', {
    about: `  bash  in ~/.bashrc: source <(mendloop completions bash)
  zsh   in ~/.zshrc, behind compinit: source <(mendloop completions zsh)
  fish  mendloop completions fish > ~/.config/fish/completions/mendloop.fish`,
    load: () => import('./completions.ts'),
  }),
};

/** In the order help shows them. Those without a `load` are typed rarely: by-hand.ts has them under their names. */
export const COMMANDS: Readonly<Record<string, Command>> = Object.fromEntries(
  Object.entries(ROWS).map(([name, rest]) => [name, { load: byHand(name as Rare), ...rest }]),
);
