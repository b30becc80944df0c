// Added commands that destroy, run what nobody has seen, or stand where a destructive command was guarded.
import type { Redirect } from '../shell/command.ts';
import { assignmentsOf } from '../shell/unwrap.ts';
import { isInterpreter, isShell } from '../shell/wrappers.ts';
import { Arguments, removesTrees, verbOf } from './arguments.ts';
import { changedGuards } from './destroy-guards.ts';
import { type Harm, harmOf, inlineHarm, sqlHarm } from './destructive.ts';
import { type Change, type Fact, type FileFacts, keyOf, spellings } from './facts.ts';
import { asks, type Finding, refuses } from './finding.ts';
import { shownWords } from './shown.ts';
import { strings } from './texts.ts';
import { writtenPaths } from './written-paths.ts';

export function destroyFindings(change: Change): Finding[] {
  const { path, added } = change;
  const scope = scopeOf(change);
  // What mktemp made before and after is nothing to guard.
  const before = temporaryNames(change.old, change.before ?? '');
  const strict = { ...scope, temporary: new Set([...scope.temporary].filter((name) => before.has(name))) };
  return [
    ...forkBombs(change),
    ...added.flatMap((fact) => {
      const harm = worstOf([fact, ...variants(fact, change.now)].map((one) => harmIn(one, scope)));
      if (!harm || isQuieter(fact, change)) return [];
      if (harm.severity === 'ask' && isSameAct(fact, change, scope)) return [];
      const severity = wasThere(fact, change) ? 'ask' : harm.severity;
      const words = shownWords(fact);
      return severity === 'ask'
        ? [asks('softer', path, fact.line, harm.why, words)]
        : [refuses('destroys', path, fact.line, harm.why, words)];
    }),
    ...changedGuards(change, (fact) => destroys(fact, strict)?.severity),
    ...programLines(change),
  ];
}

/** What a command does, whoever reads what it says. */
const loudKey = (fact: Fact): string =>
  keyOf({
    ...fact,
    redirects: fact.redirects.filter(
      ({ operator, target }) => !(/^&?>&?/.test(operator) && /^(?:-|\d|\/dev\/null)?$/.test(target?.text ?? '')),
    ),
  });

/** As often as a command says less than before, it is the one that was there. */
const isQuieter = (fact: Fact, { added, gone }: Change): boolean => {
  // In another folder it would be another act.
  if (added.some(({ program }) => /^(?:cd|pushd)$/.test(program))) return false;
  const key = loudKey(fact);
  const isSame = (other: Fact) =>
    (['program', 'role', 'unit', 'via'] as const).every((name) => other[name] === fact[name]) && loudKey(other) === key;
  const before = gone.filter((other) => isSame(other) && other.key !== fact.key);
  return before.length > 0 && added.filter(isSame).length <= before.length;
};

const worstOf = (harms: readonly (Harm | undefined)[]): Harm | undefined =>
  harms.find((harm) => harm?.severity === 'refuse') ?? harms.find((harm) => harm !== undefined);

/** The command with each value that a variable in its first words may hold. */
function variants(fact: Fact, file: FileFacts): Fact[] {
  const sent = fact.redirects.flatMap((redirect) =>
    spellings(redirect.target?.text ?? '', file).flatMap((text) =>
      redirect.target && text !== redirect.target.text
        ? [{ ...fact, redirects: [{ ...redirect, target: { ...redirect.target, text } }] }]
        : [],
    ),
  );
  const at = fact.words.slice(0, 3).findIndex(({ text }) => spellings(text, file)[0] !== text);
  if (at === -1) return sent;
  const spelt = spellings(fact.words[at]?.text ?? '', file).map((text) => {
    const words = fact.words.flatMap((word, i) =>
      i === at
        ? text
            .split(/\s+/)
            .filter(Boolean)
            .map((part) => ({ ...word, text: part, dynamic: part.includes('$') }))
        : [word],
    );
    return { ...fact, words, program: nameOf(words[0]?.text ?? ''), args: words.slice(1) };
  });
  return [...spelt, ...sent];
}

/** A function that starts itself twice. */
const forkBombs = ({ path, added }: Change): Finding[] =>
  added
    .filter(
      ({ program, around }) =>
        around.some((frame) => frame.kind === 'function' && frame.name === program) &&
        around.some(({ kind }) => kind === 'piped' || kind === 'background'),
    )
    .slice(0, 1)
    .map((fact) => refuses('destroys', path, fact.line, 'starts itself without end', shownWords(fact)));

interface Scope {
  readonly isFunction: (name: string) => boolean;
  /** Variables that hold what mktemp made, and nothing else. */
  readonly temporary: ReadonlySet<string>;
  /** Programs that were only known at run time before. */
  readonly runTime: ReadonlySet<string>;
  /** Files that the script fetches, by their names. */
  readonly fetched: ReadonlySet<string>;
  /** Programs as the script ran them before. */
  readonly ran: ReadonlySet<string>;
  readonly assigned: ReadonlySet<string>;
  readonly values: FileFacts['values'];
  /** Files that the script writes. */
  readonly made: ReadonlySet<string>;
  readonly language: FileFacts['language'];
  /** Redirections through which a command says something. */
  readonly filled: ReadonlySet<Redirect>;
}

function scopeOf({ old, now, after }: Change): Scope {
  const functions = new Set([...now.functions, ...old.functions]);
  return {
    isFunction: (name) => functions.has(name),
    temporary: temporaryNames(now, after),
    runTime: new Set(old.commands.map(({ program }) => program).filter((program) => /^[$\ue000]/.test(program))),
    fetched: fetchedFiles(now.commands),
    ran: new Set(old.commands.map(({ words }) => words[0]?.text ?? '')),
    made: new Set(now.commands.filter(makes).flatMap((fact) => [...writtenPaths(fact), ...fetchedNames(fact)])),
    language: now.language,
    filled: new Set(
      now.commands.filter((fact) => !isSilent(fact) && !isValue(fact)).flatMap(({ redirects }) => redirects),
    ),
    values: now.values,
    assigned: new Set(now.commands.flatMap((fact) => assignmentsOf(fact).map(({ name }) => name))),
  };
}

/** Not those that only touch what is there. */
const makes = ({ program }: Fact): boolean =>
  !/^(?:rm|unlink|shred|rmdir|mv|chmod|chown|chgrp|truncate|touch|sed|perl|git)$/.test(program);

function temporaryNames({ commands, functions }: FileFacts, text: string): Set<string> {
  const code = text.replace(/^\s*#.*$/gm, '');
  if (functions.includes('mktemp')) return new Set();
  const made = [...code.matchAll(/(\w+)=["']?(?:\$\(|`)\s*mktemp\b[^;&|()<>\n]*[)`]/g)].map(
    ([, name]) => name as string,
  );
  const all = commands.flatMap(assignmentsOf);
  return new Set(
    made.filter((name) => {
      const values = all.filter((one) => one.name === name);
      const again = new RegExp(
        `\\bfor\\s+${name}\\b|\\b(?:read|mapfile|readarray|getopts)\\b[^\\n;]*\\b${name}\\b|printf\\s+-v\\s+${name}\\b|declare\\s+-n`,
      );
      return (
        !again.test(code) &&
        values.length === made.filter((one) => one === name).length &&
        values.every((one) => one.values[0]?.text === '$(…)')
      );
    }),
  );
}

function harmIn(fact: Fact, scope: Scope): Harm | undefined {
  // Of what may be a command, one that does not begin like a program is none.
  if (fact.role === 'maybe' && !/^[\w./-]+$/.test(fact.program)) return undefined;
  return destroys(fact, scope) ?? atRunTime(fact, scope) ?? unseen(fact, scope);
}

const destroys = (fact: Fact, scope: Scope): Harm | undefined =>
  written(fact) ??
  wrapped(fact) ??
  deletes(fact, scope) ??
  empties(fact, scope) ??
  // Who owns what in an image is nothing of the host's.
  (scope.language === 'docker' && RIGHTS.test(fact.program) ? undefined : harmOf(fact, scope.isFunction));

const RIGHTS = /^(?:chown|chgrp)$/;

const DELETES = /^(?:rm|shred|unlink|mkfs(?:\..*)?|wipefs|blkdiscard|rmdir)$/;
const TALKS =
  /^(?:echo|printf|log\w*|info|warn\w*|error|die|grep|egrep|rg|which|type|command|man|git|kubectl|docker|podman|export|local|declare|case|for|sudo|env|xargs|find|ssh|sh|bash|trap|eval|apt-get|apt|dnf|yum|apk|brew|pip|npm|busybox|toybox|test|\[\[?|alias|hash|function)$/;

/** A program that no table knows and that is given another to run; JSON that has a command in it. */
function wrapped({ program, args, via }: Fact): Harm | undefined {
  if (via !== undefined || TALKS.test(program) || program === '') return jsonHarm(args);
  const at = args.findIndex(({ text, quoted }) => !quoted && DELETES.test(text.split('/').at(-1) as string));
  return at > 0 && args.length > at + 1 && !args[at]?.dynamic
    ? { severity: 'refuse', why: 'has something deleted by another program' }
    : jsonHarm(args);
}

const jsonHarm = (args: Fact['args']): Harm | undefined =>
  args.some(({ text }) => /^\s*(?:\S*=)?[[{]/.test(text) && DESTROYS.test(strings(text).join(' ')))
    ? { severity: 'refuse', why: 'has a command in it that deletes' }
    : undefined;

/** Text that deletes, written into a file that something may run. */
function written(fact: Fact): Harm | undefined {
  if (!/^(?:echo|printf|cat|tee)$/.test(fact.program) || writtenPaths(fact).length === 0) return undefined;
  const text = `${fact.document?.text ?? ''} ${fact.args.map(({ text }) => text).join(' ')}`;
  return DESTROYS.test(text) ? { severity: 'refuse', why: 'writes a command that deletes into a file' } : undefined;
}

const TEMPORARY = /^(?:\/tmp|\/var\/tmp|\/dev\/shm|\$TMPDIR|\$RUNNER_TEMP)\/[^*?]*[\w]/;

function isTemporary(word: string, { temporary }: Pick<Scope, 'temporary'>): boolean {
  if (word.includes('..')) return false;
  const name = /^\$(\w+)/.exec(word)?.[1];
  if (name !== undefined && temporary.has(name)) return true;
  return TEMPORARY.test(word) && !/^\/(?:tmp|var\/tmp|dev\/shm)\/\$/.test(word);
}

/** What package managers leave behind while an image is built. */
const IMAGE_CACHE =
  /^(?:\/var\/(?:lib\/apt\/lists|cache|log|tmp)|\/tmp|\/root\/\.(?:cache|npm)|\/usr\/share\/(?:doc|man))(?:\/|$)/;

function deletes(fact: Fact, scope: Scope): Harm | undefined {
  if (fact.program !== 'rm' && fact.program !== 'unlink') return undefined;
  const args = new Arguments(fact.args);
  // `${x%/*}` is another path than `$x`.
  const isAltered = fact.args.some(({ raw }) => /\$\{\w+[^}\w]/.test(raw) && !/\$\{\w+:\?[^}]*\}/.test(raw));
  const operands = args.words.filter(
    (word, i) => !word.startsWith('-') || (args.words.includes('--') && args.words.indexOf('--') < i),
  );
  const isCache = (word: string) => scope.language === 'docker' && IMAGE_CACHE.test(word);
  if (
    operands.length > 0 &&
    operands.every((word) => isCache(word) || isTemporary(word, scope)) &&
    operands.some(isCache)
  )
    return undefined;
  const temporary = !isAltered && operands.length > 0 && operands.every((word) => isTemporary(word, scope));
  const isOwn = operands.every((word) => scope.temporary.has(/^\$(\w+)/.exec(word)?.[1] ?? ''));
  if (temporary && (isOwn || !removesTrees(fact))) return undefined;
  const isMade =
    operands.length > 0 &&
    operands.every((word) => (!removesTrees(fact) && scope.made.has(word)) || scope.fetched.has(nameOf(word)));
  if (isMade) return { severity: 'ask', why: 'deletes files that the same script makes' };
  if (temporary) return { severity: 'ask', why: 'deletes a temporary folder that it did not make with mktemp' };
  return { severity: 'refuse', why: 'deletes files; mend what makes them a problem' };
}

const SAYS_NOTHING = /^(?::|true|false|test|\[\[?|cd|read|shift|unset|let|)$/;
const DECLARES = /^(?:export|local|declare|readonly|typeset)$/;

const saysNothing = (program: string, words: readonly { readonly text: string }[]): boolean =>
  SAYS_NOTHING.test(program) ||
  (DECLARES.test(program) && words.length > 0 && !words.some(({ text }) => /^-\w*p/.test(text))) ||
  (program === 'cat' && words.some(({ text }) => text === '/dev/null')) ||
  (/^(?:echo|printf)$/.test(program) && words.every(({ text }) => /^(?:-n|)$/.test(text)));

const isFedNothing = ({ fedBy, redirects }: Fact): boolean =>
  (fedBy.length > 0 && fedBy.every(({ words: [first, ...rest] }) => saysNothing(nameOf(first?.text ?? ''), rest))) ||
  redirects.some(({ operator, target }) => operator === '<' && target?.text === '/dev/null');

const isSilent = (fact: Fact): boolean =>
  saysNothing(fact.program, fact.args) || (fact.program === 'cat' && fact.args.length === 0 && isFedNothing(fact));

/** What it says becomes a value or a word. */
const isValue = ({ around }: Fact): boolean =>
  around.some(({ kind }) => kind === 'assigned' || kind === 'substitution');

function empties(fact: Fact, scope: Scope): Harm | undefined {
  const { program, args, redirects } = fact;
  const isAppended = program === 'tee' && new Arguments(args).has('a', 'append');
  if (
    program === 'tee' &&
    isFedNothing(fact) &&
    !isAppended &&
    !args.every(({ text }) => isTemporary(text, scope) || text.startsWith('-'))
  )
    return { severity: 'refuse', why: 'empties a file' };
  if (readsWhatItEmpties(fact)) return { severity: 'refuse', why: 'empties a file before it reads it' };
  if (!isSilent(fact)) return undefined;
  // Of commands that write into one file together, those that say nothing empty nothing.
  const target = redirects.find(
    (redirect) => /^(?:>|>\||&>)$/.test(redirect.operator) && redirect.target && !scope.filled.has(redirect),
  )?.target?.text;
  if (target === undefined || target.startsWith('/dev/') || isTemporary(target, scope)) return undefined;
  return { severity: 'refuse', why: 'empties a file' };
}

/** `sort list > list`: the shell empties the file before the program starts. */
const readsWhatItEmpties = ({ args, redirects, around }: Fact): boolean => {
  // The grammar gives the redirection of a list to all of it; it is the last command's.
  if (around.some(({ kind }) => kind === 'or' || kind === 'and')) return false;
  const emptied = redirects.flatMap(({ operator, target }) =>
    /^(?:>|>\||&>)$/.test(operator) && target && !target.text.startsWith('/dev/') ? [target.text] : [],
  );
  const read = [
    ...args.map(({ text }) => text),
    ...redirects.flatMap(({ operator, target }) => (operator === '<' && target ? [target.text] : [])),
  ];
  return emptied.some((file) => read.includes(file));
};

/** A program that nobody can know before it runs. */
function atRunTime({ program, around, role, words }: Fact, { runTime, assigned, values }: Scope): Harm | undefined {
  if (role === 'maybe' || /^\ue000+$/.test(program) || (role === 'container' && program.startsWith('-')))
    return undefined;
  if (program === '}' || program === '{' || /^[^[].*[*?]|^[*?]|^[^\s[({:!.]+[:,;](?!\/)/.test(program))
    return { severity: 'refuse', why: 'cannot be read as a command' };
  if (!program.startsWith('$') || runTime.has(program)) return undefined;
  // Each value that is written down is looked at for itself.
  const given = values.get(program.slice(1));
  if (given?.some((text) => text !== '') && given.every((text) => /^[\w./-]*$/.test(text))) return undefined;
  const inFunction = around.some(({ kind }) => kind === 'function');
  if (inFunction && /^\$[@*1]$/.test(program)) return undefined;
  const name = /^\$([A-Z_]+)$/.exec(program)?.[1];
  // What the owner's environment says, by the name of a program; a script that sets it itself was looked into.
  if (
    name !== undefined &&
    !assigned.has(name) &&
    words[0]?.text === program &&
    /^(?:SUDO|KUBECTL|HELM|FLUX|TALOSCTL|PYTHON3?|SHELL|MAKE|DOCKER|TERRAFORM|ANSIBLE\w*|GIT|EDITOR)$/.test(name)
  )
    return undefined;
  return { severity: 'refuse', why: 'runs a program that is only known at run time' };
}

const FETCHES =
  /^(?:curl|wget|aria2c|axel|fetch|http|https|xh|lwp-request|GET|ftp|tftp|scp|sftp|nc|ncat|netcat|socat|oras|gsutil)$/;
/** What is downloaded or decoded and run at once. */
function unseen(fact: Fact, { fetched, language, ran }: Scope): Harm | undefined {
  const { program, args, fedBy, redirects, around } = fact;
  const runs =
    isShell(program) ||
    isInterpreter(program) ||
    /^(?:source|\.|eval|xargs|parallel|at|batch|crontab|ssh)$/.test(program);
  const why = 'runs what it downloads or decodes without anyone having seen it';
  const feeder = fedBy.map(({ words }) => (words[0]?.text ?? '').split('/').at(-1) as string);
  if (
    (isShell(program) || (isInterpreter(program) && !hasOperand(fact))) &&
    fedBy.length > 0 &&
    !(isShell(program) && hasOperand(fact))
  ) {
    const isWritten =
      /^(?:echo|printf)$/.test(feeder[0] ?? '') || (feeder[0] === 'cat' && fedBy[0]?.document !== undefined);
    if (!isWritten) return { severity: 'refuse', why };
    const written = fedBy[0]?.words.slice(1) ?? [];
    if (
      /^(?:echo|printf)$/.test(feeder[0] ?? '') &&
      written.some(({ dynamic, text }) => dynamic || /\\[x0]/.test(text))
    )
      return { severity: 'refuse', why };
  }
  const input = redirects.find(({ operator }) => operator === '<')?.target?.text;
  if (isShell(program) && !hasOperand(fact) && fact.via === undefined && input !== undefined)
    return { severity: 'refuse', why };
  if (runs && input === '$(…)') return { severity: 'refuse', why };
  if (/^(?:source|\.|bash|sh|zsh|dash|ksh)$/.test(program) && args.some(({ text }) => text === '$(…)'))
    return { severity: 'refuse', why };
  if (program === '$(…)' && around.some(({ kind }) => kind === 'argument')) return { severity: 'refuse', why };
  // What an image is made of stays in it.
  if (program === 'chmod' && (language === 'docker' || !args.some(({ text }) => MAKES_RUNNABLE.test(text))))
    return undefined;
  const target =
    isShell(program) || isInterpreter(program) || /^(?:source|\.|chmod)$/.test(program)
      ? args.map(({ text }) => text)
      : [fact.words[0]?.text ?? ''].filter((word) => !ran.has(word));
  if (
    target.some((word) => (word.includes('/') || fetched.has(word) ? fetched.has(nameOf(word)) : false)) &&
    program !== ''
  )
    return { severity: 'refuse', why };
  return undefined;
}

const MAKES_RUNNABLE = /^[ugoa]*[+=][a-zA-Z]*x|^[0-7]*[1357][0-7]*$/;
const hasOperand = ({ args }: Fact): boolean =>
  args.some(({ text }) => !/^[-+]/.test(text)) && !args.some(({ text }) => text === '-s');
const nameOf = (word: string): string => word.split('/').at(-1) as string;

/** Files that come from elsewhere, also under other names and out of archives. */
function fetchedFiles(commands: readonly Fact[]): Set<string> {
  const names = new Set(commands.flatMap(fetchedNames));
  for (const { program, args } of commands) {
    const given = new Arguments(args).operands.map(nameOf);
    if (!given.some((name) => names.has(name))) continue;
    if (/^(?:mv|cp|install|ln)$/.test(program)) names.add(given.at(-1) ?? '');
    if (/^(?:gunzip|unxz|bunzip2|unzstd|gzip|xz|zstd)$/.test(program))
      for (const name of given) names.add(name.replace(/\.(?:gz|xz|bz2|zst)$/, ''));
  }
  return names;
}

function fetchedNames({ program, args, redirects }: Fact): string[] {
  if (!FETCHES.test(program)) return [];
  const given = new Arguments(args);
  const url = given.operands.find((word) => /:\/\//.test(word));
  const named = given.value(/^(?:-[a-zA-Z]*o|--output|--output-document|-[a-zA-Z]*O)$/);
  const isKept = given.has('O', 'remote-name') || (program === 'wget' && named === undefined);
  const remote = isKept && url ? [nameOf(url)] : [];
  const sent = redirects.flatMap(({ operator, target }) =>
    /^>/.test(operator) && target ? [nameOf(target.text)] : [],
  );
  const files = [...(named ? [nameOf(named)] : []), ...remote, ...sent];
  return files.filter((name) => name !== '-' && name !== 'null');
}

/** Parts of a word that are only known at run time stand for each other where no file is named. */
const RUN_TIME = /^[$\ue000](?:[\w{}().…\ue000$]|[-/:](?=[$\ue000]|$))*$/;
const NAMES_FILES = /^(?:rm|unlink|shred|rmdir|dd|mkfs(?:\..*)?|wipefs|truncate|find|blkdiscard|sgdisk|parted)$/;

/** The same program on the same things was there: only its options and their values are others. */
function wasThere(fact: Fact, { gone }: Change): boolean {
  return gone.some((other) => {
    if (other.program !== fact.program) return false;
    const [is, was] = [fact, other].map((one) => [...new Set(targets(one))].sort().join('\0'));
    return was !== '' && is === was;
  });
}

/** What a command acts on: its words without options and their values, however they are quoted. */
function targets({ program, args }: Fact): string[] {
  const isFiles = NAMES_FILES.test(program);
  return args.flatMap(({ raw, text }, i) => {
    const isValue = !isFiles && /^(?:--(?!filename)[\w-]+|-[neoc])$/.test(args[i - 1]?.text ?? '');
    if (text.startsWith('-') || isValue || (program === 'dd' && !/^[io]f=/.test(text))) return [];
    if (!isFiles && !isShell(program) && (RUN_TIME.test(text) || text === '/dev/stdin')) return [];
    if (program === 'ansible-playbook') return [nameOf(text)];
    return [`${/\$\{\w+[^}\w]/.test(raw) ? raw : ''}${text.replace(/\ue000+/g, '\ue000')}`];
  });
}

/** The same tool was told the same before, about something else or with other options; scaled to nothing is something else. */
function isSameAct(fact: Fact, { gone }: Change, scope: Scope): boolean {
  if (NAMES_FILES.test(fact.program)) return false;
  const verb = verbOf(fact);
  const isNone = (one: Fact) => /(?:^|[= ])0(?: |$)/.test(one.args.map(({ text }) => text).join(' '));
  return gone.some(
    (other) =>
      other.program === fact.program &&
      verbOf(other) === verb &&
      clusterOf(other) === clusterOf(fact) &&
      harmIn(other, scope)?.severity === 'ask' &&
      !(verb === 'scale' && isNone(fact) && !isNone(other)),
  );
}

/** Which cluster it is told to act on. */
const clusterOf = ({ args }: Fact): string =>
  args
    .map(({ text }) => text)
    .join('\0')
    .match(/--(?:context|kubeconfig|cluster|kube-context)[=\0][^\0]*/g)
    ?.join() ?? '';

/** Lines of other languages: what they call, and the shell texts in them. */
function programLines({ path, now: { language }, lines }: Change): Finding[] {
  if (language !== 'program') return [];
  return lines.added.flatMap(({ text, number }) => {
    if (/^\s*(?:#|\/\/|\*|"""|''')/.test(text)) return [];
    const quoted = strings(text);
    const sql = /\.sql$/i.test(path) ? text.replace(/--.*/, '') : quoted.join(' ');
    const harm = inlineHarm(text) ?? sqlHarm(sql) ?? shellHarm([...quoted, quoted.join('')]);
    return harm ? [refuses('destroys', path, number, harm.why, text.trim())] : [];
  });
}

const DESTROYS =
  /(?:^|[\s;&|(/])(?:rm\s+(?:-\w+\s+)*\S|mkfs\S*\s|wipefs\s|shred\s|dd\s+\S*of=|kubectl\s+(?:\S+\s+)*delete|terraform\s+(?:\S+\s+)*destroy|(?:qm|pct|zpool|zfs|virsh)\s+destroy|talosctl\s+(?:\S+\s+)*reset|git\s+(?:clean|reset\s+--hard|push\s+(?:\S+\s+)*-f)|docker\s+(?:\S+\s+)*(?:rm|prune)|helm\s+(?:un|del)|flux\s+(?:uninstall|delete)|curl\s[^|]*\|\s*(?:ba)?sh)/;

function shellHarm(quoted: readonly string[]): Harm | undefined {
  const isHarmful = DESTROYS.test(quoted.join(' ')) || quoted.some((text) => DESTROYS.test(text));
  return isHarmful ? { severity: 'refuse', why: 'runs a command that deletes' } : undefined;
}
