// The simulated flux and the releases it installs.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { greenLab, labAfter, newLab } from './lab.ts';

test('unknown verbs and flags are refused as flux does', () => {
  const lab = greenLab();
  for (const [args, text] of [
    [['frobnicate'], '✗ unknown command "frobnicate" for "flux"\n'],
    [['get', 'frobs'], '✗ unknown command "frobs" for "flux get"\n'],
    [['install', '--frob'], '✗ unknown flag: --frob\n'],
    [['reconcile', 'helmrelease'], '✗ HelmRelease name is required\n'],
    [['reconcile', 'source', 'helm', 'nope'], '✗ helmrepositories.source.toolkit.fluxcd.io "nope" not found\n'],
  ] as const) {
    const result = lab.run('flux', args);
    assert.is(result.code, 1, args.join(' '));
    assert.is(result.err, text);
  }
});

test('no flux before the API server answers', () => {
  const lab = newLab();
  assert.match(lab.run('flux', ['install']).err, /^✗ kubernetes configuration load failed: /);
  const green = greenLab();
  green.run('qm', ['stop', '101']);
  green.run('qm', ['start', '101']);
  assert.match(
    green.run('flux', ['check', '--pre']).err,
    /dial tcp 192\.168\.40\.11:6443: connect: connection refused/,
  );
});

test('releases are unknown to the cluster before flux is installed', () => {
  const lab = labAfter('talos');
  assert.match(lab.run('flux', ['get', 'helmreleases']).err, /no matches for kind "HelmRelease"/);
  assert.match(
    lab.run('kubectl', ['apply', '-f', 'config/flux/releases.yaml']).err,
    /no matches for kind "HelmRelease" in version "helm\.toolkit\.fluxcd\.io\/v2"/,
  );
  assert.match(
    lab.run('kubectl', ['apply', '-f', 'config/infra/addresses.yaml']).err,
    /no matches for kind "IPAddressPool"/,
  );
});

test('a release whose repository is missing or wrong says so, and installs once it is right', () => {
  const lab = greenLab();
  const get = () => lab.run('flux', ['get', 'helmreleases', '-n', 'ingress']).out;
  lab.run('kubectl', ['delete', 'helmrelease', 'traefik', '-n', 'ingress']);
  lab.run('kubectl', ['delete', 'helmrepository', 'traefik', '-n', 'flux-system']);
  assert.is(lab.run('kubectl', ['get', 'service', 'traefik', '-n', 'ingress']).code, 1);
  lab.edit('config/ingress/traefik.yaml', (text) => text.replace('github.io/charts', 'github.io/chart'));
  lab.run('kubectl', ['apply', '-f', 'config/ingress/traefik.yaml']);
  assert.match(get(), /traefik .*False.*no artifact available for HelmRepository source 'traefik'/);
  lab.edit('config/ingress/traefik.yaml', (text) => text.replace('github.io/chart', 'github.io/charts'));
  lab.run('kubectl', ['apply', '-f', 'config/ingress/traefik.yaml']);
  assert.is(lab.run('flux', ['reconcile', 'helmrelease', 'traefik', '-n', 'ingress']).code, 0);
  assert.match(get(), /Helm install succeeded for release ingress\/traefik\.v1 with chart traefik@37/);
});

test('a load balancer waits for an address until there is a pool', () => {
  const lab = greenLab();
  const external = () =>
    lab.run('kubectl', ['get', 'service', 'traefik', '-n', 'ingress', '--no-headers']).out.split(/ +/)[3];
  assert.is(external(), '192.168.40.200');
  lab.run('kubectl', ['delete', 'ipaddresspool', 'homelab', '-n', 'metallb-system']);
  assert.is(external(), '<pending>');
  assert.is(lab.verify('ingress').code, 1);
});

test.run();
