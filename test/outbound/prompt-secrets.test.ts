// Whatever a prompt is made of, and however little room it has: nothing secret is in it.
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { choicesFor } from '../../src/outbound/choices.ts';
import { createRedactor } from '../../src/outbound/redact/redactor.ts';
import { cases } from '../sweep.ts';
import { CONTEXT, manyLines, type PromptFacts, promptOf } from './failure-context.ts';
import { fill } from './redact/fill.ts';
import { FORMS, leftovers, planted } from './redact/planted.ts';

/** In the suite a quarter of the secrets. */
const ALL = planted().filter((_, i) => i % cases(8, 1) === 0);

/** One secret at every place that a prompt has. */
function holding(text: string): PromptFacts {
  // Lines are cut at 400 characters: in the middle of it.
  const long = 'so '.repeat(127);
  return {
    instructions: `# What is asked\n\nMend it, ${text}.\n`,
    stage: {
      ...{ name: 'talos', description: `cluster ${text}`, command: ['run.sh', text] },
      ...{ success_criteria: [`${long}${text}${long}`, 'ready'], architecture_sections: ['kubernetes'] },
    },
    failure: {
      class: 'unknown',
      error_lines: [`bad ${text}`, `${long}${text}${long}${long}`],
      ended: `exit code 1 ${text}`,
    },
    log: [...manyLines(150, 'log'), `${long}${text}${long}`, `\u001b[31merror\u001b[0m ${text}`].join('\n'),
    files: [
      { path: `config/${text.replaceAll('\n', ' ')}/all.yaml`, text: `a: ${text}\n` },
      {
        path: 'config/long.yaml',
        text: [...manyLines(300), `${long}${text}${long}`, ...manyLines(300, 'more')].join('\n'),
      },
      ...CONTEXT.files,
    ],
    memo: `# Lab\n\n## Kubernetes\n\nLogin: ${text}\n`,
    tries: [
      {
        ...{ plugin: 'ollama', outcome: 'no_effect', why: `${long}${text}${long}` },
        ...{ note: { fix: `use ${text}`, reason: `${text} is old` }, diff: `--- a/x\n+++ b/x\n@@\n-a: ${text}\n+b\n` },
      },
    ],
  };
}

for (const [turn, budget] of [600, 2000, 9000].entries()) {
  test(`no piece of a known secret is in a prompt of at most ${budget} tokens, whatever was cut`, () => {
    const forms = ['literal', 'base64 after 1 byte', 'URL-encoded', 'split by colours', 'quoted'];
    for (const [i, { kind, value }] of ALL.entries()) {
      if (i % 3 !== turn) continue;
      const { redact } = createRedactor({ secrets: [{ value, kind: 'token', from: kind }] });
      const form = forms[i % forms.length] as string;
      const held = holding((FORMS[form] as (v: string) => string)(value));
      const prompt = promptOf({ ...held, budget }, redact).text;
      assert.equal(leftovers(prompt, value), [], `${kind}, ${form}`);
    }
  });
}

test('a secret that nobody carries is not in a prompt either', () => {
  for (const { kind, value, line } of ALL) {
    const { redact } = createRedactor({ secrets: [] });
    const facts = { log: `one\n${line}\n`, files: [{ path: 'a.txt', text: `${line}\n` }], memo: line };
    assert.equal(leftovers(promptOf(facts, redact).text, value), [], kind);
  }
});

test('a password that is nearly a name of the error is neither a name like it nor a change to choose', () => {
  const files = [
    { path: 'a.yaml', text: 'password: Krokodilus\n' },
    { path: 'b.yaml', text: 'name: Krokodilos\n' },
  ];
  const error_lines = ["b.yaml:1: unknown name 'Krokodilos'"];
  const facts = { files, failure: { class: 'unknown', ended: 'exit code 1', error_lines } };
  const { redact } = createRedactor({ secrets: [] });
  const choices = choicesFor({ ...CONTEXT, ...facts }, redact);
  assert.equal(choices, []);
  assert.not.match(promptOf({ ...facts, choices }, redact).text, 'Krokodilus');
});

test('a path that the error lines show masked is not told of either', () => {
  const files = [{ path: 'a.yaml', text: 'see: lab/hunter2/x.yaml\n' }];
  const failure = { class: 'unknown', ended: 'exit code 1', error_lines: ['open lab/hunter2/x.yaml: no such file'] };
  const facts = { files, failure, tree: ['a.yaml', 'lab/b.yaml'] };
  assert.match(promptOf(facts).text, 'lab/hunter2/x.yaml does not exist');
  assert.not.match(promptOf(facts, (text) => text.replaceAll('hunter2', 'MASKED')).text, 'does not exist');
});

test('files that are not shown are not masked: that takes longer than all the rest', () => {
  const files = Array.from({ length: 200 }, (_, i) => ({ path: `app-${i}.yaml`, text: `port: ${i}\n` }));
  const masked = new Set<string>();
  const mask = (text: string) => {
    masked.add(text);
    return text;
  };
  const error_lines = ['app-7.yaml:1: did not find expected key'];
  const { text } = promptOf({ files, failure: { class: 'unknown', ended: 'exit code 1', error_lines } }, mask);
  assert.match(text, '1 | port: 7');
  assert.equal(
    files.filter((file) => masked.has(file.text)).map(({ path }) => path),
    ['app-7.yaml'],
  );
});

const NAMES = [
  'apps/network/cloudflared/app/helmrelease.yaml',
  'clusters/main/hunter2-database/values.yaml',
  `config/${fill('ghp_<36>').text}.yaml`,
  `charts/${fill('AKIA<b32:16>').text}/Chart.yaml`,
  `out/${fill('<36>').text}/nodes.tsv`,
  'apps/vault/password-topsecret99/secret-token.sops.yaml',
];

test('no placeholder stands inside of the path of a tracked file, whatever its words look like', () => {
  const words = ['cloudflared', 'hunter2-database', 'topsecret99', 'not-in-a-path-77', fill('<36>').text];
  const { redact } = createRedactor({
    secrets: words.map((value) => ({ value, kind: 'password', from: '.env' })),
    paths: NAMES,
  });
  for (const path of NAMES) {
    const texts = [`open ${path}: no such file`, `--- a/${path}\n+++ b/${path}`, JSON.stringify({ file: path })];
    for (const text of [...texts, `token: ${path}`, `password file ${path}:12: bad key`, `+ cat "${path}"`]) {
      assert.is(redact(text), text);
    }
    const prompt = { log: `${path}:3: bad\n`, files: [{ path, text: 'a: 1\n' }] };
    assert.is(promptOf(prompt, redact).text, promptOf(prompt).text);
  }
  assert.not(redact('login with not-in-a-path-77').includes('not-in-a-path'));
});

test("nothing of the prompts about the shipped lab's stages is masked", () => {
  const root = new URL('../../', import.meta.url);
  const text = (path: string) => readFileSync(new URL(path, root), 'utf8');
  const { stages } = parse(text('ai/context_map.yaml')) as { stages: Record<string, { files: string[] }> };
  assert.ok(Object.keys(stages).length >= 6);
  for (const [name, stage] of Object.entries(stages)) {
    const paths = stage.files.flatMap((path) =>
      path.endsWith('/') ? readdirSync(new URL(path, root)).map((file) => path + file) : [path],
    );
    const files = paths.map((path) => ({ path, text: text(path) }));
    const facts = { stage: { ...CONTEXT.stage, ...stage, name }, files, memo: text('README.md'), budget: 60_000 };
    const { redact } = createRedactor({ secrets: [] });
    assert.is(promptOf(facts, redact).text, promptOf(facts).text, name);
  }
});

test.run();
