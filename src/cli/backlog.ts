// `mendloop backlog`, `backlog show NN`, `backlog check`, `backlog add`, `backlog run [NN]`: the work queue.

import { BACKLOG_FOLDER, INDEX_FILE, type QueuedItem } from '../backlog/queue.ts';
import { itemStageName } from '../backlog/stage-of-item.ts';
import { formatProblem } from '../config/problem.ts';
import { table } from '../console/words.ts';
import { EXIT, failUsage } from '../errors.ts';
import { type ListedItem, listBacklog, outcomesOf } from '../inspect/backlog.ts';
import { cutText } from '../io/fit-text.ts';
import { addItem, checkBacklog } from '../run/backlog-files.ts';
import { findItem } from '../run/items.ts';
import { counted } from '../triage/words.ts';
import type { Answer, CommandInput } from './command.ts';
import { meantBy } from './input.ts';
import { numberOption, runRequest } from './run-options.ts';
import { runOnce } from './watched-run.ts';

const NEXT = 'mendloop backlog, or mendloop backlog show|run|check|add';

export async function run(input: CommandInput): Promise<Answer | number> {
  const [word = 'list', ...more] = input.words;
  const { most, act } = meantBy('backlog', word, WORDS, NEXT);
  if (more.length > most) failUsage(`backlog ${word}: too many words`, NEXT);
  return act(input, more[0]);
}

/** What may be done with the queue, and how many words may follow. */
const WORDS = {
  list: { most: 0, act: list },
  show: { most: 1, act: show },
  check: { most: 1, act: check },
  add: { most: 1, act: add },
  run: { most: 1, act: work },
} as const;

const NOTE_COLUMNS = 60;

async function list(input: CommandInput): Promise<Answer> {
  const { items, problems } = await listBacklog(input.layout());
  const next = items.find(({ state }) => state === 'open');
  // Why one failed is told whole by `backlog show`; what a stuck one waits for is a command to be copied.
  const shown = (state: ListedItem['state'], note: string) => (state === 'open' ? cutText(note, NOTE_COLUMNS) : note);
  const rows = items.map(({ number, title, state, note = '' }) => [number, state, title, shown(state, note)]);
  const lines =
    items.length === 0
      ? [
          `no items: ${INDEX_FILE} is not committed, or lists none`,
          'next:  mendloop backlog add "what is to be done" --scope GLOB --accept CMD',
        ]
      : [...table(rows), `${summaryOf(items)}${next ? `; next: mendloop backlog run ${next.number}` : ''}`];
  const wrong = problems.length > 0 ? [`${counted(problems.length, 'problem')}: mendloop backlog check`] : [];
  return { text: [...lines, ...wrong], json: { items, next: next?.number ?? null, problems } };
}

function summaryOf(items: readonly ListedItem[]): string {
  const [done, stuck] = (['done', 'stuck'] as const).map((one) => items.filter(({ state }) => state === one).length);
  return `${done} of ${counted(items.length, 'item')} done${stuck ? `, ${stuck} stuck` : ''}`;
}

async function show(input: CommandInput, number: string | undefined): Promise<Answer> {
  if (number === undefined) failUsage('backlog show needs the number of an item', 'mendloop backlog');
  const { items, problems } = await listBacklog(input.layout());
  const item = findItem({ items, problems }, number) as ListedItem;
  const outcomes = outcomesOf(input.layout(), item.number);
  const parts = {
    scope: item.scope,
    steps: item.steps.map(({ text, done }) => `[${done ? 'x' : ' '}] ${text}`),
    tests: item.tests.flatMap((command) => command.split('\n')),
    acceptance: item.acceptance.flatMap((command) => command.split('\n')),
    log: item.log,
    tried: item.tried,
    outcomes,
  };
  const lines = [
    `${item.number} ${item.title} (${item.state}${item.note ? `: ${item.note}` : ''})`,
    ...Object.entries(parts).flatMap(([title, rows]) =>
      rows.length === 0 ? [] : [`${title}:`, ...rows.map((row) => `  ${row}`)],
    ),
    item.file,
  ];
  return { text: lines, json: { ...item, outcomes } };
}

/** Reads a queue as it is in the working tree; one of another folder, too. */
async function check({ home }: CommandInput, folder: string | undefined): Promise<Answer> {
  const place = folder?.replace(/\/+$/, '');
  const queue = await checkBacklog(home(), place);
  if (queue === undefined)
    return failUsage(
      `there is no work queue in ${place ?? BACKLOG_FOLDER}`,
      'mendloop backlog add "what is to be done" --scope GLOB --accept CMD',
    );
  const { items, problems } = queue;
  const lines = [
    ...problems.map(formatProblem),
    problems.length === 0 ? `ok: ${counted(items.length, 'item')}` : counted(problems.length, 'problem'),
  ];
  return {
    text: lines,
    json: { ok: problems.length === 0, items: items.length, problems },
    hasFindings: problems.length > 0,
  };
}

async function add({ options, home, dry }: CommandInput, title: string | undefined): Promise<Answer> {
  const scope = listOf(options.scope);
  const accept = listOf(options.accept);
  if (title === undefined || scope.length === 0 || accept.length === 0)
    failUsage(
      'backlog add needs a title, --scope and --accept',
      'mendloop backlog add "make shellcheck pass" --scope "scripts/*.sh" --accept "shellcheck scripts/*.sh"',
    );
  const { file, index, command } = await addItem(home(), { title, scope, accept }, dry);
  return {
    text: [`${dry ? 'would write' : 'wrote'} ${file} and its line in ${index}`, `next:  ${command}`],
    json: { file, index },
  };
}

const listOf = (value: unknown): string[] => (typeof value === 'string' ? [value] : []);

const MAX_ITEMS = 20;

/** Works on the item that is named, or on the open ones in their order; exit 0 all done or enough, 1 no progress, 3 stuck. */
async function work(input: CommandInput, number: string | undefined): Promise<Answer | number> {
  const max = numberOption(input.options, 'max', 'for example: --max 3') ?? MAX_ITEMS;
  const listed = await listBacklog(input.layout());
  const named = number === undefined ? undefined : (findItem(listed, number) as ListedItem);
  if (listed.items.length === 0) return list(input);
  if (input.dry) {
    const items = (named ? [named] : listed.items.filter(({ state }) => state === 'open')).slice(0, max);
    const lines = items.map((item) => `would work on ${item.number}: ${item.title}`);
    return {
      text: lines.length > 0 ? lines : `would work on none: ${summaryOf(listed.items)}`,
      json: { items: items.map((item) => item.number) },
    };
  }
  if (named?.state === 'done') return { text: `${named.number} is done`, json: { done: named.number } };
  return workThrough(input, named ? 1 : max, named);
}

/**
 * Works on at most `max` items, or on the named one; resolves to the exit code. Stops at an item that made no progress twice, at
 * the day's limits, and at a signal.
 */
export async function workThrough(input: CommandInput, max: number, named?: ListedItem): Promise<number> {
  const exits: number[] = [];
  const tried = new Set<string>();
  for (let count = 0; count < max; count++) {
    const { items } = named ? { items: [named] } : await listBacklog(input.layout());
    const item = named ?? items.find(({ state, number }) => state === 'open' && !tried.has(number));
    if (!item) {
      // Items that are stuck already wait for a person.
      const stuck = items.filter(({ state, number }) => state === 'stuck' && !tried.has(number));
      for (const { number, note = 'given up' } of stuck) input.out.line(`item ${number}: ${note}`);
      if (items.some(({ state }) => state === 'stuck')) exits.push(EXIT.human);
      break;
    }
    tried.add(item.number);
    input.out.line(`item ${item.number}: ${item.title}`);
    const { exit, isLast } = await workOn(input, item);
    exits.push(exit);
    if (isLast) break;
  }
  input.out.line(summaryOf((await listBacklog(input.layout())).items));
  return exits.find((exit) => !WORKED.includes(exit)) ?? WORKED.find((exit) => exits.includes(exit)) ?? EXIT.ok;
}

/** Exit codes of an item after which the next one is begun, the worst first. */
const WORKED: readonly number[] = [EXIT.human, EXIT.failed, EXIT.ok];

/** `isLast`: no other item is begun after it. */
async function workOn(input: CommandInput, { number }: QueuedItem): Promise<{ exit: number; isLast: boolean }> {
  const request = { ...runRequest(input), stages: [itemStageName(number)], forced: false };
  const once = async () => {
    const { exit, result } = await runOnce(input, request);
    const { why, phase, unreachable } = result.error?.context ?? {};
    if (unreachable === true) {
      input.out.line(`item ${number} is open as before: nobody could be asked, so the queue stops here`);
      return { exit, isLast: true, isOver: true };
    }
    const isUnready = exit === EXIT.failed && why === undefined && phase === 'command';
    if (isUnready) input.out.line(`item ${number} is not begun: its tests fail before anything was changed`);
    // A second try would end the same.
    const isOver = exit !== EXIT.failed || isUnready || !request.ai;
    const isLast = !WORKED.includes(exit) || /^(?:day_\w+|run_time)_spent$/.test(String(why));
    return { exit, isLast, isOver: isOver || isLast };
  };
  const first = await once();
  if (first.isOver) return first;
  const second = await once();
  return { ...second, isLast: second.isLast || second.exit !== EXIT.ok };
}
