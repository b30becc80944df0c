// Seventy-two planted secrets in everything that an escalation is told or says, through the real entry: no piece of eight
// characters of any of them leaves, nor is kept or printed. Logs of stages are raw, stay here, and are left out.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FORMS, type Planted, planted } from '../outbound/redact/planted.ts';
import { apiHost, cases, type EscalateLab, escalateLab, type Host, handOver, wish } from './escalate-lab.ts';
import { allText, diff, type Ran, whole } from './model-lab.ts';
import { folder, write } from './scenario.ts';

const WINDOW = 8;
const FILE = 'conf/app.yaml';
/** By where they are known from: carried files, the environment, and only by how they look or where they stand. */
const ALL = planted();
const [CARRIED, SET, LOOKS] = [ALL.slice(0, 28), ALL.slice(28, 44), ALL.slice(44)];
const named = (all: readonly Planted[]) => all.map(({ key, value }, i) => [`N${i}_${key}`, value] as const);
/** What an answer says that could only be guessed: each known one literally, each other as it would be recognised. */
const GUESSED = [...CARRIED, ...SET].map(({ value }) => value).concat(LOOKS.map(({ line }) => line));
const some = (from: number, count: number) => GUESSED.slice(from, from + count).join('\n');
const noted = (text: string, fix: string, reason = 'it is wanted') =>
  text.replace(/Fix: .*/, () => `Fix: ${fix}`).replace(/Reason: .*/, () => `Reason: ${reason}`);

const forms = Object.values(FORMS);
/** All of them as a log shows them. */
const RAW = [
  ...[...CARRIED, ...SET].map(({ value }, i) => (forms[i % forms.length] as (v: string) => string)(value)),
  ...LOOKS.map(({ line }) => line),
].join('\n');

const SCRIPT = `#!/usr/bin/env bash
set -eu
cat "$MENDLOOP_HOME/raw.log"
. ./.env
echo "error: ${FILE}: mode is bad for $N1_AWS_ACCESS_KEY_ID and ${CARRIED[4]?.value}"
exit 1
`;
const TEXT = `app:\n  mode: bad\n  level: one\n`;

interface Leaky {
  lab: EscalateLab;
  hook: Host;
  runs: Ran[];
}

async function leaky(): Promise<Leaky> {
  const hook = await apiHost();
  hook.says({ status: 204, raw: '' });
  const tools = folder();
  const lab = await escalateLab({
    stages: {
      a: { command: 'stages/run.sh', files: ['conf/'], diagnostics: ['cat "$MENDLOOP_HOME/raw.log"'] },
    },
    top: { carry: ['.env'] },
    files: {
      [FILE]: TEXT,
      'stages/run.sh': SCRIPT,
      '.gitignore': '.env\nraw.log\n',
      'conf/notes.txt': `${RAW}\n`,
    },
    loop: {
      ...{
        executors: ['ollama'],
        escalations: ['api'],
        notifiers: ['webhook'],
        limits: { executor_tries: 2, escalation_calls: 5 },
      },
      plugins: { webhook: { url: `${hook.url}/x` } },
    },
  });
  lab.write({
    'raw.log': `${RAW}\n`,
    '.env': named(CARRIED)
      .map(([key, value]) => `${key}='${value}'\n`)
      .join(''),
  });
  write(tools, { kubectl: `#!/bin/bash\ncat '${lab.path('raw.log')}'\necho "pods of $*"\n` });
  Object.assign(lab.env, { PATH: `${tools}:${process.env.PATH}`, ...Object.fromEntries(named(SET)) });
  const runs: Ran[] = [];

  lab.answers({ status: 502, error: `busy with ${some(0, 20)}` });
  runs.push(await lab.mend());

  lab.answers(
    { text: `${some(0, 30)}\n${whole('x\n', 'elsewhere.txt', some(30, 5))}` },
    { text: `${some(40, 30)} is all I know` },
    { text: diff(`conf/${some(3, 1)}.yaml`, `-${some(8, 1)}`, `+${some(9, 1)}`) },
    { text: noted(diff(FILE, '-  level: one', '+  level: two'), `Use ${some(0, 2)}`.replaceAll('\n', ' ')) },
  );
  lab.host.says({ status: 500, error: `no ${some(20, 40)}` });
  runs.push(await lab.mend());

  lab.host.says(
    `I think of ${some(0, 72)}`,
    wish(['kubectl', 'get', 'pods', '-A'], ['kubectl', 'get', 'pods', '-n', some(2, 1)], ['cat', some(10, 30)]),
    `${some(0, 5)}\n${diff('ai/loop.yaml', `-${some(1, 1)}`, '+x')}`,
    noted(diff(FILE, '-  level: one', '+  level: three'), `Say ${some(30, 1)}`, `since ${some(4, 1)}`),
    handOver(`look at ${some(0, 30)} and at ${some(30, 42)}`),
  );
  runs.push(await lab.mend());
  return { lab, hook, runs };
}

let made: Promise<Leaky> | undefined;
const once = () => {
  made ??= leaky();
  return made;
};

/** Every piece of every spelling of every secret → whose it is. */
function pieces(): Map<string, string> {
  const found = new Map<string, string>();
  for (const { kind, value } of ALL) {
    const bytes = Buffer.from(value);
    const cores = [0, 1, 2].map((lead) =>
      Buffer.concat([Buffer.alloc(lead), bytes])
        .toString('base64')
        .slice([0, 2, 3][lead], Math.floor((8 * (lead + bytes.length)) / 6)),
    );
    const spelt = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), bytes.toString('hex')];
    for (const text of [...spelt, ...cores]) {
      for (let i = 0; i + WINDOW <= text.length; i++) found.set(text.slice(i, i + WINDOW), kind);
    }
  }
  return found;
}

let checked = 0;

/** What of the secrets is in a text, also across line breaks and colours. */
function held(text: string, all: Map<string, string>): string[] {
  const masked = text.replace(/SECRET_[a-z0-9]{8}_\d+_[a-z]+_END/g, '\u0000');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
  const joined = masked.replace(/(?:\u001b|\\u001b)\[[0-9;]*[A-Za-z]/g, '').replace(/\\[nr]|\s+/g, '');
  return [masked, joined].flatMap((shown) => {
    const found: string[] = [];
    for (let i = 0; i + WINDOW <= shown.length; i++) {
      checked++;
      const kind = all.get(shown.slice(i, i + WINDOW));
      if (kind !== undefined) found.push(`${kind}: ${JSON.stringify(shown.slice(Math.max(0, i - 60), i + 30))}`);
    }
    return found.slice(0, 3);
  });
}

function assertNothing(where: Record<string, string>): void {
  const all = pieces();
  const found = Object.entries(where).flatMap(([name, text]) => held(text, all).map((piece) => `${name}: ${piece}`));
  assert.equal(found, []);
  for (const [name, text] of Object.entries(where)) assert.ok(text.length > 20, `${name} was looked at`);
}

test('the way is gone to its end: a busy host, refused and useless fixes, diagnostics, a patch, a hand-over', async () => {
  const { lab, hook, runs } = await once();
  assert.equal(
    runs.map(({ exit }) => exit),
    [1, 1, 3],
    runs.map(({ said }) => said).join('\n'),
  );
  assert.equal([lab.host.requests.length, lab.server.chats.length, hook.requests.length], [6, 5, 1]);
  assert.equal(Object.values(cases(lab))[0]?.answers, ['unreadable', 'diagnostics', 'patch', 'patch', 'hand_over']);
  const [, , , second = '', , last = ''] = lab.host.asked();
  assert.match(second, 'pods of get pods -A');
  for (const text of [last, allText(lab, 'ai/escalations')]) assert.match(text, /SECRET_[a-z0-9]{8}_\d+_[a-z]+_END/);
  assert.ok(ALL.length >= 60 && new Set(ALL.map(({ value }) => value)).size === ALL.length);
});

type Asked = { path: string; body: { messages?: { role: string; content: string }[] } };
const turns = ({ body }: Asked, ofModel: boolean) =>
  (body?.messages ?? []).filter(({ role }) => (role === 'assistant') === ofModel);
const sent = (requests: readonly Asked[]) =>
  JSON.stringify(requests.map((one) => [one.path, { ...one.body, messages: turns(one, false) }]));

test('nothing of them leaves: not to a hosted model, not to one here, not to whoever is told', async () => {
  const { lab, hook } = await once();
  assertNothing({ api: sent(lab.host.requests), ollama: sent(lab.server.requests), webhook: sent(hook.requests) });
});

test('what a model said is told back to it with every secret masked', async () => {
  const { lab } = await once();
  const said = (requests: readonly Asked[]) => JSON.stringify(requests.flatMap((one) => turns(one, true)));
  assertNothing({ api: said(lab.host.requests), ollama: said(lab.server.requests) });
});

test('nothing of them is kept: not in cases, tries, journals or the ledger', async () => {
  const { lab } = await once();
  assertNothing({
    cases: allText(lab, 'ai/escalations'),
    tries: allText(lab, 'ai/logs/executor'),
    runs: allText(lab, 'ai/state/runs'),
    ledger: lab.read('ai/state/ledger.jsonl') + lab.read('ai/state/ledger.json'),
  });
});

test('nothing of them is in the message of a commit, nor where fixes are listed', async () => {
  const { lab } = await once();
  // Those of trials that were undone, too: the worktree's reflog has them.
  assertNothing({ commits: lab.git('log', '--reflog', '--format=%an%n%B', '^main'), ...(await said(['fixes'])) });
});

/** What commands say that only look. */
async function said(...commands: string[][]): Promise<Record<string, string>> {
  const { lab } = await once();
  const all: [string, string][] = [];
  for (const words of commands) {
    const { stdout, stderr } = await lab.run(words, { env: lab.env });
    all.push([words.join(' '), `${stdout}${stderr}${' '.repeat(20)}`]);
  }
  return Object.fromEntries(all);
}

test('nothing of them is printed, by a run or by whoever lists what it left', async () => {
  const { lab, runs } = await once();
  const [name = ''] = Object.keys(cases(lab));
  const listed = await said(['status'], ['cases'], ['cases', 'show', name], ['promote']);
  assertNothing({ runs: runs.map((ran) => ran.said).join('\n'), ...listed });
  assert.ok(checked > 300_000 && pieces().size > 20_000, `${checked} places were looked at`);
});

test('nor by explain, which reads the log again', async () => {
  const { lab } = await once();
  assertNothing(await said(['explain', Object.values(cases(lab))[0]?.fingerprint as string]));
});

test.run();
