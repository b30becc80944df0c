// What a command line brings up, by its tool: one table of how to recognise it, how to see that it stands, and how long it may
// take. Pure.
import { shellWord } from '../worktree/messages.ts';
import {
  ansibleWants,
  commandsIn,
  inventoryOf,
  kube,
  optionValue,
  playbookIn,
  playFolder,
  settingOf,
  terraformFiles,
  terraformFolder,
  terraformHolds,
  terraformWants,
  type Use,
  withSetting,
  workFolder,
} from './command-line.ts';
import { rendering } from './rendering.ts';
import { type Check, folderOf, inFolder, inside, isIn, type Survey } from './survey.ts';

export interface Kind {
  readonly name: string;
  /** A line that brings something up. */
  readonly up: RegExp;
  readonly timeout?: string;
  /** Checks that it is up; none when that cannot be known. */
  readonly verify?: (use: Use) => Check[];
  /** Tracked files that it reads without naming them. */
  readonly files?: (use: Use) => string[];
  /** Files that git does not hold and that it cannot do without. */
  readonly wants?: (use: Use) => string[];
}

const nodesReady = ({ survey }: Use): Check[] => [
  kube(survey, 'kubectl wait --for=condition=Ready nodes --all --timeout=60s'),
];

const TERRAFORM = /\b(terraform|tofu)\b/;
/** Where Ansible looks for variables, beside an inventory too. */
const VARIABLES = /(?:^|\/)(?:group_vars|host_vars)\//;
const CLUSTER = /k3s|k8s|k0s|kube|rke2|talos/i;
const ANSIBLE_FILES = /^(?:roles|group_vars|host_vars|templates|tasks|handlers|vars)\//;

export const composeOf = ({ compose = 'docker compose' }: Survey): string => compose;

const VALUE = '(?:"[^"]*"|\'[^\']*\'|[^\\s"\'()<>])+';
const WITH_VALUE =
  '-[fpHc]|--(?:file|project-name|project-directory|profile|env-file|parallel|ansi|progress|host|context)';
const COMPOSE = `(?:\\w+=${VALUE}\\s+)*(?:sudo\\s+)?docker(?:-compose|\\s+compose)`;
/** `up` behind nothing but options: with a subcommand before it, the check would do what that does. */
const COMPOSE_UP = new RegExp(
  `^(${COMPOSE}(?:\\s+(?:(?:${WITH_VALUE})(?:=|\\s+)${VALUE}|--[\\w-]+))*)\\s+up(?=\\s|\\)|$)`,
);
const CHANGES_FOLDER = new RegExp(`^cd\\s+${VALUE}$`);

/** The compose command that a line brings services up with, without its `up`, where that works. */
function composeIn(use: Use): string | undefined {
  const commands = commandsIn(use);
  const at = commands.findIndex((command) => COMPOSE_UP.test(command));
  if (at < 0) return undefined;
  const folders = commands.slice(0, at).filter((command) => CHANGES_FOLDER.test(command));
  return [...folders, COMPOSE_UP.exec(commands[at] as string)?.[1]].join(' && ');
}

/** Every service of a compose file runs; where compose cannot tell which there are, that is no yes. */
const composeRuns = (compose: string): string =>
  [
    `run() { ${compose} "$@"; }`,
    'wanted="$(run config --services)"',
    'test "$(echo "$wanted" | sort)" = "$(run ps --services --status running | sort)"',
  ].join('\n');

/** No release is failed or pending; where helm cannot tell, that is no yes. */
const releasesStand = ({ survey }: Use): Check[] => [
  `unsound="$(${kube(survey, 'helm list --all-namespaces --failed --pending --short')})"\ntest -z "$unsound" || { echo "failed or pending: $unsound"; exit 1; }`,
];

/** A playbook, its inventory, and what Ansible reads beside them. */
function filesOfUse(use: Use): string[] {
  const folder = playFolder(use);
  const at = folder === '.' ? 0 : folder.length + 1;
  const play = inFolder(folder, playbookIn(use.line) ?? '');
  const hosts = inventoryOf(use);
  const inventory = hosts === undefined ? play : inFolder(folder, hosts);
  const isBeside = (path: string) => isIn(folderOf(inventory), path) && VARIABLES.test(path);
  return use.survey.paths.filter(
    (path) =>
      [play, inventory].includes(path) ||
      (inventory !== '.' && path.startsWith(`${inventory}/`)) ||
      (hosts !== undefined && isBeside(path)) ||
      (isIn(folder, path) && ANSIBLE_FILES.test(path.slice(at))),
  );
}

export const filesOfPlay = (survey: Survey, folder: string, path: string): string[] =>
  filesOfUse({
    survey,
    folder,
    before: '',
    line: `ansible-playbook ${folder === '.' ? path : path.slice(folder.length + 1)}`,
  });

export const KINDS: readonly Kind[] = [
  {
    name: 'render',
    up: /\b(?:makejinja|cookiecutter)\b/,
    verify: ({ survey }) =>
      rendering(survey)
        .outputs.filter((path) => /\.ya?ml$/.test(path))
        .slice(0, 2)
        .map((path) => ({ yaml: path })),
    files: ({ survey }) => rendering(survey).files,
  },
  {
    name: 'talhelper',
    up: /\btalhelper\s+genconfig\b/,
    verify: (use) => {
      const folder = workFolder(use, '--chdir', /^\/?talconfig\.ya?ml$/);
      return folder === undefined ? [] : [{ nonempty: inFolder(folder, 'clusterconfig/talosconfig') }];
    },
  },
  { name: 'packer', up: /\bpacker\s+build\b/, timeout: '2h' },
  {
    name: 'terraform',
    up: /\b(?:terraform|tofu|terragrunt)\b.*\bapply\b/,
    timeout: '1h',
    verify: (use) => {
      const folder = terraformFolder(use);
      return folder === undefined ? [] : [terraformHolds(TERRAFORM.exec(use.line)?.[1] ?? 'terraform', folder)];
    },
    files: terraformFiles,
    wants: terraformWants,
  },
  { name: 'pulumi', up: /\bpulumi\s+up\b/, timeout: '1h' },
  { name: 'galaxy', up: /\bansible-galaxy\s+(?:(?:role|collection)\s+)?install\b/ },
  {
    name: 'vms',
    up: /\b(?:qm|pct)\s+(?:create|clone|importdisk)\b|\bvagrant\s+up\b|\bvirt-install\b/,
    timeout: '1h',
  },
  {
    name: 'talos',
    up: /\btalosctl\b.*\b(?:apply-config|apply|bootstrap)\b/,
    timeout: '30m',
    verify: ({ survey }) => [withSetting(survey, 'TALOSCONFIG', 'talosctl health --wait-timeout 5m')],
  },
  {
    name: 'ansible',
    up: /\bansible-playbook\b(?!.*--(?:syntax-check|check\b|list-))/,
    timeout: '1h',
    verify: (use) => {
      // A wrapper may run it anywhere.
      if (!commandsIn(use).some((command) => /^(?:\w+=\S*\s+)*ansible-playbook\b/.test(command))) return [];
      // Without an inventory it works on localhost, where a ping proves nothing; check the cluster that it makes, if any.
      if (inventoryOf(use) === undefined) {
        const play = use.survey.text(inFolder(playFolder(use), playbookIn(use.line) ?? ''));
        const isForCluster = settingOf(use.survey, 'KUBECONFIG') !== undefined && CLUSTER.test(play);
        return isForCluster ? nodesReady(use) : [];
      }
      const named = optionValue(use.line, '-i|--inventory(?:-file)?');
      return [inside(playFolder(use), `ansible all${named ? ` -i ${shellWord(named)}` : ''} -m ansible.builtin.ping`)];
    },
    files: filesOfUse,
    wants: ansibleWants,
  },
  {
    name: 'cluster',
    up: /\b(?:k3sup\s+(?:install|join)|k3d\s+cluster\s+create|kind\s+create|minikube\s+start|kubeadm\s+(?:init|join)|get\.k3s\.io|rke2?\s+up|k0sctl\s+apply)/,
    timeout: '30m',
    verify: nodesReady,
  },
  {
    name: 'nixos',
    up: /\b(?:nixos-rebuild|colmena|darwin-rebuild)\b.*\b(?:switch|boot|apply)\b|(?:^|[;&|]\s*)deploy\s+\.|\bclan\s+machines\s+update\b/,
    timeout: '1h',
  },
  {
    name: 'flux',
    up: /\bflux\s+(?:bootstrap|install|reconcile)\b/,
    timeout: '30m',
    verify: ({ survey }) => [kube(survey, 'flux check')],
  },
  {
    name: 'helm',
    up: /\bhelmfile\b.*\b(?:apply|sync)\b|\bhelm\b.*\b(?:upgrade|install)\b/,
    timeout: '30m',
    verify: releasesStand,
  },
  {
    name: 'kubectl',
    up: /\b(?:kubectl|k)\b.*\b(?:apply|create|replace)\b/,
    verify: (use) => {
      const folder = optionValue(use.line, '-k|--kustomize');
      const at = folder === undefined ? undefined : inFolder(use.folder, folder);
      const isThere = [...use.survey.files.keys(), ...rendering(use.survey).outputs].some((path) =>
        path.startsWith(`${at}/`),
      );
      return isThere ? [kube(use.survey, `kubectl diff -k ${shellWord(at as string)} >/dev/null`)] : nodesReady(use);
    },
  },
  { name: 'argocd', up: /\bargocd\s+app\s+(?:create|sync)\b/ },
  {
    name: 'compose',
    up: /\bdocker(?:-compose|\s+compose)\b.*\bup\b/,
    verify: (use) => {
      const run = composeIn(use);
      // What only make or the shell can expand cannot be run as a check.
      return run === undefined || /\$(?!MENDLOOP_HOME\b)|\{\{|`/.test(run)
        ? []
        : [inside(use.folder, composeRuns(run))];
    },
  },
  { name: 'swarm', up: /\bdocker\s+stack\s+(?:deploy|up)\b/ },
];

/** Programs that a stage may name in `requires`, when its text runs them. */
const PROGRAMS = (
  'ansible-playbook ansible-galaxy ansible terraform tofu terragrunt packer pulumi vagrant talosctl talhelper makejinja flux ' +
  'helm helmfile kubectl kustomize argocd docker docker-compose sops age op jq yq gum minijinja-cli k3sup k3d kind minikube ' +
  'qm pct cilium gh ssh rsync uv python3 nix nixos-rebuild colmena envsubst cloudflared doppler vault bws step'
).split(' ');

/** What may stand before a program's name at the start of a command. */
const COMMAND_START =
  '(?:^|[;&|(`]|\\$\\()[ \\t]*(?:\\w+=\\S*\\s+)*(?:(?:sudo|exec|time|then|do|else|if|until|while|!|run\\(\\) \\{)\\s+)*@?';

/** Those of them that `text` starts. */
export const programsIn = (text: string): string[] =>
  PROGRAMS.filter((name) => new RegExp(`${COMMAND_START}${name}(?=\\s|$)`, 'm').test(text));
