// Commands that a change adds, options that it gives to those which were there, and statements of SQL: unless they are known to be
// harmless, or the repository does the same already, the owner is asked. What they do is not worked out here.
import { distance } from 'fastest-levenshtein';
import { SQL } from '../shell/unwrap.ts';
import type { Word } from '../shell/words.ts';
import { INTERPRETERS, isInterpreter, isShell } from '../shell/wrappers.ts';
import { Arguments, verbOf } from './arguments.ts';
import { HARMLESS_CODE, isHarmless } from './ask-rules.ts';
import type { Change, Fact, FileFacts } from './facts.ts';
import { asks, type Finding } from './finding.ts';
import { MAKES_USERS } from './persist-rules.ts';
import type { Knows } from './rules.ts';
import { shownWords } from './shown.ts';
import { isTalk } from './work.ts';

export const newCommandFindings = (change: Change, knows: Knows): Finding[] => [
  ...newCommands(change, knows),
  ...newOptions(change),
  ...otherValues(change),
  ...newStatements(change),
];

/** Verbs by which any tool looks, waits, computes or makes a local file. */
const LOOKING = new Set(
  (
    'get list ls show describe status version wait diff lint template validate check health info logs log search view help plan fmt ' +
    'inspect ps images top events trace tree kustomize explain cluster-info api-resources api-versions is-active is-enabled is-failed cat ' +
    'members stats history rev-parse ls-files ls-remote ls-tree show-ref rev-list merge-base output providers graph current-context ' +
    'completion doctor ping test dashboard env print render gen daemon-reload snapshots fetch current'
  ).split(' '),
);

/** What tools call it to change something, wherever in their words it stands: `vault secrets disable`. */
const CHANGING = new Set(
  (
    'add apply approve bind create cut delete demote destroy detach disable drop enable evict flush force force-unlock format grant import init ' +
    'install kill mark merge migrate move new out pause promote prune purge push put reboot regenerate register remove repair replace reset ' +
    'restart restore revoke rm rollback rotate run scale seal set start stop taint truncate undo uninstall unseal update upgrade wipe write'
  ).split(' '),
);

/** Programs that can do more than look though every shell has them. */
const WORKS = /^(?:install|kill|git|make|ip|curl|wget)$/;
/** With an option they write into the file that they read. */
const EDITORS = /^(?:sed|yq|perl)$/;
/** They pass on what they read, in another form. */
const FILTERS = /^(?:base64|xxd|jq|yq)$/;
/** Options of curl and wget that make more of a request than a question. */
const SENDING = [
  ...['request', 'data', 'data-raw', 'data-binary', 'data-urlencode', 'upload-file', 'form', 'config', 'json'],
  ...['post-data', 'post-file', 'method', 'body-data', 'body-file'],
];
/** Statements of SQL that only look. */
const LOOKING_SQL =
  /^\s*(?:$|select\b(?!.*\b(?:into|pg_\w*(?:terminate|reload|read|ls|write|execute))\b)|show\b|explain\b|describe\b|\\[dlx?qt]|--|set\s+search_path)/i;

function isLooking({ program, args, inline }: Fact): boolean {
  const given = new Arguments(args);
  if (writesInPlace({ program, args })) return false;
  if ((isHarmless(program) && !WORKS.test(program)) || FILTERS.test(program) || isTalk(program)) return true;
  if (given.any(/^--?(?:version|help|dry-run\S*|print|list|l)$/)) return true;
  if (given.any(/^--raw$/)) return false;
  if (program === 'nc') return given.has('z');
  if (program === 'install') return given.has('d', 'directory');
  if (/^(?:curl|wget)$/.test(program)) return !given.has('XdTFK', ...SENDING);
  const [verb = '', ...more] = given.operands.slice(0, 4);
  const changes = [verb, ...more].some((word) => CHANGING.has(word));
  if (LOOKING.has(verb) || (!changes && more.some((word) => LOOKING.has(word)))) return true;
  return inline !== undefined && LOOKING_SQL.test(inline.text.replace(/^(?:-\S+\s+)+/, ''));
}

type Call = Pick<Fact, 'program' | 'args'>;

const writesInPlace = ({ program, args }: Call): boolean =>
  EDITORS.test(program) && args.some(({ text }) => /^-(?:[a-zA-Z]*i|-in-?place)/.test(text));

const isWord = (text: string): boolean => /^[a-z][\w:-]*$/i.test(text);

/** A program, and what it is told to do where that is in words; of an interpreter, its script. */
function formOf({ program, args }: Call): string {
  if (writesInPlace({ program, args })) return `${program} -i`;
  if (INTERPRETERS.test(program) && /^[^-]/.test(args[0]?.text ?? ''))
    return formOf({ program: (args[0] as Word).text, args: args.slice(1) });
  const verb = verbOf({ program, args });
  // By its name a function of a library: what it is given is no verb.
  if (!isWord(verb) || /^\w+_\w+$/.test(program)) return program;
  const more = new Arguments(args).operands.slice(1, 4).filter((word) => word !== verb && CHANGING.has(word));
  return [program, verb, ...more].join(' ');
}

function newCommands(change: Change, knows: Knows): Finding[] {
  const { path, added, gone, old, now } = change;
  const forms = new Set(old.commands.map(formOf));
  // A program that runs whatever it is fed is known only with what feeds it.
  const isFed = ({ program, fedBy }: Fact) => fedBy.length > 0 && (SQL.test(program) || isInterpreter(program));
  const wasFed = (fact: Fact) => old.commands.some((other) => other.program === fact.program && isFed(other));
  const isKnown = (fact: Fact) => {
    const form = formOf(fact);
    if (isFed(fact) && !wasFed(fact)) return false;
    return forms.has(form) || (/ |^\w+_\w+$/.test(form) && knows(form));
  };
  // Of what a program runs in turn, that is judged.
  const isWrapper = ({ program, line }: Fact) => added.some((other) => other.via === program && other.line === line);
  const isCode = ({ inline }: Fact) =>
    inline !== undefined && INTERPRETERS.test(inline.program) && !HARMLESS_CODE.test(inline.text);
  // A file of settings sets; a command in it is run by whoever reads it.
  const isAmongSettings = ({ program, role }: Fact) =>
    now.language === 'settings' && role === 'run' && program !== 'export';
  const isNew = (fact: Fact): boolean =>
    (fact.role === 'run' || isInContainer(fact, change)) &&
    !/^(?:$|\$)/.test(fact.program) &&
    (isCode(fact) || isAmongSettings(fact) || !isLooking(fact)) &&
    !(now.language === 'docker' && MAKES_USERS.test(fact.program)) &&
    !now.functions.includes(fact.program) &&
    !isKnown(fact) &&
    !isWrapper(fact) &&
    !gone.some((other) => takesPlaceOf(fact, other));
  return added
    .filter(isNew)
    .map((fact) =>
      asks('new_work', path, fact.line, `runs \`${formOf(fact)}\`, which nothing here does yet`, shownWords(fact)),
    );
}

/** Of a container what a shell runs there, and what a program is told that was told something else. */
function isInContainer(fact: Fact, { old, now }: Change): boolean {
  if (fact.role !== 'container') return false;
  const inUnit = ({ commands }: FileFacts) =>
    commands.filter(({ role, unit }) => role === 'container' && unit === fact.unit);
  const unit = inUnit(old);
  const isScript = [unit, inUnit(now)].some((facts) => new Set(facts.map(({ from }) => from)).size > 1);
  const isToldElse = formOf(fact).includes(' ') && unit.some(({ program }) => program === fact.program);
  return isShell(fact.via ?? '') || isScript || isToldElse;
}

const isNear = (one: string, other: string): boolean =>
  one === other || (Math.min(one.length, other.length) > 2 && distance(one, other) <= 2);

/** The same work, or its name mended; or by another program with the same words. */
function takesPlaceOf(fact: Fact, other: Fact): boolean {
  if (isNear(fact.program, other.program) && isNear(formOf(fact), formOf(other))) return true;
  const verbs = ({ args }: Fact) => new Arguments(args).operands.filter(isWord);
  if (fact.program === other.program)
    return verbs(other).length === 0 || verbs(fact).some((verb) => verbs(other).includes(verb));
  const words = other.words.map(({ text }) => text);
  const shared = fact.words.filter(({ text }) => words.includes(text)).length;
  return shared >= 2 && shared * 3 >= words.length * 2;
}

/** Options that make a command do nothing, something else or more than it is called for, by any tool's name for that. */
const TELLING =
  /^-{1,2}(?:[\w.-]*-)?(?:fake|simulate|noop|no-op|dry|offline|syntax|list|watch|skip|ignore|allow|only|limit|tags|registry|exec|execute|script|command|hook|plugin|delete|prune|purge|remove|wipe|reset|destroy|overwrite|recreate|inject|password|token|secret|admin|root|anonymous|extra-args?|arg|privileged|unsafe)s?(?:-[\w.-]+)?(?:=.*)?$/i;

const isTelling = (option: string): boolean => TELLING.test(option) || /^--[\w-]+=(?:false|no|none)$/.test(option);

/** Options of that kind that a command which was there did not have. */
function newOptions({ path, added, gone, old }: Change): Finding[] {
  const optionsOf = ({ args }: Fact) => args.map(({ text }) => text).filter((text) => /^-{1,2}[a-zA-Z]/.test(text));
  const nameOf = (option: string) => option.replace(/=.*$/s, '');
  return added.flatMap((fact) => {
    const isThere = gone.some(({ program, unit }) => program === fact.program && unit === fact.unit);
    if (fact.role === 'maybe' || !isThere || !/^\w/.test(fact.program)) return [];
    const seen = old.commands.flatMap((other) => (other.program === fact.program ? optionsOf(other).map(nameOf) : []));
    const option = optionsOf(fact).find((one) => isTelling(one) && !seen.includes(nameOf(one)));
    if (option === undefined) return [];
    const why = `gives \`${fact.program}\` the option ${nameOf(option)}, which nothing here gives it yet`;
    return [asks('new_work', path, fact.line, why, shownWords(fact))];
  });
}

/** Options whose value decides what counts as a failure. */
const JUDGING = /^--?(?:exit-code|fail-on|fail-under|severity|threshold|max-warnings|error-level|min-\w+)$/;

/** Such options with another value. */
function otherValues({ path, added, gone }: Change): Finding[] {
  const valuesOf = ({ args }: Fact) =>
    args.flatMap(({ text }, i) => {
      const [name = '', value = args[i + 1]?.text] = text.split('=');
      return JUDGING.test(name) ? [`${name}=${value}`] : [];
    });
  return added.flatMap((fact) => {
    const earlier = gone.filter((other) => other.program === fact.program).flatMap(valuesOf);
    const other = earlier.length > 0 && valuesOf(fact).find((value) => !earlier.includes(value));
    return other
      ? [asks('masks', path, fact.line, 'decides otherwise what counts as a failure', shownWords(fact))]
      : [];
  });
}

/** What SQL a program is given to read, or by an option. */
function statementsOf({ inline, document, args }: Fact): string[] {
  if (!inline || !SQL.test(inline.program)) return [];
  const given = args[args.findIndex(({ text }) => /^-(?:c|e|-command|-execute)$/.test(text)) + 1]?.text;
  return (document?.text ?? given ?? '').split(/;|\n/).map((one) => one.trim());
}

/** Statements of SQL that were not there. */
function newStatements({ path, added, old }: Change): Finding[] {
  const headOf = (statement: string) => statement.split(/\s+/).slice(0, 2).join(' ');
  const before = old.commands.flatMap(statementsOf).map(headOf);
  if (before.length === 0) return [];
  return added.flatMap((fact) => {
    const first = statementsOf(fact).find((one) => !LOOKING_SQL.test(one) && !before.includes(headOf(one)));
    return first === undefined
      ? []
      : [asks('new_work', path, fact.line, 'adds a statement that does more than look', first)];
  });
}
