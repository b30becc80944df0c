// Tasks of Ansible that were not there: what one of their kind did before, they may do as well.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { judge, rulesFor, word } from './homelab.ts';

const mount = (name: string, src: string, path: string) => `    - name: ${name}
      ansible.posix.mount:
        src: "${src}"
        path: ${path}
        fstype: nfs
        state: mounted
`;
const PLAY = `- hosts: all\n  tasks:\n${mount('Media', 'nas:/media', '/mnt/media')}`;

/** The verdict on one more task of the play. */
const addingTask = (task: string): string =>
  word(judge([{ path: 'site.yml', before: PLAY, after: PLAY + task }], rulesFor('site.yml')));

test('another mount is asked about, unless its source or its place is one that the play has', () => {
  assert.is(addingTask(mount('Backup', 'nas:/backup', '/mnt/backup')), 'ask softer');
  assert.is(addingTask(mount('Media for all', 'nas:/media', '/srv/media')), 'ok');
  assert.is(addingTask(mount('New media', 'nas:/films', '/mnt/media')), 'ok');
});

const WAITING =
  '- hosts: all\n  tasks:\n    - name: A\n      command: /bin/a\n      register: r\n      until: r.rc == 0\n';

test('a task that was there is not kept from running, from failing or from being waited for', () => {
  const masks = [
    ...['ignore_errors: true', 'ignore_errors: "{{ true }}"', 'failed_when: false', 'when: false', 'when: 1 == 2'],
    ...['when: [r.rc, false]', 'when: []', 'when: ansible_check_mode', 'loop: []', 'with_items: "{{ [] }}"'],
    ...['tags: never', 'tags: [x, never]', 'poll: 0', 'until: true', 'until: r is defined'],
  ];
  const fine = [
    ...['ignore_errors: false', 'ignore_errors: no', 'failed_when: r.rc > 1', 'when: r.rc', 'when: [r.rc, x]'],
    ...[
      'loop: [a]',
      'with_items: "{{ hosts }}"',
      'tags: [x]',
      'poll: 5',
      'until: r.rc < 2',
      'until: r is defined or x',
    ],
  ];
  for (const line of [...masks, ...fine]) {
    const [key = ''] = line.split(':');
    const after = key === 'until' ? WAITING.replace('until: r.rc == 0', line) : `${WAITING}      ${line}\n`;
    const verdict = word(judge([{ path: 'site.yml', before: WAITING, after }], rulesFor('site.yml')));
    assert.is(verdict, masks.includes(line) ? 'masks' : 'ok', line);
  }
});

test.run();
