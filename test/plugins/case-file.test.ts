import { test } from 'uvu';
import * as assert from 'uvu/assert';
import caseFile from '../../plugins/escalations/case-file.ts';
import { callHook } from '../../src/plugin/call.ts';
import type { LoadedPlugin } from '../../src/plugin/examine.ts';
import { fixFacts, load } from '../plugin/plugin-folder.ts';
import { askedAbout, CASE } from './ask-about-case.ts';

test('it hands every case over to a person, and asks nobody', async () => {
  const { reply, said, tokens } = await askedAbout(caseFile, {});
  assert.equal(reply, {
    hand_over: `talos failed (unknown) and needs a person: read ai/escalations/${CASE.name}/case_v1.md`,
  });
  assert.equal([said, tokens], [[], 0]);
});

test('it ships, needs no settings, and answers within the schema of its hook', async () => {
  const { escalations } = await load('escalations: [case-file]', {});
  const tries = [{ plugin: 'ollama', outcome: 'no_effect' as const }];
  const called = await callHook(escalations[0] as LoadedPlugin, 'escalate', { ...fixFacts({ tries }), case: CASE });
  assert.match(JSON.stringify(called), 'talos failed (unknown) and needs a person: ');
});

test.run();
