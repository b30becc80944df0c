// A host of models that is broken, shut, busy or silent, through the real entry: the journal says why in one line, no call is
// spent, and whoever comes next takes over.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../needs.ts';
import { cases as everyDay } from '../sweep.ts';
import {
  apiHost,
  apiSettings,
  cases,
  caseText,
  type EscalateOptions,
  escalateLab,
  KEY,
  patch,
  type Reply,
} from './escalate-lab.ts';
import { allText, dataOf, type Ran } from './model-lab.ts';
import { folder } from './scenario.ts';

const HOST = 'http://127.0.0.1:<port>';
const reasons = (ran: Ran) =>
  dataOf(ran, 'plugin.failed', 'reason').map((text) =>
    String(text).replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>'),
  );

interface Fault {
  reply: Reply;
  says: string;
  api?: Record<string, unknown>;
  /** Requests that one run makes. */
  requests?: number;
  env?: Record<string, string | undefined>;
}

const RATE = { status: 429, error: 'slow down' };
const WRONG = `does not answer as OpenAI's chat completions does; check plugins.api.kind and plugins.api.base_url`;
const FAULTS: Record<string, Fault> = {
  'an empty body': { reply: { raw: '' }, says: `${HOST} answered with nothing` },
  'JSON that is cut off': {
    reply: { raw: '{"choices":[{"message":{"content":"x' },
    says: `${HOST} answered with JSON that is broken or cut off`,
  },
  'a body that breaks off': {
    reply: { text: patch('good'), end: 'truncated' },
    says: `${HOST} broke off in the middle of its answer`,
  },
  'a web page': {
    reply: { raw: '<html>sign in</html>', contentType: 'text/html' },
    says: `${HOST} answered with a web page; check plugins.api.base_url and what is in between`,
  },
  'another schema': { reply: { raw: '{"message":{"content":"x"}}' }, says: `${HOST} ${WRONG}` },
  'ten megabytes': { reply: { raw: ' '.repeat(10_000_000) }, says: 'the host sent more than anyone would read' },
  401: {
    reply: { status: 401, error: `no ${KEY}` },
    says: `${HOST} does not take the key in OPENAI_API_KEY (401); put a valid one there`,
  },
  403: {
    reply: { status: 403, error: `no ${KEY}` },
    says: `${HOST} does not take the key in OPENAI_API_KEY (403); it may not be allowed to use large`,
  },
  'no key': {
    reply: patch('good'),
    env: { OPENAI_API_KEY: undefined },
    requests: 0,
    says: `the variable OPENAI_API_KEY is not set; set it, where mendloop runs, to the key for ${HOST}`,
  },
  '429 for an hour': {
    reply: { ...RATE, headers: { 'retry-after': '3600' } },
    api: { retries: 2 },
    says: `${HOST} answered 429: slow down; it asks to wait 3600 s`,
  },
  '500 three times': {
    reply: { status: 500, error: 'out of order', headers: { 'retry-after': '0' } },
    api: { retries: 2 },
    requests: 3,
    says: `${HOST} answered 500: out of order`,
  },
  silence: { reply: { end: 'hang' }, api: { timeout: '1s' }, says: `large at ${HOST} did not answer within 1 s` },
};

const labOf = ({ api }: Fault, escalations: string[], more: EscalateOptions = {}) =>
  escalateLab({ ...more, ...(api ? { api } : {}), loop: { escalations } });

/** The plugin's own tests have every fault; through the entry those of another kind, and all in a long sweep. */
const WHOLE_WAY = ['a body that breaks off', '401', 'no key', '500 three times', 'silence'];

for (const [name, fault] of Object.entries(FAULTS).filter(([name]) => everyDay(WHOLE_WAY.includes(name), true))) {
  test(`${name}: said in the journal, no call spent, exit 1; with case-file after it exit 3 and a case`, async () => {
    const { says, env = {}, requests = 1 } = fault;
    const [alone, followed] = await Promise.all([labOf(fault, ['api']), labOf(fault, ['api', 'case-file'])]);
    for (const lab of [alone, followed]) lab.host.says(fault.reply);
    const [one, two] = await Promise.all([alone.mend([], { env }), followed.mend([], { env })]);
    assert.equal([one.exit, alone.stages().a?.status], [1, 'failed'], one.said);
    assert.equal([alone.host.requests.length, alone.entry().escalation_calls], [requests, 0]);
    assert.equal(one.decided, ['escalation', 'no_escalation']);
    assert.equal([reasons(one).length, reasons(one)[0]?.startsWith(`api: ${says}`)], [1, true], String(reasons(one)));

    assert.equal([two.exit, two.trail], [3, ['plugin.failed', 'case.opened']], two.said);
    assert.equal([followed.host.requests.length, followed.entry().escalation_calls], [requests, 1]);
    const [summary] = Object.values(cases(followed));
    assert.equal([summary?.state, summary?.calls, summary?.answers], ['open', 1, ['hand_over']]);
    assert.match(caseText(followed, summary?.case as string, 1), 'error: unexpected word bad in conf/a.txt');
    for (const [lab, ran] of [[alone, one] as const, [followed, two] as const]) {
      assert.not.match(`${ran.said}${allText(lab, 'ai')}`, KEY.slice(0, 12));
    }
  });
}

test('a redirect is not followed: neither the case nor the key goes elsewhere', async () => {
  const elsewhere = await apiHost();
  elsewhere.says(patch('good'));
  const lab = await escalateLab();
  lab.host.says({ status: 307, headers: { location: `${elsewhere.url}/v1/chat/completions` }, raw: '' });
  const ran = await lab.mend();
  assert.equal([ran.exit, elsewhere.requests.length, lab.entry().escalation_calls], [3, 0, 1], ran.said);
  assert.is(reasons(ran)[0], `api: ${HOST} answered 307 and points to ${HOST}, which is not followed`);
});

needs('openssl')('a certificate that nobody signed is not trusted: nothing is sent', async () => {
  const at = folder();
  const [key, cert] = [join(at, 'key.pem'), join(at, 'cert.pem')];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1'];
  execFileSync('openssl', [...made, '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert], {
    stdio: 'pipe',
  });
  const tls = await apiHost({ key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') });
  tls.says(patch('good'));
  const lab = await escalateLab({ loop: { plugins: { api: apiSettings(tls.url) } } });
  const ran = await lab.mend();
  assert.equal([ran.exit, tls.requests.length], [3, 0], ran.said);
  assert.match(reasons(ran)[0] as string, 'cannot be trusted');
});

test('429 with a second to wait is waited out, and is one call', async () => {
  const lab = await escalateLab({ api: { retries: 1 } });
  lab.host.says({ ...RATE, headers: { 'retry-after': '1' } }, patch('good'));
  const ran = await lab.mend();
  const [summary] = Object.values(cases(lab));
  assert.equal([ran.exit, lab.host.requests.length, summary?.calls], [0, 2, 1], ran.said);
  assert.match(dataOf(ran, 'plugin.said', 'text').join('\n'), 'answered 429; asks it again in 1.0 s');
});

test.run();
