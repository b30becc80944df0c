// The shell texts in YAML, JSON and TOML: what Ansible, a Taskfile or npm runs, what containers start, and values that may be
// commands for a reader nobody knows.
import { type Data, isRecord, type Value } from './data.ts';
import type { Role, ShellText } from './shell-text.ts';

const ANSIBLE_PATH =
  /(?:^|\/)(?:tasks|handlers|playbooks?|roles|molecule)\/|(?:^|\/)(?:site|playbook|main|bootstrap|reset|provision)[\w-]*\.ya?ml/i;
const TASKFILE = /(?:^|\/)\.?taskfile[^/]*\.ya?ml$|(?:^|\/)\.?taskfiles?\//i;
const SHELL_MODULE = /^(?:ansible\.(?:builtin|legacy|windows)\.)?(?:shell|command|raw|win_shell|win_command|expect)$/;
/** Keys whose values a tool of the stage runs, in whatever file. */
const RUN_KEYS =
  /^(?:cmds?|sh|run|runcmd|bootcmd|precmds?|postcmds?|preconditions|status|entry|shell_command|on_start|hooks?|defer)$/;
const CONTAINER_KEYS =
  /^(?:command|args|entrypoint|test|exec|arguments|startupcommand|customcommand|init|poststart|prestop)$/i;
/** Keys whose values people read. */
const SPOKEN =
  /(?:^|[._-])(?:description|summary|title|message|msg|comments?|notes?|help|text|name|label|reason|docs?|info|changelog|fail_msg|success_msg)$/i;
/** `lookup('pipe', …)` of a template. */
const PIPE = /\b(?:lookup|query|q)\(\s*(["'])(?:[\w.]*\.)?pipe\1\s*,(.*?)(?:\)\s*(?:[|}~+]|$)|$)/gs;
const SCRIPT_NAME = /\.(?:sh|bash)$/;

export const isTaskfile = (path: string): boolean => TASKFILE.test(path);

/** The kinds of documents whose `command` is what a stage runs, not a container's. */
const isStageData = (path: string, documents: readonly Value[]): boolean =>
  TASKFILE.test(path) || (ANSIBLE_PATH.test(path) && !documents.some(isResource)) || documents.some(isPlay);

const isTexts = (value: Value): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
const isResource = (value: Value): boolean => isRecord(value) && 'kind' in value && 'apiVersion' in value;
const isPlay = (value: Value): boolean =>
  Array.isArray(value) &&
  value.some(
    (item) =>
      isRecord(item) && ('hosts' in item || 'tasks' in item || Object.keys(item).some((key) => SHELL_MODULE.test(key))),
  );

export function dataTexts(path: string, data: Data): ShellText[] {
  const isStage = isStageData(path, data.documents);
  const made: ShellText[] = [];
  const lineOf = (value: Value, near: number) => data.lines.get(value) ?? near;
  // Elsewhere what these say is no command; `run` of a Taskfile says how often.
  const isRunKey = (key: string) =>
    RUN_KEYS.test(key) &&
    (isStage || !/^(?:status|preconditions)$/.test(key)) &&
    !(key === 'run' && TASKFILE.test(path));
  const scripts = /(?:^|\/)package\.json$/.test(path);

  const add = (value: Value | undefined, role: Role, line: number, name: string, guard: string): void => {
    if (typeof value === 'string') made.push({ text: value, role, line, name, guard });
    else if (Array.isArray(value))
      for (const item of value)
        if (isTexts(item)) made.push({ text: item, role, line, name, guard });
        else add(item, role, line, name, guard);
    else if (isRecord(value))
      for (const key of ['cmd', 'sh', 'command', 'run', 'defer']) add(value[key], role, line, name, guard);
  };

  const visit = (value: Value, keys: readonly string[], near: number, name: string, above = ''): void => {
    if (Array.isArray(value)) {
      // A command of cloud-init may be a list of words.
      for (const item of value)
        if (isTexts(item) && isRunKey(keys.at(-1) ?? '')) add([item], 'run', near, name, '');
        else visit(item, keys, near, name, above);
      return;
    }
    const key = keys.at(-1) ?? '';
    if (!isRecord(value)) {
      addLeaf(value, key, keys, near, name);
      const inner = data.inner.get(value);
      if (inner !== undefined) visit(inner, keys, near, name, above);
      return;
    }
    const line = lineOf(value, near);
    const called = typeof value.name === 'string' ? value.name : name;
    const guard = isStage ? above + guardOf(value) : '';
    const argv = containerArgv(value);
    if (argv && !isStage) made.push({ text: argv, role: 'container', line, name: placeOf(keys, called) });
    for (const [part, inner] of Object.entries(value)) {
      const action =
        /^(?:local_)?action$/.test(part) && typeof inner === 'string' ? /^(\S+)\s+(.*)$/s.exec(inner) : undefined;
      if (action && SHELL_MODULE.test(action[1] as string)) addModule(action[2] as string, line, called, guard);
      else if (SHELL_MODULE.test(part) && (isStage || part.includes('.'))) addModule(inner, line, called, guard);
      else if (!isStage && argv && /^(?:command|args)$/.test(part) && (Array.isArray(inner) || argv[0] === inner))
        continue;
      else if (isStage && isRunKey(part))
        add(inner, 'run', line, /^cmds?$/.test(part) ? (keys.at(-1) ?? called) : called, guard);
      else if (!isStage && isTexts(inner) && CONTAINER_KEYS.test(part))
        addList(inner, line, placeOf([...keys, part], called));
      else visit(inner, [...keys, part], line, called, guard);
    }
  };

  const addList = (words: readonly string[], line: number, name: string): void => {
    const [first = '', ...rest] = words;
    const text = first === 'CMD-SHELL' ? rest.join(' ') : first === 'CMD' ? rest : words;
    made.push({ text, role: 'container', line, name });
  };

  const addModule = (inner: Value, line: number, name: string, guard: string): void => {
    if (typeof inner === 'string') made.push({ text: inner, role: 'run', line, name, guard });
    if (Array.isArray(inner)) made.push({ text: inner.map(String), role: 'run', line, name, guard });
    if (!isRecord(inner)) return;
    for (const key of ['_raw_params', 'command']) {
      const text = inner[key];
      if (typeof text === 'string') made.push({ text, role: 'run', line, name, guard });
    }
    if (typeof inner.cmd === 'string') made.push({ text: inner.cmd, role: 'run', line, name, guard });
    if (Array.isArray(inner.argv)) made.push({ text: inner.argv.map(String), role: 'run', line, name, guard });
  };

  const addPipes = (value: string, line: number, name: string): void => {
    for (const [, , given = ''] of value.matchAll(PIPE))
      made.push({ text: given.match(/(?<=")[^"]*(?=")|(?<=')[^']*(?=')/)?.[0] ?? '$(…)', role: 'run', line, name });
  };

  const addLeaf = (value: string, key: string, keys: readonly string[], line: number, name: string): void => {
    addPipes(value, line, name);
    if (value.startsWith('#!') || SCRIPT_NAME.test(key))
      made.push({ text: value, role: 'container', line, name: placeOf(keys, name) });
    else if (scripts && keys.at(-2) === 'scripts') made.push({ text: value, role: 'run', line, name: key });
    else if (CONTAINER_KEYS.test(key) || isRunKey(key))
      made.push({
        text: value,
        role: isStage || isRunKey(key) ? 'run' : 'container',
        line,
        name: isStage ? name : placeOf(keys, name),
      });
    else if (/\s/.test(value.trim()) && !SPOKEN.test(key)) made.push({ text: value, role: 'maybe', line, name: key });
  };

  if (!data.parsed) {
    for (const { keys, value, line } of data.leaves) addLeaf(value, keys.at(-1) ?? '', keys, line, '');
    return made;
  }
  for (const document of data.documents) visit(document, [], lineOf(document, 1), '');
  // Lines of leaves are finer than those of the mappings above them.
  const lines = new Map(data.leaves.map(({ value, line }) => [value, line]));
  return made.map((one) =>
    typeof one.text === 'string'
      ? { ...one, text: asRead(one.text, one.role), line: lines.get(one.text) ?? one.line }
      : { ...one, text: one.text.map((word) => asRead(word, one.role)) },
  );
}

/** Flux and Compose make one dollar of two before a container sees them. */
const asRead = (text: string, role: Role): string =>
  role === 'container' ? text.replace(/\$\$(?=[{(A-Za-z_])/g, '$') : text;

/** Containers of one file are told apart by where they stand. */
const placeOf = (keys: readonly string[], name: string): string => [...keys, name].join('.');

/** `command` and `args` of a container as the one list that is started; `-c` alone means the image's shell. */
function containerArgv(value: { [key: string]: Value }): string[] | undefined {
  const list = (part: Value | undefined): string[] | undefined =>
    Array.isArray(part) && part.every((item) => typeof item === 'string') ? (part as string[]) : undefined;
  const args = list(value.args);
  const { command: program } = value;
  const command =
    list(program) ?? (args && typeof program === 'string' && /^\S+$/.test(program) ? [program] : undefined);
  if (!command && !args) return undefined;
  const words = [...(command ?? []), ...(args ?? [])];
  // `-c name=value` is a setting of whatever the image starts.
  const isText = (word: string, i: number) =>
    /^-\w*c$/.test(word) && !/^[\w.]+=[^\s;&|`$()<>]*$/.test(words[i + 1] ?? '');
  return words[0]?.startsWith('-') && words.some(isText) ? ['sh', ...words] : words;
}

const ASKS_FIRST = [
  'hosts',
  'when',
  'prompt',
  'preconditions',
  'if',
  'unless',
  'tags',
  'delegate_to',
  'creates',
  'removes',
];

/** What a play, block or task says about when and where it runs. */
const guardOf = (value: { [key: string]: Value }): string =>
  ASKS_FIRST.flatMap((key) => (key in value ? [`${key}: ${JSON.stringify(value[key])}; `] : [])).join('');
