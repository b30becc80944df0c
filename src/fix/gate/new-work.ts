// The wide net: work that a change adds and that takes the place of nothing which was there. What such work does is not worked
// out here; unless it is known to be harmless, or the repository does the same already, the owner is asked.
import { distance } from 'fastest-levenshtein';
import { SQL } from '../shell/unwrap.ts';
import type { Word } from '../shell/words.ts';
import { INTERPRETERS, isShell } from '../shell/wrappers.ts';
import { Arguments, verbOf } from './arguments.ts';
import { isHarmless, isHarmlessCode } from './ask-rules.ts';
import { isRecord, type Leaf } from './data.ts';
import type { Change, Fact, FileFacts } from './facts.ts';
import { asks, type Finding } from './finding.ts';
import type { Knows } from './rules.ts';
import { shownWords } from './shown.ts';
import { bare, counterpart, shown, type Task } from './tasks.ts';
import { isTalk } from './work.ts';

export function newWorkFindings(change: Change, knows: Knows): Finding[] {
  return [
    ...newCommands(change, knows),
    ...newOptions(change),
    ...newStatements(change),
    ...newTasks(change),
    ...newResources(change),
    ...newCalls(change),
  ];
}

/** Verbs by which any tool looks, waits, computes or makes a local file. */
const LOOKING = new Set(
  (
    'get list ls show describe status version wait diff lint template validate check health info logs log search view help plan fmt ' +
    'inspect ps images top events trace tree build kustomize explain cluster-info api-resources api-versions is-active is-enabled is-failed cat ' +
    'members stats history rev-parse ls-files ls-remote ls-tree show-ref rev-list merge-base output providers graph current-context config ' +
    'completion doctor ping test dashboard env print render gen daemon-reload snapshots rollout fetch current'
  ).split(' '),
);

/** Programs that can do more than look though every shell has them; other rules judge what they are given. */
const WORKS = new Set('install kill git make ip curl wget'.split(' '));
/** They pass on what they read, in another form. */
const FILTERS = /^(?:base64|xxd|jq|yq)$/;

const isWord = (text: string): boolean => /^[a-z][\w:-]*$/i.test(text);

/** What tools call it to change something, wherever in their words it stands: `vault secrets disable`. */
const CHANGING =
  /^(?:add|apply|approve|bind|create|cut|delete|demote|destroy|detach|disable|drop|enable|evict|flush|force\w*|format|grant|import|init|install|kill|mark\w*|merge|migrate|move|new|out|pause|promote|prune|purge|push|put|reboot|regenerate|register|remove|repair|replace|reset|restart|restore|revoke|rm|rollback|rotate|run|scale|seal|set\w*|start|stop|taint|truncate|undo|uninstall|unseal|update|upgrade|wipe|write)$/;

/** A program, and what it is told to do where that is in words; of an interpreter, the script. */
function form({ program, args }: Pick<Fact, 'program' | 'args'>): string {
  if (INTERPRETERS.test(program) && /^[^-].*\.\w+$|^occ$/.test(args[0]?.text ?? ''))
    return form({ program: (args[0] as Word).text, args: args.slice(1) });
  const verb = verbOf({ program, args });
  // What a function of a library is given is no verb.
  if (!isWord(verb) || /^\w*_\w*$/.test(program)) return program;
  const more = new Arguments(args).operands.slice(1, 4).filter((word) => word !== verb && CHANGING.test(word));
  return [program, verb, ...more].join(' ');
}

function isLooking(fact: Fact): boolean {
  const { program, args } = fact;
  const given = new Arguments(args);
  if ((isHarmless(program) && !WORKS.has(program)) || FILTERS.test(program) || isTalk(program)) return true;
  if (given.any(/^--?(?:version|help|dry-run\S*|print|list|l)$/)) return true;
  if (program === 'nc') return given.has('z');
  if (program === 'install') return given.has('d', 'directory');
  if (/^(?:curl|wget)$/.test(program)) return !given.has('XdTFK', ...SENDING);
  return given.operands.slice(0, 3).some((word) => LOOKING.has(word)) || LOOKING_SQL.test(fact.inline?.text ?? 'x');
}
/** Options of curl and wget that make more of a request than a question. */
const SENDING =
  'request data data-raw data-binary data-urlencode upload-file form config json post-data post-file method body-data body-file'.split(
    ' ',
  );

/** Code of another language, written in the command itself. */
const isCode = ({ inline }: Fact): boolean =>
  inline !== undefined && INTERPRETERS.test(inline.program) && !isHarmlessCode(inline.text);

function newCommands({ path, added, gone, old, now }: Change, knows: Knows): Finding[] {
  const before = new Set(old.commands.map(form));
  const isNew = (fact: Fact): boolean =>
    (fact.role === 'run' || isInContainer(fact, old)) &&
    fact.program !== '' &&
    !/^\$/.test(fact.program) &&
    (isCode(fact) || !isLooking(fact)) &&
    !now.functions.includes(fact.program) &&
    !before.has(form(fact)) &&
    !added.some(({ via, line }) => via === fact.program && line === fact.line) &&
    !gone.some((other) => takesPlaceOf(fact, other)) &&
    !(form(fact).includes(' ') && knows(form(fact)));
  return added
    .filter(isNew)
    .map((fact) =>
      asks('new_work', path, fact.line, `runs \`${form(fact)}\`, which nothing here does yet`, shownWords(fact)),
    );
}

/** Options that make a command do nothing, something else or more than it is called for, by any tool's name for that. */
const TELLING_OPTION =
  /^-{1,2}(?:[\w.-]*-)?(?:fake|simulate|noop|no-op|dry|offline|syntax|list|watch|skip|ignore|allow|only|limit|tags|registry|exec|execute|script|command|hook|plugin|delete|prune|purge|remove|wipe|reset|destroy|overwrite|recreate|inject|password|token|secret|admin|root|anonymous|extra-args?|arg|privileged|unsafe|insecure)s?(?:-[\w.-]+)?(?:=.*)?$/i;

/** Options that a command which was there did not have. */
function newOptions({ path, added, gone, old }: Change): Finding[] {
  const optionsOf = ({ args }: Fact) => args.map(({ text }) => text).filter((text) => /^-{1,2}[a-zA-Z]/.test(text));
  const name = (option: string) => option.replace(/=.*$/s, '');
  return added.flatMap((fact) => {
    const earlier = gone.filter((other) => other.program === fact.program && other.unit === fact.unit);
    if (fact.role === 'maybe' || earlier.length === 0 || !/^\w/.test(fact.program)) return [];
    const seen = new Set(
      old.commands
        .filter(({ program }) => program === fact.program)
        .flatMap(optionsOf)
        .map(name),
    );
    const option = optionsOf(fact).find((one) => !seen.has(name(one)) && TELLING_OPTION.test(one));
    return option === undefined
      ? []
      : [
          asks(
            'new_work',
            path,
            fact.line,
            `gives \`${fact.program}\` the option ${name(option)}, which nothing here gives it yet`,
            shownWords(fact),
          ),
        ];
  });
}

/** Statements of SQL that only look. */
const LOOKING_SQL =
  /^\s*(?:$|select\b(?!.*\b(?:into|pg_\w*(?:terminate|reload|read|ls|write|execute))\b)|show\b|explain\b|describe\b|\\[dlx?qt]|--|set\s+search_path)/i;

/** Statements of SQL that were not there. */
function newStatements({ path, added, gone }: Change): Finding[] {
  const statements = ({ inline, document }: Fact) =>
    inline && SQL.test(inline.program) ? `${document?.text ?? inline.text}`.split(/;|\n/).map((one) => one.trim()) : [];
  const head = (one: string) => one.split(/\s+/).slice(0, 4).join(' ');
  const before = gone.flatMap(statements).map(head);
  return added.flatMap((fact) => {
    const first =
      fact.document === undefined
        ? undefined
        : statements(fact).find((one) => !before.includes(head(one)) && !LOOKING_SQL.test(one));
    return first === undefined || gone.every((other) => other.program !== fact.program)
      ? []
      : [asks('new_work', path, fact.line, 'adds a statement that does more than look', first)];
  });
}

/** Of a container what a shell runs there, and what a program is told that was told something else. */
const isInContainer = (fact: Fact, old: FileFacts): boolean =>
  fact.role === 'container' &&
  (isShell(fact.via ?? '') ||
    new Set(old.commands.filter(({ role, unit }) => role === 'container' && unit === fact.unit).map(({ line }) => line))
      .size > 1 ||
    (form(fact).includes(' ') &&
      old.commands.some(
        ({ role, unit, program }) => role === 'container' && unit === fact.unit && program === fact.program,
      )));

const isNear = (one: string, other: string): boolean =>
  one === other || (Math.min(one.length, other.length) > 2 && distance(one, other) <= 2);

/** The same work, or its name mended; or by another program the same words. */
function takesPlaceOf(fact: Fact, other: Fact): boolean {
  if (isNear(fact.program, other.program) && isNear(form(fact), form(other))) return true;
  const verbs = ({ args }: Fact) => new Arguments(args).operands.filter(isWord);
  if (fact.program === other.program)
    return verbs(other).length === 0 || verbs(fact).some((verb) => verbs(other).includes(verb));
  const words = other.words.map(({ text }) => text);
  const shared = fact.words.filter(({ text }) => words.includes(text)).length;
  return shared >= 2 && shared * 3 >= words.length * 2;
}

/** Modules that look, say, wait or compute, and those whose commands are read by themselves. */
const HARMLESS_MODULE =
  /^(?:debug|assert|fail|meta|pause|set_fact|set_stats|stat|find|slurp|getent|setup|gather_facts|\w+_facts|\w+_info|ping|wait_for|wait_for_connection|include_vars|add_host|group_by|validate_argument_spec|command|shell|tempfile|k8s_info|import_tasks|include_tasks|import_role|include_role|template|file|service|systemd|systemd_service|uri|get_url|copy|lineinfile)$/;

function newTasks({ path, old, now }: Change): Finding[] {
  const count = (tasks: readonly Task[], { module }: Task) => tasks.filter((task) => task.module === module).length;
  return now.tasks
    .filter((task) => !HARMLESS_MODULE.test(bare(task)))
    .filter((task) => !counterpart(task, old.tasks) && count(now.tasks, task) > count(old.tasks, task))
    .map((task) => asks('new_work', path, task.line, 'is a task of a kind that nothing here has yet', shown(task)));
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
    'test exec_ padStart padEnd entries fromEntries assign freeze isArray Number String Boolean Array Object Map Set Promise Date'
  ).split(' '),
);
const COMMENT = /^\s*(?:#|\/\/|\*|--)/;
/** Plain literals: what stands in them is no call, but in those that are filled in it is. */
const LITERAL = /(?<![fFrRbB\w])(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/g;

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
    return name === undefined
      ? []
      : [asks('new_work', path, number, `calls \`${name}\`, which it did not call before`, text.trim())];
  });
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
