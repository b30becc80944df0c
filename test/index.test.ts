// The names that this package offers, frozen: one that goes breaks somebody's plan or plugin.
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as planApi from '../src/index.ts';
import * as model from '../src/model.ts';
import * as testing from '../src/testing/index.ts';

const { doorName } = await import(new URL('../src/plugin/bare-imports.mjs', import.meta.url).href);

const names = (door: object) => Object.keys(door).sort();

/** The types that the file exports itself or re-exports, under the names that others import. */
function types(url: URL): string[] {
  const text = readFileSync(url, 'utf8');
  const own = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name as string);
  const whole = [...text.matchAll(/^export \* from '([^']+)'/gm)].map(([, path]) => new URL(path as string, url));
  const lists = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)];
  const listed = lists.flatMap(([, type = '', list = '']) => list.split(',').map((name) => type + name.trim()));
  const named = listed.flatMap((name) => /^type (?:\w+ as )?(\w+)$/.exec(name)?.[1] ?? []);
  return [...own, ...named, ...whole.flatMap(types)].sort();
}

const typesOf = (path: string) => types(new URL(path, import.meta.url));

test('the plan API is exactly this', () => {
  assert.equal(names(planApi), [
    'CODES',
    'EVENTS',
    'EXIT',
    'MendError',
    'action',
    'createPlanRunner',
    'definePlugin',
    'executionError',
    'formatError',
    'linear',
    'parallel',
    'validateContext',
    'validatePlan',
  ]);
  const expected = `
    Action ActionCall ActionRegistry Backend BackendJob Context ContextInput Escalation EscalationFacts
    EventType ExecutionCode ExecutionContext ExecutionError FixFacts LoopEvent NewEvent Notice Outcome Plan
    PlanInput PlanProgress PlanResult PlanRunner PlanRunnerOptions PlanStatus PlanStep Plugin Proposal
    RetryPolicy RunScheduler Severity Subscriber
  `;
  assert.equal(typesOf('../src/index.ts'), expected.trim().split(/\s+/));
  const runner = planApi.createPlanRunner({ actions: new Map() });
  assert.equal(names(runner), ['execute', 'executePlan', 'runPlan']);
});

test('what plugin authors are offered is exactly this', () => {
  assert.equal(names(model), [
    'CASE_REMINDER',
    'CASE_TASK',
    'MAX_ANSWER_TOKENS',
    'ModelFault',
    'WAITS',
    'aboutText',
    'addressFault',
    'addressSetting',
    'answerFormSetting',
    'askForChange',
    'askModel',
    'baseAddressSetting',
    'consult',
    'definePlugin',
    'durationSetting',
    'estimateTokens',
    'estimateTurns',
    'firstPieceLimit',
    'followUp',
    'getJson',
    'guardAnswer',
    'isAnswer',
    'isLanAddress',
    'isLongToWrite',
    'isLoopback',
    'isPassingStatus',
    'lanHost',
    'lanHostSetting',
    'machineHasGpu',
    'machineMemory',
    'mayReach',
    'numberText',
    'openChat',
    'pause',
    'postJson',
    'programEnvironment',
    'programSettings',
    'readLines',
    'readNumbered',
    'readReply',
    'readingText',
    'readingTime',
    'repeatsSecret',
    'retryAfterMs',
    'runModelCommand',
    'secretFrom',
    'seenFiles',
    'speedText',
    'timeoutSetting',
    'usualTime',
    'variableSetting',
    'withChoice',
    'withFormat',
    'withoutSecrets',
    'writingTime',
  ]);
  const expected = `
    AnswerFormat AskedForChange AskedModel Backend BackendJob CaseAnswer ChatEnd Choice ClassRules Consultation
    Context Definitions Escalation EscalationFacts FailureFacts FixFacts GuardedAnswer HeardAnswer HostedModel
    ModelCommand ModelHost Note Notice NoticeAsk Place Plugin PostJson Posted Proposal Question ReadLines
    ReadReply Refused RefusedRound Reporting SeenFile SentQuestion Speed Speeds Try Turn Waits
  `;
  assert.equal(typesOf('../src/model.ts'), expected.trim().split(/\s+/));
  assert.is(model.definePlugin, planApi.definePlugin);
  assert.equal(names(testing), ['startApiServer', 'startNtfyServer', 'startOllamaServer']);
});

test('each door stands in package.json under its name', async () => {
  const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const door = (name: string, source: string) => ({
    types: `./dist/types/src/${source}.d.ts`,
    default: `./dist/${doorName(name)}.mjs`,
  });
  assert.equal(exports, {
    '.': door('mendloop', 'index'),
    './model': door('mendloop/model', 'model'),
    './testing': door('mendloop/testing', 'testing/index'),
    './typescript': './dist/scripts/typescript.mjs',
    './package.json': './package.json',
  });
});

test.run();
