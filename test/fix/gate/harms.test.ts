// What a file would take away for good, for whoever adopts a repository.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { harmsOf } from '../../../src/fix/gate/harms.ts';
import { wantsShellCheck } from '../../../src/fix/gate/language.ts';
import { carriedPaths } from '../../../src/fix/gate/protected-names.ts';
import { parse } from './homelab.ts';

const wordsIn = (path: string, text: string): string[] => harmsOf(path, text, parse).map(({ words }) => words);

test('commands of a script that destroy, with their lines; soft ones and those of its own work folder are none', () => {
  const script = [
    'kubectl delete namespace apps',
    'rm -rf /srv/data',
    'rm -r ~/.kube',
    'rm -rf build',
    'rm -rf /tmp/build',
    'rm /srv/data',
    'ls -r /srv',
    'kubectl delete pod web',
    '"$KUBECTL" delete namespace web',
    'clean() { log a; }',
    'clean delete all',
  ];
  assert.equal(
    harmsOf('run.sh', script.join('\n'), parse).map(({ line, guarded }) => [line, guarded]),
    [1, 2, 3, 9].map((line) => [line, false]),
  );
});

test('what a text only says, or may be a command, is not run; a text that a script runs is', () => {
  assert.equal(wordsIn('values.yaml', 'a: kubectl delete namespace apps\n'), []);
  assert.equal(wordsIn('setup.txt', 'set -e\nkubectl delete namespace apps\n'), ['kubectl delete namespace apps']);
});

test('what builds an image hurts no host', () => {
  assert.equal(wordsIn('app/Dockerfile', 'FROM debian\nRUN rm -rf /var/lib/apt/lists/*\n'), []);
});

test('tasks that remove what holds data, or format it, and whether a condition guards them', () => {
  const play = `- hosts: all
  tasks:
    - kubernetes.core.k8s: { name: a, state: absent }
    - filesystem: { dev: /dev/sdb, force: true }
      when: wipe
    - block:
        - docker_volume: { name: a, state: absent }
      when: wipe
    - kubernetes.core.helm_repository: { name: a, state: absent }
    - kubernetes.core.k8s: { name: a, state: present }
    - file: { path: a, state: absent }
    - shell: kubectl delete namespace a
      when: wipe
    - shell: kubectl delete namespace b
`;
  assert.equal(
    harmsOf('site.yml', play, parse).map(({ line, words, guarded }) => `${line} ${words} ${guarded}`),
    [
      '12 kubectl delete namespace a true',
      '14 kubectl delete namespace b false',
      '3 kubernetes.core.k8s state: absent false',
      '4 filesystem force: true true',
      '7 docker_volume state: absent true',
    ],
  );
});

test('bash and shellcheck are asked about scripts for bash alone, and not about templates', () => {
  const asked: [string, string, boolean][] = [
    ['run.sh', 'log a\n', true],
    ['run', '#!/bin/sh\n', true],
    ['run.sh.j2', 'log a\n', false],
    ['run.zsh', 'log a\n', false],
    ['run', '#!/bin/zsh\n', false],
    ['a.yaml', 'a: b\n', false],
  ];
  for (const [path, text, isAsked] of asked) assert.is(wantsShellCheck(path, text), isAsked, path);
});

test('what is carried is the path and all below it', () => {
  assert.equal(carriedPaths(['keys/', 'a.yaml']), ['keys', 'keys/', 'a.yaml', 'a.yaml/']);
});

test.run();
