import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { refuseNearCopy } from '../../src/fix/near-copy.ts';

const release = (name: string, chart: string, values: string): string =>
  `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: ${name}\n  namespace: ${name}\nspec:\n` +
  `  interval: 30m\n  chart:\n    spec:\n      chart: ${chart}\n      version: 1.2.3\n  values:\n${values}`;
const WEB = release('web', 'nginx', '    replicas: 2\n    ingress:\n      host: web.lan\n');
const made = (after: string, path = 'apps/other.yaml') =>
  refuseNearCopy([{ path, before: null, after }], [['apps/web.yaml', WEB]]);

test('a new file that is an editable one under another name is refused, and told which', () => {
  for (const copy of [
    WEB,
    WEB.replace('1.2.3', '1.2.4'),
    `# fixed\n${WEB.replaceAll('  ', '    ')}`,
    WEB.replace(/ {4}ingress:.*/s, ''),
  ]) {
    assert.equal(made(copy), {
      ok: false,
      code: 'missing_file',
      reasons: ['apps/other.yaml does not exist, and is nearly the same as apps/web.yaml; change that file'],
    });
  }
});

test('a file of the same kind, a small one and a changed one are no copies', () => {
  assert.is(made(release('db', 'postgres', '    storage: 10Gi\n    backup: true\n    users: [a, b]\n')), undefined);
  assert.is(made('kind: HelmRelease\nspec:\n'), undefined);
  assert.is(made(''), undefined);
  const list = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n  - release.yaml\n';
  const file = { path: 'apps/db/kustomization.yaml', before: null, after: list };
  assert.is(refuseNearCopy([file], [['apps/web/kustomization.yaml', list]]), undefined);
  assert.is(refuseNearCopy([file], [['apps/db/kustomize.yaml', list]])?.code, 'missing_file');
  assert.is(made(WEB, 'apps/elsewhere/web.yaml')?.code, 'missing_file', 'the right name in the wrong folder');
  assert.is(refuseNearCopy([{ path: 'apps/new.yaml', before: WEB, after: WEB }], [['apps/web.yaml', WEB]]), undefined);
});

test.run();
