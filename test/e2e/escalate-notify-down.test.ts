// Whoever is to be told and cannot be, through the real entry: the run ends as it would, in time, and they hear of it later.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apiHost, noticeLab, TOLD, toldTo } from './escalate-lab.ts';
import { dataOf, type Ran } from './model-lab.ts';

const OK = { status: 204, raw: '' };
let heard: string[] = [];

const untold = (ran: Ran) =>
  dataOf(ran, 'notice', 'text')
    .map(String)
    .filter((text) => text.startsWith('not told'));

test('a webhook that is down changes no exit code, is said, and is told when it is up again', async () => {
  const [hook, gone] = [await apiHost(), await apiHost()];
  hook.says(OK);
  await gone.close();
  const lab = await noticeLab(['webhook'], { webhook: { url_env: 'HOOK_ADDRESS', timeout: '1s' } });
  const down = await lab.mend([], { env: { HOOK_ADDRESS: `${gone.url}/T0ken` } });
  assert.equal([down.exit, untold(down).length], [3, 3], down.said);
  for (const text of untold(down)) assert.match(text, new RegExp(`^not told: webhook: ${gone.url} cannot be reached`));
  assert.not.match(down.said, 'T0ken');
  const up = await lab.mend([], { env: { HOOK_ADDRESS: `${hook.url}/T0ken` } });
  heard = toldTo(hook);
  assert.equal([up.exit, heard.filter((one) => !one.startsWith('given'))], [3, TOLD.slice(1)], up.said);
});

test('what was given up while nobody could be told is told when they can be', () => {
  assert.equal(heard, TOLD);
});

test('one that hangs holds up the end of a run by ten seconds at most, and no exit code', async () => {
  const hook = await apiHost();
  hook.says({ end: 'hang' });
  const lab = await noticeLab(['webhook'], { webhook: { url: `${hook.url}/x` } });
  const began = performance.now();
  const ran = await lab.mend();
  const took = performance.now() - began;
  assert.equal([ran.exit, untold(ran).length], [3, 3], ran.said);
  const [first, last] = [ran.events.at(0)?.time, ran.events.at(-1)?.time].map((time) => Date.parse(String(time)));
  const ended = ran.events.findLast(({ type }) => type === 'step.failed')?.time;
  const waited = Number(last) - Date.parse(String(ended));
  assert.ok(waited < 11_000, `${waited} ms after the last step; ${Number(last) - Number(first)} ms; ${took} ms in all`);
  assert.equal(ran.events.filter(({ type }) => type === 'run.ended').length, 1);
});

test.run();
