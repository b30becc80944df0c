import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { callHook, limitOf } from '../../src/plugin/call.ts';
import type { Context, FixFacts } from '../../src/plugin/contract.ts';
import { fixFacts, plugin } from './plugin-folder.ts';

type Propose = Context<'propose', Record<string, unknown>>;

const proposal = (work: (context: Propose) => unknown, facts: Partial<FixFacts> = {}, timeoutMs?: number) =>
  callHook(plugin('propose', work, Object.freeze({ model: 'm' })), 'propose', fixFacts(facts), { timeoutMs });

const threw = (what: string) => ({
  plugin: 'probe',
  failed: `probe: propose threw: ${what}`,
  why: 'threw',
  thrown: what,
});

test('an answer comes back with the name of its plugin, frozen', async () => {
  const note = { fix: 'a', reason: 'b' };
  for (const answer of [{ answer: 'text' }, { files: { a: '' }, executable: ['a'], note }, { pass: 'no' }]) {
    for (const work of [() => answer, async () => answer]) {
      const called = await proposal(work);
      assert.equal(called, { plugin: 'probe', answer });
      assert.ok('answer' in called && Object.isFrozen(called.answer));
    }
  }
});

test('the context is what was given, the settings, and a signal', async () => {
  let seen: Propose | undefined;
  const given = fixFacts();
  await proposal((context) => {
    seen = context;
    return { pass: 'no' };
  });
  const { options, signal, read, look: _look, shell, definitions, ...others } = seen as Propose;
  const { say, progress, used, heard, mask, timeLeft, speeds, ...data } = others;
  assert.equal([timeLeft(), speeds.of('a model')], [Number.POSITIVE_INFINITY, []]);
  for (const report of [say, progress, used, heard, mask]) assert.type(report, 'function');
  const { read: _, look: __, shell: ___, definitions: ____, ...facts } = given;
  assert.equal(data, facts);
  assert.equal(options, { model: 'm' });
  assert.instance(signal, AbortSignal);
  assert.type(read, 'function');
  assert.is(await shell.parses('echo'), true);
  await definitions().then(
    () => assert.unreachable('the call is over'),
    (error) => assert.is(error.message, 'definitions: the call is over'),
  );
});

test('what a plugin tells while it works comes as one bounded line, and nothing but tokens after its call', async () => {
  const [lines, shown, used]: [string[], string[], number[]] = [[], [], []];
  let later: Propose | undefined;
  const talkative = plugin('propose', (context: Propose) => {
    later = context;
    context.say(`one\n\u001b[31mtwo ${'x'.repeat(1000)}`);
    for (let i = 0; i < 50; i++) context.say(`line ${i}`);
    context.progress('3 tokens');
    context.used(12.2);
    for (const nonsense of [-1, Number.NaN, Number.POSITIVE_INFINITY, 'many' as never]) context.used(nonsense);
    return { pass: 'no' };
  });
  await callHook(talkative, 'propose', fixFacts(), {
    reporting: {
      say: (text) => lines.push(text),
      progress: (text) => shown.push(text),
      used: (tokens) => used.push(tokens),
    },
  });
  assert.is(lines.length, 20);
  assert.is(lines[0]?.length, 300);
  assert.match(lines[0] as string, /^one \[31mtwo x+$/);
  later?.say('late');
  later?.progress('late');
  later?.used(5);
  assert.is(lines.length, 20);
  assert.equal(shown, ['3 tokens']);
  assert.equal(used, [13, 5]);
});

test('a plugin cannot change its context, at any depth', async () => {
  const facts = fixFacts({ tries: [{ plugin: 'x', outcome: 'broke', note: { fix: 'a', reason: 'b' } }] });
  const attacks: ((context: never) => unknown)[] = [
    (c: { stage: unknown }) => (c.stage = 0),
    (c: { extra?: number }) => (c.extra = 0),
    (c: { failure: { class: string } }) => (c.failure.class = 'x'),
    (c: { failure: { error_lines: string[] } }) => c.failure.error_lines.push('x'),
    (c: { files: string[] }) => c.files.push('/etc/passwd'),
    (c: { stage: { files: string[] } }) => (c.stage.files[0] = '**'),
    (c: { tries: { note: { fix: string } }[] }) => ((c.tries[0] as { note: { fix: string } }).note.fix = 'x'),
    (c: { options: { model: string } }) => (c.options.model = 'x'),
  ];
  const before = JSON.stringify(facts);
  for (const attack of attacks) {
    const called = await proposal(attack as (context: Propose) => unknown, facts);
    assert.match('failed' in called ? called.failed : '', /^probe: propose threw: Cannot (?:assign|add)/);
  }
  assert.is(JSON.stringify(facts), before);
});

test("read gives the stage's files, nothing else, and nothing once the call is over", async () => {
  const asked: string[] = [];
  const facts = {
    read: async (path: string) => {
      asked.push(path);
      return `text of ${path}`;
    },
  };
  assert.equal(await proposal(async ({ read, files }) => ({ answer: await read(files[0] as string) }), facts), {
    plugin: 'probe',
    answer: { answer: 'text of stages/talos/run.sh' },
  });
  for (const path of ['.env', '/etc/passwd', 'stages/talos/../../.env', './stages/talos/run.sh', '__proto__']) {
    const refused = threw(`read: "${path}" is not a file that this stage may change`);
    assert.equal(await proposal(async ({ read }) => ({ answer: await read(path) }), facts), refused);
  }
  let seen: Propose | undefined;
  await proposal((context) => {
    seen = context;
    return { pass: 'no' };
  }, facts);
  const late = await seen?.read('stages/talos/run.sh').catch((error) => error.message);
  assert.is(late, 'read: the call is over');
  assert.equal(asked, ['stages/talos/run.sh']);
});

test('look gives any file of the repository, nothing else', async () => {
  const facts = { tree: ['.sops.yaml', 'stages/talos/run.sh'], look: async (path: string) => `text of ${path}` };
  assert.equal(await proposal(async ({ look }) => ({ answer: await look('.sops.yaml') }), facts), {
    plugin: 'probe',
    answer: { answer: 'text of .sops.yaml' },
  });
  const refused = threw('look: ".env" is not a file of the repository');
  assert.equal(await proposal(async ({ look }) => ({ answer: await look('.env') }), facts), refused);
});

test('whatever is thrown is told in one line', async () => {
  const bomb = {
    toString() {
      throw new Error('inner');
    },
  };
  const cases: [unknown, string][] = [
    [new Error('connect ECONNREFUSED\n  127.0.0.1:11434\u001b[31m'), 'connect ECONNREFUSED 127.0.0.1:11434 [31m'],
    [new TypeError(''), 'TypeError'],
    ['just text', 'just text'],
    [undefined, 'undefined'],
    [Symbol('s'), 'Symbol(s)'],
    [' ', 'nothing that could be shown'],
    [bomb, 'something that cannot be shown'],
    [Object.create(null), 'something that cannot be shown'],
    [new Error('x'.repeat(400)), `${'x'.repeat(297)}...`],
  ];
  for (const [error, message] of cases) {
    const now = () => {
      throw error;
    };
    assert.equal(await proposal(now), threw(message));
    assert.equal(await proposal(() => Promise.reject(error)), threw(message));
  }
});

test('answers outside the schema are failures that say what was expected', async () => {
  const note = { fix: 'a', reason: 'b' };
  const forms = 'expected exactly one of answer, files, pass and unreadable';
  const cases: [unknown, string][] = [
    [undefined, `missing; ${forms}`],
    [null, `${forms}, got nothing`],
    ['text', `${forms}, got "text"`],
    [{}, `${forms}, got an empty mapping`],
    [{ answr: 'x' }, `${forms}, got a mapping with answr`],
    [{ answer: 'x', pass: 'y' }, `${forms}, got a mapping with answer, pass`],
    [{ answer: '' }, 'answer: expected text that is not empty, got ""'],
    [{ answer: 3 }, 'answer: expected text, got the number 3'],
    [{ files: { a: 'x' } }, 'note: missing; expected a mapping'],
    [{ files: { a: 3 }, note }, 'files.a: expected text, got the number 3'],
    [{ files: {}, note }, 'it changes no file'],
    [
      { files: { a: 'x' }, note: { fix: 'a', reasn: 'b' } },
      'note.reason: missing; expected text; note.reasn: unknown key; did you mean "reason"?',
    ],
    [{ pass: 'x'.repeat(4001) }, `pass: expected text of at most 4000 characters, got "${'x'.repeat(57)}..."`],
  ];
  for (const [answer, message] of cases) {
    assert.equal(await proposal(() => answer), {
      plugin: 'probe',
      failed: `probe: propose answered outside its schema: ${message}`,
      why: 'invalid',
    });
  }
});

test('answers that are no plain data are failures, and their getters do no harm', async () => {
  const bomb = {
    get pass() {
      throw new Error('bomb');
    },
  };
  let reads = 0;
  const shifty = {
    get pass() {
      reads += 1;
      return reads === 1 ? 'no' : 3;
    },
  };
  const circle: Record<string, unknown> = {};
  circle.pass = circle;
  const cases: [unknown, string][] = [
    [bomb, 'bomb'],
    [new Map(), 'it holds a Map'],
    [{ pass: () => 'no' }, 'it holds a function'],
    [circle, 'it goes too deep, or round in a circle'],
    [JSON.parse('{"__proto__": {"pass": "no"}}'), 'it has a key __proto__'],
    [
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('trap');
          },
        },
      ),
      'trap',
    ],
  ];
  for (const [answer, message] of cases) {
    const failed = `probe: propose gave an answer that cannot be read: ${message}`;
    assert.equal(await proposal(() => answer), { plugin: 'probe', failed, why: 'invalid' });
  }
  assert.equal(await proposal(() => shifty), { plugin: 'probe', answer: { pass: 'no' } });
  const then = {
    // biome-ignore lint/suspicious/noThenProperty: a trap for whoever awaits it
    get then() {
      throw new Error('bomb');
    },
  };
  assert.equal(await proposal(() => then), threw('bomb'));
});

const late = { plugin: 'probe', failed: 'probe: propose took longer than 0.05 s', why: 'late' };

test('past its time a plugin is told to stop, and its answer is ignored', async () => {
  let stopped = false;
  const called = await proposal(
    ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          stopped = true;
          resolve({ pass: 'after all' });
        });
      }),
    {},
    50,
  );
  assert.equal(called, late);
  assert.ok(stopped);
  assert.equal(await proposal(() => new Promise(() => {}), {}, 50), late);
});

test("a longer limit that the owner set is the hook's, too, and whoever mends has none but the run's", () => {
  const limits = (timeout?: number) =>
    (['check', 'notify', 'propose', 'escalate'] as const).map((hook) => limitOf({ options: { timeout } }, hook));
  const { POSITIVE_INFINITY } = Number;
  assert.equal(limits(), [10_000, 30_000, POSITIVE_INFINITY, POSITIVE_INFINITY]);
  assert.equal(limits(60_000), [65_000, 65_000, POSITIVE_INFINITY, POSITIVE_INFINITY]);
  assert.equal(limits(5000), [10_000, 30_000, POSITIVE_INFINITY, POSITIVE_INFINITY]);
});

test('a plugin that blocks the thread past its time is late too', async () => {
  const block = () => {
    const until = performance.now() + 80;
    while (performance.now() < until);
    return { pass: 'at last' };
  };
  assert.equal(await proposal(block, {}, 50), late);
});

test('a plugin that fails after its time is over disturbs nobody', async () => {
  const fails = async () => {
    await sleep(70);
    throw new Error('too late');
  };
  assert.equal(await proposal(fails, {}, 50), late);
  await sleep(60);
});

test("the caller's signal stops a call, and prevents one", async () => {
  const stopped = { plugin: 'probe', failed: 'probe: propose was stopped', why: 'stopped' };
  const stop = new AbortController();
  let calls = 0;
  const answersWhenStopped = plugin('propose', ({ signal }: Propose) => {
    calls += 1;
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ pass: 'stopped' })));
  });
  const call = () => callHook(answersWhenStopped, 'propose', fixFacts(), { signal: stop.signal });
  const running = call();
  stop.abort();
  assert.equal(await running, stopped);
  assert.equal(await call(), stopped);
  assert.is(calls, 1);
});

test('a time limit of more than a timer can count is no time limit of nothing', async () => {
  const slow = async () => {
    await sleep(20);
    return { pass: 'no' };
  };
  assert.equal(await proposal(slow, {}, Number.MAX_SAFE_INTEGER), { plugin: 'probe', answer: { pass: 'no' } });
});

test('a hook that the plugin does not have is a failure', async () => {
  const failed = 'probe: propose is not one of its hooks';
  assert.equal(
    await callHook(
      plugin('notify', () => {}),
      'propose',
      fixFacts(),
    ),
    { plugin: 'probe', failed, why: 'absent' },
  );
});

test('an escalation may also ask for diagnostics, or hand over', async () => {
  const facts = { ...fixFacts(), case: { name: 'c', version: 1, text: '# Case' } };
  const escalate = (answer: unknown) =>
    callHook(
      plugin('escalate', () => answer),
      'escalate',
      facts,
    );
  for (const answer of [
    { diagnostics: [['talosctl', 'get', 'members']] },
    { hand_over: 'buy a disk' },
    { pass: 'no' },
  ]) {
    assert.equal(await escalate(answer), { plugin: 'probe', answer });
  }
  const failures: [unknown, string][] = [
    [{ diagnostics: ['talosctl get members'] }, 'diagnostics[0]: expected a list, got "talosctl get members"'],
    [{ diagnostics: [[]] }, 'diagnostics[0]: expected a list that is not empty, got an empty list'],
    [{ hand_over: '' }, 'hand_over: expected text that is not empty, got ""'],
    [{}, 'expected exactly one of answer, files, pass, unreadable, diagnostics and hand_over, got an empty mapping'],
  ];
  for (const [answer, message] of failures) {
    const failed = `probe: escalate answered outside its schema: ${message}`;
    assert.equal(await escalate(answer), { plugin: 'probe', failed, why: 'invalid' });
  }
});

test('notifiers are all told at once, and the failure of one is only reported', async () => {
  const titles: string[] = [];
  const good = plugin('notify', ({ title }: { title: string }) => titles.push(title));
  const bad = plugin('notify', () => Promise.reject(new Error('no route')));
  const notice = { reason: 'give_up', run: 'r', stage: 'talos', title: 'talos gave up', text: 'look' } as const;
  assert.equal(await Promise.all([bad, good].map((one) => callHook(one, 'notify', notice))), [
    { plugin: 'probe', failed: 'probe: notify threw: no route', why: 'threw', thrown: 'no route' },
    { plugin: 'probe', answer: undefined },
  ]);
  assert.equal(titles, ['talos gave up']);
});

test('a backend is an object that runs commands, whatever else it is', async () => {
  class Cluster {
    async run() {
      return { exit_code: 0, signal: null, timed_out: false };
    }
  }
  const cluster = new Cluster();
  const called = await callHook(
    plugin('backend', () => cluster),
    'backend',
    { run: 'r' },
  );
  assert.ok('answer' in called && called.answer === cluster);
  const failed = 'probe: backend answered outside its schema: expected an object with a function run';
  const call = callHook(
    plugin('backend', () => ({ start() {} })),
    'backend',
    { run: 'r' },
  );
  assert.equal(await call, { plugin: 'probe', failed, why: 'invalid' });
});

test.run();
