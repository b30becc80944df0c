// Changes that hide a failure instead of mending it: a command that is gone, no longer counts, or is never reached.
import { distance } from 'fastest-levenshtein';
import { isShell } from '../shell/wrappers.ts';
import { Arguments } from './arguments.ts';
import { isTaskfile } from './data-texts.ts';
import type { Change, Fact, FileFacts } from './facts.ts';
import { failedKeys } from './failed-command.ts';
import { failureFindings } from './failure-rules.ts';
import { asks, type Finding, refuses } from './finding.ts';
import { ends, guards } from './guard-rules.ts';
import { added } from './mask-added-rules.ts';
import type { GateRules } from './rules.ts';
import { shownWords } from './shown.ts';
import { isQuestion } from './tasks.ts';
import { functionOf, guardsOf, isLastWork, isRemoteWork, isSilenced, isWork, mayWork, neverIn } from './work.ts';

type MaskRules = Pick<GateRules, 'failed' | 'log' | 'untouchable' | 'known' | 'tree'>;

export function maskFindings(change: Change, rules: MaskRules): Finding[] {
  if (change.before === null) return added(change);
  return [
    ...touched(change, rules),
    ...added(change),
    ...guards(change, rules.untouchable),
    ...ends(change),
    ...failureFindings(change),
  ];
}

function touched(change: Change, rules: MaskRules): Finding[] {
  const { failed, log } = rules;
  const { path, old, now, gone } = change;
  const isSettings = now.language === 'settings';
  const tasks = new Set(
    now.tasks.filter(({ module }) => !/^(?:shell|command|raw|expect)$/.test(module)).map(({ name }) => name),
  );
  const questions = new Set(old.tasks.filter(isQuestion).map(({ name }) => name));
  const failedCommands = failedKeys(path, old.commands, failed, log);
  const goneKeys = new Set(gone.map(({ key }) => key));
  const removed = new Set(change.lines.removed.map(({ number }) => number));
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const fact of old.commands.filter(
    (one) =>
      (isWork(one) || isRemoteWork(one) || isLastWork(one) || mayWork(one)) && !(isSettings && one.role === 'run'),
  )) {
    if (seen.has(`${fact.key}${fact.line}`)) continue;
    seen.add(`${fact.key}${fact.line}`);
    const partner = goneKeys.has(fact.key) ? successor(fact, change, rules) : sameIn(change, fact);
    const isFailed = failedCommands?.has(fact.key) === true;
    const say = (why: string): Finding =>
      isFailed
        ? refuses('masks', path, fact.line, why, shownWords(fact))
        : asks('masks', path, fact.line, why, shownWords(fact));
    const earlier = hidings(fact, old);
    // What did not count before cannot be hidden.
    const counted = !earlier.some((hiding) => LOSES.has(hiding));
    if (!partner) {
      // Of a text that could not be read, what stands in lines that are left was read wrongly.
      if (old.unread.size > 0 && !removed.has(fact.line)) continue;
      // What a container starts may change; what does nothing in its place is looked at with what is added.
      const isGone =
        (fact.role === 'run' || isFailed) &&
        goneKeys.has(fact.key) &&
        !tasks.has(fact.unit) &&
        !isMoved(fact, change) &&
        (isFailed || isEntryLeft(fact, change));
      // A function that is gone with its calls is judged by what it did; what deleted something hides nothing.
      const matters =
        counted &&
        !looksOnly(fact) &&
        !questions.has(fact.unit) &&
        !DELETES.test(fact.program) &&
        (!old.functions.includes(fact.program) || now.functions.includes(fact.program));
      if (isGone && (isFailed || matters)) findings.push(say('is gone without another one in its place'));
      continue;
    }
    const news = hidings(partner, now).filter(
      (hiding) =>
        !earlier.includes(hiding) &&
        (hiding !== 'reversed' || fact.around.some(({ kind }) => kind === 'condition')) &&
        (fact.role !== 'maybe' || /^(?:or|followed|decided)$/.test(hiding)) &&
        (hiding !== 'silenced' || partner.program === fact.program) &&
        // Lists and who calls a function were not seen in a text that could not be read.
        (!/^(?:uncalled|left|asked)$/.test(hiding) || old.unread.size === 0) &&
        (counted || !LOSES.has(hiding)) &&
        (hiding !== 'shadowed' || partner.program === fact.program || !old.functions.includes(partner.program)),
    );
    const guards = newGuards(partner, fact);
    const never = neverIn(fact) === undefined ? neverIn(partner) : undefined;
    const perhaps = isFailed ? guards.find((guard) => isUnsure(guard, partner)) : undefined;
    // What stands in a makefile's condition may be given on its command line.
    if (never !== undefined && now.language === 'make')
      findings.push(asks('masks', path, partner.line, `runs only ${never}`, shownWords(partner)));
    else if (never !== undefined)
      findings.push(refuses('masks', path, partner.line, `runs only ${never}`, shownWords(partner)));
    else if (perhaps !== undefined)
      findings.push(asks('masks', path, partner.line, `runs only ${perhaps}`, shownWords(partner)));
    if (DOES_NOTHING.test(innerOf(partner, now)) && !DOES_NOTHING.test(innerOf(fact, old)))
      findings.push(say('has nothing done in the place of what it ran'));
    if (isFailed && readsOnly(fact, partner))
      findings.push(refuses('masks', path, partner.line, 'only looks where it did something', shownWords(partner)));
    const [first] = news.filter(
      (hiding) =>
        hiding !== 'left' &&
        (isFailed ||
          !/^(?:piped|followed|asked|reversed)$/.test(hiding) ||
          (hiding === 'followed' && isEndLost(partner, fact, now))),
    );
    const isAsked = partner.around.some(({ kind }) => kind === 'condition');
    if (first === 'silenced' && !isFailed && (isAsked || !counted || DELETES.test(fact.program))) continue;
    // What is read out of a command that only looks is used where it now stands.
    if (first === 'substitution' && !isFailed && looksOnly(fact)) continue;
    if (first === 'silenced') findings.push(refuses('masks', path, partner.line, HIDES.silenced, shownWords(partner)));
    else if (first === 'reversed')
      findings.push(asks('masks', path, partner.line, HIDES.reversed, shownWords(partner)));
    else if (first !== undefined) findings.push(say(HIDES[first]));
    else if (news.includes('left')) findings.push(asks('softer', path, partner.line, HIDES.left, shownWords(partner)));
    findings.push(...softened(path, fact, partner, isFailed));
  }
  return findings;
}

const DELETES = /^(?:rm|rmdir|unlink)$/;

/** Its program, or the script that its shell runs, is only known to whoever fills in the template. */
const isTemplated = ({ program, args }: Fact): boolean =>
  program.startsWith('\ue000') || (/^(?:ba)?sh$/.test(program) && (args[0]?.text ?? '').startsWith('\ue000'));

/** How a shell, and make without one, say that there is no such program. */
const isMissing = (program: string, log = ''): boolean =>
  [': not found', ': command not found'].some((end) => log.includes(` ${program}${end}`)) ||
  new RegExp(`^g?make(?:\\[\\d+\\])?: ${program.replace(/\W/g, '\\$&')}: No such file or directory`, 'm').test(log);

/** The log says that there is no program of the old name, and the new one is nearly called so: it hides nothing. */
const isSpeltRight = (now: string, before: string, log: string | undefined): boolean =>
  now.length > 2 && distance(now, before) <= 2 && isMissing(before, log);

/** Said in the place of a command, it hides that nothing is done. */
const SAYS = /^(?:echo|printf|:|true|touch|log\w*|#)$/;

/** The command is what it was, but for one slip inside its name, and no command that may be meant has the old one. */
function isSlipFor(now: Fact, before: Fact, { functions, commands }: FileFacts, { log, known = [], tree }: MaskRules) {
  const slip = before.program;
  const isOneSlip =
    isSwapped(slip, now.program) ||
    (slip.length > 3 &&
      distance(slip, now.program) === 1 &&
      slip[0] === now.program[0] &&
      slip.at(-1) === now.program.at(-1));
  const files = tree.files.map((path) =>
    path
      .split('/')
      .at(-1)
      ?.replace(/\.\w+$/, ''),
  );
  return (
    isOneSlip &&
    isMissing(slip, log) &&
    now.args.map(({ text }) => text).join('\0') === before.args.map(({ text }) => text).join('\0') &&
    ![...functions, ...known, ...files].includes(slip) &&
    commands.filter(({ program }) => program === slip).length === 1
  );
}

/** Two neighbouring letters changed places. */
function isSwapped(slip: string, name: string): boolean {
  const at = [...slip].findIndex((letter, i) => letter !== name[i]);
  const [one = '', other = ''] = slip.slice(at);
  return slip.length > 2 && at !== -1 && `${slip.slice(0, at)}${other}${one}${slip.slice(at + 2)}` === name;
}

/** A command of the same program, or with the same arguments, among those that are new. */
function successor(fact: Fact, { added, old }: Change, rules: MaskRules): Fact | undefined {
  const words = new Set(fact.args.map(({ text }) => text).filter((text) => text.length > 1));
  const shared = (other: Fact) => other.args.filter(({ text }) => words.has(text)).length;
  const candidates = added.filter((other) =>
    SAYS.test(other.program)
      ? isSlipFor(other, fact, old, rules)
      : other.program === fact.program ||
        isSpeltRight(other.program, fact.program, rules.log) ||
        (isTemplated(other) && other.unit === fact.unit && (isTemplated(fact) || fact.program.includes('.'))) ||
        (shared(other) > 0 && shared(other) * 2 >= words.size && !/^(?:test|\[\[?)$/.test(other.program)),
  );
  return candidates.sort(
    (a, b) => Number(b.program === fact.program) - Number(a.program === fact.program) || shared(b) - shared(a),
  )[0];
}

/** Steps that make the way free for the next one. */
const PREPARES = /^(?:sleep|cd|pushd|echo|export|source|mkdir -p) /;
const newGuards = (now: Fact, before: Fact): string[] => {
  const old = guardsOf(before);
  const parts = (guard: string) => guard.replace(/^if /, '').split(' && ');
  const isOld = (guard: string) =>
    guard.startsWith('if ') && parts(guard).every((part) => PREPARES.test(part) || old.flatMap(parts).includes(part));
  return guardsOf(now).filter((guard) => !old.includes(guard) && !isOld(guard));
};

/** A condition that was not asked before, unless it asks the same program whether there is anything to do. */
const isUnsure = (guard: string, { program }: Fact): boolean =>
  /\b(?:command -v|which|type|cluster-info|--version)\b|^for \w+ in \$\{\w+:-\}/.test(guard) ||
  // `[ -f file ] || make it` asks whether it is done; a variable tells nothing of that.
  (/^(?:if|case|while|else of|unless (?:\[\[?|test) (?!.*-[defLrswx]\s).*\$)/.test(guard) &&
    !new RegExp(`\\b${program.replace(/[^\w]/g, '.')}\\b`).test(guard));

const READS =
  /^(?:get|describe|diff|version|list|ls|show|status|template|lint|help|explain|kustomize|view|plan|validate|check|top|logs|history|search|config)$/;

/** The program only tells about itself. */
const ABOUT_ITSELF = /^--(?:version|help|usage)$/;

/** It shows something to people. */
const looksOnly = ({ program, args }: Fact): boolean =>
  /^(?:kubectl|k|oc|talosctl|flux|helm|docker|podman|git|qm|pct|systemctl)$/.test(program) &&
  new Arguments(args).verb(/^(?:get|describe|logs?|top|version|show|list|ls|ps|images|events)$/, 2);

/** The same program, told only to look. */
function readsOnly(before: Fact, now: Fact): boolean {
  const verb = ({ args }: Fact) => args.find(({ text }) => !text.startsWith('-'))?.text ?? '';
  return (
    before.program === now.program &&
    (READS.test(verb(now)) || now.args.some(({ text }) => ABOUT_ITSELF.test(text))) &&
    !READS.test(verb(before)) &&
    !before.args.some(({ text }) => READS.test(text) || ABOUT_ITSELF.test(text))
  );
}

const DOES_NOTHING = /^(?:true|:|echo|printf|sleep)$/;
/** The program that a command has run elsewhere: `ssh host true`, `pct exec 100 -- true`. */
const innerOf = ({ program, from, text }: Fact, { commands }: FileFacts): string =>
  commands.find((other) => other.via === program && other.from === from && other.text === text)?.program ?? '';

/** Run by a shell is run by itself. */
const shellOf = ({ via }: Fact): string => (via === undefined || /^(?:ba|da|z|k|a)?sh$/.test(via) ? '' : via);

/** The same command in the new text, run the same way if there is one; of several the one with the same place among them. */
function sameIn({ now, old, added }: Change, fact: Fact): Fact | undefined {
  const all = now.commands.filter((other) => other.key === fact.key);
  const older = all.filter((other) => !added.includes(other));
  const same = older.length > 0 ? older : all;
  const alike = same.filter((other) => shellOf(other) === shellOf(fact));
  const places = old.commands.filter((other) => other.key === fact.key && shellOf(other) === shellOf(fact));
  return alike[Math.min(places.indexOf(fact), alike.length - 1)] ?? same[0];
}

/** It went into a function, loop or list of words: its program or what it names still stands in a new command. */
function isMoved(fact: Fact, { added }: Change): boolean {
  const names = fact.words.map(({ text }) => text).filter((text) => text.length > 3 && !text.startsWith('-'));
  const texts = added.flatMap(({ words, around, program }) =>
    /^(?:echo|printf|:|true|false|log\w*|info)$/.test(program)
      ? []
      : [...words.map(({ text }) => text), ...around.flatMap((frame) => ('guard' in frame ? [frame.guard] : []))],
  );
  return names.length > 0 && names.every((name) => texts.some((text) => text.includes(name)));
}

/** Whether the target, task or function that a command stood in is still there: whoever calls one that is gone fails. */
function isEntryLeft(fact: Fact, { path, now, lines }: Change): boolean {
  const name = functionOf(fact);
  if (name !== '') return now.functions.includes(name);
  const names = fact.unit.split(/\s+/);
  if (now.language === 'make' || now.language === 'just')
    return lines.after.some(
      (line) => /^[^\s.].*:/.test(line) && line.split(/[\s:@]+/).some((word) => names.includes(word)),
    );
  return (
    fact.unit === '' || !isTaskfile(path) || (now.data?.leaves.some(({ keys }) => keys.includes(fact.unit)) ?? true)
  );
}

const HIDES = {
  negated: 'is negated, so that its failure counts as success',
  reversed: 'is asked the other way round',
  background: 'runs in the background, where its failure does not count',
  idle: 'is only asked about, and nothing is done whatever the answer is',
  asked: 'is only asked about, and nothing fails when it does',
  decided: 'is asked, and the answer is the same whatever it does',
  or: 'stands left of `||`, and what stands right of it does not fail',
  substitution: 'stands in a substitution, where its failure does not count',
  argument: 'stands in a text that another command is given',
  uncalled: 'stands in a function that nothing calls',
  shadowed: 'is shadowed by a function or alias of its name',
  piped: 'is piped into a command that always succeeds',
  silenced: 'has what it says about its failure thrown away',
  left: 'stands left of `&&`, where its failure ends nothing',
  followed: 'is followed by another command in a text that does not stop at a failure',
} as const;

type Hiding = keyof typeof HIDES;
/** Those that let a failure pass without a word. */
const LOSES: ReadonlySet<Hiding> = new Set([
  'negated',
  'background',
  'idle',
  'or',
  'substitution',
  'left',
  'followed',
  'piped',
]);

function hidings(fact: Fact, file: FileFacts): Hiding[] {
  const made: Hiding[] = [];
  for (const frame of fact.around) {
    if (frame.kind === 'background' || frame.kind === 'substitution') made.push(frame.kind);
    // `if ! cmd` is a question.
    if (frame.kind === 'negated')
      made.push(fact.around.some(({ kind }) => kind === 'condition') ? 'reversed' : 'negated');
    if (frame.kind === 'condition' && frame.decided) made.push('decided');
    if (frame.kind === 'condition' && frame.idle) made.push('idle');
    else if (frame.kind === 'condition' && !frame.fails) made.push('asked');
    if (frame.kind === 'or' && (!frame.fails || !canFail(frame.by, file))) made.push('or');
    if (frame.kind === 'and' && !frame.last && fact.program !== 'cd') made.push('left');
    if (frame.kind === 'argument' && !/^(?:(?:ba)?sh|exec)$/.test(fact.via ?? '')) made.push('argument');
    if (
      frame.kind === 'piped' &&
      /^(?:true|:|cat|tee|head|tail|grep|sed)$/.test(frame.into) &&
      !hasPipefail(file, fact)
    )
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
  if (isFollowed(fact, file)) made.push('followed');
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

/** A function whose last words are that all went well. */
const endsWell = (name: string, { commands }: FileFacts): boolean => {
  const last = commands.filter((fact) => functionOf(fact) === name).at(-1);
  return (
    last !== undefined &&
    /^(?:return|true|:|echo|printf)$/.test(last.program) &&
    /^0*$/.test(last.program === 'return' ? (last.args[0]?.text ?? 'x') : '')
  );
};

/** How the functions are called that a command stands in, and how a function runs what it is given. */
function callerHidings(fact: Fact, file: FileFacts): Hiding[] {
  const name = functionOf(fact);
  const isCall = (other: Fact) => other.program === name && other !== fact && functionOf(other) !== name;
  const calls = name === '' ? [] : file.commands.filter(isCall);
  const given =
    fact.via === undefined
      ? []
      : file.commands.filter((other) => functionOf(other) === fact.via && /^\$[@*1]$/.test(other.program));
  if (given.length > 0 && endsWell(fact.via ?? '', file)) return ['or'];
  const around = [...(calls.length === 1 ? calls : []), ...given].flatMap((other) =>
    other.around.filter(({ kind }) => kind !== 'function'),
  );
  return around.flatMap((frame): Hiding[] => {
    if (frame.kind === 'negated' || frame.kind === 'background' || frame.kind === 'substitution') return [frame.kind];
    if (frame.kind === 'condition' && frame.idle) return ['idle'];
    return frame.kind === 'or' && (!frame.fails || !canFail(frame.by, file)) ? ['or'] : [];
  });
}

/** Whether the text that a command stands in says so with `set`, or the shell that is given the text is told so. */
const isSet = (file: FileFacts, fact: Fact, option: RegExp): boolean =>
  file.commands.some(
    ({ program, args, text, unit }) =>
      program === 'set' &&
      (text === fact.text || (unit === '' && file.language !== 'yaml')) &&
      args.some((word) => option.test(word.text)),
  ) || shellOptions(fact, file).some((word) => option.test(word));

/** The options of the shell whose `-c` text a command stands in. */
function shellOptions(fact: Fact, { commands }: FileFacts): string[] {
  const depth = fact.around.findLastIndex(({ kind }) => kind === 'argument');
  const shell = commands
    .slice(0, commands.indexOf(fact))
    .findLast(({ program, text, around }) => isShell(program) && text === fact.text && around.length === depth);
  if (depth === -1 || shell === undefined || shell.program !== fact.via) return [];
  const words = shell.args.map((word) => word.text);
  const end = words.findIndex((word, i) => !word.startsWith('-') && !/^-\w*o$/.test(words[i - 1] ?? ''));
  const options = words.slice(0, end === -1 ? undefined : end);
  return options.some((word) => /^-\w*c/.test(word)) ? options : [];
}
const hasPipefail = (file: FileFacts, fact: Fact): boolean => isSet(file, fact, /^pipefail$/);

/** In a task's shell, a recipe, a line of an image, or a text for `sh -c`, only the last command tells how it ended. */
function isFollowed(fact: Fact, file: FileFacts): boolean {
  if (fact.follower?.always) return true;
  const isInner = fact.around.some(({ kind }) => kind === 'argument') && shellOf(fact) === '' && fact.via !== undefined;
  const isLastOnly =
    isInner || (/^(?:yaml|make|docker)$/.test(file.language) && fact.role !== 'container') || fact.role === 'maybe';
  return fact.follower !== undefined && isLastOnly && !isSet(file, fact, /^-\w*e|^errexit$/);
}

/** What follows it says that all went well, stands in its line of a recipe or image, or in the place of `&&`. */
const isEndLost = (now: Fact, before: Fact, { language }: FileFacts): boolean =>
  now.follower?.idle === true || /^(?:make|docker)$/.test(language) || before.around.some(({ kind }) => kind === 'and');

const DRY = /^--(?:dry-run(?:=(?!none).*)?|validate=(?:false|ignore|warn)|check|noop|no-op|simulate|what-if|help)$/;

/** The command is the one that was there, told to do less. */
function softened(path: string, before: Fact, after: Fact, isFailed: boolean): Finding[] {
  const more = (some: Fact, others: Fact) =>
    some.args.map(({ text }) => text).filter((text) => !others.args.some((word) => word.text === text));
  const news = more(after, before);
  if (isFailed && more(before, after).some((text) => /^(?:--all\b.*|-A)$/.test(text)))
    return [asks('softer', path, after.line, 'is no longer about all of them', shownWords(after))];
  const waits = (fact: Fact) =>
    fact.args.some(({ text }) => /^--(?:wait(?!-)|atomic|rollback-on-failure)\b(?!=false)/.test(text));
  if (before.program === after.program && waits(before) && !waits(after))
    return [asks('softer', path, after.line, 'no longer waits until it is ready', shownWords(after))];
  const isInput = (text: string) => {
    const option = after.args[after.args.findIndex((word) => word.text === text) - 1]?.text ?? '';
    return text === '/dev/null' && !/^(?:-\w*[oO]|--(?:output|out|log)\S*)$/.test(option);
  };
  if (before.program === after.program && news.some(isInput) && more(before, after).length > 0)
    return [asks('masks', path, after.line, 'is given nothing to work on', shownWords(after))];
  const dry = news.find(
    (text) => DRY.test(text) || (text === '-n' && /^(?:make|rsync|just|task)$/.test(after.program)),
  );
  return dry === undefined
    ? []
    : [asks('softer', path, after.line, `now runs with ${dry}, which does nothing or checks less`, shownWords(after))];
}
