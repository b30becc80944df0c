import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRedactor } from '../../../src/outbound/redact/redactor.ts';

const shown = (text: string) =>
  createRedactor({ secrets: [] })
    .redact(text)
    .replace(/SECRET_[a-z0-9]{8}_\d+_[a-z]+_END/g, '*');
const base64 = (text: string) => Buffer.from(text).toString('base64');

test('of a Secret every value is masked, whatever its key, and nothing of what stands around', () => {
  assert.is(
    shown(`apiVersion: v1
kind: Secret
metadata:
  name: db
stringData:
  user: admin
  greeting: "good morning"
  conf: |
    mode = open
    door = wide
type: Opaque
---
kind: ConfigMap
data:
  user: admin
`),
    `apiVersion: v1
kind: Secret
metadata:
  name: db
stringData:
  user: *
  greeting: "*"
  conf: |
    *
    *
type: Opaque
---
kind: ConfigMap
data:
  user: admin
`,
  );
});

test('data may stand before the kind, be base64, be JSON, or be part of a list', () => {
  assert.is(
    shown(`apiVersion: v1\ndata:\n  user: ${base64('admin')}\nkind: Secret\nmetadata:\n  name: x\n`),
    'apiVersion: v1\ndata:\n  user: *\nkind: Secret\nmetadata:\n  name: x\n',
  );
  const json = JSON.stringify({ kind: 'Secret', data: { user: base64('admin') }, metadata: { name: 'x' } }, null, 2);
  assert.is(shown(json), json.replace(base64('admin'), '*'));
  assert.is(
    shown('items:\n- data:\n    user: admin\n  kind: Secret\n- apiVersion: v1\n  data:\n    a: b\n  kind: ConfigMap\n'),
    'items:\n- data:\n    user: *\n  kind: Secret\n- apiVersion: v1\n  data:\n    a: *\n  kind: ConfigMap\n',
  );
});

test('a reference to a Secret is none', () => {
  const text = 'spec:\n  ref:\n    kind: Secret\n    name: web\ndata:\n  mode: open\n';
  assert.is(shown(text), text);
});

test.run();
