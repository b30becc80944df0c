// A failure as a prompt is made of it.
import type { PromptFacts } from '../../../src/outbound/context.ts';

export const NONCE = 'k7q2m9x4';

/** `count` lines, each its own. */
export const manyLines = (count: number, word = 'entry'): string[] =>
  Array.from({ length: count }, (_, i) => `${word}_${i + 1}: value ${i + 1}`);

export const promptFacts = (more: Partial<PromptFacts> = {}): PromptFacts => ({
  instructions: '# What is asked\n\nMend it.\n\n## The answer\n\nA poem.\n\n## Never\n\nHide a failure.\n',
  stage: {
    ...{ name: 'talos', description: 'Talos control plane', command: 'stages/talos/run.sh' },
    ...{ success_criteria: ['every node is Ready'], architecture_sections: ['kubernetes'] },
  },
  failure: {
    class: 'yaml_parse_error',
    error_lines: ['config/talos/all.yaml:3: bad indentation'],
    ended: 'exit code 1',
  },
  log: 'one\ntwo\nconfig/talos/all.yaml:3: bad indentation\n',
  files: [
    { path: 'stages/talos/run.sh', text: '#!/usr/bin/env bash\nset -e\ntalosctl apply\n' },
    { path: 'config/talos/all.yaml', text: 'machine:\n  network:\n   hostname: cp1\n' },
  ],
  memo: '# Lab\n\n## Network\n\nOne subnet.\n\n## Kubernetes and Talos\n\nOne control plane.\n\n### etcd\n\nOnce.\n\n## Apps\n\nSome.\n',
  keywords: { kubernetes: ['Kubernetes', 'Talos'] },
  tries: [],
  limits: { files: 1, changed_lines: 100 },
  format: 'diff',
  nonce: NONCE,
  ...more,
});
