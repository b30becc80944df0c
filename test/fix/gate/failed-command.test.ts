// Which command of a file the log says failed: of several recipes, tasks or lines only the one that is named.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { factsOf } from '../../../src/fix/gate/facts.ts';
import { failedKeys } from '../../../src/fix/gate/failed-command.ts';
import { shownWords } from '../../../src/fix/gate/shown.ts';
import { parse } from './homelab.ts';

const MAKEFILE =
  'plan:\n\tterraform plan\n\napply:\n\tterraform apply -auto-approve\n\ndns:\n\tflux reconcile source git dns\n';
const PLAYBOOK = `- hosts: all
  tasks:
    - name: Join the cluster
      ansible.builtin.shell: k3s agent --join
    - name: Wait for it
      ansible.builtin.shell: kubectl wait node
`;

/** The commands of a file that failed, as they stand in it; undefined when nobody can tell. */
function failedIn(path: string, text: string, failed: string, log?: string): string[] | undefined {
  const { commands } = factsOf(path, text, parse);
  const keys = failedKeys(path, commands, failed, log);
  return keys && commands.filter(({ key }) => keys.has(key)).map(shownWords);
}

const BY_MAKE = 'make: *** [apply] Error 1';

test('of the recipes of a Makefile it is the one that make names', () => {
  assert.equal(failedIn('Makefile', MAKEFILE, 'it failed', BY_MAKE), ['terraform apply -auto-approve']);
  const other = BY_MAKE.replace('apply', 'dns');
  assert.equal(failedIn('Makefile', MAKEFILE, 'it failed', other), ['flux reconcile source git dns']);
});

test('of the tasks of a playbook it is the one that was begun last', () => {
  const log = 'TASK [Join the cluster] ***\nchanged: [cp1]\nTASK [Wait for it] ***\nfatal: [cp1]: FAILED!';
  assert.equal(failedIn('site.yml', PLAYBOOK, 'it failed', log), ['kubectl wait node']);
});

test('a script says its line; the command itself, or a word that only one has, tells as well', () => {
  const script = 'log one\nkubectl apply -f a.yaml\nkubectl apply -f b.yaml\n';
  assert.equal(failedIn('run.sh', script, 'run.sh: line 2: boom'), ['kubectl apply -f a.yaml']);
  assert.equal(failedIn('run.sh', script, ' kubectl  apply -f b.yaml '), ['kubectl apply -f b.yaml']);
  assert.equal(failedIn('run.sh', script, 'error: no such file b.yaml'), ['kubectl apply -f b.yaml']);
});

test('where the log names none of them, or says nothing, nobody can tell', () => {
  assert.is(failedIn('Makefile', MAKEFILE, ' ', BY_MAKE), undefined);
  assert.is(failedIn('Makefile', MAKEFILE, 'it failed', BY_MAKE.replace('apply', 'elsewhere')), undefined);
});

test.run();
