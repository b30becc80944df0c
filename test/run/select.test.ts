import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { emptyState, type StageStatus } from '../../src/journal/stages.ts';
import { askedText, namedStages, type Selection, selectStages } from '../../src/run/select.ts';
import { mapOf } from '../plan/builders.ts';
import { refusal } from '../refusal.ts';

const MAP = mapOf({
  vms: { command: 'x' },
  talos: { command: 'x', needs: ['vms'] },
  infra: { command: 'x', needs: ['talos', 'vms'] },
});

const asking = (stages: string[], more: Partial<Selection> = {}): Selection => ({
  ...{ stages, withNeeds: false, forced: false },
  ...more,
});

function stateWith(statuses: Record<string, StageStatus>) {
  const state = emptyState();
  for (const [name, status] of Object.entries(statuses)) {
    state.stages[name] = { status, run: 'r', attempts: 1, since: '' };
  }
  return state;
}

test('no name means all stages, names come in the map’s order', () => {
  assert.equal(namedStages(MAP, []), ['vms', 'talos', 'infra']);
  assert.equal(namedStages(MAP, ['infra', 'vms', 'infra']), ['vms', 'infra']);
});

test('an unknown name is refused with what was meant, stage or command', () => {
  assert.is(
    refusal(() => selectStages(MAP, asking(['tallos']), emptyState())),
    [
      'error E_UNKNOWN_STAGE: there is no stage or command "tallos"; did you mean "talos"?',
      '  next:  stages: vms, talos, infra',
      '         commands: mendloop --help',
    ].join('\n'),
  );
  const meant = refusal(() => selectStages(MAP, asking(['statsu'], { commands: ['status'] }), emptyState()));
  assert.match(meant, 'did you mean "status"?');
  assert.not.match(
    refusal(() => namedStages(MAP, ['something-else'])),
    'did you mean',
  );
});

test('needs that are neither green nor asked for are refused, all of them, with the command that helps', () => {
  assert.is(
    refusal(() => selectStages(MAP, asking(['infra']), stateWith({ talos: 'failed' }))),
    [
      'error E_NEEDS_UNMET: what infra needs is not green',
      '  - infra needs talos, which is failed',
      '  - infra needs vms, which is idle',
      '  next:  run what is missing too: mendloop infra --with-needs',
    ].join('\n'),
  );
  const drifted = stateWith({ vms: 'idle', talos: 'green' });
  const reason = 'no longer stands: its checks did not hold: ai/logs/vms/x.log';
  Object.assign(drifted.stages.vms ?? {}, { reason, stale: { commits: [], drift: true } });
  assert.is(
    refusal(() => selectStages(MAP, asking(['infra']), drifted)),
    [
      'error E_NEEDS_UNMET: what infra needs is not green',
      `  - infra needs vms, which is idle: ${reason}`,
      '  next:  run what is missing too: mendloop infra --with-needs',
      '         or, where its checks hold again: mendloop verify vms',
    ].join('\n'),
  );
  assert.match(
    refusal(() => selectStages(MAP, asking(['talos'], { forced: true }), emptyState())),
    'mendloop retry talos --with-needs',
  );
});

test('needs that are green, or asked for as well, are met', () => {
  assert.equal(selectStages(MAP, asking(['infra']), stateWith({ talos: 'green', vms: 'green' })), ['infra']);
  assert.equal(selectStages(MAP, asking(['infra', 'vms', 'talos']), emptyState()), ['vms', 'talos', 'infra']);
});

test('with needs, all that is needed comes along', () => {
  assert.equal(selectStages(MAP, asking(['infra'], { withNeeds: true }), emptyState()), ['vms', 'talos', 'infra']);
});

test('equal requests have equal texts, others have others', () => {
  assert.is(askedText(asking([])), 'all');
  assert.is(askedText(asking(['b', 'a', 'b'])), askedText(asking(['a', 'b'])));
  const texts = [
    askedText(asking([])),
    askedText(asking(['a'])),
    askedText(asking(['a', 'b'])),
    askedText(asking(['a'], { forced: true })),
    askedText(asking(['a'], { withNeeds: true })),
    askedText(asking(['a'], { withNeeds: true, forced: true })),
  ];
  assert.is(new Set(texts).size, texts.length);
});

test.run();
