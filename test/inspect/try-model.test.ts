// `mendloop doctor --model`: what is asked, what counts as mended, and the sentence about it.
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import ollama from '../../plugins/executors/ollama.ts';
import { tryModels, verdictOf } from '../../src/inspect/try-model.ts';
import { layout } from '../../src/io/layout.ts';
import { examine, type LoadedPlugin } from '../../src/plugin/examine.ts';
import { type ServedReply, startOllamaServer } from '../../src/testing/ollama-server.ts';
import { afterTest, folder } from '../environment.ts';

const edit = (path: string, old: string, now: string): ServedReply => ({
  text: `${path}\n<<<<<<< SEARCH\n${old}\n=======\n${now}\n>>>>>>> REPLACE\n\nFix: a\nReason: b\n`,
});
const RIGHT = [
  edit('compose.yaml', '      - databse', '      - database'),
  edit('stages/backup.sh', 'tar -czf "$tagret/etc.tar.gz" config', 'tar -czf "$target/etc.tar.gz" config'),
  edit('manifests/web.yaml', '          memory: 512MB', '          memory: 512Mi'),
];

async function tried(script: ServedReply[], options = {}) {
  const server = await startOllamaServer({ script });
  afterTest(() => server.close());
  const use = { lists: ['executors'], from: 'executors', path: [], written: { host: server.url, ...options } } as const;
  const plugin = examine(ollama, 'ollama', use) as LoadedPlugin;
  const said: string[] = [];
  const home = folder();
  const watching = { say: (text: string) => void said.push(text), progress() {}, signal: new AbortController().signal };
  const [result] = await tryModels(layout(home), [plugin], watching);
  return { result, chats: server.chats, said, speeds: join(home, 'ai/state/speeds.json') };
}

test('three right answers are three mended, and each is asked about one failure of its own', async () => {
  const { result, chats, said } = await tried(RIGHT);
  assert.equal([result?.mended, result?.answers.length], [3, 3], JSON.stringify(result));
  assert.is(result?.verdict, 'answers in 1 s, mended 3 of 3: fine for this machine');
  assert.is(chats.length, 3);
  for (const [n, word] of ['databse', 'tagret', '512MB'].entries()) {
    assert.match(chats[n]?.body.messages[0].content, word);
  }
  assert.match(said[0] ?? '', /^asks qwen2\.5-coder:7b at /);
});

test('what is placed and wrong is not mended, and neither is what changes more', async () => {
  const wrong = [
    edit('compose.yaml', '      - databse', '      - web'),
    RIGHT[1] as ServedReply,
    { text: 'A person has to look.' },
  ];
  const { result } = await tried(wrong);
  assert.is(result?.verdict, 'answers in 1 s, mended 1 of 3: too weak; take a larger model, or one made for code');
});

test('an answer that does not come is lost; a host that is not there is asked once', async () => {
  const { result } = await tried([RIGHT[0] as ServedReply, { text: 'x', end: 'hang' }, RIGHT[2] as ServedReply], {
    timeout: '1s',
  });
  assert.is(
    result?.verdict,
    'answers in 1 s, mended 2 of 3, 1 without an answer: usable; what it gets wrong is asked about, or undone',
  );
  const gone = await tried([], { model: 'other:7b' });
  assert.match(gone.result?.verdict ?? '', /^no answer: ollama: other:7b is not installed at /);
});

test('the sentence follows from how long it takes and how much is right', () => {
  assert.is(verdictOf([30_000, 40_000, 50_000], 3, ''), 'answers in 40 s, mended 3 of 3: fine for this machine');
  assert.is(
    verdictOf([300_000, 400_000, 500_000], 3, ''),
    'answers in 6 min 40 s, mended 3 of 3: right, but slow for this machine; a smaller model is faster',
  );
});

test.run();
