import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { maskedData, openMask, shortSecrets } from '../../src/journal/mask.ts';
import { folder, write } from '../environment.ts';

const config = { map: { carry: ['.env'] }, loop: { redact: ['rack-[0-9]+'] } };

function home(env: string): string {
  const path = folder();
  write(path, { '.env': env });
  return path;
}

test('words are masked wherever they stand, names and hashes never', () => {
  const mask = openMask(home('PLATFORM=kubernetes\nPASSWORD=hunter2hunter2\n'), config, { API_TOKEN: 'abcdefgh12345' });
  const words = 'kubernetes said hunter2hunter2, abcdefgh12345 in rack-12';
  const data = {
    ...{ stages: ['kubernetes'], asked: 'kubernetes', case: 'kubernetes-1a2b3c4d', log: 'ai/logs/kubernetes/x-1.log' },
    ...{ hash: 'kubernetes', paths: ['kubernetes/a.yaml'], excerpt: words, reasons: [words] },
    note: { fix: words, reason: words },
    refused: [{ plugin: 'kubernetes', reason: words }],
  };
  const masked = maskedData(data, mask);
  const { excerpt, reasons, note, refused, ...names } = masked;
  const { excerpt: _, reasons: __, note: ___, refused: ____, ...before } = data;
  assert.equal(names, before);
  assert.is(refused[0]?.plugin, 'kubernetes');
  for (const text of [excerpt, ...reasons, note.fix, note.reason, refused[0]?.reason ?? '']) {
    assert.match(text, /^SECRET_\w+_END said SECRET_\w+_END, SECRET_\w+_END in SECRET_\w+_END$/);
  }
});

test('values of a carried file that is marked as no secret are told as they are', () => {
  const path = home('PASSWORD=hunter2hunter2\n');
  write(path, { 'inv.env': 'HOST=pve-rack-room\n' });
  const map = { carry: ['.env', 'inv.env'], not_secret: ['inv.env'] };
  const mask = openMask(path, { map, loop: { redact: [] } }, {});
  assert.match(mask('hunter2hunter2 on pve-rack-room'), /^SECRET_\w+_END on pve-rack-room$/);
});

test('words of tracked paths stay, and so does what a file without secrets holds, whatever else holds it, too', () => {
  const path = home('NAMESPACE=cloudflared\nHOST=pve-rack-room\nPASSWORD=hunter2hunter2\n');
  write(path, { 'inv.yaml': 'host: pve-rack-room\n' });
  const map = { carry: ['.env', 'inv.yaml'], not_secret: ['inv.yaml'] };
  const mask = openMask(path, { map, loop: { redact: [] } }, {}, ['apps/cloudflared/app.yaml']);
  const text = 'apps/cloudflared/app.yaml: cloudflared on pve-rack-room';
  assert.is(mask(text), text);
  assert.match(mask('hunter2hunter2'), /^SECRET_\w+_END$/);
});

test('of a text that is too long for an event no more is masked than is told, and no word is cut', () => {
  const asked: number[] = [];
  const mask = (text: string) => {
    asked.push(text.length);
    return text;
  };
  const words = (count: number) => `so ${'sixteen letters '.repeat(count)}`.trimEnd();
  const { text, reasons, log } = maskedData({ text: words(1023), reasons: [words(70_000)], log: words(70_000) }, mask);
  assert.ok(text === words(1023) && log === words(70_000));
  assert.ok(reasons[0] === `${words(1023)} sixteen …`, reasons[0]?.slice(-40));
  assert.equal(
    asked,
    [words(1023), `${words(1023)} sixteen`].map(({ length }) => length),
  );
});

test('what holds no secret is the same object', () => {
  const data = { excerpt: 'error: no such pool', reason: 'exit code 1' };
  assert.equal(maskedData(data, openMask(home('A=something-else\n'), config, {})), data);
});

test('a carried file that cannot be read withholds nothing here: what can be known is masked', () => {
  const path = folder();
  write(path, { 'secrets.yaml': 'a: [\n' });
  const mask = openMask(
    path,
    { map: { carry: ['secrets.yaml'] }, loop: { redact: [] } },
    { API_TOKEN: 'abcdefgh12345' },
  );
  assert.match(mask('token abcdefgh12345'), /^token SECRET_\w+_END$/);
});

test('carried values that are too short are named by their place', () => {
  assert.equal(
    shortSecrets(home('PASSWORD=abc\nLONG=abcdefgh12345\n'), config).map((from) => /PASSWORD/.test(from)),
    [true],
  );
});

test.run();
