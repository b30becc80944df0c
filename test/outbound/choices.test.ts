// Changes that a model may choose from: few, each fits into one place, and none that was tried or holds a secret.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { choicesFor, withChoice } from '../../src/outbound/choices.ts';
import type { Choice, FailureContext } from '../../src/outbound/context.ts';
import { CONTEXT, promptOf } from './failure-context.ts';

function contextOf(texts: Record<string, string>, error: string, more: Partial<FailureContext> = {}): FailureContext {
  const files = Object.entries(texts).map(([path, text]) => ({ path, text }));
  const failure = { class: 'unknown', ended: 'exit code 1', error_lines: [error] };
  return { ...CONTEXT, files, tree: Object.keys(texts), failure, log: error, ...more };
}

const offered = (...args: Parameters<typeof contextOf>): string[] =>
  choicesFor(contextOf(...args), (text) => text).map(
    ({ path, line, old, new: now }) => `${path}:${line} ${old} → ${now}`,
  );

test('for a path that does not exist, those that are like it in the same place', () => {
  const texts = {
    'apps/kustomization.yaml': 'resources:\n  - ./graphana\n  - ./loki\n',
    'apps/grafana/ks.yaml': 'kind: Kustomization\n',
    'apps/loki/ks.yaml': 'kind: Kustomization\n',
  };
  const error = "accumulating resources from './graphana': lstat /tmp/k-1/apps/graphana: no such file or directory";
  assert.equal(offered(texts, error), ['apps/kustomization.yaml:2 graphana → grafana']);
});

test('for a path that is one folder off, the one that exists', () => {
  const texts = { 'a/b/c/kustomization.yaml': 'resources:\n  - ../base\n', 'a/base/x.yaml': 'kind: X\n' };
  const error = "accumulating resources from '../base': lstat /tmp/k-1/a/b/base: no such file or directory";
  assert.equal(offered(texts, error), ['a/b/c/kustomization.yaml:2 ../base → ../../base']);
});

test('for a name that is not there, those that are nearly it; for one that only a slip defines, the slip', () => {
  const used = { 'tasks.yml': 'x: "{{ backup_tagret }}"\n', 'vars.yml': 'backup_target: nas\n' };
  assert.ok(offered(used, "'backup_tagret' is undefined").includes('tasks.yml:1 backup_tagret → backup_target'));
  const defined = { 'a.sh': 'use "$POOL_SIZE"\n', 'b.sh': 'say "$POOL_SIZE"\n', 'env.sh': 'POOL_SZIE=3\n' };
  assert.equal(offered(defined, 'run: POOL_SIZE is not set'), ['env.sh:1 POOL_SZIE → POOL_SIZE']);
});

test('a name in other letters beside the one that is wanted is no slip', () => {
  const texts = {
    'templates/account.yaml': '{{ if .Values.serviceAccount.create }}\nkind: ServiceAccount\n',
    'templates/pod.yaml': 'serviceAccountName: {{ .Values.serviceAccount.name }}\n',
    'values.yaml': 'serviceaccount:\n  create: true\n',
  };
  const error =
    'templates/account.yaml:1:14: at <.Values.serviceAccount.create>: nil pointer evaluating interface {}.create';
  assert.equal(offered(texts, error), ['values.yaml:1 serviceaccount → serviceAccount']);
});

test('a class or function that is there is no slip, whatever is like it', () => {
  const host = 'class Host:\n    address: str\n    def key(self):\n        return self.address\n';
  const texts = { 'load.py': host, 'dns.py': 'for host in hosts:\n    host.adress\n' };
  const error = "AttributeError: 'Host' object has no attribute 'adress'";
  assert.equal(offered(texts, error), ['dns.py:2 adress → address']);
});

test('one change that can be told in two ways is offered once', () => {
  const texts = {
    'helmfile.yaml': 'releases:\n  - name: cert-manager\n    values: [values/certmanager.yaml]\n',
    'values/cert-manager.yaml': 'name: cert-manager\n',
  };
  const error = 'release "cert-manager": stat values/certmanager.yaml: no such file or directory';
  const lines = offered(texts, error).filter((one) => one.startsWith('helmfile.yaml:3 '));
  assert.is(lines.length, 1, lines.join('\n'));
});

test('for a value that the error does not take, those that it says it takes, and what the tool suggests', () => {
  const texts = { 'zones.csv': 'www,CNAM,web\nweb,A,10.0.0.1\n' };
  const error = "unknown type 'CNAM' (allowed: A, CNAME, TXT)";
  assert.is(offered(texts, error)[0], 'zones.csv:1 CNAM → CNAME');
  assert.is(offered(texts, error).length, 3);
  const python = { 'run.py': 'print(host.adress)\n' };
  assert.equal(offered(python, "no attribute 'adress'. Did you mean: 'address'?"), ['run.py:1 adress → address']);
});

test('nothing is offered that was tried, that holds a secret, or where there is too much to choose from', () => {
  const texts = { 'zones.csv': 'www,CNAM,web\n' };
  const error = "unknown type 'CNAM' (allowed: A, CNAME)";
  const tries = [{ plugin: 'x', outcome: 'no_effect' as const, diff: '-www,CNAM,web\n+www,CNAME,web\n' }];
  assert.equal(offered(texts, error, { tries }), ['zones.csv:1 CNAM → A']);
  assert.equal(
    choicesFor(contextOf(texts, error), (text) => text.replaceAll('CNAM', 'SECRET_1')),
    [],
  );
  const many = Array.from({ length: 9 }, (_, i) => `option_${'abcdefghi'[i]}: 1`).join('\n');
  assert.equal(offered({ 'a.yaml': 'use: option_z\n', 'b.yaml': many }, "'option_z' is undefined"), []);
});

test('a choice is made only where its text stands once in its line', () => {
  const choice: Choice = { path: 'a', line: 2, old: 'x', new: 'y' };
  assert.is(withChoice('x\r\nax\r\nx\r\n', choice), 'x\r\nay\r\nx\r\n');
  for (const text of ['x\nxx\n', 'x\nb\n', 'x\n']) assert.is(withChoice(text, choice), undefined);
});

test('offered changes stand in the prompt, numbered, after the failure, as the line would be', () => {
  const context = contextOf({ 'run.py': 'print(host.adress)\n' }, "no attribute 'adress'. Did you mean: 'address'?");
  const { text } = promptOf({ ...context, choices: choicesFor(context, (one) => one) });
  assert.match(
    text,
    /# Offered changes\n\n.*\n\n\[data \S+: offered changes\]\n1\. run\.py, line 1:\nprint\(host\.adress\)\nbecomes\nprint\(host\.address\)\n/,
  );
  assert.not.match(promptOf(context).text, '# Offered changes');
});

test.run();
