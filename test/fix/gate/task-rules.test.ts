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

test.run();
