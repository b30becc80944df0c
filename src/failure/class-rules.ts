// What class a failure has: an ordered table, the first rule that matches decides. Generic causes stand before the tools
// that report them, so an unreachable Talos API is a network_error; a tool's own rules stand first only where its words
// would be taken for a generic cause. Texts that each rule must match, and must not, are in test/fixtures/rules.
import type { FailureClass } from '../events.ts';
import { words } from './grade.ts';
import { complains, says } from './meaning.ts';

interface ClassRule {
  /** For `explain`. */
  name: string;
  class: FailureClass;
  /** It may pass by itself. */
  transient?: true;
  /** Nothing in the repository could fix it; this is the one thing that the human must do. */
  external?: Advice;
  /** What the human can do, where somebody else may too. */
  advice?: Advice;
  /** What the loop itself found missing before the command. */
  requires?: true;
  /** One of them matches the error lines. */
  match: readonly RegExp[];
  /** Says that something else is the cause. */
  unless?: RegExp;
  /** Tested against the lines just before them: which tool was at work. */
  near?: RegExp;
}

/** For the human: a sentence, or one made from the error lines. */
type Advice = string | ((errors: string) => string);

/** What stands behind `what` in the lines that the loop wrote about something missing. */
const missing = (what: string) => (errors: string) =>
  [...errors.matchAll(new RegExp(`^mendloop: requires: ${what} (\\S+)`, 'gm'))].map(([, name]) => name).join(', ');
const missingTools = missing('tool');
const missingVariables = missing('environment variable');
const missingFiles = missing('file');

const any = (list: TemplateStringsArray): RegExp[] => [words(list)];

/** Rules in the order of their table, each with its name. */
function named<R extends { name: string }>(table: Record<string, Omit<R, 'name'>>): R[] {
  return Object.entries(table).map(([name, rule]) => ({ name, ...rule }) as R);
}

/** Where a command begins: at a line's start, or behind a prompt, a shell's trace, another command. */
const COMMAND = String.raw`(?:^|[+$#>;&|"'(]\s*|\b(?:sudo|run|running|exec|cmd:?|command:?) )(?:/\S*/)?`;
const TALOSCTL = new RegExp(String.raw`${COMMAND}talosctl\b|\[talos\]`, 'im');
/** How talosctl begins: what it was doing, or which node answered so. */
const NODE_ANSWERED = /^\s*(?:\* )?(?:error \w+ing (?:\w+ ){0,3}\w+: |"?\d+(?:\.\d+){3}"?: )+rpc error: code = /im;
const PROXMOX = new RegExp(
  String.raw`${COMMAND}(?:qm|pct|pvesh|pvesm|pveum|pvecm|qmrestore|vzdump|ha-manager)\s|\bUPID:`,
  'im',
);
/** A program that says its own name in front. */
const ANOTHER_PROGRAM = /^(?!(?:error|fatal|warning|failed|rpc error|talosctl|TASK ERROR)\b)[a-z][\w.+-]{1,20}: /i;

export const CLASS_RULES: readonly ClassRule[] = named<ClassRule>({
  // What the loop itself found before or after the command.
  'required tool missing': {
    class: 'command_not_found',
    external: (errors) => `install ${missingTools(errors)}`,
    requires: true,
    match: [/^mendloop: requires: tool \S/m],
  },
  'required variable missing': {
    class: 'unknown',
    external: (errors) => `set ${missingVariables(errors)}, in your shell or in a file that carry names`,
    requires: true,
    match: [/^mendloop: requires: environment variable \S/m],
  },
  'required file missing': {
    class: 'missing_file',
    advice: (errors) => `put ${missingFiles(errors)} where the stage wants it (carry brings what git does not track)`,
    requires: true,
    match: [/^mendloop: requires: file \S/m],
  },

  // Keys and certificates: before the file, the host or the tool that tells of them.
  'host key changed': {
    class: 'permission_denied',
    external: "compare the host's key; when it is the right one: ssh-keygen -R with the host's name",
    match: any`
      Host key verification failed | REMOTE HOST IDENTIFICATION HAS CHANGED | host key (?:mismatch|has changed)
      Offending \w+ key in | knownhosts: key mismatch
    `,
  },
  'key file missing': {
    class: 'missing_file',
    external: 'put the key that decrypts the secrets where it is looked for',
    match: [
      /(?:data key|age identities)\b[\s\S]{0,900}\bno such file or directory/i,
      /\bvault password file .{1,200} was not found/i,
    ],
  },
  'secrets that do not decrypt': {
    class: 'permission_denied',
    external: 'give this machine the key that decrypts them',
    match: any`
      Failed to get the data key | cannot get sops data key | Error getting data key
      no identity matched any of the recipients | no (?:master )?key was able to decrypt | failed to load age identities
      no vault secrets (?:were )?found | Decryption failed .{0,20}no vault secrets
      /\bSecret "(?:[\w-]*sops[\w-]*|[\w-]*age[\w-]*)" not found/ | no age identity found | no identities specified
      decryption failed: (?:No secret key|Wrong secret key) | (?:incorrect|wrong) vault password
    `,
  },
  'certificate expired': {
    class: 'network_error',
    external: 'renew the certificate, or set the clock right',
    match: any`
      certificate (?:has|is) expired | certificate has expired or is not yet valid | CERT_(?:HAS_EXPIRED|NOT_YET_VALID)
      certificate is not yet valid | expired certificate | certificate expired
    `,
  },

  // A typo in YAML, wherever it appears.
  'YAML that does not parse': {
    class: 'yaml_parse_error',
    match: any`
      /(?<![\w.])yaml: (?:line \d+|unmarshal|invalid|control characters|unknown|found|did not|mapping|could not|block|anchor|document)/
      YAML(?:Exception|ParseError|SyntaxError|SemanticError|Error) | /\bPsych::(?:SyntaxError|BadAlias|DisallowedClass)/
      /\byaml\.(?:scanner|parser|composer|constructor|reader)\./ | YAML parse error | error converting YAML to JSON
      mapping values are not allowed | did not find expected | could not find expected | cannot start any token
      /\bexpected <block end>/ | bad indentation of a | found duplicate key | duplicated? mapping key | /\bYAML::\w/
      /\bwhile (?:scanning|parsing) (?:a|an|the) (?:simple key|block|flow|quoted|plain|anchor|alias|tag|node|document)/
      map keys must be unique | nested mappings are not allowed | /\bimplicit keys need to be/ | unacceptable character
      (?:malformed|invalid)(?: inline)? yaml | found undefined alias | found unexpected end of stream
      /\bblock (?:sequence|collection|mapping)s? (?:entries|items)? ?(?:are|is|must|cannot)/
      (?:syntax error|error) while loading yaml | ya?ml (?:syntax|parse|parsing|scanner) error
      /\b(?:failed|unable|error|cannot|could not)\b.{0,60}\bpars(?:e|ing)\b.{0,80}\.ya?ml\b.*\bline \d+/
      /\bsyntax error: .{0,200}\(syntax\)/ | /\ball (?:collection|sequence|mapping) items must start at the same column/
      /\btabs? (?:characters? )?(?:must not be|are not allowed|cannot be|as indentation)/ | (?:duplication of|duplicated?) key
    `,
  },

  // A program that is not there.
  'command not found': {
    class: 'command_not_found',
    match: [
      says('lost', 'tool'),
      ...any`
        command not found | /(?:^|\s)\S+(?:\[\d+\])?: (?:line )?\d+: [^:]+: not found$/ | executable [\w./-]+ not found
        /(?:^|[\s/])\w*sh(?:\[\d+\])?: [\w.+-]+: not found$/ | /\.k?sh\[\d+\]: [\w.+-]+: not found$/ | spawn \S+ ENOENT
        /^(?:xargs|find|nice|timeout|setsid|ionice|strace|watch): ['‘"]?[\w+-]+['’"]?: No such file/
        /\b(?:run|exec|execute|spawn|start|launch|fork\/exec)(?: command| program)? ["'\x60‘]?[\w.+/-]+["'\x60’]?: (?:error=2, )?(?:No such file|not found)/
        not found (?:in|on) (?:your |the )?\$?PATH | /\bNo such file or directory - [\w+-]+ \(Errno/
        /^(?:\/usr\/bin\/)?env: .{1,80}: No such file or directory/
        /^make(?:\[\d+\])?: [\w.+-]+: (?:No such file or directory|Command not found|Permission denied$)/
        No such file or directory - Failed to exec
        /^\S+: exec: .{1,80}: not found/ | /\bunknown command "[^"]+" for "(?:kubectl|helm|flux|talosctl)"/
        is not (?:recognized as an internal|a (?:docker|git|kubectl|helm) command) | /\bbad interpreter: No such file/
        /\bunknown (?:shorthand )?command: \S+$/ | Command '[^']+' not found
        /\bNo such file or directory: b?'[\w+-]+'/
        (?:program|binary|executable|tool) .{1,60} (?:is )?(?:not found|not installed|missing) | /\bstatus=203\/EXEC/
        (?:kubectl|helm|talosctl|flux|jq|yq|sops|age|ansible|terraform|docker): not found | /^which: no \S+ in \(/ | applet not found
      `,
    ],
  },
  'program not installed': {
    class: 'command_not_found',
    match: any`[\w.+-]+ (?:is not|isn't|not|must be|needs to be|be) installed | (?:it's|are) not installed | have \S+ installed`,
    // Of these it is a name in the configuration that is wrong, or a library that is missing.
    unless:
      /\b(?:packages?|modules?|charts?|collections?|roles?|plugins?|CRDs?|librar(?:y|ies)|provider|driver|headers)\b/i,
  },
  'refused by Kubernetes validation': {
    class: 'config_error',
    match: any`
      field is immutable | spec(?:\.[\w.[\]]+)?: (?:Forbidden|Invalid value|Required value|Unsupported value)
      admission webhook .{1,120} denied the request | (?:exceeded|failed) quota
    `,
  },

  // Not allowed.
  'key that others can read': {
    class: 'permission_denied',
    match: any`UNPROTECTED PRIVATE KEY | permissions .{1,80} are too open | bad permissions`,
  },
  'credentials refused': {
    class: 'permission_denied',
    external: 'check the credentials that this stage uses',
    match: any`
      /\bPermission denied \((?:publickey|password|keyboard|gssapi)/ | Unauthorized
      /\b401\b.{0,40}\b(?:unauthorized|authentication|no ticket|permission|auth)/ | LOGON_FAILURE
      authentication (?:failed|failure|required|is required) | (?:bad|incorrect) (?:password|credentials|username)
      invalid (?:credentials|username or password) | could not read (?:Username|Password)
      a (?:password|terminal) is required | validate API key | API key \S+ not valid | (?:sudo|become) password
      Must be logged in | (?:returned error|status(?: code)?|HTTP(?:\/\d(?:\.\d)?)?)[: =]{1,3}401 | no such token
      Too many authentication failures | no (?:mutual|matching) (?:signature|host key|key exchange)
      code = (?:Unauthenticated|PermissionDenied) | NOAUTH | WRONGPASS | Support for password authentication was removed
      denied: requested access | the server has asked for the client to provide credentials | pull access denied
      denied (?:to \S|for user) | /": denied\b/ | (?:code|status)\W{1,3}403\b[\s\S]{0,80}\bdenied
    `,
  },
  'credentials distrusted': {
    class: 'permission_denied',
    external: 'check the credentials that this stage uses',
    match: [
      says('distrusted', 'credential'),
      ...any`(?:unable|failed) to authenticate | invalid format for Authorization`,
    ],
    // A file or a connection that is not there is why nobody could be trusted.
    unless: /no such file|connection refused|no route to host|timed? ?out|dial tcp/i,
  },
  'not allowed': {
    class: 'permission_denied',
    match: [
      says('needed', 'privilege'),
      ...any`
        denied | E(?:ACCES|PERM) | are you root | not (?:writable|permitted|privileged|authori[sz]ed|allowed to \w+)
        PermissionError | forbidden | (?:HTTP|status|code|error:?)[ /=:\d.]{1,12}403 | read-only file system
        not in the sudoers file | become.*(?:password|root) | unsafe ownership | dubious ownership | violates PodSecurity
        cannot (?:get|list|create|watch|patch|update|delete) resource | /^(?:sudo|su|doas): (?!.*\bnot found)/
      `,
    ],
  },

  'a program crashed': {
    class: 'unknown',
    match: any`/^panic: / | /^fatal error: / | segmentation fault | core dumped`,
  },

  // Out of reach.
  'Proxmox proxy error': {
    class: 'proxmox_error',
    transient: true,
    match: any`
      /\b(?:ResourceException: |HTTP )?59[679]\b.{0,80}\b(?:TLS|ssl|timeout|timed out|broken pipe|too large)/
    `,
  },
  'name not resolved for now': {
    class: 'network_error',
    transient: true,
    match: any`
      temporary failure (?:in name resolution|resolving) | EAI_AGAIN | server misbehaving | SERVFAIL
      /\bCould not resolve host: / | /\blookup \S+ on \S+:53: (?:read|write|dial) udp/
      /\b(?:dial|read) udp \S+:53\b.{0,60}\b(?:refused|timeout)/ | no servers could be reached
      communications error to \S+#53 | /\btry again later\b.*\bresolv/
    `,
  },
  'name unknown': {
    class: 'network_error',
    match: any`
      /\bcould not resolve (?:host|address|['\x22]?[\w-]+\.[\w.-]+)/ | name or service not known | no such host
      (?:couldn't|cannot|could not) (?:get|find) address
      UnknownHostException | ENOTFOUND | nodename nor servname | /\bunknown host\b(?! key)/ | NXDOMAIN | name resolution
      NameResolutionError | /\b(?:failed|unable|cannot) to resolve (?:host|address|name)/
      no address associated with hostname
    `,
  },
  'host off': {
    class: 'network_error',
    transient: true,
    external: 'see whether that host is on, and on the network',
    match: [
      /\bUNREACHABLE(?:!|:| \()/,
      ...any`
      no route to host | /(?<!bus: )\bhost is (?:down|unreachable)\b/ | E?(?:HOSTUNREACH|HOSTDOWN)
      destination host unreachable | /\bconnect to host \S+ port \d+: (?:Connection|Operation) timed out/
      /\bdial tcp \S+: (?:i\/o timeout|connect: (?:connection timed out|operation timed out))/
      Timed out waiting for last boot time check | /\btimeout (?:when )?waiting for (?:\S+:\d+|ssh|winrm|a connection)/
    `,
    ],
  },
  TLS: {
    class: 'network_error',
    // A file or an answer that is not there is why nobody could be trusted.
    unless:
      /no such file|timed? ?out(?!=)|\bEOF\b|reset by peer|connection (?:was )?\S* ?(?:refused|closed|terminated)|deadline exceeded/i,
    match: any`
      /\bx509: / | self[- ]signed certificate | /\bSSL(?:Error| certificate problem|_ERROR|: )/ | /\btls: /
      certificate (?:verify|verification|is not trusted|problem|signed by|is not valid|required|relies)
      /\b(?:TLS|SSL) (?:handshake|alert|negotiation|error|connect error)/ | CERT_UNTRUSTED
      unable to (?:get|verify).{0,30}(?:certificate|signature) | wrong version number | OpenSSL SSL_connect
      first record does not look like a TLS handshake | server gave HTTP response to HTTPS client
    `,
  },
  'nobody answers': {
    class: 'network_error',
    transient: true,
    match: [
      says('silent', 'peer'),
      ...any`
        (?:connection|connect|network|socket|transport) (?:error|failure) | 100% packet loss | E(?:CONN(?:REFUSED|RESET|ABORTED)|TIMEDOUT|NETUNREACH) | i\/o timeout | socket hang up
        /: EOF\b/ | EOF occurred | (?:read|operation)\b.{0,60}\b(?:timed out|timeout) | kex_exchange_identification
        early EOF | /\bunexpected EOF\b(?! while looking| in archive)/ | /^curl: \((?:5|6|7|18|28|35|52|55|56|92)\)/
        client_loop: send disconnect | broken pipe\b.*\b(?:ssh|rsync|write|packet) | error in rsync protocol data stream
        URLError | urlopen error | fetch failed | Max retries exceeded with url
        (?:NoRouteToHost|Connect|SocketTimeout|ConnectTimeout)Exception | RPC failed; curl
        /\b(?:Get|Post|Put|Patch|Head) \\?"?https?:.{0,300}\b(?:context deadline exceeded|timeout(?!=)|EOF|deadline)/
        /\bcontext deadline exceeded\b.{0,80}\b(?:Client\.Timeout|awaiting headers|dial|connection)/
        transport: Error while dialing
        /\bcode = (?:Unavailable|DeadlineExceeded)\b.{0,200}\b(?:connection|dial|transport)/
        (?:could not|cannot|can't|couldn't|unable to|failed to) (?:connect|reach|contact|establish)
        connection to \S+ failed | network is unreachable
      `,
    ],
  },
  'too many requests, or a gateway': {
    class: 'network_error',
    transient: true,
    match: any`
      /\b(?:429|502|503|504)\b.{0,40}\b(?:too many requests|bad gateway|service (?:temporarily )?unavailable|gateway time-?out)/
      too many requests | bad gateway | service (?:temporarily )?unavailable | gateway time-?out | rate ?limit(?:ed|s)?
      toomanyrequests | (?:returned error|status|code|HTTP(?: error|\/\d(?:\.\d)?)?)[: =]{1,3}(?:429|50[234])
    `,
  },
  // Files that Proxmox keeps for itself, before files in general.
  'Proxmox guest without configuration': {
    class: 'proxmox_error',
    match: any`
      (?:qemu-server|lxc)\/\d+\.conf | /\bconfiguration file for (?:VM|CT) \d+/
      /\b(?:VM|CT|guest) \d+ (?:does not exist|not found|already exists)/
    `,
  },
  'Proxmox storage': {
    class: 'proxmox_error',
    match: any`
      /\b(?:vm|base|subvol)-\d{3,9}-(?:disk|cloudinit)\b/ | /\/(?:dev|mnt|etc)\/pve\// | /\/var\/lib\/vz\//
      unable to activate storage
    `,
  },

  // Proxmox's and Talos's own complaints, where their words would be taken for a missing file.
  'Talos image or patch': {
    class: 'talos_error',
    match: any`
      (?:apply|load|parse) config patch(?![^\n]*no such file) | disk \S+ not found in the system
      error pulling installer image | installer image\b.*\bnot found
      factory\.talos\.dev\b.*\b(?:not found|404|invalid)
    `,
  },
  'package index out of reach': {
    class: 'network_error',
    transient: true,
    match: [/\bfrom versions: none\b/i],
    near: /\bname resolution\b|\bNewConnectionError\b|\bConnectTimeout|\bconnection (?:refused|broken|reset|timed out)\b/i,
  },
  'package or library missing': {
    class: 'unknown',
    match: any`
      No module named | /\bcannot find -l\w/ | unmet dependencies | error while loading shared libraries
      cannot open shared object file
    `,
  },
  'killed for memory': { class: 'unknown', match: [/\bout of memory: killed\b|\bOOMKilled\b|\boom-kill/i] },
  'file missing': {
    class: 'missing_file',
    match: [
      says('lost', 'file'),
      ...any`
        no such file | ENOENT | FileNotFoundError | NoSuchFile(?:Exception)? | No rule to make target
        Cannot find module | /"(?:\/[\w./-]+|[\w./-]+\.\w{1,5})": not found/ | no file exists at | ERR_MODULE_NOT_FOUND
        No configuration files | Did not find any .{1,60} files? | No files? (?:found|matched) | No \w+file found
        /\b(?:cannot|could not|unable to) find .{1,80} in (?:\w+ ){0,3}(?:paths?|director(?:y|ies)|folders?)\b/
        does not appear to be a git repository | not a git repository | Could not find or access
      `,
    ],
  },
  'package unknown': { class: 'config_error', match: [says('lost', 'package'), says('unknown', 'package')] },
  // A resource of Proxmox or Talos is where Terraform found it, not who says it.
  'Terraform language': {
    class: 'config_error',
    match: [
      /^Error: (?:Reference|Unsupported|Missing|Incorrect|Call to|Invalid|Inconsistent|Duplicate|Extraneous|Ambiguous) [a-z]/m,
      /^Error: [A-Z][a-z]+(?: [a-z]+)+ not [a-z]+$/m,
      /\bhas not been declared\b/,
    ],
  },
  // A tool's own complaint.
  'Talos machine configuration': {
    class: 'talos_error',
    match: [
      TALOSCTL,
      NODE_ANSWERED,
      ...any`
      unknown keys found during decoding | maintenance mode | machine config(?:uration)? | machineconfig | /\[talos\]/
      error (?:applying new configuration|executing bootstrap|getting (?:version|disks|members|time)|upgrading|rebooting|resetting|fetching logs|constructing client|reading config|validating config)
      talosconfig(?!-) | /\btalos_(?:machine|client|cluster|image)_\w+/ | Talos (?:API|version|node|Linux)
      healthcheck error | /"machine\.\w/ | v1alpha1\.Config
      waiting for (?:etcd|apid|kubelet|all (?:k8s |control plane )?(?:nodes|components)|control plane|kube-proxy|coredns)
      unsupported upgrade path | running phase \d+ in \w+ sequence | /\bnetworking\.(?:os|kubernetes)\./
      virtual \(shared\) IP | kubespan | etcd data directory is not empty | bootstrap is not available yet
      failed to determine endpoints | nodes are not set for the command | /\bcluster instance (?:endpoint|CA)/
      validate etcd for upgrade
    `,
    ],
  },
  Proxmox: {
    class: 'proxmox_error',
    match: [
      // In capitals it is a variable of the environment.
      /\bproxmoxer\b|(?<!["'.\w])proxmox_\w+\b|\bproxmox-(?:iso|clone)\b|\b[Pp]roxmox (?:VE|API|node|cluster)\b/,
      ...any`
        TASK ERROR | /\bstorage (?:ID )?'[^']*'/ | /\bvolume '[^']*' (?:does not exist|already exists)/ | /\blvcreate '/
        (?:VM|CT|VMID|vmid|guest|container) '?\d{3,9}'?\b.{0,80}\b(?:is locked|locked|running|not running|template|exists|already|does not|failed|no such|error|unable)
        (?:unable to create|can't (?:start|stop|clone|lock|create|migrate)|cannot (?:start|clone|migrate|remove)) (?:a )?(?:vm|ct|container|image|file '\/var\/lock)
        update ACL failed | no such storage | thin pool | QEMU guest agent | ResourceException | /\bqemu-img: /
        storage .{0,60}\b(?:is not (?:online|available|enabled)|does not support|is disabled) | qemu-server | /\bkvm: /
        no quorum | Parameter verification failed | value does not match the regex pattern | VM is locked | zfs error
        no such (?:vm|logical volume|cluster node|volume) | /\b(?:MAX|max) \d+ vcpus allowed/ | importing disk
        /\bunable to parse (?:volume|directory volume|lvm|zfs|drive)/ | pve(?:sh|sm|um|cm|daemon|proxy|statd)
        /\bstart failed: \b/ | job errors | disk image\b.*\balready exists | /\bunsupported format 'raw/ | cloudinit
        hotplug problem | /\/PVE\// | corosync
      `,
    ],
  },
  'said by talosctl': { class: 'talos_error', match: [/\S/], near: TALOSCTL, unless: ANOTHER_PROGRAM },
  'said by a Proxmox tool': { class: 'proxmox_error', match: [/\S/], near: PROXMOX, unless: ANOTHER_PROGRAM },

  // Bugs of a script or a program are no configuration, though their words are alike.
  'the program itself is wrong': {
    class: 'unknown',
    match: any`
      /^(?:Uncaught )?(?:\w+\.)*(?:Key|Type|Attribute|Name|Index|Value|Reference|Range|Assertion|Syntax|Import|Runtime|Unbound\w*)Error:(?!.{0,200}\bJSON\b)/
      unbound variable | parameter not set | bad substitution | assertion failed | /^(?!\/etc\/)\S+: (?:line )?\d+: /
      /^error\[E\d+\]/ | /^\S+\.(?:go|rs|c|cc|cpp|h|java):\d+:\d+:/
    `,
  },
  'configuration refused': {
    class: 'config_error',
    // What a machine has, or lacks.
    unless: /\bno such (?:pool|device|process)\b|\bunmet dependencies\b|\bERESOLVE\b|\bInsufficient (?:cpu|memory)\b/i,
    match: [
      complains('lost', 'unknown', 'malformed', 'taken'),
      ...any`
        additional ?propert(?:y|ies) | no hosts matched | nil pointer evaluating | TOMLDecodeError | JSONDecodeError
        (?:valid|in) JSON | no action detected | execution error at | error calling \w+ | cannot re-use a name
        /\btemplate: \S+:\d+:\d+: / | may not add resource | valid values are | SOPS encrypted, configuring decryption
        /\bError: Cycle: \w/ | requires (?:at least |exactly )?\d+ arguments? | /\bstatus=2\d\d\/[A-Z_]+/
        already exists and is not managed | template error | (?:\w+\.)*(?:Validation|Config\w*|Schema|Template)(?:Error|Exception)
        required (?:property|field|value|argument|option|variable|parameter|key) | address already in use
        (?:validation|schema check) failed
        (?:returned error|status(?: code)?|code|HTTP(?: error|\/\d(?:\.\d)?)?)[: =]{1,3}(?:404|410)
      `,
    ],
  },
});

/** Flags that a failure has whatever its class: all that match count. */
type FlagRule = Omit<ClassRule, 'class' | 'near' | 'unless' | 'requires'>;

export const FLAG_RULES: readonly FlagRule[] = named<FlagRule>({
  'somebody else holds the lock': {
    transient: true,
    match: any`
      could not get lock | is another process using it | /\bacquir(?:e|ing)\b.{0,30}\block\b/ | got timeout
      (?:is|already) locked | \.lock': File exists
      /\banother (?:operation|git process|process|instance|app)\b.{0,60}\b(?:in progress|running|lock|holding)/
      resource temporarily unavailable | text file busy | device or resource busy
    `,
  },
  'not ready yet': {
    transient: true,
    match: any`
      leader changed | no leader | no endpoints available | context deadline exceeded | not available yet
      try again later | the object has been modified; please apply your changes
      the server is currently unable to handle the request | /\betcdserver: (?:request timed out|leader|too many)/
    `,
  },
  'the machine is full': {
    external: 'free space or memory on that machine',
    match: any`
      no space left on device | ENOSPC | disk quota exceeded | free space in thin pool | insufficient free space
      cannot allocate memory | out of memory | not? enough (?:free )?(?:disk |memory )?(?:space|memory)
      enough free space | out of (?:disk|inodes) | insufficient (?:disk|memory|cpu|storage|space)
    `,
  },
});
