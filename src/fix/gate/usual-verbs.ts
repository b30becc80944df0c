// What the tools of a homelab are usually told to do in a script. Anything else that a script did not do before is for its
// owner to decide: most of what these tools can do besides reading and applying is hard to take back.
import { Arguments } from './arguments.ts';
import type { Fact } from './facts.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Program → its usual first verbs; two words where the second decides. */
const USUAL: Readonly<Record<string, ReadonlySet<string>>> = {
  kubectl: words(
    'get describe logs apply create wait rollout version cluster-info config diff explain api-resources api-versions top auth kustomize label annotate exec port-forward completion',
  ),
  helm: words(
    'install upgrade template lint repo dependency dep list ls status get show pull package version search history registry env test diff',
  ),
  helmfile: words('apply sync template lint diff deps list build status repos fetch write-values'),
  flux: words('get check reconcile resume version logs tree trace diff build export install stats events'),
  talosctl: words(
    'get version health config gen apply-config kubeconfig members dmesg logs service containers disks read ls list validate machineconfig time bootstrap upgrade patch cluster etcd stats memory processes inspect',
  ),
  terraform: words('init validate plan apply fmt output show version graph providers workspace get state test'),
  qm: words(
    'create start list status config set clone importdisk import guest agent cloudinit wait showcmd pending resize',
  ),
  pct: words('create start list status config set clone exec push pull pending resize'),
  pvesh: words('get ls usage help'),
  pvesm: words('list status add path'),
  zfs: words('list get create mount snapshot share diff send load-key'),
  zpool: words('list status get iostat history import'),
  ceph: words('status health df versions version log quorum_status'),
  rbd: words('ls list info status du create map'),
  etcdctl: words('get member endpoint snapshot version'),
  restic: words('backup snapshots check stats init ls list version cat restore find diff'),
  borg: words('create list info check init extract version diff'),
  velero: words('get describe version backup schedule'),
  docker: words(
    'ps images image pull run exec logs build buildx compose inspect version info network volume tag login start restart create context container cp save load manifest',
  ),
  podman: words(
    'ps images image pull run exec logs build inspect version info network volume tag login start restart create play kube generate cp',
  ),
  systemctl: words(
    'start restart reload status is-active is-enabled is-failed daemon-reload list-units list-unit-files show cat try-restart reload-or-restart reset-failed',
  ),
  git: words(
    'clone fetch pull status log diff show rev-parse add commit checkout switch branch tag describe ls-files ls-remote ls-tree config submodule remote rev-list merge-base symbolic-ref for-each-ref archive sparse-checkout init grep shortlog cat-file check-ignore check-attr hash-object name-rev var version',
  ),
  argocd: words('app login version cluster repo proj'),
  nft: words('list add'),
  'talosctl etcd': words('members status snapshot alarm'),
  'etcdctl snapshot': words('save status'),
  'kubectl config': words('view current-context get-contexts set-context set-cluster'),
  'git branch': words('--show-current -a -r --list -vv'),
};
const SAME: Readonly<Record<string, string>> = {
  k: 'kubectl',
  oc: 'kubectl',
  tofu: 'terraform',
  terragrunt: 'terraform',
  nerdctl: 'docker',
  'docker-compose': 'docker',
};
/** Options that turn a usual verb into something else. */
const UNUSUAL_OPTION =
  /^-{1,2}(?:migrate-state|force-copy|reconfigure|lock=false|preserve=false|recover-from\S*|mode=(?:reboot|staged)|no-hooks|raw|force-unlock|overrides\S*|server-side-conflicts)(?:=true)?$|^(?:-{1,2}[\w-]+=)?(?:\S*(?:replica\w*|_?count)=0|\S*(?:persistence|storage)\S*enabled=false)$/i;
const COMPOSE = words('up pull ps logs config build run exec version create images ls start restart wait');

export const hasUsualVerbs = (program: string): boolean => Object.hasOwn(USUAL, SAME[program] ?? program);

/** The tool and verb of a command that is unusual for it; undefined when it is usual, or the tool is none of these. */
export function unusualVerb({ program, args: given, via }: Pick<Fact, 'program' | 'args' | 'via'>): string | undefined {
  const name = SAME[program] ?? program;
  const args = new Arguments(
    given.filter((_, i) => given[i - 1]?.text !== '-n' || !/^(?:kubectl|helm|flux|talosctl|velero)$/.test(name)),
  );
  if (program === 'iptables' || program === 'ip6tables')
    return args.has('DPRXZ', 'delete', 'policy', 'replace') ? `${program} -D` : undefined;
  const usual = Object.hasOwn(USUAL, name) ? USUAL[name] : undefined;
  if (!usual) return undefined;
  if (given.length === 0) return via === 'xargs' ? `${program} …` : undefined;
  if (args.words.some((word) => /^--?(?:version|help|h)$/.test(word))) return undefined;
  if (program === 'docker-compose' || (name === 'docker' && args.operands[0] === 'compose')) {
    const verb = composeVerb(args, program === 'docker-compose');
    return verb === undefined || COMPOSE.has(verb) ? undefined : `${program} ${verb}`;
  }
  const option = args.words.find((word) => UNUSUAL_OPTION.test(word) && !/^get .*--raw \/\w*z\b/.test(args.all));
  if (option !== undefined && name !== 'git' && name !== 'docker') return `${program} ${option}`;
  // Values of options stand before the verb, too: one of the first words is enough.
  const [verb] = args.operands;
  if (
    verb !== undefined &&
    /^\$(?:[@*1]|\w+$|\{|\(…\)$)/.test(verb) &&
    !args.operands.slice(1, 4).some((word) => usual.has(word))
  )
    return `${program} ${verb}`;
  const at = args.operands.slice(0, 4).findIndex((word) => usual.has(word));
  const below = USUAL[`${name} ${args.operands[at]}`];
  const next = args.operands[at + 1];
  if (below && next !== undefined && !below.has(next) && !args.words.some((word) => below.has(word)))
    return `${program} ${args.operands[at]} ${next}`;
  if (verb === undefined || /\ue000/.test(verb) || at !== -1) return undefined;
  return `${program} ${verb}`;
}

const composeVerb = ({ operands }: Arguments, alone: boolean): string | undefined =>
  operands.slice(alone ? 0 : 1).find((word) => !/[./]/.test(word));
