// The stage `check`: syntax, lint and build, which touch nothing outside of the worktree. One table of probes. Each is tried once:
// those that pass are the command, those that fail are listed in comments with the reason. Pure.

import { basename } from 'node:path/posix';
import { isWipeScript, rawWords } from '../config/paths.ts';
import { shellWord } from '../worktree/messages.ts';
import { playbooksOf, relative } from './ansible.ts';
import { destroysByPath } from './destroys.ts';
import { kustomizationIn } from './gitops.ts';
import { composeOf } from './kinds.ts';
import { composeFiles, talconfigs, terraformFolders, topKustomizations } from './layouts.ts';
import type { Check, Draft, Survey } from './survey.ts';
import { documentsOf, folderOf, isAside, outermost, pathsLike, unique } from './survey.ts';

/** How a probe ended; `late`: it did not finish in time. */
export type Tried =
  | { readonly ok: true }
  | { readonly ok: false; readonly complaint: string }
  | { readonly late: true };
export type TryOut = (command: string) => Promise<Tried>;

interface Probe {
  readonly tool: string;
  readonly what: string;
  /** What of these items a fix may touch. */
  readonly files: (items: readonly string[]) => readonly string[];
  readonly items: readonly string[];
  /** The command for all of these items. */
  readonly run: (items: readonly string[]) => string;
}

const MAX_ITEMS = 20;

/** The first of `all`; `what` says so where there are more. */
const firstOf = (what: string, all: readonly string[]): Pick<Probe, 'what' | 'items'> => ({
  what: all.length > MAX_ITEMS ? `${what.slice(0, -1)}: the first ${MAX_ITEMS} of ${all.length}.` : what,
  items: all.slice(0, MAX_ITEMS),
});

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

const excluding = (files: readonly string[]): string => files.map((path) => ` ':!${path}'`).join('');

function probesOf(survey: Survey, drafts: readonly Draft[]): Probe[] {
  const all = survey.paths;
  const shell = all.filter((path) => /\.(?:sh|bash)$/.test(path) && survey.files.get(path)?.mode !== '120000');
  const foreign = shell.filter((path) => /^#!.*\b(?:zsh|fish|ksh|python\d?|nu)\b/.test(survey.text(path)));
  const yaml = all.filter((path) => /\.ya?ml$/.test(path));
  const config = all.some((path) => /^\.yamllint(?:\.ya?ml)?$/.test(path));
  const ran = new Set(drafts.flatMap(({ runs }) => runs.split('\n')));
  const plays = playbooksOf(survey)
    .filter(({ path }) => ran.has(path))
    .map(({ folder, path }) => `${folder} ${relative(folder, path)}`);
  const stacks = composeFiles(survey);
  const terraform = terraformFolders(survey);
  const program = drafts.some(({ tools }) => tools.includes('tofu')) ? 'tofu' : 'terraform';
  const kustomizations = topKustomizations(survey).filter((folder) => !REMOTE.test(kustomizationIn(survey, folder)));
  const builder =
    !survey.installed('kubectl') && survey.installed('kustomize') ? 'kustomize build' : 'kubectl kustomize';
  const charts = pathsLike(survey, /(?:^|\/)Chart\.yaml$/)
    .filter((path) => !/^\s*dependencies:/m.test(survey.text(path)))
    .map(folderOf);
  const rows: Probe[] = [
    {
      tool: 'bash',
      what: 'Shell scripts parse.',
      files: globs,
      items: shell.filter((path) => !foreign.includes(path)),
      run: (items) => {
        const others = shell.filter((path) => !items.includes(path));
        return others.some(isWipeScript)
          ? each(items, (item) => `bash -n ${item}`)
          : `git ls-files -z '*.sh' '*.bash'${excluding(others)} | xargs -0 -r -n 1 bash -n`;
      },
    },
    {
      tool: 'shellcheck',
      what: 'No script has what shellcheck calls an error.',
      files: () => globs(shell),
      items: shell.length > 0 ? ['scripts'] : [],
      run: () => `git ls-files -z '*.sh' '*.bash'${excluding(foreign)} | xargs -0 -r shellcheck -S error`,
    },
    {
      tool: 'yamllint',
      what: config ? 'YAML is as .yamllint wants it.' : 'YAML parses.',
      files: () => globs(yaml),
      items: yaml.length > 0 ? ['yaml'] : [],
      run: () => `git ls-files -z '*.yaml' '*.yml' ':!ai' | xargs -0 -r yamllint${config ? '' : " -d '{rules: {}}'"}`,
    },
    {
      tool: 'ansible-playbook',
      ...firstOf('Ansible can read the playbooks, their roles and modules.', plays),
      files: () => [],
      run: (items) =>
        items
          .map((item) => {
            const [folder = '.', play = ''] = item.split(' ');
            const run = `ansible-playbook --syntax-check ${shellWord(play)}`;
            return folder === '.' ? run : `(cd ${shellWord(folder)} && ${run})`;
          })
          .join('\n'),
    },
    {
      tool: program,
      ...firstOf('Terraform files parse and are formatted.', terraform),
      files: (items) =>
        items.map((folder) => `${folder === '.' ? '' : `${folder}/`}*.${program === 'tofu' ? '{tf,tofu}' : 'tf'}`),
      run: (items) => each(items, (item) => `${program} fmt -check ${item}`),
    },
    {
      tool: builder.split(' ')[0] as string,
      ...firstOf('Kustomizations can be built.', kustomizations),
      files: (items) => items.map((folder) => (folder === '.' ? '*.yaml' : `${folder}/`)),
      run: (items) => each(items, (item) => `${builder} ${item} >/dev/null`),
    },
    {
      tool: 'helm',
      ...firstOf('Charts are sound.', charts),
      files: (items) => items.map((folder) => (folder === '.' ? 'templates/' : `${folder}/`)),
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
      ...firstOf('Compose files are sound.', stacks),
      files: globs,
      run: (items) => each(items, (item) => `${composeOf(survey)} -f ${item} config --quiet`),
    },
  ];
  return rows.filter(({ items }) => items.length > 0);
}

/** The paths, or one pattern per file extension when there are many. */
const globs = (paths: readonly string[]): string[] =>
  paths.length <= 3
    ? paths.filter((path) => !destroysByPath(path))
    : unique(paths.map((path) => `**/*${/\.\w+$/.exec(path)?.[0] ?? ''}`));

/** A base, chart or generator of a kustomization that cannot be built offline. */
const REMOTE = /https?:\/\/|github\.com|\?ref=|helmCharts|^generators:|ssh:\/\//m;

/** No draft when nothing can be checked and there is no other stage. `notes`: the probes that were left out, and why. */
export async function checkStage(
  survey: Survey,
  drafts: readonly Draft[],
  tryOut: TryOut,
): Promise<{ draft?: Draft; notes: string[] }> {
  const results = await Promise.all(probesOf(survey, drafts).map((probe) => resultOf(probe, survey, tryOut)));
  const active = results.filter(({ probe, good }) => good.length > 0 && mayStand([probe.run(good)]));
  const notes = results.flatMap(({ probe: { tool }, bad }) =>
    bad.map(({ why }) => (why.includes(tool) ? why : `${tool}: ${why}`)),
  );
  if (active.length === 0 && drafts.length === 0) return { notes };
  const lines = [
    ...active.flatMap(({ probe, good }) => [`# ${probe.what}`, probe.run(good)]),
    ...results.flatMap(({ probe, bad }) =>
      bad.flatMap(({ items, why }) => {
        const command = probe.run(items).split('\n');
        const reason = mayStand([why]) ? why : `${probe.tool} fails today on a file that no command may name.`;
        return [`# Left out: ${reason}`, ...(mayStand(command) ? command.map((line) => `#   ${line}`) : [])];
      }),
    ),
  ];
  const command = active.length > 0 ? lines.join('\n') : ['git rev-parse --verify --quiet HEAD', ...lines].join('\n');
  return {
    draft: {
      name: 'check',
      description: 'Syntax, lint, build; touches nothing outside of the worktree',
      command,
      needs: [],
      files: narrowed(active.flatMap(({ probe, good }) => probe.files(good))),
      verify: keyFiles(survey, drafts),
      tools: unique(active.map(({ probe }) => probe.tool)).filter((tool) => tool !== 'bash'),
      env: [],
      wants: [],
      why: [
        'First, and needed by all others: a slip in a file is found before a machine is',
        'touched. Each line was tried when this was written.',
      ],
      layer: 0,
      runs: '',
    },
    notes,
  };
}

/** No command may name a wipe script, not even to leave it out. */
const mayStand = (lines: readonly string[]): boolean => !rawWords(lines.join('\n')).some(isWipeScript);

const FAILS = 'it fails today: ';

/** The items that pass, and those that do not, with the reason. */
async function resultOf(probe: Probe, survey: Survey, tryOut: TryOut) {
  const { tool, items, run } = probe;
  const none = (why: string) => ({ probe, good: [], bad: [{ items, why }] });
  if (tool !== 'bash' && !survey.installed(tool)) return none(`${tool} is not installed here.`);
  const whole = await tryOut(run(items));
  const untried = `there was no time here to try ${tool} to its end.`;
  if ('late' in whole) return none(untried);
  if (whole.ok) return { probe, good: items, bad: [] };
  if (/is not a docker command|unknown (?:command|shorthand flag)/.test(whole.complaint))
    return none(`${tool} does not know this command here.`);
  if (items.length === 1) return none(`${FAILS}${whole.complaint}`);
  const good: string[] = [];
  const bad: { items: string[]; why: string }[] = [];
  const late: string[] = [];
  for (const item of items) {
    const tried = await tryOut(run([item]));
    if ('late' in tried) late.push(item);
    else if (tried.ok) good.push(item);
    else bad.push({ items: [item], why: `${FAILS}${tried.complaint}` });
  }
  const unknown = late.length > 0 ? [{ items: late, why: untried }] : [];
  if (bad.length <= 3) return { probe, good, bad: [...bad, ...unknown] };
  // Of many failures, report the first.
  const why = `${bad.length} fail today, the first: ${bad[0]?.why.replace(FAILS, '')}`;
  return { probe, good, bad: [{ items: bad.flatMap((one) => one.items), why }, ...unknown] };
}

/** Drops patterns that another one covers; replaces many by their top folders. */
function narrowed(patterns: readonly string[]): string[] {
  const all = unique(patterns);
  const isYaml = all.includes('**/*.yaml') || all.includes('**/*.yml');
  const needed = all.filter((one) => one.startsWith('**') || !(isYaml && one.endsWith('/')));
  const outer = outermost(needed);
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
