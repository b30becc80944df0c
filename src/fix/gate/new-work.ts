// The wide net: work that a change adds and that takes the place of nothing which was there: commands, tasks, resources, calls of
// functions. Unless it is known to be harmless, or the repository does the same already, the owner is asked.
import { isRecord, type Leaf } from './data.ts';
import type { Change, FileFacts } from './facts.ts';
import { asks, type Finding } from './finding.ts';
import { newCommandFindings } from './new-commands.ts';
import type { Knows } from './rules.ts';
import { bare, counterpart, shown } from './tasks.ts';

export const newWorkFindings = (change: Change, knows: Knows): Finding[] => [
  ...newCommandFindings(change, knows),
  ...newTasks(change),
  ...newResources(change),
  ...newCalls(change),
];

/** Modules that look, say, wait or compute, and those whose commands are read by themselves. */
const HARMLESS_MODULE =
  /^(?:debug|assert|fail|meta|pause|set_fact|set_stats|stat|find|slurp|getent|setup|gather_facts|\w+_facts|\w+_info|ping|wait_for|wait_for_connection|include_vars|add_host|group_by|validate_argument_spec|command|shell|tempfile|k8s_info|import_tasks|include_tasks|import_role|include_role|template|file|service|systemd|systemd_service|uri|get_url|copy|lineinfile)$/;

function newTasks({ path, before, old, now }: Change): Finding[] {
  // Also in a text that could not be read as tasks.
  const isNamed = (module: string) => new RegExp(`\\b${module}\\b`).test(before ?? '');
  return now.tasks
    .filter((task) => !HARMLESS_MODULE.test(bare(task)) && !isNamed(bare(task)) && !counterpart(task, old.tasks))
    .map((task) => asks('new_work', path, task.line, 'is a task of a kind that nothing here has yet', shown(task)));
}

/** Resources of kinds that a file did not have: documents of Kubernetes, blocks of Terraform. */
function newResources({ path, before, old, now, addedLeaves }: Change): Finding[] {
  if (before === null || (old.data && !old.data.parsed)) return [];
  const kindsOf = ({ data }: FileFacts) =>
    (data?.documents ?? []).flatMap((one) =>
      isRecord(one) && typeof one.kind === 'string' && one.apiVersion !== undefined ? [one.kind] : [],
    );
  const [was, is] = [kindsOf(old), kindsOf(now)];
  const kind = was.length > 0 && is.length > was.length ? is.find((one) => !was.includes(one)) : undefined;
  const blockOf = ({ keys: [first = ''] }: Leaf) =>
    /^(?:resource|provider|provisioner|backend)\./.test(first) ? first.split('.').slice(0, 2).join(' ') : undefined;
  const had = new Set((old.data?.leaves ?? []).map(blockOf));
  const block =
    now.language === 'hcl'
      ? addedLeaves.find((leaf) => blockOf(leaf) !== undefined && !had.has(blockOf(leaf)))
      : undefined;
  return [
    ...(kind === undefined
      ? []
      : [asks('new_work', path, undefined, 'adds a resource of a kind that this file did not have', kind)]),
    ...(block === undefined
      ? []
      : [asks('new_work', path, block.line, 'adds a block of a kind that this file did not have', blockOf(block))]),
  ];
}

/** Functions of programming languages that only compute, say, look or fail. */
const HARMLESS_CALLS = new Set(
  (
    'print println printf format len str int float bool list dict set tuple range enumerate zip sorted reversed min max sum abs round any all map ' +
    'filter isinstance issubclass repr hash id type iter next super get items keys values setdefault append extend insert count index split ' +
    'rsplit splitlines join strip lstrip rstrip replace startswith endswith lower upper title encode decode format_map zfill ljust rjust ' +
    'exists is_file is_dir isfile isdir resolve absolute relative_to with_suffix glob rglob basename dirname abspath realpath expanduser ' +
    'safe_load load loads dump dumps sleep time monotonic now utcnow strftime isoformat timedelta group groups match fullmatch search findall ' +
    'finditer sub compile escape Exception RuntimeError ValueError KeyError TypeError SystemExit FileNotFoundError Error raise_for_status json ' +
    'info warning warn error debug exception log getLogger add_argument parse_args ArgumentParser Path deepcopy copy partial dataclass field ' +
    'property staticmethod classmethod if for while return not and or in elif with except def function class switch catch assert await lambda ' +
    'push concat slice includes indexOf forEach reduce find some every flat flatMap trim toString parse stringify toLowerCase toUpperCase ' +
    'test padStart padEnd entries fromEntries assign freeze isArray Number String Boolean Array Object Map Set Promise Date'
  ).split(' '),
);
const COMMENT = /^\s*(?:#|\/\/|\*|--)/;
/** Plain literals: what stands in them is no call, but in those that are filled in it is. */
const LITERAL = /(?<![fFrRbB\w])(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/g;

/** Words that tell an interface to take something away. */
const TAKES_AWAY = /["'`](?:delete|destroy|remove|drop|purge|wipe|truncate|flush|reset|rm)["'`]/i;

/** Calls of functions that a program did not call before, and does not define. */
function newCalls({ path, before, after, lines, now }: Change): Finding[] {
  if (now.language !== 'program' || now.data) return [];
  const isKnown = (name: string): boolean =>
    HARMLESS_CALLS.has(name) ||
    new RegExp(`(?<!\\w)${name}\\s*\\(`).test(before ?? '') ||
    new RegExp(`\\b(?:def|function|class|func|sub)\\s+${name}\\b`).test(after);
  return lines.added.flatMap(({ text, number }) => {
    if (COMMENT.test(text)) return [];
    const called = [...text.replace(LITERAL, '""').matchAll(/([A-Za-z_]\w*)\s*\(/g)].map(([, name]) => name as string);
    const name = called.find((one) => !isKnown(one));
    const word = TAKES_AWAY.exec(text)?.[0];
    if (word !== undefined && called.length > 0 && !(before ?? '').includes(word))
      return [asks('new_work', path, number, `tells something to ${word}, which it did not before`, text.trim())];
    return name === undefined
      ? []
      : [asks('new_work', path, number, `calls \`${name}\`, which it did not call before`, text.trim())];
  });
}
