// Added text that names a protected file, or writes what checks run, under any spelling.
import { normalize } from 'node:path/posix';
import picomatch from 'picomatch';
import { commandWords, isWipeScript, pathMatcher, rawWords } from '../../config/paths.ts';
import { isInterpreter } from '../shell/wrappers.ts';
import { type Change, type Fact, type FileFacts, spellings } from './facts.ts';
import { type Finding, refuses } from './finding.ts';
import type { GateRules } from './rules.ts';
import { shownWords } from './shown.ts';
import { callText, fileOf } from './tasks.ts';
import { writtenPaths } from './written-paths.ts';

export function nameFindings(
  change: Change,
  { protect, judging, tree }: Pick<GateRules, 'protect' | 'tree'> & { judging: readonly string[] },
): Finding[] {
  const { path, added, addedLeaves, lines, now } = change;
  const isProtected = protectedWord([...protect, ...tree.files.filter(isWipeScript)], path);
  const folders = cdFolders(now.commands);
  const named = (words: readonly string[], isRun = false): string | undefined =>
    words.find(
      (word) =>
        isProtected(word, isRun) ||
        runsWipe(word) ||
        LOOPS_OWN.test(word) ||
        folders.some((folder) => isProtected(`${folder}/${word.replace(/^\.\//, '')}`, isRun)),
    );
  const say = (line: number, word: string, words: string) =>
    refuses('names_protected', path, line, `names ${word}, which may not be used either`, words);
  const commands = added.flatMap((fact): Finding[] => {
    const words = [...fact.words.map(({ text }) => text), ...fact.redirects.map(({ target }) => target?.text ?? '')];
    const parts = words.flatMap((word) => spellings(word, now)).flatMap((word) => [word, ...word.split(/[=:,]/)]);
    const isSaid =
      /^(?:echo|printf|log\w*|info|warn\w*|error|die)$/.test(fact.program) &&
      writtenPaths(fact).length === 0 &&
      !fact.around.some(({ kind }) => kind === 'piped');
    const word = isSaid
      ? undefined
      : named(parts, isInterpreter(fact.program) || /^(?:source|\.|chmod)$/.test(fact.program));
    if (word !== undefined) return [say(fact.line, word, shownWords(fact))];
    const loopFile = writtenPaths(fact).find((one) =>
      /^(?:\.\/|\$(?:MENDLOOP_(?:ROOT|HOME)|HERE|ROOT)\/|\$\(…\)\/)?(?:ai|plugins)\//.test(one),
    );
    if (loopFile !== undefined) return [say(fact.line, loopFile, shownWords(fact))];
    const judge = judgeTouched(fact, judging, path, folders, now);
    return judge === undefined
      ? []
      : [refuses('names_protected', path, fact.line, `writes ${judge}, which checks run`, shownWords(fact))];
  });
  const leaves = addedLeaves.flatMap(({ value, line }) => {
    const word = named(rawWords(value));
    return word === undefined ? [] : [say(line, word, value)];
  });
  const programs =
    now.language === 'program'
      ? lines.added.flatMap(({ text, number }) => {
          const words = rawWords(text);
          const word =
            named(words) ??
            words.find((one) => judging.some((judge) => namesPath(one, judge, path, [])) && WRITES.test(text));
          return word === undefined || /^\s*(?:#|\/\/)/.test(text) ? [] : [say(number, word, text.trim())];
        })
      : [];
  // Terraform's resources that make files on the machine that it runs on.
  const made = addedLeaves.flatMap(({ keys, value, line }) => {
    const word = value.replace(/\$\{[^}]*\}/g, '$HERE');
    const isFile = now.language === 'hcl' && /^(?:filename|output_path|dest\w*)$/.test(keys.at(-1) ?? '');
    const judge = isFile ? judging.find((one) => namesPath(word, one, path, [])) : undefined;
    return judge === undefined
      ? []
      : [refuses('names_protected', path, line, `writes ${judge}, which checks run`, value)];
  });
  return [...commands, ...leaves, ...programs, ...made, ...writingTasks(change, judging)];
}

/** Modules that leave the file alone that they are told. */
const LOOKS = /^(?:stat|slurp|find|wait_for|assert|debug|script|(?:include|import)_\w+)$/;
const HERE = /^(?:localhost|127\.0\.0\.1|::1|local)$/;

/** Tasks that write what checks run, on the machine that runs Ansible. */
const writingTasks = ({ path, old, now }: Change, judging: readonly string[]): Finding[] =>
  now.tasks.flatMap((task) => {
    const file = fileOf(task);
    const { delegate_to: host = '', connection = '' } = task.words;
    const isHere =
      HERE.test(String(host)) ||
      HERE.test(String(connection)) ||
      /hosts: "?(?:localhost|127\.0\.0\.1)/.test(task.above) ||
      /\b(?:playbook_dir|role_path|inventory_dir|lookup)\b/.test(file ?? '');
    const isOld = old.tasks.some((other) => callText(other) === callText(task));
    if (file === undefined || !isHere || isOld || LOOKS.test(task.module)) return [];
    const word = file.replace(/\{\{.*?\}\}/g, '$HERE');
    const judge = judging.find((one) => namesPath(word, one, path, []));
    return judge === undefined
      ? []
      : [refuses('names_protected', path, task.line, `writes ${judge}, which checks run`, file)];
  });

const WRITES = /\b(?:open|write\w*|copy\w*|move|rename|unlink|remove|chmod|truncate)\b/;

/** Folders that commands of the file go to. */
const cdFolders = (commands: readonly Fact[]): string[] =>
  commands
    .filter(({ program }) => program === 'cd' || program === 'pushd')
    .flatMap(({ args }) =>
      args.map(({ text }) => plainPath(text)).filter((text) => text !== '' && !text.startsWith('-')),
    );

function judgeTouched(
  fact: Fact,
  judging: readonly string[],
  path: string,
  folders: readonly string[],
  file: FileFacts,
): string | undefined {
  if (judging.length === 0) return undefined;
  const written = writtenPaths(fact).flatMap((word) => spellings(word, file));
  const named = fact.inline && WRITES.test(fact.inline.text) ? rawWords(fact.inline.text) : [];
  return judging.find((judge) => [...written, ...named].some((word) => namesPath(word, judge, path, folders)));
}

const plainPath = (word: string): string =>
  normalize(word)
    .replace(/^(?:\$\w+\/+|\$\(…\)\/+|\ue000+\/+|\.{1,2}\/+|\/+)+/, '')
    .replace(/\/+$/, '');

/** Whether `word`, in a command of the file `from`, may mean `path`. */
function namesPath(word: string, path: string, from: string, folders: readonly string[]): boolean {
  if (word === '' || word.startsWith('-') || /^\w+:\/\//.test(word)) return false;
  const plain = plainPath(word.toLowerCase());
  const target = path.toLowerCase().replace(/\/$/, '');
  const isFolder = path.endsWith('/');
  const folderOfScript = from.toLowerCase().split('/').slice(0, -1).join('/');
  const candidates = [
    plain,
    ...(folderOfScript === '' ? [] : [`${folderOfScript}/${plain}`]),
    ...folders.map((folder) => `${folder.toLowerCase()}/${plain}`),
  ];
  const isGlob = /[*?[{]/.test(plain);
  const hits = (one: string): boolean => {
    if (isFolder) return one === target || one.startsWith(`${target}/`);
    if (isGlob)
      return (
        picomatch(one, { dot: true })(target) || (one.includes('/') && picomatch(`**/${one}`, { dot: true })(target))
      );
    return one === target || (one.includes('/') && target.endsWith(`/${one}`)) || target.startsWith(`${one}/`);
  };
  if (candidates.some(hits)) return true;
  // A name without a folder, behind a variable: the folder is whatever that holds.
  return /^\$/.test(word) && !plain.includes('/') && !isGlob && target.split('/').at(-1) === plain;
}

const LOOPS_OWN = /(?:^|\/)(?:ai\/(?:context_map|loop)\.yaml|\.git\/(?:hooks|config|info|objects|refs)(?:\/.*)?)$/i;
const GLOB = /[*?[\]{}()!+@]/;
/** Names that many files have: alone they say nothing. */
const COMMON =
  /^(?:run|main|verify|values|config|kustomization|readme|index|install|setup|makefile|dockerfile|deploy|defaults?|all|test|build|start|namespace|helmrelease|helm-release|secret|docker-compose|compose|package)(?:\.\w+)?$/i;

/** Data may be about wiping; only what looks like a file to be run counts. */
const runsWipe = (word: string): boolean =>
  !word.startsWith('-') &&
  isWipeScript(word) &&
  (/^(?:\.{0,2}\/|\$)/.test(word) || /\.(?:sh|bash|py|pl|rb|js|mjs|ya?ml)$/i.test(word)) &&
  !/^https?:/.test(word);

function protectedWord(protect: readonly string[], path: string): (word: string, isRun: boolean) => boolean {
  const matches = pathMatcher(protect, { ignoreCase: true });
  const literal = protect.filter((glob) => !GLOB.test(glob) && !glob.endsWith('/')).map((glob) => glob.toLowerCase());
  const folder = path.split('/').slice(0, -1).join('/').toLowerCase();
  return (word, isRun) => {
    if (word.startsWith('-') || word.length > 1024 || /\s/.test(word)) return false;
    // "$DIR/name", ../../name and /somewhere/name may all end at the same file.
    const plain = plainPath(word.toLowerCase());
    if (plain === '' || /^\w+:\/\//.test(word)) return false;
    if (commandWords(plain).some((candidate) => matches(candidate))) return true;
    if (/[*?[]/.test(plain) && plain.length > 3) {
      const isMatch = picomatch(plain.includes('/') ? [plain, `**/${plain}`] : `**/${plain}`, { dot: true });
      return literal.some((file) => isMatch(file) && (isRun || /[\w]{3}/.test(plain.split('/').at(-1) ?? '')));
    }
    return literal.some((file) => {
      const name = file.split('/').at(-1) ?? '';
      if (plain === file || plain.endsWith(`/${file}`)) return true;
      if (plain.includes('/')) return file.endsWith(`/${plain}`);
      return plain === name && (!COMMON.test(name) || file === (folder ? `${folder}/${name}` : name));
    });
  };
}
