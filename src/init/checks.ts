// The stage `check`: syntax, lint and build, which touch nothing outside of the worktree. One table of probes. Each is tried once:
// those that pass are the command, those that fail are listed in comments with the reason. Pure.

import { basename } from 'node:path/posix';
import { isWipeScript, rawWords } from '../config/paths.ts';
import { shellWord } from '../worktree/messages.ts';
import { playbooksOf, relative } from './ansible.ts';
import { destroysByPath } from './destroys.ts';
import { grouped } from './draft.ts';
import { kustomizationIn, kustomizedFrom } from './gitops.ts';
import { composeOf, filesOfPlay } from './kinds.ts';
import { composeFiles, talconfigs, terraformFolders, topKustomizations } from './layouts.ts';
import type { Check, Draft, Survey } from './survey.ts';
import { documentsOf, folderOf, isAside, outermost, pathsLike, shortened, treeOf, unique } from './survey.ts';

/** How a probe ended; `late`: it did not finish in time. */
export type Tried =
  | { readonly ok: true }
  | { readonly ok: false; readonly complaint: string; readonly output?: string }
  | { readonly late: true };
/** `what`: as people are told what is being tried. */
export type TryOut = (command: string, what: string) => Promise<Tried>;

interface Probe {
  readonly tool: string;
  readonly what: string;
  /** What of these items a fix may touch. */
  readonly files: (items: readonly string[]) => readonly string[];
  readonly items: readonly string[];
  /** The command for all of these items. */
  readonly run: (items: readonly string[]) => string;
}

/** One line each, or a loop. */
const each = (items: readonly string[], one: (item: string) => string): string =>
  items.length <= 3
    ? items.map((item) => one(shellWord(item))).join('\n')
    : [
        `for one in \\`,
        ...items.map((item, i) => `  ${shellWord(item)}${i < items.length - 1 ? ' \\' : '; do'}`),
        `  ${one('"$one"')}`,
        'done',
      ].join('\n');

/** Runs `command` with these files; the pattern is written where it says less than their names. */
function batch(all: readonly string[], patterns: string, command: string, items: readonly string[]): string {
  const others = all.filter((path) => !items.includes(path));
  const isOne = command.startsWith('bash');
  // No command may name a wipe script, not even to leave it out.
  if (others.length > items.length || others.some(isWipeScript))
    return isOne ? each(items, (item) => `${command} ${item}`) : `${command} ${items.map(shellWord).join(' ')}`;
  const except = others.map((path) => ` ${shellWord(`:!${path}`)}`).join('');
  return `git ls-files -z ${patterns}${except} | xargs -0 -r ${isOne ? '-n 1 ' : ''}${command}`;
}

function probesOf(survey: Survey, drafts: readonly Draft[]): Probe[] {
  const all = survey.paths.filter((path) => survey.files.get(path)?.mode !== '120000');
  const scripts = all.filter((path) => /\.(?:sh|bash)$/.test(path));
  const shell = scripts.filter((path) => !/^#!.*\b(?:zsh|fish|ksh|python\d?|nu)\b/.test(survey.text(path)));
  const yaml = all.filter((path) => /\.ya?ml$/.test(path));
  const config = all.some((path) => /^\.yamllint(?:\.ya?ml)?$/.test(path));
  const plays = playbooksOf(survey).filter(({ path }) => !destroysByPath(path));
  const playAt = new Map(plays.map((play) => [play.path, play]));
  const terraform = terraformFolders(survey);
  const program = drafts.some(({ tools }) => tools.includes('tofu')) ? 'tofu' : 'terraform';
  const kustomizations = topKustomizations(survey).filter((folder) => !REMOTE.test(kustomizationIn(survey, folder)));
  const builder =
    !survey.installed('kubectl') && survey.installed('kustomize') ? 'kustomize build' : 'kubectl kustomize';
  const charts = pathsLike(survey, /(?:^|\/)Chart\.yaml$/)
    .filter((path) => !/^\s*dependencies:/m.test(survey.text(path)))
    .map(folderOf);
  const trees = (folders: readonly string[]) => folders.map(treeOf);
  const rows: Probe[] = [
    {
      tool: 'bash',
      what: 'Shell scripts parse.',
      files: globs,
      items: shell,
      run: (items) => batch(scripts, "'*.sh' '*.bash'", 'bash -n', items),
    },
    {
      tool: 'shellcheck',
      what: 'No script has what shellcheck calls an error.',
      files: globs,
      items: shell,
      run: (items) => batch(scripts, "'*.sh' '*.bash'", 'shellcheck -f gcc -S error', items),
    },
    {
      tool: 'yamllint',
      what: config ? 'YAML is as .yamllint wants it.' : 'YAML parses.',
      files: globs,
      items: yaml,
      run: (items) =>
        batch(yaml, "'*.yaml' '*.yml' ':!ai'", `yamllint -f parsable${config ? '' : " -d '{rules: {}}'"}`, items),
    },
    {
      tool: 'ansible-playbook',
      what: 'Ansible can read the playbooks, their roles and modules; no inventory and no vault is opened.',
      items: plays.map(({ path }) => path),
      files: (items) => grouped(items.flatMap((item) => filesOfPlay(survey, playAt.get(item)?.folder ?? '.', item))),
      run: (items) =>
        items
          .map((item) => {
            const { folder = '.' } = playAt.get(item) ?? {};
            const run = `${NO_VAULT} ansible-playbook -i localhost, --syntax-check ${shellWord(relative(folder, item))}`;
            return folder === '.' ? run : `(cd ${shellWord(folder)} && ${run})`;
          })
          .join('\n'),
    },
    {
      tool: program,
      what: 'Terraform files parse and are formatted.',
      items: terraform,
      files: (items) =>
        items.map((folder) => `${folder === '.' ? '' : `${folder}/`}*.${program === 'tofu' ? '{tf,tofu}' : 'tf'}`),
      run: (items) => each(items, (item) => `${program} fmt -check ${item}`),
    },
    {
      tool: builder.split(' ')[0] as string,
      what: 'Kustomizations can be built.',
      items: kustomizations,
      files: (items) => trees(unique(items.flatMap((item) => kustomizedFrom(survey, item)))),
      run: (items) => each(items, (item) => `${builder} ${item} >/dev/null`),
    },
    {
      tool: 'helm',
      what: 'Charts are sound.',
      items: charts,
      files: trees,
      run: (items) => each(items, (item) => `helm lint --quiet ${item}`),
    },
    {
      tool: 'talhelper',
      what: 'talhelper can read its configuration.',
      files: (items) => items,
      items: talconfigs(survey),
      run: (items) => each(items, (item) => `talhelper validate talconfig ${item}`),
    },
    {
      tool: composeOf(survey).split(' ')[0] as string,
      what: 'Compose files are sound.',
      items: composeFiles(survey),
      files: globs,
      run: (items) => each(items, (item) => `${composeOf(survey)} -f ${item} config --quiet`),
    },
  ];
  return rows.filter(({ items }) => items.length > 0);
}

/** Nothing that it reads here needs a password, and a program that fetches one may ask a person or reach a network. */
const NO_VAULT = 'ANSIBLE_VAULT_PASSWORD_FILE=<(echo none)';

/** The paths, or one pattern per file extension when there are many. */
const globs = (paths: readonly string[]): string[] =>
  paths.length <= 3
    ? paths.filter((path) => !destroysByPath(path))
    : unique(paths.map((path) => `**/*${/\.\w+$/.exec(path)?.[0] ?? ''}`));

/** A base, chart or generator of a kustomization that cannot be built offline. */
const REMOTE = /https?:\/\/|github\.com|\?ref=|helmCharts|^generators:|ssh:\/\//m;

/** Not in `check`, and why. */
interface Bad {
  readonly items: readonly string[];
  readonly why: string;
}
interface Result {
  readonly probe: Probe;
  readonly good: readonly string[];
  readonly bad: readonly Bad[];
}

export interface CheckStage {
  /** None when nothing can be checked and there is no other stage. */
  readonly draft?: Draft;
  /** The probes that were left out, and why. */
  readonly notes: readonly string[];
  /** What each file that was left out is left out for. */
  readonly faults: ReadonlyMap<string, string>;
}

export async function checkStage(survey: Survey, drafts: readonly Draft[], tryOut: TryOut): Promise<CheckStage> {
  const results: Result[] = await Promise.all(probesOf(survey, drafts).map((probe) => resultOf(probe, survey, tryOut)));
  const active = results.filter(({ probe, good }) => good.length > 0 && mayStand([probe.run(good)]));
  const notes = results.flatMap(({ probe: { tool }, bad }) =>
    bad.map(({ items, why }) => `${why.includes(tool) ? why : `${tool}: ${why}`}${others(items)}`),
  );
  // What a linter dislikes keeps no stage from running.
  const telling = results.filter(({ probe: { tool } }) => !/lint|shellcheck|terraform|tofu/.test(tool));
  const failing = telling.flatMap(({ bad }) => bad.filter(({ why }) => why.startsWith(FAILS)));
  const faults = new Map(
    failing.flatMap(({ items, why }) => items.map((item) => [item, why.slice(FAILS.length)] as const)),
  );
  if (active.length === 0 && drafts.length === 0) return { notes, faults };
  const lines = results.flatMap(({ probe, good, bad }) => [
    ...(good.length > 0 && mayStand([probe.run(good)]) ? [`# ${probe.what}`, probe.run(good)] : []),
    ...bad.map(({ items, why }) => {
      const reason = mayStand([why]) ? why : `${probe.tool} fails today on a file that no command may name.`;
      const named = items.length > 0 && mayStand(items) && !why.includes(items[0] as string) ? ` (${items[0]})` : '';
      return `# Left out: ${reason}${named}${mayStand(items) ? others(items) : ''}`;
    }),
  ]);
  const command = active.length > 0 ? lines.join('\n') : ['git rev-parse --verify --quiet HEAD', ...lines].join('\n');
  const draft: Draft = {
    name: 'check',
    description: 'Syntax, lint, build; touches nothing outside of the worktree',
    command,
    needs: [],
    files: narrowed(active.flatMap(({ probe, good }) => probe.files(good))),
    verify: keyFiles(survey, drafts),
    tools: unique(active.map(({ probe }) => probe.tool)).filter((tool) => tool !== 'bash'),
    env: [],
    wants: [],
    always: true,
    why: [
      'First, and needed by all others: a slip in a file is found before a machine is touched.',
      'Each line was tried when this was written, in a copy without what git does not hold.',
    ],
    reads: [],
    worksIn: [],
    definedIn: [],
    does: '',
    runs: '',
  };
  return { draft, notes, faults };
}

const MAX_NAMED = 5;
/** The files behind the first one that a reason is for. */
const others = (items: readonly string[]): string => {
  const more = items.slice(1, MAX_NAMED).filter((path) => !isWipeScript(path));
  const rest = items.length - 1 - more.length;
  return items.length < 2 ? '' : `; so ${more.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
};

/** No command may name a wipe script, not even to leave it out. */
const mayStand = (lines: readonly string[]): boolean => !rawWords(lines.join('\n')).some(isWipeScript);

const FAILS = 'it fails today: ';
/** To find the files that fail; one that takes too long ends the search, too. */
const MAX_TRIES = 40;
/** A batch of no more than this that takes too long is not halved. */
const MAX_SLOW = 16;

/** The items that pass, and those that do not, with the reason. A batch that fails or takes too long is halved. */
async function resultOf(probe: Probe, survey: Survey, tryOut: TryOut): Promise<Result> {
  const { tool, items, run } = probe;
  const none = (why: string): Result => ({ probe, good: [], bad: [{ items: [], why }] });
  if (tool !== 'bash' && !survey.installed(tool)) return none(`${tool} is not installed here.`);
  const good: string[] = [];
  const failing: { item: string; why: string }[] = [];
  const late: string[] = [];
  let tries = 0;
  const look = async (some: readonly string[]): Promise<string | undefined> => {
    if (some.length === 0) return undefined;
    if (late.length > 0 || tries++ > MAX_TRIES) return void late.push(...some);
    const tried = await tryOut(
      run(some),
      `${tool}: ${some.length === 1 ? some[0] : `${some.length} of ${items.length}`}`,
    );
    if ('ok' in tried && tried.ok) return void good.push(...some);
    if ('ok' in tried && /is not a docker command|unknown (?:command|shorthand flag)/.test(tried.complaint))
      return `${tool} does not know this command here.`;
    // Most linters name the files: what they do not name is tried once more.
    const named = 'ok' in tried ? namedIn(tried.output ?? '', some) : new Map<string, string>();
    if (some.length > 1 && named.size > 0) {
      failing.push(...Array.from(named, ([item, why]) => ({ item, why })));
      return look(some.filter((item) => !named.has(item)));
    }
    if (some.length === 1 || ('late' in tried && some.length <= MAX_SLOW)) {
      if ('late' in tried) late.push(...some);
      else failing.push({ item: some[0] as string, why: tried.complaint });
      return undefined;
    }
    const half = Math.ceil(some.length / 2);
    return (await look(some.slice(0, half))) ?? (await look(some.slice(half)));
  };
  const unknown = await look(items);
  if (unknown !== undefined) return none(unknown);
  const bad: Bad[] =
    failing.length <= 3
      ? failing.map(({ item, why }) => ({ items: [item], why: `${FAILS}${why}` }))
      : [
          {
            items: failing.map(({ item }) => item),
            why: `${failing.length} fail today, the first: ${failing[0]?.why}`,
          },
        ];
  const untried =
    late.length === items.length
      ? `there was no time here to try ${tool} to its end.`
      : `there was no time here to try ${tool} on ${late.length} of ${items.length}.`;
  return { probe, good, bad: [...bad, ...(late.length > 0 ? [{ items: late, why: untried }] : [])] };
}

/** The first line of an output that begins with each of these paths. */
function namedIn(output: string, items: readonly string[]): Map<string, string> {
  const first = new Map<string, string>();
  const lines = output.split('\n').filter((line) => !/\[warning\]|: (?:warning|note):/.test(line));
  for (const line of lines.toReversed()) first.set(line.slice(0, line.indexOf(':')), line);
  return new Map(
    items.flatMap((item) => (first.has(item) ? [[item, shortened(first.get(item) as string, MAX_LINE)]] : [])),
  );
}

const MAX_LINE = 140;

/** Drops patterns that another one covers; replaces many by their top folders. */
function narrowed(patterns: readonly string[]): string[] {
  const outer = outermost(unique(patterns));
  return outer.length <= 8
    ? outer
    : unique(outer.map((one) => (one.includes('/') && !one.startsWith('**') ? `${one.split('/')[0]}/` : one)));
}

/** Checks that need no tool: the YAML files that stages start from parse; without any, no merge conflict marks are left. */
function keyFiles(survey: Survey, drafts: readonly Draft[]): Check[] {
  const named = survey.paths.filter((path) => {
    if (!/\.ya?ml$/.test(path) || isAside(path) || destroysByPath(path)) return false;
    if (/^[Tt]askfile(?:\.dist)?\.ya?ml$/.test(path)) return true;
    return drafts.some(
      ({ command }) => command.includes(path) || (command.includes(folderOf(path)) && command.includes(basename(path))),
    );
  });
  const sound = named.filter((path) => documentsOf(survey.text(path)).length > 0);
  return sound.length > 0 ? sound.slice(0, 4).map((path) => ({ yaml: path })) : [NO_MERGE_MARKS];
}

const NO_MERGE_MARKS = "! git grep -nE '^(<<<<<<<|>>>>>>>) '";
