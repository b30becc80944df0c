import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsText } from '../../src/inspect/metrics.ts';
import { emptyLedger } from '../../src/triage/ledger.ts';

const at = '2026-01-01T00:00:00.000Z';
const used = { date: '2026-01-01', tries: 2, tokens: 300 };

test('every line is a comment or a sample of a measure that was announced, with its labels escaped', () => {
  const text = metricsText({
    stages: { 'a"\\\n': { status: 'green', run: 'r', attempts: 1, since: at } },
    ledger: emptyLedger(),
    used,
    safeMode: true,
    last: undefined,
  });
  assert.ok(text.endsWith('\n'));
  const announced = new Set<string>();
  for (const line of text.trimEnd().split('\n')) {
    const [, typed] = /^# TYPE (\w+) (?:gauge|counter)$/.exec(line) ?? [];
    if (typed) announced.add(typed);
    else if (!line.startsWith('# HELP ')) {
      const [, name = ''] = /^(\w+)(?:\{(?:\w+="(?:[^"\\\n]|\\[\\"n])*",?)+\})? -?[\d.]+$/.exec(line) ?? [];
      assert.ok(announced.has(name), line);
    }
  }
  assert.match(text, 'mendloop_stage_status{stage="a\\"\\\\\\n",status="green"} 1\n');
  assert.match(text, 'mendloop_safe_mode 1\n');
  assert.match(text, 'mendloop_day_tokens 300\n');
  assert.not.match(text, 'mendloop_last_run');
});

test.run();
