// What a page is made of: nothing that somebody wrote becomes markup, and pictures say what the words say.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LoopEvent } from '../../src/events.ts';
import { type Timeline, timelineOf } from '../../src/inspect/timeline.ts';
import { summarize } from '../../src/journal/summary.ts';
import { diffHtml, parseDiff } from '../../src/page/diff.ts';
import { graphHtml, layered } from '../../src/page/graph.ts';
import { html } from '../../src/page/html.ts';
import { runStrip } from '../../src/page/run-strip.ts';
import { stateHtml } from '../../src/page/states.ts';
import { barState, rowState, timelineSvg } from '../../src/page/timeline.ts';

test('what stands in a template is text: markup is escaped, and what turns or hides text is spelled out', () => {
  const name = `<script>alert("1")</script> 'x' & \u001b[31mred\u0000 \u202egpj.exe`;
  assert.is(
    html`<b title="${name}">${name}</b>`.toString(),
    [
      '<b title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &#39;x&#39; &amp; \\u{1b}[31mred\\u{0} \\u{202e}gpj.exe">',
      '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &#39;x&#39; &amp; \\u{1b}[31mred\\u{0} \\u{202e}gpj.exe</b>',
    ].join(''),
  );
});

test('Html stands as it is, lists one after the other, and nothing for what is not there', () => {
  assert.is(
    html`<ul>${['a', '<'].map((one) => html`<li>${one}</li>`)}${undefined}${false}${0}</ul>`.toString(),
    '<ul><li>a</li><li>&lt;</li>0</ul>',
  );
});

test('a state has a sign and a word besides its colour', () => {
  assert.is(
    stateHtml('stage', 'give_up').toString(),
    '<span class="state bad"><span class="sign" aria-hidden="true">!</span> given up</span>',
  );
});

const DIFF = `diff --git a/stages/a.sh b/stages/a.sh
index 1..2 100644
--- a/stages/a.sh
+++ b/stages/a.sh
@@ -3,3 +3,3 @@ head
 same
--- <b>was a rule
++++ x
 end
\\ No newline at end of file
diff --git a/b b/b
old mode 100644
new mode 100755
`;

test('a diff is told line by line with its numbers, also where lines look like its headers', () => {
  assert.equal(
    parseDiff(DIFF).map(({ path, lines }) => [
      path,
      ...lines.map((line) => [line.kind, line.number, line.text].join('|')),
    ]),
    [
      [
        'stages/a.sh',
        'hunk||@@ -3,3 +3,3 @@ head',
        'same|3|same',
        'del|4|-- <b>was a rule',
        'add|4|+++ x',
        'same|5|end',
        'note||\\ No newline at end of file',
      ],
      ['b', 'note||old mode 100644', 'note||new mode 100755'],
    ],
  );
  const shown = diffHtml(DIFF).toString();
  assert.match(
    shown,
    '<del class="line del"><span class="number">4</span><span class="mark">-</span>-- &lt;b&gt;was a rule</del>',
  );
  assert.not.match(shown, '<b>');
});

test('of an endless diff the beginning is shown, and how much more there is', () => {
  const lines = Array.from({ length: 5000 }, (_, i) => `+line ${i}`);
  const shown = diffHtml(`diff --git a/x b/x\n@@ -0,0 +1,5000 @@\n${lines.join('\n')}\n`).toString();
  assert.match(shown, 'and 3001 more lines');
  assert.ok(shown.length < 200_000);
});

const event = (time: string, type: string, data: object, place: object = { stage: 'a', step: 'a' }) =>
  ({ v: 1, seq: 1, run: 'r', time: `2026-11-01T10:${time}Z`, type, data, ...place }) as unknown as LoopEvent;

const RUN = [
  event('00:00', 'run.started', {}, {}),
  event('00:01', 'step.started', {}),
  event('00:02', 'attempt.started', { log: 'ai/logs/a/r-1.log' }),
  event('00:10', 'attempt.ended', { outcome: 'failed' }),
  event('00:11', 'fix.committed', { note: { fix: 'Mend <it>' } }),
  { ...event('00:12', 'attempt.started', { log: 'ai/logs/a/r-2.log' }), attempt: 2 },
  event('00:20', 'attempt.ended', { outcome: 'done' }),
  event('00:21', 'step.done', {}),
  event('00:21', 'step.skipped', { reason: 'a is not green' }, { stage: 'b', step: 'b' }),
  event('00:22', 'run.ended', {}, {}),
];

test('a timeline is drawn with each attempt, how it ended, and the fixes', () => {
  const timeline = timelineOf(RUN) as Timeline;
  assert.equal(
    timeline.rows.filter(({ step }) => step !== '').map((row) => [row.step, rowState(row), row.bars.map(barState)]),
    [
      ['a', { state: 'green' }, ['failed', 'green']],
      ['b', { state: 'skipped', reason: 'a is not green' }, []],
    ],
  );
  const drawn = timelineSvg(timeline).toString();
  assert.match(drawn, 'attempt 1: failed, 8.0 s');
  assert.match(drawn, 'fix: Mend &lt;it&gt;');
});

test('what has not ended is running, also where an earlier process of the run left it interrupted', () => {
  const open = [
    ...RUN.slice(0, 4),
    event('00:30', 'step.interrupted', { reason: 'cut off' }),
    event('04:00', 'attempt.started', {}),
  ];
  const row = timelineOf(open)?.rows.find(({ step }) => step === 'a') as Timeline['rows'][number];
  assert.equal(rowState(row), { state: 'running' });
});

const node = (name: string, ...needs: string[]) => ({
  name,
  needs,
  state: 'green',
  word: 'green',
  href: `/stages/${name}`,
});

test('a stage is drawn behind all that it needs, also where needs are unknown or go in a circle', () => {
  const placed = layered([
    node('c', 'b', 'a'),
    node('a'),
    node('b', 'a'),
    node('x', 'nobody'),
    node('y', 'z'),
    node('z', 'y'),
  ]);
  assert.equal(
    placed.map(({ node, layer, row }) => `${node?.name} ${layer}.${row}`),
    ['a 0.0', 'x 0.1', 'y 0.2', 'b 1.0', 'z 1.1', 'c 2.0'],
  );
  const drawn = graphHtml([node('a'), node('b', 'a'), node('<c>', 'b', 'a')]).toString();
  // Wide and tall, two lines each: that <c> needs a is said by the way over b.
  assert.is(drawn.split('class="edge"').length - 1, 4);
  assert.match(drawn, '&lt;c&gt;');
  assert.is(graphHtml([]).toString(), '');
});

test('what leads past a layer has a lane of its own there, between the boxes', () => {
  const placed = layered([node('a'), node('x'), node('b', 'a'), node('c', 'b', 'x')]);
  assert.equal(
    placed.filter(({ lane }) => lane !== undefined).map(({ lane, layer, row }) => `${lane} ${layer}.${row}`),
    ['x → c 1.1'],
  );
});

test('the last runs are drawn by how they ended, with a sign where that was not well', () => {
  const run = { ...summarize('20260101-000000-abcd', '2026-01-01T00:00:00.000Z', []), duration_ms: 1000 };
  const drawn = runStrip(
    [
      { ...run, outcome: 'success' },
      { ...run, outcome: 'failure' },
    ],
    (id) => `/runs/${id}`,
  ).toString();
  assert.is(drawn.split('✕').length - 1, 1);
  assert.match(drawn, '20260101-000000-abcd: failed, 1.0 s');
});

test.run();
