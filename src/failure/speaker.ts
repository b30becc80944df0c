// Who says a line, and what: a host or service in front of it, a stream's name, the fields of a record; and whose tool it is
// that fails. Pure.
import { any } from './meaning.ts';

const NAME = '[A-Za-z0-9][\\w.-]{0,80}';
/** Names that are hosts by their looks: programs, devices and guests end in digits too, so only these stems count. */
const HOST_NAME = new RegExp(
  [
    String.raw`^(?:\d{1,3}(?:\.\d{1,3}){3}|[\w-]+(?:\.[\w-]+)*\.(?:lan|local|home|arpa|internal|lab|localdomain)`,
    String.raw`|(?:[\w-]*-)?(?:cp|node|worker|master|server|agent|pve|host|nas|nuc|r?pi|controlplane|control|controller|talos|etcd)-?\d{1,3})$`,
  ].join(''),
  'i',
);

/** `[cp1]: `, or `cp1 | ` as Ansible says it; with two spaces and more it is a service of compose, whose name counts. */
const HOST_FRONT = new RegExp(String.raw`^(?:\[(${NAME})\]:|(${NAME}) \|) (?=\S)`);
const HOST_COLON = new RegExp(String.raw`^(${NAME}): (?=\S)`);

/** A line without the host at its start, if one is there. `hosts` are those that the log names as such elsewhere. */
export function withoutHost(line: string, hosts: ReadonlySet<string>): { text: string; host?: string } {
  const front = HOST_FRONT.exec(line);
  if (front) return { text: line.slice(front[0].length), host: (front[1] ?? front[2]) as string };
  const [before = '', host = ''] = HOST_COLON.exec(line) ?? [];
  if (host === '' || !(hosts.has(host) || HOST_NAME.test(host))) return { text: line };
  return { text: line.slice(before.length), host };
}

/**
 * Fronts that say nothing of what is wrong: a container, a stream, a unit of systemd, a bullet, the mark of a quoted log;
 * more than four are none.
 */
const FRONTS = new RegExp(
  [
    String.raw`^(?:\s+(?:> )?`,
    String.raw`${NAME} +\| `,
    String.raw`\[${NAME}\]: `,
    String.raw`(?:std)?(?:err|out)(?:put)?(?:\[\d+\])?[:|] (?=\S)`,
    String.raw`[\w.-]+ [\w./@-]+\[\d+\]: `,
    '[✗✘×►•*│] ){1,4}',
  ].join('|'),
  'i',
);

/** The line's own words behind its fronts; records stay as they are. */
export const withoutFronts = (line: string): string =>
  /^[\s[✗✘×►•*│]|\||^(?:std)?(?:err|out)|\]: /i.test(line) ? line.replace(FRONTS, '') : line;

const QUOTED = String.raw`"((?:[^"\\]|\\.){1,4096})"`;
/** Where records keep the cause, the most telling field first. */
const FIELDS = ['error', 'err', 'msg', 'message'].map(
  (name) => new RegExp(String.raw`(?:^|[\s{,])"?${name}"?[=:] ?${QUOTED}`),
);

/** What a record of logfmt, klog or JSON says in its telling field; other lines as they are. */
export function messageOf(text: string): string {
  if (!/="|": ?"/.test(text)) return text;
  for (const field of FIELDS) {
    const value = field.exec(text)?.[1];
    if (value !== undefined) return unescaped(value);
  }
  return text;
}

/** The text that a quoted one stands for, as far as it is sound. */
export const unescaped = (text: string): string =>
  text.replace(/\\(?:([nrt])|u([0-9a-f]{4})|(.))/gi, (_all, white: string, code: string, other: string) =>
    white ? (white === 't' ? '\t' : '\n') : code ? String.fromCharCode(Number.parseInt(code, 16)) : other,
  );

/** The lines near the errors. */
export interface LinesAround {
  /** What was being done: the lines just before the first of them, up to the last of them. */
  before: string;
  /** Who tells how it ended. */
  behind: string;
}

/** Whose failure it is. */
export interface Speaker {
  /** Its words in the error lines. */
  words: readonly RegExp[];
  /** Its command, which runs before its errors: a later one has nothing to do with them. */
  command: RegExp;
  /** What it prints besides, before its errors or behind them. */
  output: RegExp;
}

/** Where a command begins: at a line's start, or behind a prompt, a shell's trace, a task's name, another command. */
const COMMAND = String.raw`(?:^|[+$#>;&|"'(\]]\s*|\b(?:sudo|run|running|exec|cmd:?|command:?) )(?:/\S*/)?`;
/** Behind a tool's name its usage, or how its command ended: it prints both behind its errors. */
const USAGE_OR_END = String.raw`(?: [\w-]+)+(?: [<[]|: (?:exit|failed)\b)`;
const PROXMOX_TOOL = '(?:qm|pct|pve[a-z]+|qmrestore|vzdump|ha-manager)';
/**
 * How talosctl begins: what it was doing, or which node answered so. Every program that uses gRPC says `rpc error`, and the
 * kubelet tells in such words of containers and volumes.
 */
const NODE_ANSWERED =
  /^\s*(?:\* )?(?:error \w+ing (?:\w+ ){0,3}\w+: |"?\d+(?:\.\d+){3}"?: )+rpc error: code = (?!.*\b(?:image|sandbox|containerd|volume|driver|plugin)\b)/im;

export const TALOS: Speaker = {
  command: new RegExp(String.raw`${COMMAND}tal(?:osctl|helper)(?![\w.-])`, 'im'),
  output: new RegExp(String.raw`\[talos\]|\bsiderolabs/|\bTalhelper\b|^\s*tal(?:osctl|helper)${USAGE_OR_END}`, 'im'),
  words: any`
    ${NODE_ANSWERED}
    API is not implemented in maintenance mode | method (?:Bootstrap|ApplyConfiguration|Upgrade|Reset|Reboot) not implemented
    /(?<![\w.\/'"-])tal(?:os(?:ctl|config)?|helper)(?![\w.\/'"-])/ | /\btalos_(?:machine|client|cluster|image)_\w+/
    unknown keys found during decoding | machine ?config(?:uration)? | healthcheck error | /"machine\.\w/
    error (?:applying new configuration|executing (?:bootstrap|reboot|reset|rollback|shutdown|upgrade)|getting (?:server )?version|constructing client|validating config)
    waiting for (?:etcd|apid|kubelet|all (?:k8s |control plane )?(?:nodes|components)|control plane|kube-proxy|coredns)
    unsupported upgrade path | running phase \d+ in \w+ sequence | /\bnetworking\.(?:os|kubernetes)\./ | v1alpha1\.Config
    kubespan | etcd data directory is not empty | bootstrap is not available yet | install disk | failed to determine endpoints
    nodes are not set for the command | cluster instance (?:endpoint|CA) | /\bfactory\.talos\.dev\b|\bsiderolabs\//
    disk \S+ not found in the system
  `,
};

export const PROXMOX: Speaker = {
  command: new RegExp(String.raw`${COMMAND}${PROXMOX_TOOL}\s`, 'im'),
  output: new RegExp(String.raw`\bUPID:|^TASK ERROR|^\s*${PROXMOX_TOOL}${USAGE_OR_END}`, 'im'),
  // In capitals it is a variable of the environment, behind a slash a provider. Java, Vagrant and others have VMs too, but no numbers
  // for them.
  words: any`
    ${/\bproxmoxer\b|(?<!["'.\w])proxmox_\w+\b|(?:==> \S*|(?<![\w/]))proxmox(?:-iso|-clone)?[.:]|\b[Pp]roxmox (?:VE|API|node|cluster)\b/}
    ${/\bQEMU\b|\b(?:VM|CT|VMID|LXC) '?\d{3,9}\b|\bcontainer '\d{3,9}'|\bVM '[^']+'|\bVM with (?:name|vmid|id)\b/}
    (?:VM|CT) is locked \( | ^VM (?:is )?not running | VM quit\/powerdown failed
    /\/api2\/json\b/ | /(?<![\w.-])\/nodes\/[\w-]+\/(?:qemu|lxc|storage|tasks|vzdump|aplinfo|disks)\b/
    TASK ERROR | /\bstorage (?:ID )?'[^']*'/ | /\blvcreate '/ | vmid | vmbr\d+
    can't (?:start|stop|clone|lock|create|migrate) (?:a )?(?:vm|ct|container|image|file '\/var\/lock)
    thin pool | ResourceException | /\b(?:qemu-img|kvm): / | qemu-server | corosync
    storage .{0,60}\b(?:is not (?:online|available|enabled)|does not support|is disabled) | zfs error | job errors
    no quorum | Parameter verification failed | value does not match the regex pattern | importing disk | cloudinit
    no such (?:storage|logical volume|cluster node|volume) | pve(?:sh|sm|um|cm|daemon|proxy|statd) | /\/PVE\//
    unable to parse (?:volume|directory volume|lvm|zfs|drive)
  `,
};

/** A program that says its own name in front. */
const ANOTHER_PROGRAM = /^(?!(?:error|fatal|warning|failed|rpc error|talosctl|TASK ERROR)\b)[a-z][\w.+-]{1,20}: /i;

/** Whether the error is of this one's making: by its words, or by what it did where no other program says its name. */
export const speaks = (speaker: Speaker, errors: string, { before, behind }: LinesAround): boolean =>
  speaker.words.some((pattern) => pattern.test(errors)) ||
  ((speaker.command.test(before) || speaker.output.test(`${before}\n${behind}`)) && !ANOTHER_PROGRAM.test(errors));
