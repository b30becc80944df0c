import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configWarnings } from '../../src/config/cross-checks.ts';
import { parseContextMap } from '../../src/config/parse.ts';

function warningsOf(text: string): string[] {
  const parsed = parseContextMap(text, 'ai/context_map.yaml');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return configWarnings(parsed.value);
}

test('files that cover a script of any verify or diagnostics are named', () => {
  assert.equal(
    warningsOf(`
stages:
  vms:
    command: stages/vms/run.sh
    files: [stages/, ops/]
    verify: [bash stages/vms/verify.sh config/a.yaml, { file: stages/vms/a.sh }]
  talos:
    command: stages/talos/run.sh
    files: [stages/talos/run.sh, stages/vms/*.sh]
    diagnostics: [ops/show --all]
`),
    [
      'stages.vms.files: covers stages/vms/verify.sh, named in stages.vms.verify[0]; the AI may not edit that',
      'stages.vms.files: covers ops/show, named in stages.talos.diagnostics[0]; the AI may not edit that',
      'stages.talos.files: covers stages/vms/verify.sh, named in stages.vms.verify[0]; the AI may not edit that',
    ],
  );
});

test('data that a verify command reads is no cause for a warning', () => {
  const text = 'stages: { a: { command: x, files: [config/], verify: [yamllint config/a.yaml] } }';
  assert.equal(warningsOf(text), []);
});

test.run();
