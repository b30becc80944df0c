// What class a failure has: an ordered table, the first rule that matches decides. In short:
//
//   who speaks        of what                               class
//   the loop          a tool, a variable, a file            of what is missing
//   anybody           keys and certificates                 permission_denied, network_error
//   anybody           text that is no YAML                  yaml_parse_error
//   anybody           a program that is not there           command_not_found
//   Kubernetes, QEMU  what they were given                  config_error, proxmox_error
//   anybody           credentials and rights                permission_denied
//   anybody           hosts, names, connections, TLS        network_error (but proxmox_error of its own proxy)
//   Proxmox, Talos    guests and disks, images and patches  proxmox_error, talos_error
//   anybody           a file; a package                     missing_file; config_error
//   Terraform         its language                          config_error
//   Talos, Proxmox    anything else                         talos_error, proxmox_error
//   a script          itself                                unknown
//   anybody           a name, a value, a field              config_error
//
// Texts that each rule must match, and must not, are in test/fixtures/rules.
import type { FailureClass } from '../events.ts';
import { any, complains, says } from './meaning.ts';
import { PROXMOX, type Speaker, TALOS } from './speaker.ts';

interface ClassRule {
  /** For `explain`. */
  name: string;
  /** Without one it only adds its flags, whatever class the failure has. */
  class?: FailureClass;
  /** It may pass by itself. */
  transient?: true;
  /** Nothing in the repository could fix it; this is the one thing that the human must do. */
  external?: Advice;
  /** What the human can do, where somebody else may too. */
  advice?: Advice;
  /** What the loop itself found missing before the command. */
  requires?: true;
  /** Only this one's words count. */
  by?: Speaker;
  /** One of them matches the error lines. */
  match: readonly RegExp[];
  /** Says that something else is the cause. */
  unless?: RegExp;
  /** Tested against the lines from just before them up to the last of them. */
  near?: RegExp;
}

/** For the human: a sentence, or one made from the error lines. */
type Advice = string | ((errors: string) => string);

/** What stands behind `what` in the lines that the loop wrote about something missing. */
const missing = (what: string, errors: string) =>
  [...errors.matchAll(new RegExp(`^mendloop: requires: ${what} (\\S+)`, 'gm'))].map(([, name]) => name).join(', ');

/** Anybody's words about YAML, where the line does not go on to say that nobody got as far as its text. */
const YAML_TROUBLE = new RegExp(
  [
    String.raw`(?:(?<![\w.])yaml: (?!open |stat )`,
    String.raw`|\b(?:pars|syntax|malform|invalid|load|convert|unmarshal)\w*\b.{0,20}(?<![.\w])ya?ml\b(?! files?\b))`,
    String.raw`(?!.{0,400}(?:no such (?:file|host)|(?:permission|access) denied|\brefused\b|no route to host`,
    String.raw`|timed out|i/o timeout|deadline exceeded|\bdial tcp\b))`,
  ].join(''),
  'i',
);

/** By their names, in their order. */
const TABLE: Record<string, Omit<ClassRule, 'name'>> = {
  // What the loop itself found before or after the command.
  'required tool missing': {
    class: 'command_not_found',
    external: (errors) => `install ${missing('tool', errors)}`,
    requires: true,
    match: [/^mendloop: requires: tool \S/m],
  },
  'required variable missing': {
    class: 'unknown',
    external: (errors) => `set ${missing('environment variable', errors)}, in your shell or in a file that carry names`,
    requires: true,
    match: [/^mendloop: requires: environment variable \S/m],
  },
  'required file missing': {
    class: 'missing_file',
    advice: (errors) =>
      `put ${missing('file', errors)} where the stage wants it (carry brings what git does not track)`,
    requires: true,
    match: [/^mendloop: requires: file \S/m],
  },

  // Before the network, which ends with EOF, too.
  'a question nobody answers': {
    class: 'unknown',
    advice:
      'standard input is empty, so nobody can answer: have the command ask nothing (-y, -auto-approve or the like)',
    match: any`
      /[[(](?:y\/n|yes\/no)[\])]\??:?(?: ?Abort(?:ed|ing)?[.!]?)?$/ | /^EOFError: EOF when reading a line$/ | error asking for (?:approval|input\b.{0,80}): EOF
    `,
  },

  // Keys and certificates: before the file, the host or the tool that tells of them.
  'host key changed': {
    class: 'permission_denied',
    external: "compare the host's key; when it is the right one: ssh-keygen -R with the host's name",
    match: any`
      Host key verification failed | HOST IDENTIFICATION HAS CHANGED | host key .{0,40}(?:mismatch|changed)
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
      (?:get|getting)(?: the| sops)* data key | no (?:master )?key (?:was able to|could) decrypt | no vault secrets
      no (?:age )?identit(?:y|ies) (?:matched|found|specified) | load age identities | (?:No|Wrong) secret key
      encrypted with (?:a )?(?:different|another) \w+
      /\bSecret "[\w-]*(?:sops|age)[\w-]*" not found/
    `,
  },
  'certificate expired': {
    class: 'network_error',
    external: 'renew the certificate, or set the clock right',
    match: any`
      certificate (?:(?:has|is) )?(?:expired|not yet valid) | expired certificate | CERT_(?:HAS_EXPIRED|NOT_YET_VALID)
    `,
  },

  // A typo in YAML, wherever it appears: by the parsers' names, by their words, and by anybody's words about YAML.
  'YAML that does not parse': {
    class: 'yaml_parse_error',
    match: any`
      ${YAML_TROUBLE}
      /\bYAML\w*(?:Error|Exception)\b/ | /\b(?:Psych|YAML)::(?:\w+::)*(?:\w*(?:Error|Exception)|Load)\b/
      /\byaml\.(?:scanner|parser|composer|constructor|reader)\./
      /(?<![.\w])ya?ml (?:syntax|pars(?:e|ing)|scanner) error/ | /\bsyntax error: .{0,200}\(syntax\)/
      /\bpars(?:e|ing)\b.{0,80}\.ya?ml\b.*\bline \d+/ | (?:did|could) not find expected | mapping values are not allowed
      cannot start any token | /\bexpected <block end>/ | bad indentation of a | (?:duplicated?|duplication of)(?: mapping)? key
      /\bwhile (?:scanning for the next token|(?:scanning|parsing) (?:an?|the) (?:simple key|(?:\w+-)?quoted|plain|anchor|alias|tag|directive|block|flow|node|document)\b)/
      (?:map|implicit) keys (?:must|need to) be | nested mappings are not allowed | unacceptable character
      found (?:undefined alias|unknown escape|unexpected end of stream) | /\bblock (?:sequence|collection|mapping)s? .{0,12}(?:are|is|must|cannot)\b/
      items must start at the same column | /\btabs? (?:characters? )?(?:must not be|are not allowed|cannot be|as indentation)/
    `,
  },

  // A program that is not there.
  'command not found': {
    class: 'command_not_found',
    match: any`
      ${says('lost', 'tool')}
      /(?:^|\s)\S+(?:\[\d+\])?: (?:line )?\d+: [^:]+: not found$/ | /(?:^|[\s/.])\w*sh(?:\[\d+\])?: [\w.+-]+: not found$/
      /\b(?:run|exec|execute|spawn(?:Sync)?|start|launch|fork\/exec) ["'\x60‘]?[\w.+/-]+["'\x60’]?:? (?:error=2, )?(?:No such file|not found|ENOENT)/
      /^(?:xargs|find|nice|timeout|setsid|ionice|strace|watch|(?:\/usr\/bin\/)?env): ['‘"]?[\w.+-]+['’"]?: No such file/
      /^make(?:\[\d+\])?: [\w.+-]+: (?:No such file or directory|Command not found|Permission denied$)/
      not found (?:in|on) (?:\w+ ){0,2}\$?PATH | /\bNo such file or directory(?:: b?'[\w+-]+'| - [\w+-]+ \(Errno| - Failed to exec)/
      /\bunknown (?:shorthand )?command(?:: \S+$| "[^"]+" for "(?:kubectl|helm|flux|talosctl)")/ | required file not found
      /\bexec: .{1,120}: (?:not found|no such file)/ | is not (?:recognized as an internal|a \w+ command) | applet not found
      /\bbad interpreter: No such file/ | /\bstatus=203\/EXEC/ | /^which: no \S+ in \(/
      (?:binary|tool) .{1,60} (?:not found|not installed|missing)
    `,
  },
  'program not installed': {
    class: 'command_not_found',
    match: any`[\w.+-]+ (?:is not|isn't|not|must be|needs to be|be) installed | have \S+ installed`,
    // Of these it is a name in the configuration that is wrong, or a library that is missing.
    unless:
      /\b(?:packages?|modules?|charts?|collections?|roles?|plugins?|CRDs?|librar(?:y|ies)|provider|driver|headers|depends)\b/i,
  },
  'said by QEMU': { class: 'proxmox_error', match: [/^kvm: -\w/m] },
  'refused by Kubernetes validation': {
    class: 'config_error',
    match: any`
      spec(?:\.[\w.[\]]+)?: (?:Forbidden|Invalid value|Required value|Unsupported value)
      admission webhook .{1,120} denied the request | (?:exceeded|failed) quota
    `,
  },

  // Not allowed.
  'key that others can read': {
    class: 'permission_denied',
    match: any`UNPROTECTED PRIVATE KEY | permissions \d+ for .{1,80} are too open | /^Load key .* bad permissions/`,
  },
  'credentials refused': {
    class: 'permission_denied',
    external: 'check the credentials that this stage uses',
    match: any`
      /\bPermission denied \((?:publickey|password|keyboard|gssapi)/ | Unauthori[sz]ed | Unauthenticated | /(?:LOGON|LOGIN|AUTH)_FAIL/
      /\b(?:error|status|code|HTTP\S*)[:=( ]{1,3}40[17]\b|\b401\b.{0,40}\b(?:auth\w*|no ticket|permission)\b/ | NOAUTH | WRONGPASS
      (?:could not read|enter) (?:\w+ )?(?:username|password|passphrase|token) | terminal is required | (?:sudo|become) password
      Must be logged in | not (?:currently )?(?:signed|logged) in | no such token | no key available | Too many authentication failures | code = PermissionDenied
      no (?:mutual|matching) (?:signature|host key|key exchange) | (?:denied: requested|pull) access | /\.git denied to \S/
      denied to (?:repository|registry) | /\bdenied for user ['"]/ | api error (?:Forbidden|AccessDenied)
      /"(?:\w+:\/\/)?[\w-]+(?:\.[\w-]+)+(?::\d+)?\/[^"\s]{1,300}": denied\b|\bcode\W{1,3}403\b[\s\S]{0,80}\bdenied/
    `,
  },
  'credentials distrusted': {
    class: 'permission_denied',
    external: 'check the credentials that this stage uses',
    match: any`${says('distrusted', 'credential')} (?:unable|failed) to (?:authenticate|authori[sz]e)`,
    // A file or a connection that is not there is why nobody could be trusted.
    unless:
      /no such file|connection refused|no route to host|timed? ?out|dial tcp|x509: certificate|\bkey \S+ in (?:Secret|ConfigMap)\b/i,
  },
  'not allowed': {
    class: 'permission_denied',
    // Registries do not tell whether there is such a thing.
    unless: /\bnot be found or you do not have permission\b/i,
    match: any`
      ${says('needed', 'privilege')}
      denied | E(?:ACCES|PERM) | are you root | not (?:writable|permitted|privileged|authori[sz]ed|allowed to \w+)
      forbidden | (?:HTTP|status|code|error:?)[ /=:\d.]{1,12}403 | read-only file system | not in the sudoers file
      become.*root | (?:unsafe|dubious) ownership | violates PodSecurity | protected branch | /^(?:sudo|su|doas): (?!.*\bnot found)/
      cannot (?:get|list|create|watch|patch|update|delete) resource
    `,
  },

  'a program crashed': { class: 'unknown', match: [/^panic: (?!.*no such file)|\bsegmentation fault\b/im] },

  // Out of reach.
  'Proxmox proxy error': {
    class: 'proxmox_error',
    transient: true,
    match: any`/\b(?:ResourceException: |HTTP )?59[679]\b.{0,80}\b(?:TLS|ssl|timeout|timed out|broken pipe|too \w+)/`,
  },
  'name not resolved for now': {
    class: 'network_error',
    transient: true,
    match: any`
      temporary failure (?:in name resolution|resolving) | EAI_AGAIN | server misbehaving | SERVFAIL
      /\bCould not resolve host: / | /\b(?:dial|read|write) udp \S+:53\b/ | no servers could be reached
      communications error to \S+#53 | /\btry again later\b.*\bresolv/
    `,
  },
  'name unknown': {
    class: 'network_error',
    match: any`
      /\b(?:could not|cannot|failed to|unable to) resolve (?:host|address|name|['\x22]?[\w-]+\.[\w.-]+)/
      name or service not known | no such (?:host|domain) | ENOTFOUND | nodename nor servname | /\bunknown host\b(?! key)/ | NXDOMAIN
      name resol(?:ution|ver) | host(?:name)? not found | no address associated with hostname | (?:couldn't|cannot|could not) (?:get|find) address
    `,
  },
  'host off': {
    class: 'network_error',
    transient: true,
    external: 'see whether that host is on, and on the network',
    match: any`
      ${/\bUNREACHABLE(?:!|:| \()/}
      no route to host | /(?<!bus: )\bhost (?:is )?(?:down|unreachable)\b/ | E?HOST_?(?:UNREACH|DOWN)
      connection timed out | connect ETIMEDOUT | ConnectTimeout(?:Error|Exception)? | Timeout was reached
      /\bdial tcp \S+: (?:i\/o timeout|connect: operation timed out)/ | /\bport \d+: Operation timed out/
      Timed out waiting for last boot time check | /\btimeout (?:when )?waiting for (?:\S+:\d+|ssh|winrm|a connection)/
    `,
  },
  TLS: {
    class: 'network_error',
    // A file or an answer that is not there is why nobody could be trusted.
    unless:
      /no such file|timed? ?out(?!=)|\bEOF\b|reset by peer|connection (?:was )?\S* ?(?:refused|closed|terminated)|deadline exceeded/i,
    match: any`
      /\bx509: / | self[- ]signed certificate | /\bSSL(?:Error|_ERROR|: )/ | /\btls: / | CERT_UNTRUSTED | OpenSSL SSL_connect
      certificate (?:of \S+ )?(?:verify|verification|is not trusted|problem|signed by|is not valid|required|relies)
      certificate's owner does not match | a known issuer
      /\b(?:TLS|SSL) (?:handshake|alert|negotiation|error|connect error)/ | wrong version number
      unable to (?:get|verify).{0,30}(?:certificate|signature) | HTTP response to HTTPS client
    `,
  },
  'nobody answers': {
    class: 'network_error',
    transient: true,
    match: any`
      ${says('silent', 'peer')}
      too ?many ?requests | bad gateway | service (?:temporarily )?unavailable | gateway time-?out | rate ?limit(?:ed|s)?
      hash sum mismatch | mirror sync in progress
      (?:returned error|status|code|HTTP(?: error|\/\d(?:\.\d)?)?)[: =]{1,3}(?:429|50[234])
      (?:connection|connect|network|socket|transport)(?: to \S+)? (?:error|failed|failure) | /\bfetch failed$/ | 100% packet loss
      E(?:CONN(?:REFUSED|RESET|ABORTED)|TIMEDOUT|NETUNREACH) | i\/o timeout | socket hang up | early EOF | /\btimeout(?:error)?: timed out\b/
      /(?<!(?:pars|decod|unmarshal)(?![^\n]{0,40}response)[^\n]{0,40}): EOF\b/
      EOF occurred | /\bunexpected EOF\b(?! while looking| in archive)/ | /^curl: \((?:5|6|7|18|28|35|52|55|56|92)\)/
      (?:read|operation)\b.{0,60}\b(?:timed out|timeout) | kex_exchange_identification | client_loop: send disconnect
      broken pipe\b.*\b(?:ssh|rsync|write|packet) | rsync protocol data stream | URLError | urlopen error | RPC failed; curl
      Max retries exceeded with url | giving up after \d+ | (?:NoRouteToHost|Connect|SocketTimeout)Exception | Error while dialing
      /\b(?:Get|Post|Put|Patch|Head) \\?"?https?:.{0,300}\b(?:context deadline exceeded|timeout(?!=)|EOF|deadline)/
      /\bcontext deadline exceeded\b.{0,80}\b(?:Client\.Timeout|awaiting headers|dial|connection)/
      /\bcode = (?:Unavailable|DeadlineExceeded)\b.{0,200}\b(?:connection|dial|transport)/ | network is unreachable
      (?:could not|cannot|can't|couldn't|unable to|failed to) (?:connect(?! to (?:\w+ ){0,2}bus\b)|reach|contact|establish)
    `,
  },

  // What Proxmox and Talos keep for themselves, before files in general.
  'Proxmox guest or disk': {
    class: 'proxmox_error',
    match: any`
      (?:qemu-server|lxc)\/\d+\.conf | /\bconfiguration file for (?:VM|CT) \d+/ | unable to activate storage
      /\b(?:VM|CT|guest) \d+ (?:does not exist|not found|already exists)/ | /\/(?:dev|mnt|etc)\/pve\// | /\/var\/lib\/vz\//
      /\b(?:vm|base|subvol)-\d{3,9}-(?:disk|cloudinit)\b/ | /\bvolume '[\w.-]+:/
    `,
  },
  'Talos image or patch': {
    class: 'talos_error',
    by: TALOS,
    match: any`
      (?:apply|load|parse) config patch(?![^\n]*no such file) | (?:image|installer|config|disk)\b.*\b(?:not found|404|invalid)
      /['"]\/(?:machine|cluster)\/\w/
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
    match: any`No module named | /\bcannot find (?:-l\w|(?:package|module) '[^.\/'])/ | shared (?:libraries|object file) | /\bin @INC\b/`,
  },
  'killed for memory': { class: 'unknown', match: [/\bout of memory: killed\b|\bOOMKilled\b|\boom-kill/i] },
  'file missing': {
    class: 'missing_file',
    // A path in a document is no file, nor is an argument that is called so.
    unless:
      /: (?:device or resource busy|input\/output error|too many open files|timeout)\b|\bdoc is missing \w|\bmissing required (?:arg|param|opt|field|key)\w*:/i,
    match: any`
      ${says('lost', 'file')}
      /\b(?:cannot|can't|could not|unable to|failed to) (?:open|stat|access|read) ['"‘][\w.@\/-]+['"’]/
      /^curl: \((?:26|37|77)\)/ | ENOENT | No rule to make target | Cannot find module | ERR_MODULE_NOT_FOUND
      /"(?:\/[\w./-]+|[\w./-]+\.\w{1,5})": not found/ | no file exists at | No configuration files | find or access
      Did not find any .{1,60} files? | No files? (?:found|matched|\S+ in) | No \w+file found | /(?:not a|\/\S{0,100}' does not appear to be a) git repository/
      /\b(?:cannot|could not|unable to) find .{1,80} in (?:\w+ ){0,3}(?:paths?|director(?:y|ies)|folders?)\b/
    `,
  },
  'package unknown': {
    class: 'config_error',
    match: any`
      ${says('lost', 'package')} ${says('unknown', 'package')}
      not going to be installed | (?:unmet|broken) (?:dependencies|packages)
    `,
  },
  // A resource of Proxmox or Talos is where Terraform found it, not who says it.
  'Terraform language': {
    class: 'config_error',
    match: [
      /^Error: (?:Error in|Reference|Unsupported|Missing|Incorrect|Call to|Invalid|Inconsistent|Duplicate|Extraneous|Ambiguous) [a-z]/m,
      /^Error: [A-Z][a-z]+(?: [a-z]+)+ not [a-z]+$/m,
      /\bhas not been declared\b/,
    ],
  },
  // A tool's own complaint.
  'said by Talos': { class: 'talos_error', by: TALOS, match: [/\S/] },
  'said by Proxmox': { class: 'proxmox_error', by: PROXMOX, match: [/\S/] },

  // Bugs of a script or a program are no configuration, though their words are alike.
  'the program itself is wrong': {
    class: 'unknown',
    match: any`
      /^(?:Uncaught )?(?:\w+\.)*(?:Key|Type|Attribute|Name|Index|Value|Reference|Range|Assertion|Syntax|Import|Runtime|Unbound\w*)Error:(?!.{0,200}\bJSON\b)/
      parameter not set | bad substitution | /^(?!\S+\.(?:conf|cfg|ini|ya?ml|toml|json):)(?=\S*(?:\/|sh: ))\S+: (?:line )?\d+: / | /^error\[E\d+\]/
    `,
  },
  'configuration refused': {
    class: 'config_error',
    // What a machine has, or lacks.
    unless: /\bno such (?:pool|device|process)\b|\binsufficient\b|\benough\b/i,
    match: any`
      ${complains('lost', 'unknown', 'malformed', 'taken')}
      additional ?propert(?:y|ies) | no hosts (?:matched|to target) | does not appear to be | nil pointer evaluating | (?:valid|in) JSON
      (?:\w+\.)*(?:Validation|Config\w*|Schema|Template|Decode)(?:Error|Exception) | (?:TOML|JSON)DecodeError
      execution error at | error calling \w+ | template error | /\btemplate: \S+:\d+:\d+: / | may not add resource
      cannot re-use a name | (?:valid|allowed|supported|possible) (?:values|formats|options|types|choices) (?:are|include) | SOPS encrypted, configuring decryption | /\bError: Cycle: \w/
      (?:requires|accepts|takes|expects)(?: \w+){0,3} \d+ arg(?:ument)?s? | got \d+ arguments? but | /\bstatus=2\d\d\/[A-Z_]+/
      required (?:property|field|value|argument|option|variable|parameter|key) | (?:validation|schema check) failed
      exec format error | (?:dependency|import|reference) cycle | (?:circular|cyclic) \w+
      (?:returned error|status(?: code)?|code|HTTP(?: error|\/\d(?:\.\d)?)?)[: =]{1,3}(?:404|410)
    `,
  },

  // Flags that a failure has whatever its class: all that match count.
  'somebody else holds the lock': {
    transient: true,
    unless: /permission denied|\bare you root\b|no such file or directory/i,
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
};

export const CLASS_RULES: readonly ClassRule[] = Object.entries(TABLE).map(([name, rule]) => ({ name, ...rule }));
