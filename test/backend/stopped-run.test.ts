// A run that is stopped while Slurm does not answer. Slurm's programs are scripts here; jobs are real processes.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { headline } from '../../src/console/status-lines.ts';
import { metricsOf } from '../../src/inspect/metrics.ts';
import { timelineOf } from '../../src/inspect/timeline.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { summaryOf } from '../../src/journal/history.ts';
import { loadStages } from '../../src/journal/load-stages.ts';
import { Stop } from '../../src/plan/stop.ts';
import { folder } from '../environment.ts';
import { homelab, journalIn, NOTE, ranSteps, run } from '../run/homelab.ts';
import { eventually } from '../slurm/cluster.ts';

const SCRIPTS = {
  sbatch: `for word in "$@"; do case "$word" in
  --test-only) exit 0 ;; --comment=*) comment="\${word#*=}" ;; --output=*) output="\${word#*=}" ;; --chdir=*) cd "\${word#*=}" ;; --wrap=*) wrap="\${word#*=}" ;;
esac; done
id=$(( $(ls "$D" | grep -c comment) + 1 ))
setsid bash -c "$wrap" >> "$output" 2>&1 < /dev/null &
echo $! > "$D/$id.pid"
echo "$comment" > "$D/$id.comment"
echo $id`,
  squeue: `[ ! -f "$D/away" ] || { echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1; }
for file in "$D"/*.comment; do
  id=$(basename "$file" .comment); state=COMPLETED
  if kill -0 "$(cat "$D/$id.pid")" 2> /dev/null; then state=RUNNING; fi
  echo "$id|$state|None|0|node1|$(cat "$file")"
done`,
  scancel: 'for id in "$@"; do kill -- "-$(cat "$D/$id.pid")"; done',
  scontrol: 'echo "MaxArraySize = 1001"',
};

test('what may still run when a run is stopped keeps every backend from starting beside it, until it is gone', async () => {
  const bin = folder();
  for (const [program, script] of Object.entries(SCRIPTS))
    writeFileSync(join(bin, program), `#!/bin/bash\nD=${bin}\n${script}\n`, { mode: 0o755 });
  const env = { PATH: `${bin}:${process.env.PATH}` };
  const command = `${NOTE}; [ "$(wc -l < "$MENDLOOP_HOME/ai/state/ran")" -gt 1 ] || sleep 60`;
  const home = homelab({ a: { command } }, { backend: 'slurm-dag', slurm: { grace: '1s' } });
  const stop = new AbortController();
  const first = run(home, {}, { env, signal: stop.signal });
  await eventually('the job runs', () => ranSteps(home).length === 1, 60_000);
  writeFileSync(join(bin, 'away'), '');
  stop.abort(new Stop('INTERRUPTED', 'interrupted by SIGINT'));
  const { exit, run: id, events } = await first;
  assert.equal([exit, events.at(-1)?.type], [130, 'run.left']);
  assert.not(existsSync(layoutOf(home).runFile(id)));
  const left = summaryOf(layoutOf(home), id);
  assert.equal([left.exit, left.ended, typeof left.duration_ms], [130, undefined, 'number']);
  assert.match(await metricsOf(layoutOf(home)), /^mendloop_last_run_exit_code\S* 130$/m);
  const marks = timelineOf(events as never)?.rows.flatMap((row) => row.marks.map(({ type }) => type));
  assert.ok(marks?.includes('run.left'));
  assert.is(
    headline(loadStages(layoutOf(home)), 1, undefined, Date.now()),
    `run ${id} was stopped, and jobs of it may still run; the next start ends them`,
  );

  const refused = await run(home, { backend: 'local' }, { env }).catch((error) => error);
  assert.is(refused.code, 'E_JOBS_LEFT', String(refused));
  assert.match(refused.next, 'end them: scancel 2\n');
  assert.equal(ranSteps(home), ['a']);

  rmSync(join(bin, 'away'));
  const next = await run(home, { backend: 'local' }, { env });
  assert.equal([next.exit, next.run === id, ranSteps(home)], [0, false, ['a', 'a']]);
  const ended = journalIn(home, id).at(-1);
  assert.equal([ended?.type, ended?.status], ['run.ended', 'abandoned']);
  const { exit: kept, duration_ms, outcome } = summaryOf(layoutOf(home), id);
  assert.equal([outcome, kept, duration_ms], ['abandoned', 130, left.duration_ms]);
});

test.run();
