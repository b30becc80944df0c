// Lawful changes that do what this repository has not done before: a new program, a new address, a write elsewhere, something
// shown that should stay hidden. The owner is asked.
import { distance } from 'fastest-levenshtein';
import { assignmentsOf } from '../shell/unwrap.ts';
import { isInterpreter, isShell } from '../shell/wrappers.ts';
import { Arguments } from './arguments.ts';
import type { Change, Fact } from './facts.ts';
import { asks, type Finding } from './finding.ts';
import { mentions } from './mentions.ts';
import { OPEN_TO_ALL } from './persist-rules.ts';
import type { Knows, Tree } from './rules.ts';
import { shownWords } from './shown.ts';
import { writtenPaths } from './written-paths.ts';

/** `log`: a program that it names is not new. */
export function askFindings(change: Change, knows: Knows, tree: Tree, log = ''): Finding[] {
  return [
    ...newPrograms(change, (name) => knows(name) || mentions(log, name), tree),
    ...writesElsewhere(change),
    ...replacesFiles(change, tree),
    ...shows(change),
  ];
}

/** Programs that read, say or compute, and what every shell has. */
const HARMLESS = new Set(
  (
    'alias awk gawk mawk basename bash sh bc bg break builtin cal case cat cd chgrp chmod chown cksum clear cmp column comm command compgen complete ' +
    'continue coproc cp cut date declare df diff dirname dirs disown du echo egrep env eval exec exit expand expr export false fc fg fgrep file find flock ' +
    'fold for free function getconf getent getopt getopts grep groups head help hexdump hostname id if install jobs join kill last less let ln local locale ' +
    'logger logname logout ls lsof ls mapfile md5sum mkdir mkfifo mktemp more mountpoint mv nice nl nohup nproc od paste pathchk pgrep popd printenv printf ps ' +
    'pushd pwd read readarray readlink readonly realpath return rev sed select seq set sha1sum sha256sum sha512sum shift shopt shuf sleep sort source split ' +
    'stat stty sum sync tac tail tee test time timeout times touch tput tr trap true tty type typeset tzset ulimit umask unalias uname unexpand uniq unset ' +
    'until uptime wait wc which while who whoami xargs yes [ [[ (( : . ! let sudo envsubst pidof ss ip ping nslookup host ' +
    'tar gzip gunzip zcat xz unxz bzip2 zstd unzip rm rmdir curl wget git make'
  ).split(' '),
);

/** It reads, says or computes, or every shell has it. */
export const isHarmless = (program: string): boolean => HARMLESS.has(program);

function newPrograms({ path, added, gone, now, old }: Change, knows: Knows, tree: Tree): Finding[] {
  const replaced = gone.flatMap(({ words }) => words.map(({ text }) => text));
  const made = new Set(now.commands.flatMap(writtenPaths));
  const isNew = (fact: Fact): boolean => {
    const { program, role, words } = fact;
    // A script that anybody may have put there, and that this text does not make.
    const script = isShell(program) || /^(?:source|\.)$/.test(program) ? words[1] : words[0];
    const isStrange = OPEN_TO_ALL.test(script?.text ?? '') && !made.has(script?.text ?? '');
    if (
      role === 'run' &&
      isStrange &&
      !old.commands.some((other) => other.words.some(({ text }) => text === script?.text))
    )
      return true;
    // What a unit starts is the host's own.
    const isOfUnit = now.language === 'settings' && /^Exec/.test(fact.unit);
    if (isOfUnit && OPEN_TO_ALL.test(words[0]?.text ?? '')) return true;
    if (
      (!isOfUnit && (role !== 'run' || now.language === 'settings')) ||
      program === '' ||
      program.startsWith('$') ||
      program === '}' ||
      (HARMLESS.has(program) && /^(?:\/(?:usr\/)?s?bin\/)?[^/]+$/.test(words[0]?.text ?? ''))
    )
      return false;
    if (/^\ue000+$/.test(program))
      return !old.commands.some((other) => other.program === program && other.role === role);
    if (now.functions.includes(program) || old.commands.some((other) => other.program === program)) return false;
    const word = words[0]?.text ?? '';
    if (word.includes('/') && isOfRepository(word, path, tree)) return false;
    if (
      replaced.some(
        (other) => other !== program && distance(other.split('/').at(-1) as string, program) <= 2 && program.length > 2,
      )
    )
      return false;
    return !knows(program);
  };
  return added
    .filter(isNew)
    .map((fact) =>
      asks(
        'new_program',
        path,
        fact.line,
        `runs \`${fact.program.replace(/^\ue000+$/, 'a templated program')}\`, which nothing here uses yet`,
        shownWords(fact),
      ),
    );
}

/** What a word may mean: from the root, from the file's own folder, and what is left of it behind a variable. */
function placesOf(word: string, path: string): { plain: string; beside: string } {
  const plain = word.replace(/^(?:\$\w+\/+|\$\(…\)\/+|\ue000+\/+|\.\/+)+/, '').replace(/\/+$/, '');
  const parts = path.split('/').slice(0, -1);
  for (const part of plain.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return { plain, beside: parts.join('/') };
}

/** A script of the repository, by its whole path, from the file's own folder, or by its tail behind a variable. */
function isOfRepository(word: string, path: string, tree: Tree): boolean {
  return isTracked(word, path, tree) || tree.hasTail(placesOf(word, path).plain.replace(/^(?:\.\.\/)+/, ''));
}

function isTracked(word: string, path: string, tree: Tree): boolean {
  const { plain, beside } = placesOf(word, path);
  return plain !== '' && (tree.exists(plain) || tree.exists(beside));
}

function isFolder(word: string, path: string, tree: Tree): boolean {
  const { plain, beside } = placesOf(word, path);
  return tree.isFolder(plain) || tree.isFolder(beside);
}

const INSIDE =
  /^(?:\/tmp|\/var\/tmp|\/dev\/(?:null|stdout|stderr|tty|fd|shm)|\/proc\/self|\$MENDLOOP_OUT|\$MENDLOOP_ROOT|\$TMPDIR|\$RUNNER_TEMP)(?:\/|$)/;

/** Absolute paths, and those below somebody's home. */
const isOutside = (path: string): boolean =>
  (/^(?:\/|~|\$HOME\b)/.test(path) || /^(?:\.\.\/){3,}/.test(path)) && !INSIDE.test(path);

function writesElsewhere({ path, added, old, now }: Change): Finding[] {
  if (now.language === 'docker') return [];
  const seen = new Set(
    old.commands.flatMap((fact) => fact.words.map(({ text }) => text)).concat(old.commands.flatMap(writtenPaths)),
  );
  // Up to where only the run tells; a variable may be called otherwise.
  const written = (one: string) => one.replace(/\$.*$/s, '');
  const isKnown = (one: string) =>
    [...seen].some(
      (other) =>
        other === one ||
        other === one.split('/').slice(0, -1).join('/') ||
        other.startsWith(`${one}/`) ||
        (one.includes('$') && /\/[^/]+\//.test(written(one)) && other.includes('$') && written(other) === written(one)),
    );
  return added
    .filter(
      ({ role, via }) =>
        role === 'run' && !/^(?:ssh|docker|podman|kubectl|k|nerdctl|chroot|pct|lxc|incus|qm)$/.test(via ?? ''),
    )
    .flatMap((fact) => {
      if (/^(?:chmod|chown|rm|unlink)$/.test(fact.program)) return [];
      const outside = writtenPaths(fact).find((one) => isOutside(one) && !isKnown(one));
      return outside === undefined
        ? []
        : [asks('writes_outside', path, fact.line, `writes ${outside}, outside the worktree`, shownWords(fact))];
    });
}

/** Files of the repository that a command puts aside, or others in the place of. */
function replacesFiles({ path, added, old, now, lines }: Change, tree: Tree): Finding[] {
  if (now.language === 'docker') return [];
  const written = new Set(old.commands.flatMap(writtenPaths));
  return added
    .filter(({ role, via }) => role === 'run' && via === undefined)
    .filter(
      ({ program, redirects }) =>
        /^(?:cp|mv|install|ln)$/.test(program) ||
        (/^(?:echo|printf|cat)$/.test(program) && redirects.some(({ operator }) => operator === '>')),
    )
    .flatMap((fact) => {
      const { operands } = new Arguments(fact.args);
      const moved = fact.program === 'mv' ? operands.slice(0, -1) : [];
      const isHere = (word: string) => isTracked(word, path, tree) && isFromRoot(word, lines.after);
      const file = moved.find(isHere) ?? writtenPaths(fact).find((word) => isHere(word) && !isFolder(word, path, tree));
      return file === undefined || written.has(file)
        ? []
        : [asks('softer', path, fact.line, `puts something in the place of ${file}, or that aside`, shownWords(fact))];
    });
}

/** Whether a word may be a path of the repository: behind a variable one with folders, unless what it is set to tells. */
function isFromRoot(word: string, lines: readonly string[]): boolean {
  const [, name, rest = ''] = /^\$\{?(\w+)\}?\/+(.*)/.exec(word) ?? [];
  if (name === undefined) return true;
  const isSetTo = (value: string) => lines.some((line) => new RegExp(`\\b${name}=.*(?:${value})`).test(line));
  return isSetTo('\\$\\{?0|BASH_SOURCE|rev-parse|\\bpwd\\b|PWD') || (rest.includes('/') && !isSetTo('mktemp'));
}

/** Code that reads, computes and prints. */
export const HARMLESS_CODE =
  /^(?!.*(?:\b(?:os|subprocess|shutil|socket|system|exec|eval|popen|spawn|unlink|remove|rename|delete|rm\w*|write\w*|getattr|compile|child_process|fs|require|File|IO|Pathname|open)\b|__|`)).*$/s;

const SECRET_VARIABLE = /\$\{?\w*(?:TOKEN|PASSWORD|PASSWD|SECRET|API_?KEY|PRIVATE_KEY)\b/;
/** A variable that names a key file. */
const KEY_VARIABLE = /^\$\{?\w*(?:_KEY(?:_?(?:FILE|PATH))?|KUBECONFIG|TALOSCONFIG)\}?$/;
const SHOWERS = /^(?:sops|ansible-vault|vault|op|bw|pass|gopass|age|kubectl|cat)$/;
const KEY_FILE =
  /(?:^|\/)(?:id_(?:rsa|ed25519|ecdsa)|[\w.-]*\.(?:pem|key|agekey)|kubeconfig|talosconfig|admin\.conf|\.env(?:\.\w+)?|shadow|keys\.txt|k3s\.yaml|\.netrc|\.pgpass|token|node-token|\S*secret\S*\.ya?ml)$/i;

/** What would come into a log that others may read, and what would be believed though nothing made it. */
function shows({ path, before, added, gone }: Change): Finding[] {
  return added.flatMap((fact): Finding[] => {
    const { program, line, role } = fact;
    if (role !== 'run') return [];
    // It was shown before, from another place.
    const wasShown = gone.some((other) => other.program === program && SHOWERS.test(program));
    const args = new Arguments(fact.args);
    const words = shownWords(fact);
    const isAlone = !fact.around.some(({ kind }) => kind === 'substitution') && writtenPaths(fact).length === 0;
    const dumps =
      (isAlone &&
        ((/^(?:env|printenv)$/.test(program) && fact.args.length === 0) ||
          (program === 'export' && args.has('p')) ||
          (program === 'set' && fact.args.length === 0) ||
          (program === 'declare' && args.has('p') && args.operands.length === 0))) ||
      (/^(?:kubectl|k|oc)$/.test(program) &&
        args.verb(/^get$/) &&
        args.operands.some((word) => /^secrets?(?:[/.]|$)/.test(word)) &&
        args.any(/^(?:-o\S*|--output\S*|--template\S*|yaml|json)$/) &&
        isAlone) ||
      (/^(?:cat|head|tail|less|more|base64|xxd|strings|bat)$/.test(program) &&
        args.operands.some((word) => KEY_FILE.test(word) || KEY_VARIABLE.test(word)) &&
        isAlone) ||
      (/^(?:sops|ansible-vault|vault|op|bw|pass|gopass|age)$/.test(program) &&
        (args.has('d', 'decrypt') || args.verb(/^(?:decrypt|view|read|get|show|kv)$/, 2)) &&
        isAlone);
    if (fact.inline && isInterpreter(fact.inline.program) && !HARMLESS_CODE.test(fact.inline.text))
      return [asks('new_program', path, line, `runs a program that is written in its command`, words)];
    if (/\/proc\/\S+\/environ/.test(words))
      return [asks('softer', path, line, 'prints the environment, a secret or a key file', words)];
    const isPiped = fact.around.some(({ kind }) => kind === 'piped');
    const tells =
      isAlone &&
      !isPiped &&
      ((/^(?:echo|printf)$/.test(program) && fact.args.some(({ text }) => SECRET_VARIABLE.test(text))) ||
        (program === 'printenv' && fact.args.length > 0));
    if (tells) return [asks('softer', path, line, 'prints a variable that may hold a secret', words)];
    if (dumps && !wasShown)
      return [asks('softer', path, line, 'prints the environment, a secret or a key file', words)];
    const config = assignmentsOf(fact).find(
      ({ name, values }) => /^(?:KUBECONFIG|TALOSCONFIG)$/.test(name) && /^(?:\/|~|\$HOME)/.test(values[0]?.text ?? ''),
    );
    if (config) return [asks('softer', path, line, `sets ${config.name} to a path of this machine`, words)];
    const access = args.value(/^--(?:kubeconfig|talosconfig)$/) ?? '';
    if (/^(?:\/|~|\$HOME)/.test(access) && !(before ?? '').includes(access))
      return [asks('softer', path, line, 'goes by a file of this machine to a cluster', words)];
    const [feeder = fact] = fact.fedBy;
    const isOutput = writtenPaths(fact).some((file) => /\$MENDLOOP_OUT\b/.test(file));
    const isLiteral =
      /^(?:echo|printf|cat|touch)$/.test((feeder.words[0]?.text ?? '').split('/').at(-1) as string) &&
      !feeder.words.some(({ dynamic, text }) => dynamic && !text.includes('MENDLOOP_OUT')) &&
      !feeder.document?.text.includes('$');
    return isLiteral && isOutput && /^(?:echo|printf|cat|touch|tee)$/.test(program)
      ? [asks('softer', path, line, 'writes an output that nothing has made', words)]
      : [];
  });
}
