// What class a failure has: an ordered table, the first rule that matches decides. Generic causes stand before the tools
// that report them, so an unreachable Talos API is a network_error; a tool's own rules stand first only where its words
// would be taken for a generic cause. Texts that each rule must match, and must not, are in test/fixtures/rules.
import type { FailureClass } from '../config/loop-config.ts';

export interface ClassRule {
  /** For `explain`. */
  name: string;
  class: FailureClass;
  /** It may pass by itself. */
  transient?: true;
  /** Nothing in the repository could fix it; this is the one thing that the human must do. */
  external?: string;
  /** One of them matches the error lines. */
  match: readonly RegExp[];
  /** Tested against the lines just before them: which tool was at work. */
  near?: RegExp;
}

const TALOSCTL = /\btalosctl\b|\btalosconfig\b|\[talos\]/i;
const PROXMOX = /(?:^|[\s/@"'])(?:qm|pct|pvesh|pvesm|pveum|pvecm|qmrestore|vzdump)\s|\bUPID:/im;

export const CLASS_RULES: readonly ClassRule[] = [
  // What the loop itself found before or after the command.
  {
    name: 'required tool missing',
    class: 'command_not_found',
    external: 'install what is missing; the log says where to get it',
    match: [/^mendloop: requires: .*\btool\b/m],
  },
  {
    name: 'required environment missing',
    class: 'unknown',
    external: 'set the variables that the log names',
    match: [/^mendloop: requires: .*\b(?:env|environment|variable)\b/m],
  },
  { name: 'required file missing', class: 'missing_file', match: [/^mendloop: requires: .*\bfile\b/m] },

  // A typo in YAML, wherever it appears.
  {
    name: 'YAML that does not parse',
    class: 'yaml_parse_error',
    match: [
      /(?<![\w.])yaml: (?:line \d+|unmarshal|invalid|control characters|unknown|found|did not|mapping|could not|block|anchor|document)/i,
      /\bYAML(?:Exception|ParseError|SyntaxError|SemanticError|Error)\b/i,
      /\byaml\.(?:scanner|parser|composer|constructor|reader)\./i,
      /\bPsych::(?:SyntaxError|BadAlias|DisallowedClass)|\bYAML parse error\b/i,
      /\berror converting YAML to JSON\b|\bmapping values are not allowed\b|\bdid not find expected\b/i,
      /\bcould not find expected\b|\bcannot start any token\b|\bexpected <block end>/i,
      /\bwhile (?:scanning|parsing) (?:a|an|the) (?:simple key|block|flow|quoted|plain|anchor|alias|tag|node|document)/i,
      /\bbad indentation of a\b|\bfound duplicate key\b|\bduplicated? mapping key\b/i,
      /\bmap keys must be unique\b|\bnested mappings are not allowed\b|\bimplicit keys need to be/i,
      /\b(?:malformed|invalid)(?: inline)? yaml\b|\bunacceptable character\b|\bfound undefined alias\b|\bYAML::\w|\bfound unexpected end of stream\b/i,
      /\bblock (?:sequence|collection|mapping)s? (?:entries|items)? ?(?:are|is|must|cannot)/i,
      /\b(?:syntax error|error) while loading yaml\b|\bya?ml (?:syntax|parse|parsing|scanner) error\b/i,
      /\b(?:failed|unable|error|cannot|could not)\b.{0,60}\bpars(?:e|ing)\b.{0,80}\.ya?ml\b.*\bline \d+/i,
      /\bsyntax error: .{0,200}\(syntax\)/i,
      /\ball (?:collection|sequence|mapping) items must start at the same column/i,
      /\btabs? (?:characters? )?(?:must not be|are not allowed|cannot be|as indentation)/i,
    ],
  },

  // A program that is not there.
  {
    name: 'command not found',
    class: 'command_not_found',
    match: [
      /\bcommand not found\b|(?:^|\s)\S+(?:\[\d+\])?: (?:line )?\d+: [^:]+: not found$/im,
      /(?:^|[\s/])\w*sh(?:\[\d+\])?: [\w.+-]+: not found$|\.k?sh\[\d+\]: [\w.+-]+: not found$/im,
      /^(?:xargs|find|nice|timeout|setsid|ionice|strace|watch): ['‘"]?[\w+-]+['’"]?: No such file/im,
      /\bFailed to exec [\w.+-]+: No such file|\bNo such file or directory - [\w+-]+ \(Errno/im,
      /\bexecutable file not found in \$?PATH|\bexecutable [\w./-]+ not found\b|\bspawn \S+ ENOENT\b/im,
      /^(?:\/usr\/bin\/)?env: .{1,80}: No such file or directory/im,
      /^make(?:\[\d+\])?: [\w.+-]+: (?:No such file or directory|Command not found|Permission denied$)/im,
      /\bfailed to run command .{1,80}: No such file|\bNo such file or directory - Failed to exec\b/im,
      /^\S+: exec: .{1,80}: not found|\bunknown command "[^"]+" for "(?:kubectl|helm|flux|talosctl)"/im,
      /\bis not (?:recognized as an internal|a (?:docker|git|kubectl|helm) command)\b/im,
      /\bbad interpreter: No such file|\bunknown (?:shorthand )?command: \S+$|\bno such command\b/im,
      /\bCommand '[^']+' not found\b/im,
      /\b(?:program|binary|executable|tool) .{1,60} (?:is )?(?:not found|not installed|missing)\b/im,
      /\bNo such file or directory: b?'[\w+-]+'|\bcould not find executable\b/im,
      /\b(?:kubectl|helm|talosctl|flux|jq|yq|sops|age|ansible|terraform|docker): not found\b/im,
    ],
  },

  {
    name: 'refused by Kubernetes validation',
    class: 'unknown',
    match: [
      /\bfield is immutable\b/i,
      /\bspec(?:\.[\w.[\]]+)?: (?:Forbidden|Invalid value|Required value|Unsupported value)\b/i,
      /\badmission webhook .{1,120} denied the request\b|\bexceeded quota\b/i,
    ],
  },

  // Not allowed.
  {
    name: 'credentials refused',
    class: 'permission_denied',
    external: 'check the credentials that this stage uses',
    match: [
      /\bPermission denied \((?:publickey|password|keyboard|gssapi)/i,
      /\b401\b.{0,40}\b(?:unauthorized|authentication|no ticket|permission)|\bUnauthorized\b/i,
      /\bauthentication (?:failed|failure|required|is required)\b/i,
      /\binvalid (?:credentials|api (?:key|token)|(?:access|auth|bearer|refresh|session|join) token|username or password|login|authentication)\b/i,
      /\b(?:bad|incorrect) (?:password|credentials|username)\b|\bpassword authentication failed\b/i,
      /\blogin (?:failed|incorrect|denied)\b|\bcould not read (?:Username|Password)\b/i,
      /\ba (?:password|terminal) is required\b|\bno identity matched any of the recipients\b/i,
      /\bvalidate API key\b|\bAPI key \S+ not valid\b/i,
      /\b(?:returned error|status(?: code)?|HTTP(?:\/\d(?:\.\d)?)?)[: =]{1,3}401\b/i,
      /\b(?:sudo|become) password\b|\bno (?:master )?key was able to decrypt\b/i,
      /\bToo many authentication failures\b|\bHost key verification failed\b/i,
      /\b(?:access|auth) ?token (?:is |has )?(?:expired|invalid)\b/i,
      /\bcredentials? (?:have |has |are |is )?(?:expired|invalid|missing|rejected)\b|\bno credentials\b/i,
      /\bMust be logged in\b|\bcode = Unauthenticated\b|\bthe server has asked for the client to provide credentials\b/i,
      /\bSupport for password authentication was removed\b|\bNOAUTH\b|\bWRONGPASS\b/i,
      /\bdenied: requested access\b|\bpull access denied\b/i,
    ],
  },
  {
    name: 'not allowed',
    class: 'permission_denied',
    match: [
      /\bpermission denied\b|\bpermissions? (?:check failed|are too open|is required|error)\b/i,
      /\bE(?:ACCES|PERM)\b|\bPermissionError\b|\boperation not permitted\b|\b(?:is )?forbidden\b/i,
      /\b403\b.{0,60}\b(?:forbidden|permission|denied)/i,
      /\b(?:HTTP|status|code|error:?)[ /=:\d.]{1,12}403\b|\baccess (?:is )?denied\b/i,
      /\b(?:must be|only) (?:run (?:as|by) )?(?:root|superuser|super user)\b|\bare you root\b/i,
      /\brequires? (?:root|superuser|administrator|elevated)\b|\bnot authori[sz]ed\b/i,
      /\bcannot (?:get|list|create|watch|patch|update|delete) resource\b/i,
      /\binsufficient (?:permissions?|privileges?)\b|\bread-only file system\b/i,
      /\bis not in the sudoers file\b|\bbecome.*(?:password|root)\b|\bunsafe (?:ownership|permissions)/i,
      /\bdubious ownership\b|\bviolates PodSecurity\b|\bneed to be root\b|\bhas no permissions?\b/i,
    ],
  },

  // Out of reach.
  {
    name: 'Proxmox proxy error',
    class: 'proxmox_error',
    transient: true,
    match: [/\b(?:ResourceException: |HTTP )?59[679]\b.{0,80}\b(?:TLS|ssl|timeout|timed out|broken pipe|too large)/i],
  },
  {
    name: 'host off',
    class: 'network_error',
    transient: true,
    external: 'see whether that host is on, and on the network',
    match: [
      /\bno route to host\b|(?<!bus: )\bhost is (?:down|unreachable)\b|\bE?(?:HOSTUNREACH|HOSTDOWN)\b/i,
      /\bdestination host unreachable\b/i,
    ],
  },
  {
    name: 'name not resolved for now',
    class: 'network_error',
    transient: true,
    match: [
      /\btemporary failure (?:in name resolution|resolving)\b|\bEAI_AGAIN\b|\bserver misbehaving\b/i,
      /\btry again later\b.*\bresolv/i,
    ],
  },
  {
    name: 'name unknown',
    class: 'network_error',
    match: [
      /\bcould not resolve (?!dependenc|ref|to )|\bname or service not known\b|\bno such host\b|\bUnknownHostException\b/i,
      /\bENOTFOUND\b|\bnodename nor servname\b|\bunknown host\b(?! key)/i,
      /\b(?:failed|unable|cannot) to resolve (?:host|address|name)|\bNXDOMAIN\b|\bname resolution\b/i,
      /\bNameResolutionError\b|\bno address associated with hostname\b|\bunable to resolve host\b/i,
      /\bSERVFAIL\b/i,
    ],
  },
  {
    name: 'nobody answers',
    class: 'network_error',
    transient: true,
    match: [
      /\bconnection (?:was )?(?:refused|reset|timed out|closed|aborted|error|lost|timeout)\b/im,
      /\bECONN(?:REFUSED|RESET|ABORTED)\b|\bETIMEDOUT\b|\bENETUNREACH\b|\bnetwork is unreachable\b/im,
      /\bi\/o timeout\b/im,
      /\b(?:connect|connection|connecting|read|dial|handshake|ssh|tcp|http|request|response|fetch|download|operation)\b.{0,60}\b(?:timed out|timeout)\b/im,
      /\btimed out\b.{0,60}\b(?:connect|connection|handshake|read|response|headers)\b/im,
      /\bfailed to connect\b/im,
      /\b(?:could not|cannot|couldn't|unable to|can't) (?:connect|reach|contact|establish)\b/im,
      /\bsocket hang up\b|\bunexpected EOF\b(?! while looking)|^curl: \((?:5|6|7|28|35|52|55|56|92)\)/im,
      /\bconnection to \S+ (?:was )?(?:refused|failed|timed out)|\bEOF occurred\b|: EOF\b/im,
      /\bUNREACHABLE!|\bkex_exchange_identification\b|\bConnection closed by\b|\bremote end closed\b/im,
      /\bbroken pipe\b.*\b(?:ssh|rsync|write|packet)\b|\bclient_loop: send disconnect\b/im,
      /\berror in rsync protocol data stream\b|\bURLError\b|\burlopen error\b|\bfetch failed\b/im,
      /\bMax retries exceeded with url\b/im,
      /\bcontext deadline exceeded\b.{0,80}\b(?:Client\.Timeout|awaiting headers|dial|connection)/im,
      /\b(?:Get|Post|Put|Patch|Head) \\?"?https?:.{0,300}\b(?:context deadline exceeded|timeout|EOF|deadline)/im,
      /\b(?:NoRouteToHost|Connect|SocketTimeout|ConnectTimeout)Exception\b/im,
      /\bcode = (?:Unavailable|DeadlineExceeded)\b.{0,200}\b(?:connection|dial|transport)/im,
      /\btransport: Error while dialing\b|\bserver closed the connection\b/im,
      /\bremote hung up unexpectedly\b|\bRPC failed; curl\b|\bearly EOF\b/im,
      /\bno servers could be reached\b|\btimeout waiting for (?:ssh|winrm|a connection)/im,
      /\bUnable to connect to the server\b|\bconnection to the server .{1,80} was refused\b/im,
    ],
  },
  {
    name: 'too many requests, or a gateway',
    class: 'network_error',
    transient: true,
    match: [
      /\b(?:429|502|503|504)\b.{0,40}\b(?:too many requests|bad gateway|service (?:temporarily )?unavailable|gateway time-?out)/i,
      /\btoo many requests\b|\bbad gateway\b|\bservice (?:temporarily )?unavailable\b/i,
      /\bgateway time-?out\b|\brate ?limit(?:ed|s)?\b|\btoomanyrequests\b/i,
      /\b(?:returned error|status(?: code)?|HTTP(?:\/\d(?:\.\d)?)?)[: =]{1,3}(?:429|50[234])\b/i,
    ],
  },
  {
    name: 'TLS',
    class: 'network_error',
    match: [
      /\bx509: /i,
      /\bcertificate (?:verify|verification|has expired|is not trusted|problem|signed by|is not valid|required|relies)\b/i,
      /\bself[- ]signed certificate\b|\bSSL(?:Error| certificate problem|_ERROR|: )/i,
      /\b(?:TLS|SSL) (?:handshake|alert|negotiation|error|connect error)|\btls: /i,
      /\bunable to (?:get|verify).{0,30}(?:certificate|signature)\b/i,
      /\bCERT_(?:HAS_EXPIRED|NOT_YET_VALID|UNTRUSTED)\b|\bwrong version number\b/i,
      /\bOpenSSL SSL_connect\b|\bfirst record does not look like a TLS handshake\b/i,
    ],
  },

  // Files that Proxmox keeps for itself, before files in general.
  {
    name: 'Proxmox guest without configuration',
    class: 'proxmox_error',
    match: [
      /\b(?:qemu-server|lxc)\/\d+\.conf\b|\bconfiguration file for (?:VM|CT) \d+/i,
      /\b(?:VM|CT|guest) \d+ (?:does not exist|not found|already exists)/i,
    ],
  },

  // Proxmox's and Talos's own complaints, where their words would be taken for a missing file.
  {
    name: 'Talos image or patch',
    class: 'talos_error',
    match: [
      /\b(?:apply|load|parse) config patch\b|\bdisk \S+ not found in the system\b/i,
      /\berror pulling installer image\b|\binstaller image\b.*\bnot found\b/i,
      /\bfactory\.talos\.dev\b.*\b(?:not found|404|invalid)\b/i,
    ],
  },
  {
    name: 'package index out of reach',
    class: 'network_error',
    transient: true,
    match: [/\bfrom versions: none\b/i],
    near: /\bname resolution\b|\bNewConnectionError\b|\bConnectTimeout|\bconnection (?:refused|broken|reset|timed out)\b/i,
  },
  {
    name: 'package or library missing',
    class: 'unknown',
    match: [
      /\bNo module named\b|\bCould not find a version that satisfies\b/i,
      /\bNo matching distribution found\b|\bUnable to locate package\b/i,
      /\bhas no installation candidate\b|\bcannot find -l\w|\bunmet dependencies\b/i,
      /\berror while loading shared libraries\b/i,
    ],
  },
  { name: 'killed for memory', class: 'unknown', match: [/\bout of memory: killed\b|\bOOMKilled\b|\boom-kill/i] },
  {
    name: 'file missing',
    class: 'missing_file',
    match: [
      /\bno such file or directory\b|\bENOENT\b|\bFileNotFoundError\b|\bNoSuchFile(?:Exception)?\b/i,
      /\bNo rule to make target\b/i,
      /\b(?:file|path|directory|folder|template|playbook|inventory|module source|kubeconfig|config(?:uration)?(?: file)?|dockerfile|script|key ?file)\b.{0,120}\b(?:does not exist|doesn't exist|not found|could not be found|was not found|cannot be found|is missing|not readable: no)/i,
      /(?:^|[\s"'`‘(])\.{0,2}\/[^\s'"’]+['"’]? (?:does not exist|doesn't exist|not found)/i,
      /\b(?:cannot|can't|could not|couldn't|unable to|failed to) (?:open|find|stat|access|locate)\b (?:\w+ ){0,3}(?:file|path|directory|template|playbook|["'`‘]?(?:\.{0,2}\/|[\w-]+\.(?:ya?ml|json|toml|tf|sh|conf|env|cfg|ini|pem|crt|key|tgz|iso|img|raw)\b))/i,
      /"\/?[\w.-]+(?:\/[\w.-]+)*\.?[\w-]*": not found|\bmissing (?:file|chart|template|required file)/i,
      /\bunable to find one of 'kustomization|\bno such file\b|\bno file exists at\b|\bcannot find module '[./]/i,
      /\bCannot find module\b|\bERR_MODULE_NOT_FOUND\b|\bNo configuration files\b/i,
      /\bthe role '.{1,80}' was not found\b|\bfile not found\b|\bDid not find any .{1,60} files?\b/i,
      /\bNo file(?:s)? (?:found|matched)|\bChart\.yaml file is missing\b/i,
      /\binvalid or missing program image\b|\bpathspec '.{1,80}' did not match\b/i,
      /\bdoes not appear to be a git repository\b|\bnot a git repository\b|\bCould not find or access\b/i,
    ],
  },

  {
    name: 'secrets that do not decrypt',
    class: 'permission_denied',
    external: 'give this machine the key that decrypts them',
    match: [/\bFailed to get the data key\b/i],
  },

  // A tool's own complaint.
  {
    name: 'Talos machine configuration',
    class: 'talos_error',
    match: [
      /\bunknown keys found during decoding\b/i,
      /\berror (?:applying new configuration|executing bootstrap|getting (?:version|disks|members|time)|upgrading|rebooting|resetting|fetching logs|constructing client|reading config|validating config)\b/i,
      /\bmaintenance mode\b|\bmachine config(?:uration)?\b|\bmachineconfig\b|\btalos(?:ctl|config)\b/i,
      /\[talos\]|\bTalos (?:API|version|node|Linux)\b/i,
      /\bwaiting for (?:etcd|apid|kubelet|all (?:k8s |control plane )?(?:nodes|components)|control plane|kube-proxy|coredns)\b/i,
      /\bhealthcheck error\b|"machine\.\w|\bunsupported upgrade path\b/i,
      /\bnetworking\.(?:os|kubernetes)\.|\bvirtual \(shared\) IP\b|\betcd data directory is not empty\b/i,
      /\bbootstrap is not available yet\b|\bfailed to determine endpoints\b/i,
      /\bnodes are not set for the command\b|\bv1alpha1\.Config\b|\bcluster instance (?:endpoint|CA)/i,
      /\bkubespan\b|\bvalidate etcd for upgrade\b/i,
    ],
  },
  {
    name: 'Proxmox',
    class: 'proxmox_error',
    match: [
      /\bTASK ERROR\b/i,
      /\b(?:VM|CT|VMID|vmid|guest|container) '?\d{3,9}'?\b.{0,80}\b(?:is locked|locked|running|not running|template|exists|already|does not|failed|no such|error|unable)\b/i,
      /\b(?:unable to create|can't (?:start|stop|clone|lock|create|migrate)|cannot (?:start|clone|migrate|remove)) (?:a )?(?:vm|ct|container|image|file '\/var\/lock)\b/i,
      /\bstorage (?:ID )?'[^']*'|\bvolume '[^']*' (?:does not exist|already exists)/i,
      /\bupdate ACL failed\b|\bno such storage\b/i,
      /\bstorage .{0,60}\b(?:is not (?:online|available|enabled)|does not support|is disabled)\b/i,
      /\blvcreate '|\bthin pool\b|\bQEMU guest agent\b/i,
      /\bproxmoxer\b|\bproxmox_\w+\b|\bproxmox-(?:iso|clone)\b|\b[Pp]roxmox (?:VE|API|node|cluster)\b/,
      /\bResourceException\b|\bqemu-img: |\bqemu-server\b|\bkvm: |\bno quorum\b/i,
      /\bParameter verification failed\b|\bvalue does not match the regex pattern\b/i,
      /\bno such (?:vm|logical volume|cluster node|volume)\b|\bVM is locked\b/i,
      /\b(?:MAX|max) \d+ vcpus allowed|\bimporting disk\b/i,
      /\bunable to parse (?:volume|directory volume|lvm|zfs|drive)|\bzfs error\b/i,
      /\bpve(?:sh|sm|um|cm|daemon|proxy|statd)\b|\bstart failed: \b|\bjob errors\b/i,
      /\bdisk image\b.*\balready exists\b|\bunsupported format 'raw/i,
      /\bcloudinit\b|\bhotplug problem\b/i,
    ],
  },
  { name: 'said by talosctl', class: 'talos_error', match: [/\S/], near: TALOSCTL },
  { name: 'said by a Proxmox tool', class: 'proxmox_error', match: [/\S/], near: PROXMOX },
];

/** Flags that a failure has whatever its class: all that match count. */
export type FlagRule = Omit<ClassRule, 'class' | 'near'>;

export const FLAG_RULES: readonly FlagRule[] = [
  {
    name: 'somebody else holds the lock',
    transient: true,
    match: [
      /\bcould not get lock\b|\bis another process using it\b|\bacquiring the state lock\b/i,
      /\banother (?:operation|git process|process|instance|app)\b.{0,60}\b(?:in progress|running|lock|holding)/i,
      /\bgot timeout\b|\bis locked\b|\bresource temporarily unavailable\b|\btext file busy\b/i,
      /\bdevice or resource busy\b/i,
    ],
  },
  {
    name: 'not ready yet',
    transient: true,
    match: [
      /\bleader changed\b|\bnot available yet\b|\btry again later\b/i,
      /\bthe object has been modified; please apply your changes\b/i,
      /\bthe server is currently unable to handle the request\b/i,
      /\betcdserver: (?:request timed out|leader|too many)/i,
    ],
  },
  {
    name: 'the machine is full',
    external: 'free space or memory on that machine',
    match: [
      /\bno space left on device\b|\bENOSPC\b|\bdisk quota exceeded\b|\bfree space in thin pool\b/i,
      /\binsufficient free space\b|\bcannot allocate memory\b|\bout of memory\b/i,
    ],
  },
];
