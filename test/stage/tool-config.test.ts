import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseContextMap } from '../../src/config/parse.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { toolConfigs } from '../../src/stage/outputs.ts';
import { folder, write } from '../environment.ts';

test('tools are told of the published kubeconfig and talosconfig, the first of each, and of nothing that is not there', () => {
  const home = folder();
  const parsed = parseContextMap(
    `stages:
  talos: { command: 'true', outputs: { kubeconfig: kube/config, talosconfig: talosconfig, other: x } }
  second: { command: 'true', outputs: { kubeconfig: kubeconfig } }
`,
    'map',
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const configs = () => toolConfigs(parsed.value, layoutOf(home));
  assert.equal(configs(), {});
  write(home, { 'ai/state/out/second/kubeconfig': 'b', 'ai/state/out/talos/talosconfig': '' });
  assert.equal(configs(), { KUBECONFIG: `${home}/ai/state/out/second/kubeconfig` });
  write(home, {
    'ai/state/out/talos/kube/config': 'a',
    'ai/state/out/talos/talosconfig': 't',
    'ai/state/out/talos/x': 'x',
  });
  assert.equal(configs(), {
    KUBECONFIG: `${home}/ai/state/out/talos/kube/config`,
    TALOSCONFIG: `${home}/ai/state/out/talos/talosconfig`,
  });
});

test.run();
