// Rules and files that the tests of the gate share.
import type { Edit } from '../../../src/fix/edit.ts';
import { judgeResult } from '../../../src/fix/gate/judge.ts';
import type { GateRules, Verdict } from '../../../src/fix/gate/rules.ts';

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

const folders = new Set(
  Object.keys(FILES).flatMap((path) => path.split('/').map((_, i, parts) => parts.slice(0, i).join('/'))),
);

export const RULES: GateRules = {
  allow: ['stages/vms/run.sh', 'config/'],
  protect: ['infra/danger.sh'],
  untouchable: ['stages/vms/verify.sh', 'config/carried/'],
  maxFiles: 1,
  maxLines: 100,
  tier: 'executor',
  tree: {
    exists: (path) => Object.hasOwn(FILES, path) || Object.hasOwn(LINKS, path) || folders.has(path),
    isFolder: (path) => folders.has(path),
    linkTarget: (path) => (Object.hasOwn(LINKS, path) ? LINKS[path] : undefined),
    isExecutable: (path) => path.endsWith('verify.sh'),
  },
};

/** The verdict in short: the code of a refusal, `ask` and its code, or `ok`. */
export function word(verdict: Verdict): string {
  if (!verdict.ok) return verdict.code;
  return verdict.ask ? `ask ${verdict.ask.code}` : 'ok';
}

export const edit = (path: string, after: string, before: string | null = FILES[path] ?? null): Edit => ({
  path,
  before,
  after,
});

/** The verdict on one file becoming `after`. */
export const judged = (path: string, after: string, rules: Partial<GateRules> = {}): string =>
  word(judgeResult([edit(path, after)], { ...RULES, ...rules }));

/** The verdict on these lines, added to a file before its last line. */
export const adding = (path: string, lines: string): string => {
  const text = FILES[path] ?? '';
  const at = path.endsWith('.yaml') ? text.length : text.trimEnd().lastIndexOf('\n') + 1;
  return judged(path, `${text.slice(0, at)}${lines}\n${text.slice(at)}`);
};
