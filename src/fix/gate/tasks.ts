// The tasks of Ansible in one normal form, however they are written: a module called with arguments, under words such as `when`,
// below plays and blocks.
import { type Data, isRecord, type Value } from './data.ts';

export interface Task {
  readonly name: string;
  /** Without its collection where that is Ansible's own. */
  readonly module: string;
  /** `key=value` texts and `args:` are read into it; what is none of these stands under `_raw_params`. */
  readonly args: { readonly [key: string]: Value };
  /** What it says besides: when, loop, tags. */
  readonly words: { readonly [key: string]: Value };
  /** Hosts, conditions and sections of the plays and blocks around it. */
  readonly above: string;
  readonly line: number;
}

const KEYWORDS = new Set(
  (
    'name when register loop loop_control tags vars become become_user become_method become_flags notify listen ignore_errors ' +
    'ignore_unreachable failed_when changed_when until retries delay delegate_to delegate_facts run_once environment no_log args async ' +
    'poll check_mode diff any_errors_fatal block rescue always connection remote_user throttle timeout module_defaults collections ' +
    'hosts tasks roles pre_tasks post_tasks handlers gather_facts vars_files vars_prompt strategy serial max_fail_percentage debugger ' +
    'port force_handlers'
  ).split(' '),
);
/** Whether a key of a task or play says when, where and how what stands beside or below it runs. */
export const isKeyword = (key = ''): boolean => key !== 'name' && (KEYWORDS.has(key) || key.startsWith('with_'));

const LISTS = ['tasks', 'pre_tasks', 'post_tasks', 'handlers', 'block', 'rescue', 'always'];
const ABOVE = ['hosts', 'when', 'tags'];
const FREE = /^(?:shell|command|raw|script|win_shell|win_command|expect)$/;

/** Every task of a file's plays and task lists. */
export function readTasks({ documents, lines }: Data): Task[] {
  const tasksOf = (value: Value, above: string): Task[] => {
    if (!isRecord(value)) return [];
    const here =
      above + ABOVE.flatMap((key) => (key in value ? [`${key}: ${JSON.stringify(value[key])}; `] : [])).join('');
    const below = LISTS.flatMap((key) => {
      const list = value[key];
      const section = key === 'handlers' || key === 'rescue' ? `${here}${key}; ` : here;
      return Array.isArray(list) ? list.flatMap((item) => tasksOf(item, section)) : [];
    });
    const key = Object.keys(value).find((name) => name !== 'name' && !isKeyword(name));
    // An item of a JSON patch is none.
    if (key === undefined || ('op' in value && 'path' in value) || LISTS.some((list) => list in value)) return below;
    const { [key]: given = '', ...rest } = value;
    const words = key === 'local_action' ? { ...rest, delegate_to: 'localhost' } : rest;
    const [module, args] = callOf(key, given);
    const more = isRecord(words.args) ? words.args : {};
    const name = typeof value.name === 'string' ? value.name : '';
    return [{ name, module, args: { ...args, ...more }, words, above, line: lines.get(value) as number }, ...below];
  };
  return documents.flatMap((document) =>
    Array.isArray(document) ? document.flatMap((item) => tasksOf(item, '')) : [],
  );
}

function callOf(key: string, given: Value): [module: string, args: { [key: string]: Value }] {
  const short = key.replace(/^ansible\.(?:builtin|legacy)\./, '');
  if (/^(?:local_)?action$/.test(short)) {
    if (isRecord(given)) return [String(given.module ?? ''), given];
    const [, module = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(String(given)) ?? [];
    return callOf(module, rest);
  }
  if (isRecord(given)) return [short, given];
  const text = typeof given === 'string' ? given : given.map(String).join(' ');
  const pairs = FREE.test(short) ? [] : [...text.matchAll(/(\w+)=("[^"]*"|'[^']*'|\{\{.*?\}\}\S*|\S+)/g)];
  if (pairs.length === 0) return [short, text === '' ? {} : { _raw_params: text }];
  return [
    short,
    Object.fromEntries(pairs.map(([, name, value]) => [name, (value as string).replace(/^(["'])(.*)\1$/s, '$2')])),
  ];
}

/** What a task calls, with what. */
export const callText = ({ module, args }: Task): string => JSON.stringify([module, args]);

/** `{{ 'a' ~ 'b' }}` is `ab`. */
const textOf = (value: Value | undefined): string | undefined =>
  typeof value === 'string'
    ? value.replace(/["'] *[~+] *["']/g, '').replace(/^\{\{ *(["'])([^"'{}]*)\1 *\}\}$/, '$2')
    : undefined;

/** The file that a task is about. */
export const fileOf = ({ args }: Task): string | undefined =>
  textOf(args.dest) ?? textOf(args.path) ?? textOf(args.file) ?? textOf(args.name);

/** The same task before the change: the same call, of several the one of that name; else one of that name, or for that file. */
export function counterpart(task: Task, before: readonly Task[]): Task | undefined {
  const named = before.filter(({ name }) => name !== '' && name === task.name);
  const isSameCall = (other: Task) => callText(other) === callText(task);
  const isSameFile = (other: Task) =>
    other.module === task.module && fileOf(other) !== undefined && fileOf(other) === fileOf(task);
  return named.find(isSameCall) ?? before.find(isSameCall) ?? named[0] ?? before.find(isSameFile);
}

/** It only looks: what it says is kept for others, and it never changes anything. */
export const isQuestion = ({ words }: Task): boolean =>
  words.register !== undefined && /^(?:false|no)$/i.test(String(words.changed_when ?? ''));

/** Whether the log names the task as one that ran; a line that is its name does, too. */
export const isNamedIn = (name: string, log: string): boolean =>
  name !== '' &&
  new RegExp(`(?:TASK \\[(?:[^\\]]* : )?|^)${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?:\\]|$)`, 'm').test(log);

/** The task that a line of its file stands in. */
export const taskAt = (tasks: readonly Task[], line: number): Task | undefined =>
  tasks.findLast((task) => task.line <= line);

/** A task for people. */
export const shown = ({ name, module }: Task): string => (name === '' ? module : `${name} (${module})`);

/** A module without its collection. */
export const bare = ({ module }: Task): string => module.split('.').at(-1) as string;

/** Its failure counts for nothing. */
export const isForgiven = ({ words }: Task): boolean =>
  /^(?:true|yes)$/i.test(String(words.ignore_errors ?? '')) || /^(?:false|no)$/i.test(String(words.failed_when ?? ''));

/** `x is changed` asks the same as `x.changed`, `x | bool` the same as `x`; quotes make no difference. */
export const plainWord = (value: Value | undefined): string | undefined =>
  JSON.stringify(value)
    ?.replace(/\b([\w.]+) is (changed|failed|skipped)\b/g, '$1.$2')
    .replace(/ ?\| ?bool\b/g, '')
    .replace(/["'\\]/g, '');
