// The repository as it is shipped: cloned and run, its simulated lab works; with the real tools missing it says so. All six
// stages turning green is in test/docs, for the README shows it.
import { existsSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { copyRepository } from '../this-repository.ts';
import { folder, git, plain, startProcess } from './scenario.ts';

const STAGES = ['vms', 'talos', 'infra', 'apps', 'ingress', 'obs'];
/** A PATH with all that this machine has, but not these tools. */
function pathWithout(...tools: string[]): string {
  const bin = folder();
  for (const dir of (process.env.PATH ?? '').split(':').filter(existsSync))
    for (const name of readdirSync(dir))
      if (!tools.includes(name) && !existsSync(join(bin, name))) symlinkSync(join(dir, name), join(bin, name));
  return bin;
}

test('a clone runs in a simulated lab and says so in its first line; what was simulated is never taken for real', async () => {
  const home = copyRepository(folder());
  const entry = [process.execPath, 'scripts/bootstrap_loop.mjs'];
  const done = await startProcess([...entry, 'vms'], { cwd: home }).done;
  assert.is(done.exit, 0, done.stdout + done.stderr);
  const lines = done.stdout.trimEnd().split('\n');
  assert.is(lines[0], 'SIMULATED LAB: qm, talosctl, kubectl and flux are stand-ins; no real machine is touched');
  assert.equal(
    lines.filter((line) => /^\w+ +green /.test(line)).map((line) => line.split(' ')[0]),
    ['vms'],
  );
  assert.match(lines.at(-1) ?? '', /^green: 1 stage {2}.* {2}\(simulated lab, no real machine was touched\)$/);
  assert.not.match(done.stdout, 'note:', 'nobody has to have credentials for it');
  assert.is(git(home, 'status', '--porcelain'), '', 'the checkout is as it was');

  const again = await startProcess([...entry, 'vms'], { cwd: home }).done;
  assert.is(again.exit, 0, again.stdout);
  assert.match(again.stdout, /^vms +green +still holds$/m);

  const real = { cwd: home, env: { MENDLOOP_LAB: 'real', PATH: pathWithout('qm', 'talosctl', 'kubectl', 'flux') } };
  const mixed = await startProcess(entry, real).done;
  assert.is(
    mixed.stderr,
    `error E_OTHER_LAB: ai/state is from the simulated lab and this run is for the real one: green stages and outputs would be mixed up
  next:  put the simulated lab's state aside, then start again:
         mv ai/state ai/state.simulated
`,
  );
  assert.is(mixed.exit, 2);
  renameSync(join(home, 'ai/state'), join(home, 'ai/state.simulated'));
  const lacking = await startProcess(entry, real).done;
  assert.is(
    plain(lacking.stdout),
    `run <run> begins: ${STAGES.join(' → ')}
note: carry: .env does not exist, so it was not linked
note: tool talosctl is not on PATH (https://www.talos.dev, "talosctl", or brew install siderolabs/tap/talosctl)
note: tool kubectl is not on PATH (https://kubernetes.io/docs/tasks/tools/, or brew install kubectl)
note: tool flux is not on PATH (https://fluxcd.io/flux/installation/, or brew install fluxcd/tap/flux)
vms      started
    unknown; new  (<fingerprint>)
    | error: qm is not on PATH: run this on the Proxmox host, or set PROXMOX_HOST in .env to reach it over ssh
    is being mended: a new failure: first of 3 tries
    log: ai/logs/vms/<run>-1.log
vms      no answer    ollama: nothing listens at http://127.0.0.1:1; start it there: ollama serve
vms      kept         the question that nobody could be asked: ai/logs/executor/<run>-vms-1-prompt.md
vms      failed       <n> s  exit code 1
    left for the next run: no executor can be reached
talos    skipped      needs vms, which failed
infra    skipped      needs vms, which failed
apps     skipped      needs vms, which failed
ingress  skipped      needs vms, which failed
obs      skipped      needs vms, which failed
failed: 1 failed, 5 skipped  <n> s
  next:  ollama: nothing listens at http://127.0.0.1:1; start it there: ollama serve
         or mend it (mendloop explain <fingerprint>), commit, then: mendloop
         or have another model answer ai/logs/executor/<run>-vms-1-prompt.md, and try that: mendloop check-patch <answer> --stage vms
`,
  );
  assert.is(lacking.exit, 1);
  const status = await startProcess([...entry, 'status', 'vms'], { cwd: home }).done;
  assert.match(
    plain(status.stdout),
    `    next:  ollama: nothing listens at http://127.0.0.1:1; start it there: ollama serve
           or mend it (mendloop explain <fingerprint>), commit, then: mendloop
           or have another model answer ai/logs/executor/<run>-vms-1-prompt.md, and try that: `,
    'the next day status still says what to do',
  );
});

test.run();
