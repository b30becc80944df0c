// A failure as a case is made of it.
import type { CaseFacts } from '../../../src/outbound/case-file/facts.ts';

export const NONCE = 'k7q2m9x4';

export const caseFacts = (more: Partial<CaseFacts> = {}): CaseFacts => ({
  ...{ case: 'talos-1a2b3c4d', version: 1, run: '20250101-000000-abcd', attempts: 4 },
  stage: {
    ...{ name: 'talos', description: 'Talos control plane', command: 'stages/talos/run.sh', needs: ['vms'] },
    ...{ files: ['stages/talos/', 'config/talos/*.yaml'], success_criteria: ['every node is Ready'] },
    architecture_sections: ['kubernetes'],
  },
  failure: {
    ...{ class: 'yaml_parse_error', fingerprint: '1a2b3c4d5e6f', ended: 'exit code 1' },
    error_lines: ['config/talos/all.yaml:3: bad indentation'],
    ...{ times_seen: 5, first_seen: '2025-01-01T00:00:00.000Z', last_seen: '2025-01-02T00:00:00.000Z' },
    log: 'ai/logs/talos/20250101-000000-abcd-4.log',
  },
  ...{ tries_spent: { spent: 3, of: 3 }, calls_spent: { spent: 0, of: 3 } },
  log: 'one\ntwo\nconfig/talos/all.yaml:3: bad indentation\n',
  files: [
    { path: 'stages/talos/run.sh', text: '#!/usr/bin/env bash\nset -e\ntalosctl apply\n' },
    { path: 'config/talos/all.yaml', text: 'machine:\n  network:\n   hostname: cp1\n' },
  ],
  memo: '# Lab\n\n## Network\n\nOne subnet.\n\n## Kubernetes and Talos\n\nOne control plane.\n\n## Apps\n\nSome.\n',
  keywords: { kubernetes: ['Kubernetes', 'Talos'] },
  limits: { files: 3, changed_lines: 100 },
  nonce: NONCE,
  ...more,
});
