// Changes that hide a failure instead of mending it: a command that is gone, no longer counts, or is never reached.
import { Arguments } from './arguments.ts';
import type { Change, Fact, FileFacts } from './facts.ts';
import { failedKeys } from './failed-command.ts';
import { asks, type Finding, refuses } from './finding.ts';
import type { GateRules } from './rules.ts';
import { shownWords } from './shown.ts';
import { taskNames } from './task-rules.ts';

export function maskFindings(change: Change, rules: Pick<GateRules, 'failed' | 'log' | 'untouchable'>): Finding[] {
  if (change.before === null) return added(change);
  return [...touched(change, rules), ...added(change), ...guards(change, rules.untouchable), ...ends(change)];
}

/** Commands that only say, ask or set something. */
const IDLE =
  /^(?:echo|printf|:|true|false|sleep|break|continue|\[\[?|test|set|cd|pushd|popd|export|local|declare|readonly|typeset|unset|shift|read|exit|return|trap|shopt|source|\.|alias|umask|wait|tput|log\w*|info|warn\w*|debug|command|type|which|hash|let|getopts|dirname|basename|mktemp|date|hostname|uname|id|whoami|pwd|cat|grep|head|tail|cut|tr|sed|awk|jq|sort|wc|)$/;
const isOwn = ({ via }: Fact): boolean => via === undefined || /^(?:ba|da|z|k|a)?sh$/.test(via);
const isWork = (fact: Fact): boolean =>
  fact.role !== 'maybe' && isOwn(fact) && !IDLE.test(fact.program) && /^[\w./${}-]+$/.test(fact.program);

function touched(change: Change, { failed, log }: Pick<GateRules, 'failed' | 'log'>): Finding[] {
  const { path, old, now, gone } = change;
  const isSettings = now.language === 'settings';
  const tasks = taskNames(now, /^(?!(?:shell|command|raw|expect)$)/);
  const known = failedKeys(path, old.commands, failed, log);
  const goneKeys = new Set(gone.map(({ key }) => key));
  const found: Finding[] = [];
  const seen = new Set<string>();
  for (const fact of old.commands.filter((one) => isWork(one) && !(isSettings && one.role === 'run'))) {
    if (seen.has(`${fact.key}${fact.line}`)) continue;
    seen.add(`${fact.key}${fact.line}`);
    const partner = goneKeys.has(fact.key) ? successor(fact, change) : sameIn(now, fact, old);
    const isFailed = known?.has(fact.key) === true;
    const say = (why: string): Finding =>
      isFailed
        ? refuses('masks', path, fact.line, why, shownWords(fact))
        : asks('masks', path, fact.line, why, shownWords(fact));
    if (!partner) {
      // What a container starts may change; what does nothing in its place is looked at with what is added.
      if (fact.role === 'run' && goneKeys.has(fact.key) && !tasks.has(fact.unit) && !isMoved(fact, change))
        found.push(say('is gone without another one in its place'));
      continue;
    }
    const earlier = hidings(fact, old);
    const news = hidings(partner, now).filter((hiding) => !earlier.includes(hiding));
    const guards = newGuards(partner, fact);
    const never = guards.find((guard) => NEVER.test(guard));
    const perhaps = isFailed ? guards.find((guard) => isUnsure(guard, partner)) : undefined;
    if (never !== undefined)
      found.push(refuses('masks', path, partner.line, `runs only ${never}`, shownWords(partner)));
    else if (perhaps !== undefined)
      found.push(asks('masks', path, partner.line, `runs only ${perhaps}`, shownWords(partner)));
    if (isFailed && readsOnly(fact, partner))
      found.push(refuses('masks', path, partner.line, 'only looks where it did something', shownWords(partner)));
    const [first] = news.filter((hiding) => hiding !== 'left' && (hiding !== 'piped' || isFailed));
    if (first === 'silenced') found.push(refuses('masks', path, partner.line, HIDES.silenced, shownWords(partner)));
    else if (first !== undefined) found.push(say(HIDES[first]));
    else if (news.length > 0) found.push(asks('softer', path, partner.line, HIDES.left, shownWords(partner)));
    found.push(...softened(path, fact, partner));
  }
  return found;
}

/** A command of the same program, or with the same arguments, among those that are new. */
function successor(fact: Fact, { added }: Change): Fact | undefined {
  const words = new Set(fact.args.map(({ text }) => text).filter((text) => text.length > 1));
  const shared = (other: Fact) => other.args.filter(({ text }) => words.has(text)).length;
  const candidates = added.filter(
    (other) =>
      !/^(?:echo|printf|:|true|log\w*|#)$/.test(other.program) &&
      (other.program === fact.program || (shared(other) > 0 && shared(other) * 2 >= words.size)),
  );
  return candidates.sort(
    (a, b) => Number(b.program === fact.program) - Number(a.program === fact.program) || shared(b) - shared(a),
  )[0];
}

const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim();
const guardsOf = ({ around }: Fact): string[] =>
  around.flatMap((frame) => (frame.kind === 'branch' ? [squeezed(frame.guard)] : []));
const newGuards = (now: Fact, before: Fact): string[] =>
  guardsOf(now).filter((guard) => !guardsOf(before).includes(guard));

/** Conditions that never hold. */
const NEVER =
  /^(?:if|while|unless)\s+(?:false\b|! ?true\b|! ?:|\[\[? *(?:"" |-n "" |0 (?:=|==|-eq) 1|1 (?:=|==|-eq) 0|-z "?\w+"? )|\(\( ?0 ?\)\))|^unless\s+(?:true|:)\s*$|^not\s+(?:true|:)(?=[\s;]|$)/;
/** A condition that was not asked before, unless it asks the same program whether there is anything to do. */
const isUnsure = (guard: string, { program }: Fact): boolean =>
  /^(?:if|case|while)\b/.test(guard) && !new RegExp(`\\b${program.replace(/[^\w]/g, '.')}\\b`).test(guard);

const READS =
  /^(?:get|describe|diff|version|list|ls|show|status|template|lint|help|explain|kustomize|view|plan|validate|check|top|logs|history|search|config)$/;

/** The same program, told only to look. */
function readsOnly(before: Fact, now: Fact): boolean {
  const verb = ({ args }: Fact) => args.find(({ text }) => !text.startsWith('-'))?.text ?? '';
  return (
    before.program === now.program &&
    READS.test(verb(now)) &&
    !READS.test(verb(before)) &&
    !before.args.some(({ text }) => READS.test(text))
  );
}

/** Run by a shell is run by itself. */
const shellOf = ({ via }: Fact): string => (via === undefined || /^(?:ba|da|z|k|a)?sh$/.test(via) ? '' : via);

/** The same command in the new text; of several the one with the same place among them. */
function sameIn(now: FileFacts, fact: Fact, old: FileFacts): Fact | undefined {
  const same = now.commands.filter((other) => other.key === fact.key && shellOf(other) === shellOf(fact));
  const index = old.commands
    .filter((other) => other.key === fact.key && shellOf(other) === shellOf(fact))
    .indexOf(fact);
  return same[Math.min(index, same.length - 1)];
}

/** It went into a function, loop or list of words: its program or what it names still stands in a new command. */
function isMoved(fact: Fact, { added, now }: Change): boolean {
  const names = fact.words.map(({ text }) => text).filter((text) => text.length > 3 && !text.startsWith('-'));
  const texts = added.flatMap(({ words, around, program }) =>
    /^(?:echo|printf|:|true|false|log\w*|info)$/.test(program)
      ? []
      : [...words.map(({ text }) => text), ...around.flatMap((frame) => ('guard' in frame ? [frame.guard] : []))],
  );
  const called = now.functions.length > 0 && added.some(({ program }) => now.functions.includes(program));
  return (
    names.length > 0 && names.every((name) => texts.some((text) => text.includes(name))) && (called || texts.length > 0)
  );
}

const HIDES = {
  negated: 'is negated, so that its failure counts as success',
  background: 'runs in the background, where its failure does not count',
  idle: 'is only asked about, and nothing is done whatever the answer is',
  or: 'stands left of `||`, and what stands right of it does not fail',
  substitution: 'stands in a substitution, where its failure does not count',
  argument: 'stands in a text that another command is given',
  uncalled: 'stands in a function that nothing calls',
  shadowed: 'is shadowed by a function or alias of its name',
  piped: 'is piped into a command that always succeeds',
  silenced: 'has what it says about its failure thrown away',
  left: 'stands left of `&&`, where its failure ends nothing',
} as const;

type Hiding = keyof typeof HIDES;

function hidings(fact: Fact, file: FileFacts): Hiding[] {
  const made: Hiding[] = [];
  for (const frame of fact.around) {
    if (frame.kind === 'background' || frame.kind === 'substitution') made.push(frame.kind);
    // `if ! cmd` is a question.
    if (frame.kind === 'negated' && !fact.around.some(({ kind }) => kind === 'condition')) made.push('negated');
    if (frame.kind === 'condition' && frame.idle) made.push('idle');
    if (frame.kind === 'or' && (!frame.fails || !canFail(frame.by, file))) made.push('or');
    if (frame.kind === 'and' && !frame.last && fact.program !== 'cd') made.push('left');
    if (frame.kind === 'argument' && fact.via !== 'sh' && fact.via !== 'bash') made.push('argument');
    if (frame.kind === 'piped' && /^(?:true|:|cat|tee|head|tail|grep|sed)$/.test(frame.into) && !hasPipefail(file))
      made.push('piped');
    if (frame.kind === 'function' && !file.commands.some(({ program }) => program === frame.name))
      made.push('uncalled');
  }
  if (
    file.functions.includes(fact.program) ||
    file.commands.some(
      ({ program, args }) => program === 'alias' && args.some(({ text }) => text.startsWith(`${fact.program}=`)),
    )
  )
    made.push('shadowed');
  if (isSilenced(fact)) made.push('silenced');
  if (fact.via === 'coproc') made.push('background');
  return [...new Set([...made, ...callerHidings(fact, file)])];
}

/** A function that this file defines and that never fails. */
const canFail = (name: string, { functions, commands }: FileFacts): boolean =>
  !functions.includes(name) ||
  commands.some(
    (fact) =>
      functionOf(fact) === name &&
      (fact.program === 'exit' || fact.program === 'return') &&
      !/^0*$/.test(fact.args[0]?.text ?? ''),
  );

/** How the functions are called that a command stands in, and how a function runs what it is given. */
function callerHidings(fact: Fact, file: FileFacts): Hiding[] {
  const name = functionOf(fact);
  const isCall = (other: Fact) => other.program === name && other !== fact && functionOf(other) !== name;
  const calls = name === '' ? [] : file.commands.filter(isCall);
  const given =
    fact.via === undefined
      ? []
      : file.commands.filter((other) => functionOf(other) === fact.via && /^\$[@*1]$/.test(other.program));
  const around = [...(calls.length === 1 ? calls : []), ...given].flatMap((other) =>
    other.around.filter(({ kind }) => kind !== 'function'),
  );
  return around.flatMap((frame): Hiding[] => {
    if (frame.kind === 'negated' || frame.kind === 'background' || frame.kind === 'substitution') return [frame.kind];
    if (frame.kind === 'condition' && frame.idle) return ['idle'];
    return frame.kind === 'or' && (!frame.fails || !canFail(frame.by, file)) ? ['or'] : [];
  });
}

const hasPipefail = ({ commands, language }: FileFacts): boolean =>
  language !== 'shell' ||
  commands.some(({ program, args }) => program === 'set' && args.some(({ text }) => text === 'pipefail'));

/** `2>/dev/null`, `&>/dev/null`, `>/dev/null 2>&1`, `2>&-`. */
export function isSilenced({ redirects }: Pick<Fact, 'redirects'>): boolean {
  const nowhere = (text: string | undefined) => text === '/dev/null';
  const out = redirects.some(
    ({ operator, descriptor, target }) =>
      /^>/.test(operator) && (descriptor === '' || descriptor === '1') && nowhere(target?.text),
  );
  return redirects.some(
    ({ operator, descriptor, target }) =>
      (/^>>?\|?$/.test(operator) && descriptor === '2' && nowhere(target?.text)) ||
      (/^&>>?$/.test(operator) && nowhere(target?.text)) ||
      (operator === '>&' &&
        descriptor === '2' &&
        (target === undefined || target.text === '-' || (target.text === '1' && out))) ||
      (operator === '>&-' && descriptor === '2'),
  );
}

const IGNORES =
  /^--(?:ignore-errors?|ignore-failures?|ignore-exit-codes?|no-fail(?:-on-\S+)?|never-fail|skip-errors?|allow-failures?|continue-on-errors?|exit-zero|no-exit-code|force-success|keep-going|no-error-on-unmatched-pattern|soft-fail|no-exit-on-error)(?:=(?!false|no|0).*)?$/;
const DRY = /^--(?:dry-run(?:=(?!none).*)?|validate=(?:false|ignore|warn)|check|noop|no-op|simulate|what-if|help)$/;

/** The command is the one that was there, told to do less. */
function softened(path: string, before: Fact, after: Fact): Finding[] {
  const news = after.args.map(({ text }) => text).filter((text) => !before.args.some((word) => word.text === text));
  const dry = news.find(
    (text) => DRY.test(text) || (text === '-n' && /^(?:make|rsync|just|task)$/.test(after.program)),
  );
  return dry === undefined
    ? []
    : [asks('softer', path, after.line, `now runs with ${dry}, which does nothing or checks less`, shownWords(after))];
}

/** Programs that nobody defines anew without a reason. */
const PROGRAMS =
  /^(?:ssh|scp|rsync|curl|wget|kubectl|helm|helmfile|flux|talosctl|terraform|tofu|ansible\S*|docker|podman|git|systemctl|qm|pct|sudo|test|exit|set|trap|grep|make|python3?|node|kustomize|etcdctl|exec|command|false|return|cd|source|command_not_found_handle)$/;

/** New text that hides failures by itself. */
function added(change: Change): Finding[] {
  const { path, added, old, now, lines } = change;
  const made = added.flatMap((fact): Finding[] => {
    const { program, line } = fact;
    const args = new Arguments(fact.args);
    if (fact.role === 'maybe') return [];
    const say = (why: string) => [refuses('masks', path, line, why, shownWords(fact))];
    if (
      fact.via === 'trap' &&
      /^(?:exit|exec|return)$/.test(program) &&
      !isFailure(fact, now) &&
      !/^\$/.test(fact.args[0]?.text ?? '')
    )
      return say('makes every end a good one');
    if (switchesOff(program, args)) return say('switches off that the script stops at a failure');
    if (args.any(IGNORES) || (/^g?make$/.test(program) && args.has('ik', 'ignore-errors', 'keep-going')))
      return say('tells the tool to go on as if nothing had failed');
    if (program === 'exec' && fact.args.length === 0 && isSilenced(fact))
      return say('throws away what the rest of the script says about its failures');
    const isReplaced =
      fact.assignments.some(({ name }) => /^BASH_(?:ALIASES|CMDS)$/.test(name)) ||
      (program === 'hash' && args.has('p')) ||
      (program === 'enable' && args.has('nf'));
    if (isReplaced) return say('replaces a command by another');
    if (program === 'function' && PROGRAMS.test(fact.args[0]?.text ?? ''))
      return say('replaces a command that is used here');
    const aliased = program === 'alias' ? fact.args.map(({ text }) => text.split('=')[0] as string) : [];
    if (aliased.some((name) => PROGRAMS.test(name) || old.commands.some((other) => other.program === name)))
      return say('replaces a command that is used here');
    const swallowed =
      isWork(fact) &&
      !sameProgram(fact, change) &&
      fact.around.some((frame) => frame.kind === 'or' && !frame.fails && SAYS.test(frame.by));
    return swallowed ? [asks('softer', path, line, 'is new, and its failure does not count', shownWords(fact))] : [];
  });
  const shadows = now.functions.filter(
    (name) =>
      !old.functions.includes(name) && (PROGRAMS.test(name) || old.commands.some(({ program }) => program === name)),
  );
  return [
    ...made,
    ...shadows.map((name) =>
      refuses('masks', path, undefined, `defines a function ${name} in the place of the command`),
    ),
    ...idleContainers(change),
    ...dataFindings(change),
    ...(now.language === 'program'
      ? [...lines.added.flatMap(({ text, number }) => programLine(path, text, number)), ...lostChecks(path, lines)]
      : []),
    ...lostPrerequisites(change),
    ...makeLines(change),
    ...(now.language === 'make'
      ? lines.added
          .filter(({ text }) =>
            /^\.IGNORE\b|^(?:export\s+)?MAKEFLAGS\s*\+?[:?]?=.*(?:\s-?\w*[ik]|--ignore|--keep)/.test(text),
          )
          .map(({ text, number }) =>
            refuses('masks', path, number, 'tells make to go on as if nothing had failed', text),
          )
      : []),
  ];
}

const MAKE_RULES =
  /^\.(?:RECIPEPREFIX|ONESHELL|SHELLFLAGS|IGNORE)\b|\bMAKEFLAGS\b|\$[({]file\b|^-?include\s+\/|^[^\t#]*:\s*export\s+\w|^ifn?(?:eq|def)\b/;

/** Lines of a makefile that change how all of it is read. */
function makeLines({ path, lines, now: { language } }: Change): Finding[] {
  if (language !== 'make') return [];
  const hits = [...lines.added, ...lines.removed].filter(({ text }) => MAKE_RULES.test(text));
  return hits
    .slice(0, 3)
    .map(({ text }) => asks('masks', path, undefined, 'changes how make reads or runs the rest', text.trim()));
}

/** Targets that no longer run first what they did. */
function lostPrerequisites({ path, lines, now: { language } }: Change): Finding[] {
  if (language !== 'make' && language !== 'just') return [];
  const heads = (all: readonly { text: string; number: number }[]) =>
    all.flatMap(({ text, number }) => {
      const [, target, needs = ''] = /^@?([\w.%-]+)[^:=]*:(?![=:])([^;#]*)/.exec(text) ?? [];
      return target === undefined ? [] : [{ target, number, needs: needs.split(/[\s()|&]+/).filter(Boolean) }];
    });
  return heads(lines.removed).flatMap(({ target, needs }) => {
    const now = heads(lines.added).find((other) => other.target === target);
    const gone = now ? needs.filter((need) => !now.needs.includes(need)) : [];
    const isFewer = now && now.needs.length < needs.length && gone.length > 0;
    return isFewer ? [asks('masks', path, now.number, `no longer runs ${gone.join(', ')} first`, target)] : [];
  });
}

const sameProgram = (fact: Fact, { gone, old }: Change): boolean =>
  [...gone, ...old.commands].some(({ program, key }) => program === fact.program && key === fact.key);

/** What only says something. */
const SAYS = /^(?:true|:|echo|printf|log\w*|info|warn\w*|)$/;

function switchesOff(program: string, args: Arguments): boolean {
  if (program === 'set')
    return args.words.some(
      (word, i) =>
        /^\+[a-z]*e|^-[a-z]*n/.test(word) ||
        (/^\+[a-z]*o$/.test(word) && /^(?:errexit|pipefail)$/.test(args.words[i + 1] ?? '')),
    );
  if (program === 'shopt') return args.has('u') && args.any(/^(?:errexit|pipefail)$/);
  if (program === 'trap')
    return (
      args.words.some((word) => /^(?:ERR|EXIT|0|DEBUG)$/.test(word)) &&
      /^(?:-|true|:|)$|(?:^|[;&\s])exit\s*(?:0\s*)?(?:;|$)/.test(
        (args.words[0] === '--' ? args.words[1] : args.words[0]) ?? 'x',
      )
    );
  return /^(?:ba|da|z|k)?sh$/.test(program) && args.any(/^\+[a-z]*e/);
}

const isNothing = ({ program, args }: Fact): boolean =>
  /^(?:true|:|echo|printf|sleep|pause|break|continue|wait|exit|trap|)$/.test(program) ||
  (program === 'tail' && args.some(({ text }) => text === '/dev/null'));

/** Containers whose command does nothing: in the place of one that did something, or of what the image would do. */
function idleContainers({ path, old, now, added }: Change): Finding[] {
  const ofUnit = (file: FileFacts, unit: string) =>
    file.commands.filter(
      (fact) => fact.role === 'container' && fact.unit === unit && !/^(?:ba|da|z|k|a)?sh$/.test(fact.program),
    );
  const units = new Set(added.filter(({ role }) => role === 'container').map(({ unit }) => unit));
  return [...units].flatMap((unit) => {
    const [was, is] = [ofUnit(old, unit), ofUnit(now, unit)];
    const [first] = is;
    if (!first || !is.every(isNothing)) return [];
    const why = 'does nothing in the place of';
    return was.some((fact) => !isNothing(fact))
      ? [refuses('masks', path, first.line, `${why} a command that did something`, shownWords(first))]
      : [asks('masks', path, first.line, `${why} what the image would do`, shownWords(first))];
  });
}

const YES = /^(?:true|yes|on|always|1|True|Yes)$/;
const NO = /^(?:false|no|never|off|0|False|No|\[\s*\]|\[\]|none)$/;
/** Keys of data that let failures pass, by the values that do. */
const DATA: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^(?:continue[-_]on[-_]errors?|continueOnError|ignore_errors?|ignoreErrors?|ignore_unreachable|allow_failure|ignore_failed|ignore_error|soft_fail|skip_?verify|force_handlers_off)$/i,
    YES,
  ],
  [/^(?:failed_when|any_errors_fatal|fail_on_error|failOnError|fail-fast)$/, NO],
  [/^(?:when|check_mode_when)$/, NO],
  [/^check_mode$/, YES],
  [/^max_fail_percentage$/, /./],
  [/^(?:on_failure|onFailure|on_error|onError)$/, /^(?:ignore|continue|skip|none)$/i],
  [/^SuccessExitStatus$/, /./],
  [/^status$/, /^(?:true|:|exit 0|test 1 = 1|\[ 1 = 1 \])$/],
];

function dataFindings({ path, addedLeaves, goneLeaves, old, now }: Change): Finding[] {
  const hits = addedLeaves.filter(({ keys, value }) =>
    DATA.some(([key, values]) => key.test(keys.at(-1) ?? '') && values.test(value.trim())),
  );
  const rescues = (file: FileFacts) => countKeys(file.data?.documents ?? [], 'rescue');
  const lost = goneLeaves.filter(({ keys, value }) => keys.at(-1) === 'any_errors_fatal' && YES.test(value));
  return [
    ...hits.map(({ keys, value, line }) =>
      refuses('masks', path, line, 'tells the tool to go on as if nothing had failed', `${keys.at(-1)}: ${value}`),
    ),
    ...(rescues(now) > rescues(old) ? [refuses('masks', path, undefined, 'a rescue takes the failure away')] : []),
    ...(lost.length > addedLeaves.filter(({ keys }) => keys.at(-1) === 'any_errors_fatal').length
      ? [refuses('masks', path, undefined, 'any_errors_fatal is gone')]
      : []),
  ];
}

function countKeys(value: unknown, key: string): number {
  if (typeof value !== 'object' || value === null) return 0;
  const here = !Array.isArray(value) && key in value ? 1 : 0;
  return here + Object.values(value).reduce((sum: number, part) => sum + countKeys(part, key), 0);
}

const EXITS_WELL = /\b(?:sys\.exit|process\.exit|os\._exit|os\.Exit|exit|quit)\s*\(\s*(?:0|None|)\s*\)/;
const SWALLOWS =
  /^\s*except\b[^:]*:\s*(?:pass|continue)\s*(?:#.*)?$|^\s*except(?:\s+(?:Base)?Exception(?:\s+as\s+\w+)?)?\s*:\s*$|\bcatch\s*(?:\([^)]*\)\s*)?\{\s*\}|\bsuppress\(\s*(?:Base)?Exception|\brescue\s*nil|\bcheck\s*=\s*False\b|stderr\s*=\s*subprocess\.DEVNULL/;

const CHECKS =
  /\braise_for_status\(|\bassert\b|\braise\s+\w|\bsys\.exit\(\s*[1-9]|\bcheck\s*=\s*True\b|\bcheck_(?:call|output)\(|\bthrow\s+new\b|\bprocess\.exit\(\s*[1-9]/;

/** What told of failures in a program and is gone. */
function lostChecks(path: string, { added, removed }: Change['lines']): Finding[] {
  const code = (text: string) => text.replace(/^\s*(?:#|\/\/)\s*/, '').trim();
  const commented = added.find(
    ({ text }) =>
      /^\s*(?:#|\/\/)/.test(text) &&
      code(text).includes('(') &&
      removed.some((line) => line.text.trim() === code(text)),
  );
  if (commented) return [refuses('masks', path, commented.number, 'is commented out', commented.text.trim())];
  const caught = added.find(({ text }) => /^\s*(?:except\b|\}?\s*catch\b|rescue\b)/.test(text));
  const isRaised = added.some(({ text }) => /\b(?:raise|throw|exit|abort|fatal)\b/.test(text));
  if (caught && !isRaised) return [asks('masks', path, caught.number, 'may swallow a failure', caught.text.trim())];
  const count = (lines: readonly { text: string }[]) => lines.filter(({ text }) => CHECKS.test(text)).length;
  if (count(removed) <= count(added)) return [];
  return [
    asks(
      'masks',
      path,
      undefined,
      'no longer tells of a failure',
      removed.find(({ text }) => CHECKS.test(text))?.text.trim(),
    ),
  ];
}

function programLine(path: string, text: string, number: number): Finding[] {
  if (/^\s*(?:#|\/\/)/.test(text)) return [];
  if (EXITS_WELL.test(text)) return [refuses('masks', path, number, 'ends as if all had gone well', text.trim())];
  return SWALLOWS.test(text) ? [asks('masks', path, number, 'may swallow a failure', text.trim())] : [];
}

/** Guards that are fewer than before: what stops a script at its first failure, and the calls of what checks it. */
function guards({ path, before, after, old, now }: Change, judges: readonly string[]): Finding[] {
  const say = (why: string) => refuses('removes_guard', path, undefined, why);
  const counts = (file: FileFacts, text: string) => ({
    errexit:
      file.commands.filter(stopsAtFailure).length +
      (/^#!\S*sh(?: \S+)* -\w*e|^#!\S*env (?:-S )?\S+ -\w*e/.test(text) ? 1 : 0),
    pipefail: file.commands.filter(
      ({ program, args }) =>
        program === 'set' && args.some(({ text }, i) => text === 'pipefail' && /^-/.test(args[i - 1]?.text ?? '')),
    ).length,
    checks: file.commands.filter(({ words }) => words.some(({ text }) => isJudge(text, judges))).length,
  });
  const [was, is] = [counts(old, before ?? ''), counts(now, after)];
  const exits = old.commands.filter((fact) => orFails(fact) && !isTest(fact));
  const lost =
    is.errexit > 0
      ? []
      : exits.filter(
          (fact) =>
            now.commands.some(({ key }) => key === fact.key) &&
            !now.commands.some((other) => other.key === fact.key && orFails(other)),
        );
  const above = (file: FileFacts) =>
    file.commands.slice(0, file.commands.findIndex(stopsAtFailure)).filter(isWork).length;
  return [
    ...(is.errexit < was.errexit ? [say('keep the `set -e` that makes the script stop at its first failure')] : []),
    ...(is.pipefail < was.pipefail ? [say('keep `pipefail`: without it a failure inside a pipe does not count')] : []),
    ...(is.errexit > 0 && was.errexit > 0 && above(now) > above(old)
      ? [say('leave `set -e` above the commands it guards')]
      : []),
    ...lost.map((fact) =>
      refuses(
        'removes_guard',
        path,
        fact.line,
        'keep the `|| exit` or `|| return` behind the command',
        shownWords(fact),
      ),
    ),
    ...(is.checks < was.checks ? [say('keep the call of the script that checks the stage')] : []),
  ];
}

const orFails = ({ around }: Fact): boolean => around.some((frame) => frame.kind === 'or' && frame.fails);
const isTest = ({ program }: Fact): boolean => /^(?:\[\[?|test)$/.test(program);
const stopsAtFailure = ({ program, args, around }: Fact): boolean =>
  program === 'set' &&
  around.length === 0 &&
  args.some(
    ({ text }, i) => /^-[a-z]*e/.test(text) || (text === 'errexit' && /^-[a-z]*o$/.test(args[i - 1]?.text ?? '')),
  );

function isJudge(word: string, judges: readonly string[]): boolean {
  const plain = word.replace(/^(?:\$\w+\/+|\$\(…\)\/+|\.{1,2}\/+|\/+)+/, '');
  if (plain === '' || plain.startsWith('-')) return false;
  return (
    /(?:^|\/)verify[\w-]*\.(?:sh|bash|py)$/.test(plain) ||
    judges.some(
      (judge) => !judge.endsWith('/') && (judge === plain || (plain.includes('/') && judge.endsWith(`/${plain}`))),
    )
  );
}

/** Ends that keep work from being done and are no failure. */
function ends({ path, added, now, gone, old }: Change): Finding[] {
  return added.flatMap((fact) => {
    if (fact.role === 'maybe' || !isOwn(fact)) return [];
    const { program, args, around, line, unit } = fact;
    const isTrue =
      /^(?:true|:)$/.test(program) &&
      fact.args.length === 0 &&
      around.every(({ kind }) => kind === 'argument' || kind === 'given');
    const isEnd =
      isTrue ||
      program === 'exit' ||
      program === 'return' ||
      (program === 'exec' && args.length > 0 && fact.redirects.length === 0);
    if (!isEnd || isFailure(fact, now)) return [];
    // `exec` of the command that stood there is that command.
    if (program === 'exec' && gone.some((other) => other.program === args[0]?.text.split('/').at(-1))) return [];
    const name = functionOf(fact);
    const index = now.commands.indexOf(fact);
    const isAfter = (other: Fact, i: number) =>
      program === 'exit' && name !== '' ? functionOf(other) !== name : i > index && functionOf(other) === name;
    const later = now.commands.some((other, i) => other.unit === unit && isAfter(other, i) && isWork(other));
    const failing = gone.find(
      (other) => other.program === program && functionOf(other) === name && isFailure(other, old),
    );
    if (failing) return [asks('masks', path, line, 'was a failure before', shownWords(fact))];
    const last = now.commands.slice(0, index).findLast((other) => other.unit === unit && isOwn(other));
    const isForgiving =
      !now.commands.some(stopsAtFailure) && now.language !== 'make' && /^0*$/.test(args[0]?.text ?? '');
    if (!later && last && isWork(last) && isForgiving && around.every(({ kind }) => kind !== 'branch'))
      return [refuses('masks', path, line, 'ends well whatever the command before it did', shownWords(fact))];
    if (!later) return [];
    const isConditional = around.some(({ kind }) => kind === 'branch');
    const why = 'ends before the work below it is done, as if all had gone well';
    return isConditional
      ? [asks('masks', path, line, why, shownWords(fact))]
      : [refuses('masks', path, line, why, shownWords(fact))];
  });
}

const functionOf = ({ around }: Fact): string =>
  around.flatMap((frame) => (frame.kind === 'function' ? [frame.name] : [])).at(-1) ?? '';

/** `exit 1`, `exit "$rc"`, `cmd || exit`. */
function isFailure({ program, args, around }: Fact, { commands }: FileFacts): boolean {
  if (program === 'exec') return false;
  const code = args[0]?.text ?? '';
  if (/^[1-9]\d*$/.test(code)) return true;
  const name = /^\$(\w+)$/.exec(code)?.[1];
  if (name !== undefined)
    return commands.some(({ assignments }) =>
      assignments.some((one) => one.name === name && /^\$(?:\?|\(…\))$/.test(one.values[0]?.text ?? '')),
    );
  const last = around.at(-1);
  return (code === '' || code === '$?') && last?.kind === 'branch' && last.guard.startsWith('unless');
}
