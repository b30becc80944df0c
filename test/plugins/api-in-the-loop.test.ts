// The shipped escalations and notifiers as a run uses them: the loop is a child process, the hosts are on loopback.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allText, dataOf, diff, FILE, modelLab } from '../e2e/model-lab.ts';
import { KEY, serving } from './ask-about-case.ts';

const OK = { status: 204, raw: '' };

test('a hosted model asks for diagnostics, sees them, and mends; the key and the case stay apart', async () => {
  const script = [
    { text: '{"diagnostics": [["git", "log", "--oneline", "-1"]]}', usage: { input: 100, output: 10 } },
    { text: diff(FILE, '-bad', '+good'), usage: { input: 200, output: 20 } },
  ];
  await serving({ key: KEY, script }, async ({ url, requests }) => {
    const lab = await modelLab({
      loop: {
        ...{ executors: [], escalations: ['api'] },
        plugins: {
          api: {
            kind: 'anthropic',
            model: 'large',
            base_url: url,
            key_env: 'ANTHROPIC_API_KEY',
            price: { input: 3, output: 15 },
          },
        },
      },
    });
    const ran = await lab.mend([], { env: { ANTHROPIC_API_KEY: KEY } });
    assert.is(ran.exit, 0, ran.said);
    assert.is(lab.inTree(), 'good\nsecond\n');
    assert.is(requests.length, 2);
    assert.match(requests[0]?.body.messages[0].content, 'unexpected word bad');
    assert.match(requests[1]?.body.messages[0].content, 'git log --oneline -1');
    assert.ok(dataOf(ran, 'plugin.said', 'text').some((text) => String(text).endsWith('cost about $0.0009')));
    assert.not.match(JSON.stringify(requests.map(({ body }) => body)), KEY);
    assert.not.match(`${ran.said}${allText(lab, 'ai')}`, KEY);
  });
});

test('a host at fault costs no call: the next escalation hands over, and a person is told', async () => {
  await serving({ script: [{ status: 401, error: `no ${KEY}` }] }, (host) =>
    serving({ script: [OK] }, async (hook) => {
      const lab = await modelLab({
        loop: {
          ...{ executors: [], escalations: ['api', 'case-file'], notifiers: ['webhook'] },
          plugins: {
            api: { kind: 'openai', model: 'large', base_url: `${host.url}/v1`, key_env: 'OPENAI_API_KEY' },
            webhook: { url_env: 'MENDLOOP_TEST_HOOK' },
          },
        },
      });
      const ran = await lab.mend([], {
        env: { OPENAI_API_KEY: KEY, MENDLOOP_TEST_HOOK: `${hook.url}/T0KEN` },
      });
      assert.is(ran.exit, 3, ran.said);
      assert.match(dataOf(ran, 'plugin.failed', 'reason').join(), 'does not take the key in OPENAI_API_KEY (401)');
      assert.is(lab.entry().escalation_calls, 1);
      assert.is(hook.requests.length, 1);
      const { reason, stage, title, text } = hook.requests[0]?.body ?? {};
      assert.equal([reason, stage], ['hand_over', 'a']);
      assert.ok(title.length > 0 && text.length > 0);
      assert.not.match(`${ran.said}${allText(lab, 'ai')}`, KEY);
    }),
  );
});

test.run();
