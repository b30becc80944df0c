// Rules and files that the tests of the gate share.
import type { Edit } from '../../../src/fix/edit.ts';
import { judgeEdits } from '../../../src/fix/gate/judge.ts';
import type { GateRules, Verdict } from '../../../src/fix/gate/rules.ts';
import { loadShellGrammar } from '../../../src/io/gate/grammar.ts';
import { vocabularies } from '../../../src/io/gate/vocabularies.ts';
import { repositoryFromTexts } from '../../../src/repository/repository.ts';

/** The bash grammar, loaded once for all tests of a file. */
export const parse = await loadShellGrammar();
const LIBRARY = { parse, vocabulary: vocabularies };

export const SCRIPT = `#!/usr/bin/env bash
set -euo pipefail

cd "$DIR" || exit 1
kubectl apply -f a.yaml
if kubectl get ns apps; then
  log "there"
fi
stages/vms/verify.sh
log done
`;

export const MANIFEST = `apiVersion: v1
kind: ConfigMap
metadata:
  name: web
data:
  a: b
`;

/** Every file that is there, with its text. */
export const FILES: Readonly<Record<string, string>> = {
  'stages/vms/run.sh': SCRIPT,
  'stages/vms/verify.sh': '#!/bin/sh\nexit 1\n',
  'config/apps/web.yaml': MANIFEST,
  'config/apps/kustomization.yaml': 'resources:\n  - web.yaml\n  - ../infra/pool.yaml\n',
  'config/infra/pool.yaml': `${MANIFEST}---\n${MANIFEST}`,
  'config/tool.toml': 'a = 1\n',
  'config/app.json': '{"a": 1}\n',
  'infra/danger.sh': '#!/bin/sh\ntrue\n',
  'ai/context_map.yaml': 'stages: {}\n',
  'README.md': '# Lab\n',
};

export const LINKS: Readonly<Record<string, string>> = {
  'config/apps/link.yaml': '../../README.md',
  'config/out': '/etc',
};

export const RULES: GateRules = {
  allow: ['stages/vms/run.sh', 'config/'],
  protect: ['infra/danger.sh'],
  untouchable: ['stages/vms/verify.sh', 'config/carried/'],
  maxFiles: 1,
  maxLines: 100,
  unattended: 'all',
  tree: {
    files: Object.keys(FILES),
    links: new Map(Object.entries(LINKS)),
    executables: ['stages/vms/verify.sh'],
  },
};

/** RULES of a tree that has this one file, which may be changed. */
export const rulesFor = (path: string): GateRules => ({ ...RULES, allow: [path], tree: { files: [path] } });

export const judge = (edits: readonly Edit[], rules: GateRules = RULES, unparsed: readonly string[] = []): Verdict =>
  judgeEdits(edits, rules, { ...LIBRARY, repository: repositoryFromTexts(new Map(Object.entries(FILES))) }, unparsed);

/** The verdict in short: the code of a refusal, `ask` and its code, or `ok`. */
export function word(verdict: Verdict): string {
  if (!verdict.ok) return verdict.code;
  return verdict.ask ? `ask ${verdict.ask.code}` : 'ok';
}

/** The verdict alone: apply, ask or refuse. */
export const verdictOf = (verdict: Verdict): 'apply' | 'ask' | 'refuse' =>
  verdict.ok ? (verdict.ask ? 'ask' : 'apply') : 'refuse';

export const edit = (path: string, after: string, before: string | null = FILES[path] ?? null): Edit => ({
  path,
  before,
  after,
});

/** The verdict on one file becoming `after`. */
export const judged = (path: string, after: string, rules: Partial<GateRules> = {}, before?: string): string =>
  word(judge([edit(path, after, before)], { ...RULES, ...rules }));
