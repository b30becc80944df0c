// A report is a fold of summaries, ledger and stages; every form of it says the same, and nothing that somebody wrote is markup.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Report, type ReportFacts, reportOf } from '../../src/inspect/report.ts';
import { timelineOf } from '../../src/inspect/timeline.ts';
import { summarize } from '../../src/journal/summary.ts';
import { reportHtml } from '../../src/page/report-html.ts';
import { glanceOf, sectionsOf } from '../../src/page/report-sections.ts';
import { reportLines, reportMarkdown } from '../../src/page/report-text.ts';
import { foldLedger, isStory } from '../../src/triage/fold.ts';
import { emptyLedger } from '../../src/triage/ledger.ts';
import { journalOf, type Line } from '../events.ts';

const START = Date.UTC(2026, 0, 1);
const id = (n: number) => `202601${String(n).padStart(2, '0')}-000000-abcd`;

const failing = (fingerprint: string, ms = 1000): Line[] => [
  ['attempt.ended', 'a', { outcome: 'failed', duration_ms: ms }, 1],
  ['failure.seen', 'a', { fingerprint, excerpt: 'no route to host' }],
];
const green = (ms: number): Line[] => [
  ['attempt.ended', 'a', { duration_ms: ms }],
  ['step.done', 'a'],
];
const run = (...lines: Line[]): Line[] => [
  ['run.started'],
  ['step.started', 'a'],
  ...lines,
  ['run.ended', undefined, { exit: 0 }],
];

/** One run a day, and the ledger that their events fold to. */
function facts(journals: readonly Line[][], more: Partial<ReportFacts> = {}): ReportFacts {
  const ledger = emptyLedger();
  const runs = journals.map((lines, i) => {
    const events = journalOf(lines, { run: id(i + 1), from: START + i * 86_400_000 });
    for (const event of events) if (isStory(event)) foldLedger(ledger, event);
    return summarize(id(i + 1), '', events);
  });
  return {
    ...{
      home: 'lab',
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-10T12:00:00.000Z',
      runs,
      newest: runs.at(-1),
      ledger,
    },
    ...{ stages: { a: { status: 'green', run: '', attempts: 1, since: '2026-01-01T00:00:00.000Z' } } },
    ...{ items: [], notices: [] },
    ...more,
  };
}

const htmlOf = (report: Report) => reportHtml(report, new Map(), '2026-01-10T12:00:00.000Z');

const MONTH = [
  run(...failing('f1'), ['fix.committed', 'a', { commit: 'c1' }], ...green(4000), ['fix.judged', 'a']),
  run(...failing('f2'), ...failing('f2'), ...green(4000)),
  run(['step.drift', 'a', { problems: ['port closed'] }], ...green(4000)),
  ...[9000, 9000, 9000].map((ms) => run(...green(ms))),
  run(
    ...failing('f3'),
    ['model.used', 'a', { tokens: 700, dollars: 0.25 }],
    ['fix.refused', 'a', { fingerprint: 'f3' }],
    ['case.opened', 'a', { fingerprint: 'f3' }],
    ['step.failed', 'a', { reason: 'exit code 1' }],
  ),
];

test('it tells what ran, broke most, was mended, waits and cost', () => {
  const report = reportOf(facts(MONTH));
  assert.equal(
    report.failures.map(({ fingerprint, times, state }) => [fingerprint, times, state]),
    [
      ['f2', 2, 'passed'],
      ['f3', 1, 'waits'],
      ['f1', 1, 'mended'],
    ],
  );
  assert.equal(report.failures[0]?.counts, [0, 2, 0, 0, 0, 0, 0, 0, 0, 0]);
  assert.equal(
    report.fixes.map(({ hash, outcome, commit, run }) => [hash, outcome, commit, run]),
    [['h1', 'kept', 'c1', id(1)]],
  );
  assert.equal(
    report.waits.map(({ what, command }) => [what, command]),
    [
      ['case', 'mendloop cases show c-7'],
      ['promote', 'mendloop promote'],
    ],
  );
  assert.equal(report.drift, [
    { stage: 'a', text: 'port closed', times: 1, run: id(3), last: '2026-01-03T00:00:00.000Z' },
  ]);
  assert.equal([report.cost.tokens, report.cost.dollars, report.cost.refused], [700, 0.25, 1]);
  const [a] = report.stages;
  assert.equal(a?.marks, ['mended', 'mended', 'mended', 'green', 'green', 'green', 'failed', null, null, null]);
  const stopped = run(['step.started', 'a'], ['step.interrupted', 'a', { reason: 'interrupted by SIGINT' }]);
  assert.equal(reportOf(facts([stopped])).stages[0]?.marks[0], 'skipped', 'what was stopped was not green that day');
  assert.equal([a?.earlier_ms, a?.later_ms], [4000, 9000]);
  assert.equal(
    glanceOf(report).map(({ label, figure }) => `${label}: ${figure}`),
    ['now: all green', 'ran: 7 runs', 'broke most: a', 'mended: 1 fix', 'waits for you: 2', 'cost: $0.25'],
  );
});

test('what became of a fix since is told, and what the owner can do about the rest', () => {
  const given = facts(MONTH, {
    items: [{ number: '03', title: 'Alert', state: 'stuck', note: 'given up' }],
    safeMode: 'two fixes broke something',
  });
  const [rolledBack] = journalOf([['fix.judged', 'a', { outcome: 'declined' }]], { run: id(9) });
  if (rolledBack && isStory(rolledBack)) foldLedger(given.ledger, rolledBack);
  const report = reportOf(given);
  assert.is(report.fixes[0]?.outcome, 'declined');
  const broke = report.failures.find(({ fingerprint }) => fingerprint === 'f1');
  assert.is(broke?.state, 'passed', 'what was rolled back mended nothing');
  assert.equal(
    report.waits.map(({ what }) => what),
    ['safe mode', 'case', 'item'],
  );
});

test('a failure whose fix was rolled back did not pass: it is open until the stage is green again', () => {
  const idle = { a: { status: 'idle', run: '', attempts: 1, since: '2026-01-01T00:00:00.000Z' } } as const;
  const given = facts(MONTH.slice(0, 1), { stages: idle });
  const [rolledBack] = journalOf([['fix.judged', 'a', { outcome: 'declined' }]], { run: id(9) });
  assert.is(reportOf(given).failures[0]?.state, 'mended');
  if (rolledBack && isStory(rolledBack)) foldLedger(given.ledger, rolledBack);
  const report = reportOf(given);
  assert.is(report.failures[0]?.state, 'open');
  assert.is(glanceOf(report).find(({ label }) => label === 'mended')?.text, 'none verified, 1 taken back');
});

test('of a fix that comes again with its failure it is said in how many runs', () => {
  const again = (commit: string) =>
    run(
      ...failing('f1'),
      ['fix.committed', 'a', { commit }],
      ['fix.judged', 'a', { outcome: 'undone', commit }],
      ['step.failed', 'a', { reason: 'exit code 1' }],
    );
  const report = reportOf(facts([again('c1'), again('c2'), run(...failing('f1')), again('c3')]));
  assert.equal(
    report.fixes.map(({ applied, commit }) => [applied, commit]),
    [[3, 'c3']],
  );
  for (const form of [reportLines(report).join('\n'), reportMarkdown(report, new Map()), htmlOf(report)])
    assert.match(form, 'say good (applied again in each of 3 runs)');
  assert.not.match(reportLines(reportOf(facts(MONTH))).join('\n'), 'applied again');
});

test('a time without runs says when the newest was; one run is told with its own ends, and only what it had to do with', () => {
  const all = facts(MONTH);
  const empty = reportOf({ ...all, runs: [], from: '2026-02-01T00:00:00.000Z', to: '2026-02-02T00:00:00.000Z' });
  assert.match(
    reportLines(empty).join('\n'),
    `ran            0 runs     the newest began 2026-01-07 00:00: mendloop report ${id(7)}`,
  );
  const one = reportOf({ ...all, run: id(4), runs: all.runs.slice(3, 4) });
  assert.equal([one.failures.length, one.stages[0]?.end, one.waits.length], [0, 'green', 2]);
  const other = summarize(id(8), '', journalOf([['run.started'], ['step.done', 'b'], ['run.ended']], { run: id(8) }));
  assert.equal(reportOf({ ...all, run: id(8), runs: [other] }).waits, []);
});

test('a long time is drawn in few parts, and every run is in one of them', () => {
  const report = reportOf({ ...facts(MONTH), from: '2025-01-01T00:00:00.000Z' });
  assert.ok(report.days.length <= 31);
  assert.is(
    report.days.reduce((sum, { runs }) => sum + runs, 0),
    7,
  );
});

const HOSTILE = '<img src=x onerror=alert(1)>|`@owner` [x](https://evil.example)\u001b[31m\u202e';
const hostile = () =>
  reportOf(
    facts(
      [
        run(
          ['failure.seen', 'a', { fingerprint: 'f1', excerpt: HOSTILE }],
          ['fix.committed', 'a', { commit: 'c1', note: { fix: HOSTILE, reason: HOSTILE } }],
          ['step.drift', 'a', { problems: [HOSTILE] }],
          ['step.failed', 'a', { reason: HOSTILE }],
        ),
      ],
      {
        notices: [HOSTILE],
        items: [{ number: '01', title: HOSTILE, state: 'stuck', note: HOSTILE }],
        safeMode: HOSTILE,
      },
    ),
  );
const DIFFS = new Map([['c1', `diff --git a/x b/x\n@@ -1 +1 @@\n-${HOSTILE}\n+\`\`\`\n`]]);

test('the file of HTML needs nothing from anywhere: no script, no link, no handler, whatever is written in it', () => {
  const events = journalOf([['run.started'], ['attempt.started', 'a', {}, 1], ['run.ended']]);
  for (const report of [
    hostile(),
    { ...hostile(), timeline: timelineOf(events) as NonNullable<ReturnType<typeof timelineOf>> },
  ]) {
    const page = reportHtml(report, DIFFS, '2026-01-10T12:00:00.000Z');
    assert.match(page, "default-src 'none'; style-src 'unsafe-inline'");
    assert.not.match(page, /<(?:script|img|link|iframe|a|form|object|use|image|meta http-equiv="refresh")\b/i);
    const markup = page.replaceAll('&lt;img src=x onerror=alert(1)&gt;', '');
    assert.not.match(markup, /\son\w+\s*=|url\(|@import|src=|href=/i);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left.
    assert.not.match(page, /[\u0000-\u0008\u000b-\u001f\u202e]/);
    assert.match(page, '&lt;img src=x onerror=alert(1)&gt;');
  }
});

test('every class of the page is in its style sheet', () => {
  const [style = '', ...rest] = reportHtml(hostile(), DIFFS, '').split('</style>');
  const names = new Set([...rest.join('').matchAll(/ class="([^"]*)"/g)].flatMap(([, list = '']) => list.split(' ')));
  const unknown = [...names].filter((name) => !new RegExp(`\\.${name}\\b`).test(style));
  assert.equal(unknown, []);
});

test('in Markdown no word is markup, a link or a mention, and no line of a change ends its fence', () => {
  const text = reportMarkdown(hostile(), DIFFS);
  const outside = text.replace(/(`{4,})diff\n[\s\S]*?\n\1/g, '').replace(/(`+) ?(?:(?!\1)[^\n])+? ?\1(?!`)/g, '');
  assert.not.match(outside, /<img|@owner|https:/);
  assert.match(text, '\n````diff\n');
  for (const line of text.split('\n').filter((one) => one.startsWith('|')))
    assert.ok([3, 4, 6, 7].includes(line.replaceAll('\\|', '').split('|').length - 2), line);
});

test('every form has the same sections', () => {
  const report = hostile();
  const [text, markdown, page] = [
    reportLines(report).join('\n'),
    reportMarkdown(report, DIFFS),
    reportHtml(report, DIFFS, ''),
  ];
  for (const { title } of sectionsOf(report)) {
    assert.match(text, `\n${title}`);
    assert.match(markdown, `\n## ${title}\n`);
    assert.match(page, `>${title}</h2>`);
  }
});

test('a report on one day names it once', () => {
  const of = (from: string) => reportLines(reportOf(facts(MONTH, { from })))[0];
  assert.equal(
    [of('2026-01-10T00:00:00.000Z'), of('2026-01-09T00:00:00.000Z')],
    ['lab, 10 January 2026', 'lab, 9 January to 10 January 2026'],
  );
});

test('with a stuck item of the queue not all is green; one whose case waits is told once', () => {
  const items = [{ number: '03', title: 'Alert', state: 'stuck' as const, note: 'given up' }];
  const [now] = glanceOf(reportOf(facts(MONTH, { items })));
  assert.equal([now?.figure, now?.text], ['1 of 1 green', 'item 03 stuck']);
  const opened: Line[] = [
    ['failure.seen', 'item-03', { fingerprint: 'f9', excerpt: 'no' }],
    ['case.opened', 'item-03', { fingerprint: 'f9', case: 'item-03-f9' }],
  ];
  const waits = (lines: Line[]) => reportOf(facts([run(...lines)], { items })).waits.map(({ what }) => what);
  assert.equal([waits(green(1)), waits(opened)], [['item'], ['case']]);
});

test.run();
