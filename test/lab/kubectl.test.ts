// The simulated kubectl: flags, the API server's objections, waiting.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { greenLab, type Lab, newLab } from './lab.ts';

function apply(lab: Lab, text: string): ReturnType<Lab['run']> {
  writeFileSync(join(lab.root, 'x.yaml'), text);
  return lab.run('kubectl', ['apply', '-f', 'x.yaml']);
}

const deployment = (fields: string, name = 'demo') => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
  selector:
    matchLabels: { app: demo }
${fields}
  template:
    metadata:
      labels: { app: demo }
    spec:
      containers:
        - { name: demo, image: "docker.io/library/demo:1" }
`;

test('unknown verbs, flags and resource types are refused as kubectl does', () => {
  const lab = greenLab();
  for (const [args, text] of [
    [['frobnicate'], 'error: unknown command "frobnicate" for "kubectl"\n'],
    [['apply', '--filname', 'x'], "error: unknown flag: --filname\nSee 'kubectl apply --help' for usage.\n"],
    [['get', 'pods', '-z'], "error: unknown shorthand flag: 'z' in -z\nSee 'kubectl get --help' for usage.\n"],
    [['get', 'frobs'], 'error: the server doesn\'t have a resource type "frobs"\n'],
    [['rollout', 'frob'], 'error: unknown command "frob" for "kubectl rollout"\n'],
    [['get', 'deployment', 'nope', '-n', 'apps'], 'Error from server (NotFound): deployments.apps "nope" not found\n'],
    [['apply', '-f', 'nope.yaml'], 'error: the path "nope.yaml" does not exist\n'],
  ] as const) {
    const result = lab.run('kubectl', args);
    assert.is(result.code, 1, args.join(' '));
    assert.is(result.err, text);
  }
});

test('a real verb that is not simulated says so', () => {
  assert.match(newLab().run('kubectl', ['exec']).err, /^kubectl: simulated lab: 'kubectl exec' is not simulated/);
});

test('without a cluster the connection is refused', () => {
  const refused = /^The connection to the server localhost:8080 was refused - did you specify the right host or port\?/;
  assert.match(newLab().run('kubectl', ['get', 'nodes']).err, refused);
  const lab = greenLab();
  lab.run('qm', ['stop', '101']);
  assert.match(
    lab.run('kubectl', ['get', 'nodes']).err,
    /^Unable to connect to the server: dial tcp 192\.168\.40\.11:6443: connect: no route to host/,
  );
  lab.run('qm', ['start', '101']);
  assert.match(
    lab.run('kubectl', ['get', 'nodes']).err,
    /^The connection to the server 192\.168\.40\.11:6443 was refused/,
  );
});

test('the kubeconfig of a cluster that is gone is not accepted by the next one', () => {
  const lab = greenLab();
  rmSync(join(lab.home, 'ai/state/lab'), { recursive: true });
  const old = join(lab.home, 'old');
  lab.run('cp', [join(lab.home, 'ai/state/out/talos/kubeconfig'), old]);
  rmSync(join(lab.home, 'ai/state/out'), { recursive: true });
  lab.stage('vms');
  assert.is(lab.stage('talos').code, 0);
  assert.match(
    lab.run('kubectl', ['--kubeconfig', old, 'get', 'nodes']).err,
    /x509: certificate signed by unknown authority/,
  );
});

test('broken YAML is reported with its line, in the words of kubectl', () => {
  const lab = greenLab();
  lab.edit('config/ingress/routes.yaml', (text) =>
    text.replace('  ingressClassName: traefik', '  ingressClassName: traefik: x'),
  );
  const result = lab.stage('ingress');
  assert.is(result.code, 1);
  assert.match(
    result.err,
    /error: error parsing config\/ingress\/routes\.yaml: error converting YAML to JSON: yaml: line 9: mapping values are not allowed in this context/,
  );
});

test('kustomize builds without a server: everything, or nothing and why', () => {
  const lab = newLab();
  mkdirSync(join(lab.root, 'app'));
  writeFileSync(join(lab.root, 'app/kustomization.yaml'), 'namespace: web\nresources: [a.yaml]\n');
  const missing = lab.run('kubectl', ['kustomize', 'app']);
  assert.match(missing.err, /accumulating resources from 'a\.yaml'.* no such file or directory/);
  writeFileSync(join(lab.root, 'app/a.yaml'), deployment('  replicas: 1'));
  const built = lab.run('kubectl', ['kustomize', 'app']);
  assert.equal([missing.code, built.code], [1, 0]);
  assert.match(built.out, /^---\napiVersion: apps\/v1\n[\s\S]*namespace: web\n/);
});

test('broken YAML below a kustomization is reported in the words of kustomize, and nothing is applied', () => {
  const lab = greenLab();
  const before = lab.world();
  lab.edit('config/apps/homepage.yaml', (text) => text.replace('  replicas: 1', '\treplicas: 1'));
  lab.edit('config/apps/whoami.yaml', (text) => text.replace('replicas: 2', 'replicas: 3'));
  const result = lab.stage('apps');
  assert.match(
    result.err,
    /^error: accumulating resources: accumulation err='accumulating resources from 'homepage\.yaml': MalformedYAMLError: yaml: line \d+: found character that cannot start any token in File: homepage\.yaml'/,
  );
  assert.equal([...lab.world()], [...before]);
});

test('one broken file of a folder does not keep the others from being applied', () => {
  const lab = greenLab();
  mkdirSync(join(lab.root, 'some'));
  writeFileSync(join(lab.root, 'some/a.yaml'), 'a: [1\n');
  writeFileSync(join(lab.root, 'some/b.yaml'), '{ apiVersion: v1, kind: Namespace, metadata: { name: other } }\n');
  const result = lab.run('kubectl', ['apply', '-f', 'some']);
  assert.is(result.code, 1);
  assert.is(result.out, 'namespace/other created\n');
  assert.match(result.err, /^error: error parsing some\/a\.yaml: /);
});

test('a kind that nobody defined is refused', () => {
  const result = apply(greenLab(), 'apiVersion: example.org/v1\nkind: Widget\nmetadata: { name: w }\n');
  assert.is(
    result.err,
    'error: resource mapping not found for name: "w" namespace: "" from "x.yaml": no matches for kind "Widget" in version "example.org/v1"\nensure CRDs are installed first\n',
  );
});

test('a definition makes its kind known', () => {
  const lab = greenLab();
  const definition =
    'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: widgets.example.org }\nspec: { group: example.org, scope: Namespaced, names: { kind: Widget, plural: widgets }, versions: [{ name: v1 }] }\n';
  const result = apply(lab, `${definition}---\napiVersion: example.org/v1\nkind: Widget\nmetadata: { name: w }\n`);
  assert.is(result.code, 0, result.err);
  assert.is(lab.run('kubectl', ['get', 'widgets', '-o', 'name']).out, 'widget.example.org/w\n');
});

test('an object in a namespace that does not exist is refused', () => {
  const result = apply(greenLab(), 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c, namespace: nowhere }\n');
  assert.is(result.err, 'Error from server (NotFound): error when creating "x.yaml": namespaces "nowhere" not found\n');
});

test('misspelt fields, wrong types and missing values are refused as the API server does', () => {
  const lab = greenLab();
  const prefix =
    'Error from server (BadRequest): error when creating "x.yaml": Deployment in version "v1" cannot be handled as a Deployment: ';
  assert.is(
    apply(lab, deployment('  replcas: 2')).err,
    `${prefix}strict decoding error: unknown field "spec.replcas"\n`,
  );
  assert.is(
    apply(lab, deployment('  replicas: two')).err,
    `${prefix}json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32\n`,
  );
  assert.match(
    apply(lab, deployment('').replace('labels: { app: demo }', 'labels: { app: other }')).err,
    /`selector` does not match template `labels`/,
  );
  assert.match(
    apply(lab, 'apiVersion: v1\nkind: Service\nmetadata: { name: s }\n').err,
    /^The Service "s" is invalid: spec\.ports: Required value/,
  );
});

test('apply says created, configured, unchanged', () => {
  const lab = greenLab();
  assert.is(apply(lab, deployment('  replicas: 1')).out, 'deployment.apps/demo created\n');
  assert.is(apply(lab, deployment('  replicas: 2')).out, 'deployment.apps/demo configured\n');
  assert.is(apply(lab, deployment('  replicas: 2')).out, 'deployment.apps/demo unchanged\n');
});

test('a dry run changes nothing', () => {
  const lab = greenLab();
  const before = lab.world();
  writeFileSync(join(lab.root, 'x.yaml'), deployment(''));
  assert.is(
    lab.run('kubectl', ['apply', '-f', 'x.yaml', '--dry-run=server']).out,
    'deployment.apps/demo created (server dry run)\n',
  );
  assert.equal([...lab.world()], [...before]);
});

test('waiting ends when the condition holds, and fails when it never does', () => {
  const lab = greenLab();
  apply(lab, deployment(''));
  assert.match(
    lab.run('kubectl', ['wait', 'deployment/demo', '--for=condition=Available', '--timeout=1m']).out,
    /^deployment\.apps\/demo condition met/,
  );
  const never = lab.run('kubectl', ['wait', 'deployment/demo', '--for=condition=Avalable', '--timeout=1m']);
  assert.is(never.code, 1);
  assert.is(never.err, 'error: timed out waiting for the condition on deployments/demo\n');
});

test('commands that apply at the same time lose nothing', async () => {
  const lab = greenLab();
  const names = ['one', 'two', 'three', 'four'];
  for (const name of names) writeFileSync(join(lab.root, `${name}.yaml`), deployment('', name));
  const results = await Promise.all(names.map((name) => lab.start('kubectl', ['apply', '-f', `${name}.yaml`])));
  assert.ok(results.every((r) => r.code === 0));
  assert.is(lab.run('kubectl', ['get', 'deployments', '-o', 'name']).out.trim().split('\n').length, 4);
});

test.run();
