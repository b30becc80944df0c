// Which pages there are, in which repository each is run, and what of them is not.
import { cpSync, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedLine } from '../../scripts/recording.ts';
import { startOllamaServer } from '../../src/testing/ollama-server.ts';
import { type Example, exampleEnv } from '../e2e/example.ts';
import { offersChoice, TAKE_NONE } from '../e2e/model-lab.ts';
import { folder, PACKAGE, type Scenario, scenario, USER } from '../e2e/scenario.ts';
import { filesHere } from '../this-repository.ts';
import { type Ran, runPage } from './session.ts';

/** Pages of one session go on where the one before them ended. */
export const SESSIONS: Readonly<Record<'lab' | 'small' | 'program' | Example, readonly string[]>> = {
  /** In the repository that ships, with its simulated lab. */
  lab: ['README.md', 'stages/lab/README.md'],
  /** In one that the first page makes, from nothing. */
  small: ['docs/context-map.md', 'docs/models.md', 'docs/security.md', 'docs/operating.md'],
  /** In a folder of a program that uses the package. */
  program: ['docs/plan-api.md'],
  /** In an empty folder, with the stand-ins of examples/ on PATH. */
  'ansible-k3s': ['docs/example-ansible-k3s.md'],
  'make-terraform': ['docs/example-make-terraform.md'],
  'talos-flux': ['docs/example-talos-flux.md'],
};

/** Pages that run nothing in a repository. */
export const OTHER_PAGES: readonly string[] = [
  'docs/plugins.md',
  'docs/backlog.md',
  'docs/more-than-one-machine.md',
  'docs/architecture.md',
  'CONTRIBUTING.md',
];

const SCHEDULES = 'schedules a real run on this machine; test/e2e/cron.test.ts has a crontab of its own';
const ON_SLURM = 'needs a Slurm; test/backend and test/slurm start one, and run stages on it';
const SECOND_MACHINE = 'of a second machine; test/e2e/two-machines.test.ts has one';
/** What pages show and no test runs, and why. Everything else in a console block runs. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'npm install --global "$(npm pack --silent)"':
    'changes the machine; test/e2e/package.test.ts installs the package elsewhere',
  'mendloop cron install': SCHEDULES,
  'mendloop cron status': SCHEDULES,
  'ollama pull qwen2.5-coder:7b': 'fetches gigabytes, and needs Ollama',
  'git switch -c nas': SECOND_MACHINE,
  "printf 'branch: ai/nas\\nbase: main\\n' >>ai/loop.yaml": SECOND_MACHINE,
  'git commit -qam "This machine"': SECOND_MACHINE,
  'squeue --me --Format=JobArrayID,Name:30,StateCompact,TimeUsed,NodeList,Comment:80': ON_SLURM,
  'scripts/install_test_tools.sh': 'changes the machine; .ci/run runs it',
  'eval "$(node scripts/slurm-cluster.mjs start /tmp/slurm --nodes 4)"': ON_SLURM,
  'mendloop --backend slurm-pool --workers 4': ON_SLURM,
  'node scripts/slurm-cluster.mjs stop /tmp/slurm': ON_SLURM,
  'npm test': 'is what runs this',
  'npm ci': 'fetches packages; every test runs with what it installs',
};

/** What the stand-in for a model answers, by page. On other pages there is no model. */
const ANSWERS: Readonly<Record<string, string>> = {
  'docs/models.md': `Fix: Use port 8443
Reason: ports end at 65535, and one digit is too many

\`\`\`diff
--- a/config/proxy.conf
+++ b/config/proxy.conf
@@ -1 +1 @@
-port=84430
+port=8443
\`\`\`
`,
  'docs/example-talos-flux.md': `Fix: Render replicas as a number
Reason: Kubernetes wants an integer there, and the quotes make it a text

\`\`\`diff
--- a/templates/kubernetes/apps/web/deployment.yaml.j2
+++ b/templates/kubernetes/apps/web/deployment.yaml.j2
@@ -7 +7 @@
-  replicas: "#{ web_replicas }#"
+  replicas: #{ web_replicas }#
\`\`\`
`,
};

export const RECORDING = 'docs/recording.svg';

/** What of a session is in the recording. */
export function recordedLines(ran: readonly Ran[], home: string): RecordedLine[] {
  const recorded = ran.filter(({ block }) => block.words.includes('recorded'));
  return recorded.flatMap(({ command, printed }) => [
    { text: `$ ${command}`, pauseMs: Number.POSITIVE_INFINITY, isCommand: true },
    ...printed.map(({ text, atMs }, index) => {
      const pauseMs = atMs - (printed[index - 1]?.atMs ?? 0);
      return { text: text.replaceAll(home, '/home/you/lab'), pauseMs, isCommand: false };
    }),
  ]);
}

/** As if the package were installed where a program runs. */
const WITH_PACKAGE = { NODE_OPTIONS: `--import ${join(PACKAGE, 'scripts/typescript.mjs')}` };

/** Runs the pages of a session in order. Where that was, and each page's part. */
export async function runSession(name: keyof typeof SESSIONS): Promise<{ home: string; parts: Record<string, Ran[]> }> {
  const repo = name === 'lab' ? labRepository() : scenario();
  let answer = '';
  const script = ({ body }: { body: { format?: { properties?: object } } }) => ({
    text: offersChoice(body) ? TAKE_NONE : answer,
  });
  const model = await startOllamaServer({ script });
  const parts: Record<string, Ran[]> = {};
  const scratch = folder();
  const isExample = name !== 'lab' && name !== 'small' && name !== 'program';
  const tools = isExample ? exampleEnv(name) : name === 'program' ? WITH_PACKAGE : {};
  // Where the pages have their reader's clone.
  if (isExample && !existsSync(join(USER, 'mendloop'))) symlinkSync(PACKAGE, join(USER, 'mendloop'));
  for (const page of SESSIONS[name]) {
    answer = ANSWERS[page] ?? '';
    const env = { ...tools, TMPDIR: scratch, ...(answer === '' ? {} : { OLLAMA_HOST: model.url }) };
    parts[page] = await runPage(page, { repo, env, skips: (command) => command in NOT_RUN });
  }
  await model.close();
  return { home: repo.home, parts };
}

/** What a clone has that its stages, and its reader, need. */
function labRepository(): Scenario {
  const repo = scenario();
  for (const path of filesHere('ai', 'config', 'infrastructure', 'scripts', 'stages'))
    cpSync(join(PACKAGE, path), repo.path(path));
  // The backlog is to do again, where somebody had it done in this clone and brought it in.
  for (const path of filesHere('ai/backlog'))
    writeFileSync(
      repo.path(path),
      repo
        .read(path)
        .replaceAll('[x]', '[ ]')
        .replace(/(?<=## Progress log\n)[\s\S]*/, ''),
    );
  const hosts = repo.read('config/hosts.json').replace(/\},?(\s*\]\s*\}\s*)$/, '},$1');
  writeFileSync(repo.path('config/hosts.json'), hosts);
  repo.git('add', '-A');
  repo.git('commit', '-q', '-m', 'The lab');
  return repo;
}
