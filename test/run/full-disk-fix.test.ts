// A disk that fills while a fix is on its way: what no commit holds does not stay in the tree.
import { cpSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { smallDisk } from '../e2e/scenario.ts';
import { needs } from '../needs.ts';
import { run } from './homelab.ts';
import { FILE, fixTrail, mendable, ranWords, says } from './probe.ts';

const onSmallDisk = needs('right to mount');

/** Fails, and fills the disk that git's own folder is on: what is written to the worktree still fits. */
const FILLING = {
  command: 'bash check.sh conf/a.txt || { head -c 20M /dev/zero > "$MENDLOOP_HOME/.git/filler" 2>/dev/null; exit 1; }',
  files: ['conf/'],
};

onSmallDisk(
  'an edit that could not be committed is gone before the next run, whatever the journal still knows',
  async () => {
    for (const lost of ['nothing', 'the intent', 'the state']) {
      const { home, probe, tree, treeStatus, subjects } = mendable({ stages: { a: FILLING } });
      const gitFolder = join(home, '.git');
      renameSync(gitFolder, `${gitFolder}.aside`);
      smallDisk(gitFolder, '2m');
      cpSync(`${gitFolder}.aside`, gitFolder, { recursive: true });
      rmSync(`${gitFolder}.aside`, { recursive: true });
      probe.answers(says('good'));
      const full = await run(home);
      const { code } = full.result.error?.context ?? {};
      assert.equal([full.exit, code, fixTrail(full.events).includes('fix.committed')], [1, 'E_DISK_FULL', false]);
      // As it is where the disk was too full to put the file back, too.
      writeFileSync(join(home, 'ai/worktree', FILE), 'good\nsecond\n');
      rmSync(join(gitFolder, 'filler'), { force: true });
      const layout = layoutOf(home);
      if (lost === 'the intent') {
        const [name = ''] = readdirSync(layout.runs);
        rmSync(layout.journal(name));
      }
      if (lost === 'the state') rmSync(layout.state, { recursive: true });
      probe.answers({ pass: 'nothing to say' });
      rmSync(join(home, 'ai/state/ran'), { force: true });
      const next = await run(home);
      rmSync(join(gitFolder, 'filler'), { force: true });
      assert.is.not(next.exit, 0, lost);
      assert.equal([ranWords(home), tree(), treeStatus(), subjects()], [['a bad'], 'bad\nsecond\n', '', []], lost);
      assert.match(JSON.stringify(next.events), 'put back, for no stage was seen to change them: conf/a.txt');
    }
  },
);

test.run();
