// Runners of several processes that keep their results in one folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlanResult } from '../../src/plan/contract.ts';
import { createPlanRunner } from '../../src/plan-api/runner.ts';
import { afterTest, folder } from '../environment.ts';
import { context, id, plan } from '../plan/builders.ts';
import { act, after, done } from './builders.ts';

/** A process that executes the plan in `dir`/results: its step notes that it ran, and ends when there is a file `go`. */
const SCRIPT = `
  import { appendFileSync, existsSync } from 'node:fs';
  import { setTimeout as sleep } from 'node:timers/promises';
  import { z } from 'zod';
  import { action, createPlanRunner } from './src/index.ts';
  const [dir, plan, context] = [process.argv[1], ...process.argv.slice(2).map((text) => JSON.parse(text))];
  const run = async () => {
    appendFileSync(dir + '/ran', process.pid + '\\n');
    while (!existsSync(dir + '/go')) await sleep(20);
    return { kind: 'done' };
  };
  const actions = new Map([['act', action({ payload: z.any(), run })]]);
  console.log(JSON.stringify(await createPlanRunner({ actions, folder: dir + '/results' }).execute(plan, context)));
`;
const PLAN = plan();
const CONTEXT = context(PLAN);

interface Started {
  child: ChildProcess;
  /** Undefined when it was killed. */
  result: Promise<PlanResult | undefined>;
}

function start(dir: string): Started {
  const args = ['--import', './scripts/typescript.mjs', '--input-type=module', '-e', SCRIPT, dir];
  const child = spawn(process.execPath, [...args, JSON.stringify(PLAN), JSON.stringify(CONTEXT)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  afterTest(() => child.kill('SIGKILL'));
  let printed = '';
  child.stdout?.on('data', (text) => {
    printed += text;
  });
  const result = new Promise<PlanResult | undefined>((resolve) => {
    child.on('close', () => resolve(printed === '' ? undefined : JSON.parse(printed)));
  });
  return { child, result };
}

const ranIn = (dir: string): string[] =>
  existsSync(join(dir, 'ran')) ? readFileSync(join(dir, 'ran'), 'utf8').trim().split('\n') : [];

async function untilRan(dir: string): Promise<void> {
  while (ranIn(dir).length === 0) await sleep(20);
}

/** Executes the same plan in this process. */
const executeHere = (dir: string, ran: string[] = []) =>
  createPlanRunner({
    actions: new Map([['act', act(({ step }) => after(ran.push(step.id), done))]]),
    folder: join(dir, 'results'),
  }).execute(PLAN, CONTEXT);

test('an execution that another process is at work on is refused, and says which one that is', async () => {
  const dir = folder();
  const { child, result } = start(dir);
  await untilRan(dir);
  const ran: string[] = [];
  const refused = await executeHere(dir, ran);
  assert.equal([refused.status, refused.error?.error_code], ['failure', 'INVALID_PAYLOAD']);
  assert.match(refused.error?.message ?? '', `execution_id: ${id(9001)} is being run by pid ${child.pid} on `);
  writeFileSync(join(dir, 'go'), '');
  assert.is((await result)?.status, 'success');
  assert.match((await executeHere(dir, ran)).error?.message ?? '', 'has ended before');
  assert.equal([ran, readdirSync(join(dir, 'results'))], [[], [`${id(9001)}.json`]]);
});

test('of six processes that begin the same execution at once, one runs it', async () => {
  const dir = folder();
  writeFileSync(join(dir, 'go'), '');
  const results = await Promise.all(Array.from({ length: 6 }, () => start(dir).result));
  const codes = results.map((result) => result?.error?.error_code ?? result?.status).sort();
  assert.equal(codes, [...Array(5).fill('INVALID_PAYLOAD'), 'success']);
  assert.is(ranIn(dir).length, 1);
});

test('the execution of a process that was killed may run again, also when its lock holds half a text', async () => {
  const dir = folder();
  const { child, result } = start(dir);
  await untilRan(dir);
  child.kill('SIGKILL');
  await result;
  const ran: string[] = [];
  assert.is((await executeHere(dir, ran)).status, 'success');
  const torn = folder();
  mkdirSync(join(torn, 'results'));
  writeFileSync(join(torn, 'results', `${id(9001)}.lock`), '{"pid":');
  assert.is((await executeHere(torn, ran)).status, 'success');
  assert.is(ran.length, 2);
});

test.run();
