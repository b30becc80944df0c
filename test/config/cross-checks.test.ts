import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RESERVED_STAGE_NAMES } from '../../src/config/context-map.ts';
import { mapProblems } from './problem-texts.ts';

const AT = 'ai/context_map.yaml';
const RULE = 'what may not be edited may not be run';

test('an unknown need comes with the nearest stage, or with all of them', () => {
  assert.equal(
    mapProblems(`
    stages:
      vms: { command: x }
      talos: { command: x, needs: [vmss, nowhere, vms, vms] }
    `),
    [
      `${AT}:3:32: stages.talos.needs[0]: unknown stage "vmss"; did you mean "vms"?`,
      `${AT}:3:38: stages.talos.needs[1]: unknown stage "nowhere"; known stages: vms, talos`,
      `${AT}:3:52: stages.talos.needs[3]: "vms" is listed twice`,
    ],
  );
});

test('a cycle is printed as a path, once', () => {
  assert.equal(
    mapProblems(`
    stages:
      free: { command: x }
      a: { command: x, needs: [free, b] }
      b: { command: x, needs: [c] }
      c: { command: x, needs: [a] }
      self: { command: x, needs: [self] }
    `),
    [
      `${AT}:3:34: stages.a.needs[1]: needs go round in a circle: a → b → c → a`,
      `${AT}:6:31: stages.self.needs[0]: needs go round in a circle: self → self`,
    ],
  );
});

test('no command, verify or diagnostic may name a protected file', () => {
  assert.equal(
    mapProblems(`
    stages:
      vms:
        command: bash "$MENDLOOP_ROOT"/secret/run.sh --now
        verify: [{ file: secret/key }, [cat, ./secret/key]]
        diagnostics: ["cat <SECRET/key; true"]
    protected_files: [secret/]
    `),
    [
      `${AT}:3:14: stages.vms.command: names secret/run.sh, a protected file; ${RULE}`,
      `${AT}:4:36: stages.vms.verify[1]: names secret/key, a protected file; ${RULE}`,
      `${AT}:5:19: stages.vms.diagnostics[0]: names SECRET/key, a protected file; ${RULE}`,
    ],
  );
});

test('no command, verify or diagnostic may name a wipe script, wherever it lies', () => {
  assert.equal(
    mapProblems(`
    stages:
      vms:
        command: cd infrastructure && ./wipe_proxmox.sh
        verify: [infrastructure/disk-wipe.sh]
        diagnostics: [/opt/wipe.sh, "talosctl reset --wipe-mode all", cat wiper.log]
    `),
    [
      `${AT}:3:14: stages.vms.command: names ./wipe_proxmox.sh, a wipe script; ${RULE}`,
      `${AT}:4:14: stages.vms.verify[0]: names infrastructure/disk-wipe.sh, a wipe script; ${RULE}`,
      `${AT}:5:19: stages.vms.diagnostics[0]: names /opt/wipe.sh, a wipe script; ${RULE}`,
    ],
  );
});

test('a stage may not be called like a command', () => {
  assert.equal(mapProblems('stages:\n  status: { command: x }\n'), [
    `${AT}:2:3: stages.status: this name is reserved, mendloop uses it itself; choose another stage name`,
  ]);
  for (const name of RESERVED_STAGE_NAMES) {
    assert.is(mapProblems(`stages: { ${name}: { command: x } }`).length, 1, name);
  }
});

test('a stage name is a safe folder name', () => {
  const bad = ['Talos', '1a', 'a/b', 'a b', '..', 'a'.repeat(65), ''];
  for (const name of bad) {
    assert.equal(mapProblems(`stages:\n  ${JSON.stringify(name)}: { command: x }\n`), [
      `${AT}:2:3: stages.${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)}: expected a stage name of up to 64 characters a-z, 0-9, "_" and "-" that starts with a letter`,
    ]);
  }
  assert.equal(mapProblems(`stages: { ${'a'.repeat(64)}: { command: x }, a_b-1: { command: x } }`), []);
});

test('several problems come at once, in the order of the file, also across stages', () => {
  assert.equal(
    mapProblems(`
    stages:
      vms:
        comand: stages/vms/run.sh
      talos:
        command: stages/talos/run.sh
        needs: [vms, tallos]
        timeout: 15
      apps:
        command: ops/wipe.sh
        needs: [infra]
      infra:
        command: x
        needs: [apps]
        verify: 3
    cary: [.env]
    `),
    [
      `${AT}:2:3: stages.vms.command: missing; expected a command: text for bash, or a list of words to run without a shell`,
      `${AT}:3:5: stages.vms.comand: unknown key; did you mean "command"?`,
      `${AT}:6:18: stages.talos.needs[1]: unknown stage "tallos"; did you mean "talos"?`,
      `${AT}:7:14: stages.talos.timeout: expected a duration with units ms, s, m, h or d, such as 90s or 1h30m, got the number 15`,
      `${AT}:9:14: stages.apps.command: names ops/wipe.sh, a wipe script; ${RULE}`,
      `${AT}:10:13: stages.apps.needs[0]: needs go round in a circle: apps → infra → apps`,
      `${AT}:14:13: stages.infra.verify: expected a list, got the number 3`,
      `${AT}:15:1: cary: unknown key; did you mean "carry"?`,
    ],
  );
});

test.run();
