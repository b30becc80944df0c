// A failure as prompts and cases are made of it, and both documents of it.
import { buildCase, type CaseOptions } from '../../src/outbound/case.ts';
import type { FailureContext, MaskText } from '../../src/outbound/context.ts';
import type { Document } from '../../src/outbound/document.ts';
import { buildPrompt, type PromptOptions } from '../../src/outbound/prompt.ts';

export const NONCE = 'k7q2m9x4';

/** `count` lines, each its own. */
export const manyLines = (count: number, word = 'entry'): string[] =>
  Array.from({ length: count }, (_, i) => `${word}_${i + 1}: value ${i + 1}`);

export const CONTEXT: FailureContext = {
  stage: {
    name: 'talos',
    description: 'Talos control plane',
    command: 'stages/talos/run.sh',
    needs: ['vms'],
    files: ['stages/talos/', 'config/talos/*.yaml'],
    success_criteria: ['every node is Ready'],
    architecture_sections: ['kubernetes'],
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
  limits: { files: 1, changed_lines: 100 },
  nonce: NONCE,
};

const PROMPT: PromptOptions = {
  instructions: '# What is asked\n\nMend it.\n\n## The answer\n\nA poem.\n\n## Never\n\nHide a failure.\n',
  format: 'diff',
};

const CASE: CaseOptions = {
  case: 'talos-1a2b3c4d',
  version: 1,
  run: '20250101-000000-abcd',
  fingerprint: '1a2b3c4d5e6f',
  times_seen: 5,
  first_seen: '2025-01-01T00:00:00.000Z',
  last_seen: '2025-01-02T00:00:00.000Z',
  log_file: 'ai/logs/talos/20250101-000000-abcd-4.log',
  attempts: 4,
  tries_spent: { spent: 3, of: 3 },
  calls_spent: { spent: 0, of: 3 },
};

export type PromptFacts = Partial<FailureContext & PromptOptions>;
export type CaseFacts = Partial<FailureContext & CaseOptions>;

const unmasked: MaskText = (text) => text;

export const promptOf = (more: PromptFacts = {}, mask = unmasked): Document =>
  buildPrompt({ ...CONTEXT, ...more }, { ...PROMPT, ...more }, mask);

export const caseOf = (more: CaseFacts = {}, mask = unmasked): string =>
  buildCase({ ...CONTEXT, limits: { files: 3, changed_lines: 100 }, ...more }, { ...CASE, ...more }, mask).text;
