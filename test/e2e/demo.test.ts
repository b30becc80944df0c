// The demo, as a newcomer starts it: what it says happened is what the journals have, and nothing outside of its folder changed.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { groupBy } from '../../src/io/group-by.ts';
import { startOllamaServer } from '../../src/testing/ollama-server.ts';
import type { AnyEvent } from '../journal/any-event.ts';
import {
  contextMap,
  ENTRY,
  folder,
  git,
  jsonLines,
  namesIn,
  scenario,
  startProcess,
  tree,
  until,
  write,
} from './scenario.ts';

/** Every event of the runs in `home`, by stage: one stage a run. */
function eventsByStage(home: string): Record<string, AnyEvent[]> {
  const runs = namesIn(join(home, 'ai/state/runs')).map((run) =>
    jsonLines(readFileSync(join(home, 'ai/state/runs', run, 'events.jsonl'), 'utf8')),
  ) as unknown as AnyEvent[][];
  const stages = groupBy(runs, (events) => events.find(({ stage }) => stage)?.stage ?? '');
  return Object.fromEntries([...stages].map(([stage, ofStage]) => [stage, ofStage.flat()]));
}

const of = (events: AnyEvent[] | undefined, type: string) => (events ?? []).filter((event) => event.type === type);
/** How a stage went: what was decided, whose fixes were verified, how it ended. */
const outcome = (events: AnyEvent[] | undefined) => [
  of(events, 'failure.decided').map(({ data }) => data.tier),
  of(events, 'fix.judged').map(({ data }) => `${data.plugin} ${data.outcome}`),
  of(events, 'run.ended').map(({ data }) => data.exit),
];

/** A home without a git identity, and settings that would break every commit. */
const NOBODY = { HOME: folder(), GIT_CONFIG_NOSYSTEM: '1' };
write(NOBODY.HOME, {
  '.gitconfig': `[commit]\n\tgpgSign = true\n[core]\n\tautocrlf = true\n\texcludesFile = ~/ignore\n[user]\n\tuseConfigOnly = true\n`,
  ignore: 'config/\n*.sql\n',
});

const outside = scenario({ 'ai/context_map.yaml': contextMap({ mine: 'true' }) });
const home = join(folder(), 'a lab');
const before = [tree(outside.home), tree(NOBODY.HOME)];
const done = await outside.run(['demo', '--fast', '--dir', home], { env: { ...NOBODY, MENDLOOP_HOME: outside.home } });

test('five faults go as they are told: one passes, two are repaired, one waits for a word, one is a case', () => {
  assert.equal([done.exit, done.stderr], [0, ''], done.stdout);
  const events = eventsByStage(home);
  assert.equal(outcome(events.images), [['wait'], [], [0]]);
  assert.equal(outcome(events.storage), [['executor'], ['known-fixes kept'], [0]]);
  assert.equal(outcome(events.dns), [['executor'], ['known-fixes kept'], [0]]);
  assert.equal(outcome(events.ingress), [['executor', 'none', 'executor'], ['person kept'], [3, 0]]);
  assert.is(of(events.ingress, 'fix.suggested')[0]?.data.plugin, 'prepared-answer');
  assert.match(
    done.stdout,
    /\$ mendloop cases accept (ingress-\w+)\n {2}taken: Take the address from the subnet of the lab\n/,
  );
  assert.equal(outcome(events.backup), [['none'], [], [3]]);
  assert.is(of(events.backup, 'case.opened').length, 1);
  assert.match(
    String(of(events.ingress, 'plugin.failed')[0]?.data.reason),
    'ollama: nothing listens at http://127.0.0.1:1;',
  );
  assert.match(done.stdout, 'prepared-answer: written beforehand for this demo, by no model');
  assert.match(done.stdout, 'Indent with spaces instead of tabs in config/dns.yaml\n');
  assert.match(done.stdout, /\n4 of 5 stages are green, after \d+(?:\.\d)? s\. Look around:\n/);
});

test('what was mended is on main, and nothing else is', () => {
  const subjects = git(home, 'log', '--format=%s').split('\n');
  assert.equal(
    subjects.slice(0, 4).map((line) => line.split(':')[0]),
    ['Mend ingress', 'Mend dns', 'Mend storage', 'Take the nightly backup'],
  );
  const first = git(home, 'rev-list', '--max-parents=0', 'HEAD');
  assert.is(git(home, 'diff', '--name-only', first, 'HEAD'), 'backups/photos.sql');
  assert.is(git(home, 'status', '--porcelain'), '');
});

test('the repository around it, the owner and their settings are as they were', () => {
  assert.equal([tree(outside.home), tree(NOBODY.HOME)], before);
});

test('the commands at its end do what stands before them when they are pasted, up to all green', async () => {
  const rows = done.stdout.slice(done.stdout.indexOf('Look around:')).matchAll(/^ {2}(\w[\w ]*?) {2,}(.+)$/gm);
  const commands = new Map([...rows].map(([, what, how]) => [what as string, how as string]));
  assert.equal([...commands.keys()].slice(-2), ['remove all of this', 'then your own repository']);
  const pasted = [...commands.values()].slice(0, -2).map((command) => `echo '> '${command}; ${command}`);
  const bash = ['bash', '-ec', pasted.join('\n')];
  const { exit, stdout, stderr } = await startProcess(bash, { cwd: NOBODY.HOME, env: NOBODY }).done;
  assert.equal([exit, stderr], [0, ''], stdout);
  assert.match(stdout, /\nbackup {3}failed /);
  assert.match(stdout, /\nbackup-\w+ {2}waits for you, just now\n/);
  assert.match(stdout, '\nerror: backups/photos.sql: checksum ');
  assert.match(stdout, /\n\* \w+ .*Mend ingress/);
  assert.match(stdout, /\ngreen: 5 stages {2}[^\n]*\n$/);
  const remove = commands.get('remove all of this') as string;
  assert.is((await startProcess(['bash', '-c', remove], { cwd: NOBODY.HOME }).done).exit, 0);
  assert.equal(namesIn(join(home, '..')), []);
});

test('an Ollama that answers is asked, and --json is the events of the runs, the promotion, and how it all ended', async () => {
  const answer =
    '```diff\n--- a/config/ingress.conf\n+++ b/config/ingress.conf\n@@ -2 +2 @@\n-address=192.168.4.200\n+address=192.168.40.7\n```\n';
  const model = await startOllamaServer({ script: () => ({ text: answer }) });
  const dir = folder();
  const args = ['demo', '--fast', '--json', '--dir', dir];
  const { exit, stdout } = await outside.run(args, { env: { ...NOBODY, OLLAMA_HOST: model.url } });
  await model.close();
  const lines = jsonLines(stdout);
  const stages = { images: 'green', storage: 'green', dns: 'green', ingress: 'green', backup: 'failed' };
  const promoted = git(dir, 'rev-parse', 'ai/orchestrator-stage1');
  assert.equal([exit, lines.at(-1)], [0, { demo: { dir, done: true, stages, promoted } }]);
  assert.is(
    lines.slice(0, -3).filter(({ seq, type }) => !seq || !type).length,
    1,
    'but for the case that was accepted',
  );
  assert.equal(outcome(eventsByStage(dir).ingress), [['executor', 'none', 'executor'], ['person kept'], [3, 0]]);
  assert.is(of(eventsByStage(dir).ingress, 'fix.suggested')[0]?.data.plugin, 'ollama');
  assert.ok(model.requests.some(({ path }) => path === '/api/chat'));
});

test('interrupted it says where the folder is, and how to remove it', async () => {
  const dir = folder();
  const started = startProcess([process.execPath, ENTRY, 'demo', '--dir', dir], { cwd: outside.home, env: NOBODY });
  await until('it waits', () => started.output().includes('  waits  '));
  started.kill('SIGINT');
  const { exit, stderr } = await started.done;
  const text = `\nthe demo was cut off; what there is of it is in ${dir}\nto remove it: rm -rf ${dir}\n`;
  assert.equal([exit, stderr], [130, text]);
});

test('a folder that holds something, is a file or cannot be made is refused and left alone', async () => {
  const dir = folder();
  write(dir, { 'full/mine': 'x' });
  mkdirSync(join(dir, 'empty'));
  const refused = async (path: string) => (await outside.run(['demo', '--dir', path])).stderr;
  const error = (path: string, what: string) =>
    `error E_DEMO_FOLDER: the demo needs a folder of its own, and ${path} ${what}\n  next:  name one that is not there yet: mendloop demo --dir DIR\n`;
  assert.is(await refused(join(dir, 'full')), error(join(dir, 'full'), 'is not empty'));
  assert.is(await refused(join(dir, 'full/mine')), error(join(dir, 'full/mine'), 'cannot be one (ENOTDIR)'));
  assert.is(await refused('/proc/mendloop-demo'), error('/proc/mendloop-demo', 'cannot be one (ENOENT)'));
  const none = await outside.run(['demo'], { env: { TMPDIR: join(dir, 'none') } });
  assert.match(none.stderr, `and ${join(dir, 'none')}/mendloop-demo- cannot be one (ENOENT)`);
  const planned = await outside.run(['demo', '--dry-run', '--dir', join(dir, 'new')]);
  assert.match(planned.stdout, /^would make a git repository .*\n {2}images {3}the registry is not up yet\n/);
  assert.equal(namesIn(dir), ['empty', 'full']);
});

test.run();
