// How much a cleaned line says about what went wrong. One table of patterns; the first that matches gives the grade.
import { complains, words } from './meaning.ts';
import { messageOf, withoutFronts } from './speaker.ts';

/**
 * strong: an error by its form or by its words. weak: words that often, but not always, mean an error. wrapper: says only
 * that something before it failed. plain: anything else. info: a record of a level below warning. noise: says nothing.
 */
export type Grade = 'strong' | 'weak' | 'warning' | 'wrapper' | 'plain' | 'info' | 'noise';

/** The same patterns, those of a line's beginning as one: a log has many lines, and each test has its price. */
function together(patterns: readonly RegExp[]): readonly RegExp[] {
  const isOfStart = ({ source, flags }: RegExp) => flags === '' && /^\^(?:\\.|[^|(\\]|\([^()]*\)|\|\^)*$/.test(source);
  const ofStart = patterns.filter(isOfStart).map(({ source }) => source);
  const anywhere = patterns.filter((one) => !isOfStart(one));
  return ofStart.length === 0 ? anywhere : [new RegExp(ofStart.join('|')), ...anywhere];
}

/** Progress: it moves while nothing is wrong. */
const PROGRESS = together([
  /^[\s.#=>|/\\*~▏▎▍▌▋▊▉█░▒▓⠀-⣿-]+$/,
  /\d%\)?$|^\s*\d{1,3}(?:\.\d+)?% /,
  /(?<![#=>█])[#=>█]{3,}.{0,40}\d{1,3}(?:\.\d+)?%|\d{1,3}(?:\.\d+)?%.{0,20}[#=>█]{3}/,
  /\b\d+(?:\.\d+)? ?[kKMGT]i?B\/s\b|\b(?:eta|ETA) \d/,
  /^\s*\d+\s+[\d.]+[kMG]?\s+\d+\s+[\d.]+[kMG]?\s+\d+\s/,
  /^\s*% Total\b|^\s*Dload\s+Upload\b/,
  /\b(?:pulling|downloading|extracting|uploading|copying)\b.{0,80}(?:\d+%|\(\d+\/\d+\)|\.\.\.)$/i,
  /\bwaiting\b.{0,80}(?:\d+%|\(\d+\/\d+\))$/i,
  /\b(?:uploaded|downloaded|synced|transferred|fetched|copied|received|sent)\b.{0,40}\b\d+(?:\.\d+)? ?[KMGT]i?B\b/i,
  /^(?:[0-9a-f]{12}: )(?:Pulling|Waiting|Download|Verifying|Pull complete|Already exists|Extracting)/,
  /^(?:ok|changed|skipping|included|rescued|ignored): \[|^FAILED - RETRYING: /,
  /^\s*(?:Container|Network|Volume|Image) \S+ +(?:Creat|Start|Stopp|Wait|Running|Healthy|Recreat|Remov|Pull|Build|Built|Exited)/,
  /^(?:Get|Hit|Ign):\d+ |^(?:Fetched \d|Reading package lists|Building dependency tree|Reading state information)/,
]);

/** Where in a program it happened. */
const FRAMES = together([
  /^\s+at .{1,300}$/,
  /^\s+\.\.\. \d+ (?:more|common frames)/,
  /^\s*File ".{0,300}", line \d+/,
  /^\s*[\^~|]+[\s^~|-]*$/,
  /^-+\^/,
  /^\s*\d+ \| /,
  /^goroutine \d+ \[|^\t?\S+\.(?:go|s):\d+(?: \+0x[0-9a-f]+)?$|^(?:created by )?[\w./*()-]+\(.{0,200}\)$/,
  /^\s+\d+: +(?:0x[0-9a-f]+ - )?(?:<|_?main\b|\w+::)|^stack backtrace:|^note: run with `RUST_BACKTRACE/,
  /^\s*(?:The above exception was the direct cause|During handling of the above exception)|^Emitted '\w+' event on /,
]);

/** How the program is used, what else one could do, who else was at work; never what went wrong. */
const CONTEXT = together([
  /^\s*(?:Usage|Flags|Global Flags|Options|Examples|Aliases|Available Commands|Commands):?\s*$|^[Uu]sage: /,
  /^\s+(?:-\w,? ?)?--[\w-]+/,
  /^(?:npm )?(?:notice|hint|HINT|Hint|note|help|tip)\b/,
  /^npm (?:notice|warn|WARN)\b|^A complete log of this run|^N: /,
  /^Node\.js v\d/,
  /^(?:For more (?:information|details|info)|See (?:also|also:|https?:|the|')|More details here|Learn more|Read documentation|Run '|Run ".* --help|Use ".* --help|Try '.* --help|To see |If you |Please |You (?:can|may) )/i,
  /https?:\/\/\S*\b(?:docs?|help|faq|wiki|support|sslcerts)\b\S*$/i,
  /^(?:NAME|NAMESPACE|LAST SEEN)\s{2,}[A-Z]/,
  /^Defaulted container |\bdoes not exist\. Installing it now\.$/,
  /^\++ |^Group \d+: FAILED$/,
  /\b(?:ok|passed|skipped|failed|failures|errors)[=: ]+\d+.*\b(?:ok|passed|skipped|failed|failures|errors)[=: ]+\d+/i,
  /^Some packages could not be installed|^requested an impossible situation/,
  /^distribution that some required|^or been moved out of Incoming|^The following information may help/,
  /^(?:PLAY|TASK|RUNNING HANDLER) (?:\[|RECAP)|\bok=\d+ +changed=\d+ +unreachable=\d+/,
  // A frame that helmfile draws around what helm said.
  /^(?:PATH|ARGS|ERROR|EXIT STATUS|STDERR|STDOUT|COMBINED OUTPUT|FAILED RELEASES|UPDATED RELEASES):?$|^\s+\d+: \S+ \(\d+ bytes\)$/,
  /^main\.\w+(?:\.func\d+)*$/,
  /^\s*(?:errno|syscall|signal)\b:? .{0,80}$/,
  /^\s+(?:code|address|port|path|hostname|dest|spawnargs|type|requiredBy|stack|name|generatedMessage|operator|position|line|column|snippet|buffer|mark|reason): .{0,300},?$/,
  /^\s*[[\](){},;][[\](){},;\s]*$/,
]);

/** Only says that something else, named or not, failed. */
const WRAPPERS = together([
  /^(?:g?make|gmake)(?:\[\d+\])?: (?:\*\*\* \[.*\] (?:Error \d+|[A-Z].*)|\*\*\* Waiting for|Leaving directory|Target .* not remade)/,
  /^(?:.{0,60}: )?(?:error: )?(?:the )?(?:process|command|script|program|job|step|recipe|hook|target|container)\b.{0,160}\b(?:exit(?:ed)?(?: with)?(?: (?:code|status))?:? ?\d+|non-zero exit (?:status|code).*)\.?$/i,
  /^\W{0,4}(?:error: )?(?:\w+ )?(?:stage|step|pipeline|job|build|deploy(?:ment)?|bootstrap|install(?:ation)?|run|script|tests?|command|playbook|provisioning|setup|hook|phase|recipe|target|upgrade|make)\b[^:'"/]{0,40}\b(?:failed|errored|FAILED|aborted)\b(?:\W{0,3}(?:after|in|with|rc|exit|code|status|run|see|check)\b[^'"/]{0,40})?[.!)]*$/i,
  /^[\w.-]+: failed after [\d.]+ ?\w+$/,
  /\bbuild stopped: |\bsubcommand failed\b/,
  /^-- Configuring incomplete, errors occurred|^==> Builds finished but no artifacts/,
  /^(?:##\[error\])?(?:error: )?(?:process completed with )?exit(?:ed)?(?: with)?(?: (?:code|status))?:? ?\d+\.?$/i,
  /^(?:error: )?recipe `.*` failed/i,
  /^command failed: |^importing disk failed/,
  /\bELIFECYCLE\b|\b(?:Main|Control) process exited, code=exited, status=(?!2\d\d\/)|\bFailed with result 'exit-code'/,
  /^ERROR: .{0,60}\bfailed(?: with)? exit (?:code|status) \d+$/i,
  /^(?:E: )?Sub-process .* returned an error code/,
  /^Errors were encountered while processing:|^Some index files failed to download/,
  /^Operation (?:failed|aborted|cancelled)\.?$/,
  /^Failed: \d+ failure\(s\)/,
  /^\s*Container \S+ +Error\b|^(?:ERROR: )?Encountered errors while bringing up the project|^(?:UPGRADE|INSTALLATION|ROLLBACK) FAILED$/,
  /^(?:\w+ )?[Pp]lanning failed\. (?:Terraform|OpenTofu) encountered|^(?:FATAL: )?all hosts have already failed|^NO MORE HOSTS LEFT/,
  /\bexited with non-zero status:?$|^(?:Error: )?plugin "[\w-]+" exited with error$|^(?:\[warn\] )?Code style issues (?:found|were found)/,
  /^err(?:or)? ?\d*: (?:failed processing release|release) .{0,80}(?:failed|exited)(?:: exit status \d+)?$/,
  /^(?:FAILED|FAILURE|Failed|failed|Error|ERROR|Aborting|Aborted?)[.!:]*$/,
  // Nix: what failed to build, and all that stands on it.
  /^(?:error: )?(?:builder for|build of|cannot build(?: derivation)?|\d+ dependenc(?:y|ies) of derivation) '\S+\.drv'(?:\.$|:? .{0,40}\b(?:failed|built)\b)/i,
  /^Reason: (?:builder failed|\d+ dependenc)|^error: Build failed due to failed dependenc/,
]);

/** The end of a line that passes on how a command ended; what the command said may stand before it. */
const EXIT_STATUS = /(?:\breturned non-zero|:) exit status \d+\.?"?$/;

/** After npm's own prefix. */
const NPM_WRAPPER =
  /^(?:code (?:ELIFECYCLE|EUSAGE|\d+)|path |command (?:failed|sh)|Lifecycle script|Test failed|Exit status|workspace |location )/;

/** A warning can at most be weak, whatever words it uses. */
const WARNING =
  /^(?:\[?(?:(?:DEPRECATION )?WARN(?:ING)?|Warn(?:ing)?|warn(?:ing)?)\]?\b|\s+\d+:\d+\s+warning\b|W\d{4} |WARN\[\d+\]|\w+: warning:|.{0,60}\blevel=warn|.{0,80}"level": ?"warn)/;
const LEVEL_BELOW = together([
  /^(?:\[[^\]]{1,40}\] |[\w.@-]+\[\d+\]: |[\w.-]+ +\| )?\[?(?:INFO|DEBUG|TRACE|NOTICE)\]?(?:[:\]\s]|$)/,
  /^\[?(?:info|debug|trace|Info|Debug)\]?(?:[:\]\s]|$)/,
  /^[ID]\d{4} |^(?:INFO|DEBU|TRAC)\[\d+\]/,
  /^[\w.]+\.go:\d+: .{0,80}\[(?:debug|info)\]/,
  // What is looked for comes first, and where it may stand after: the other way round each line is searched again and again.
  /\blevel=(?:info|debug|trace)\b(?<=^.{0,91})/i,
  /"(?:level|severity)": ?"(?:info|debug)"(?<=^.{0,140})/i,
]);
/** Not the end: it is tried again, or done without. */
const RETRYING = words`
    skipping | skipped | optional | ignored | ignoring | falling back | will retry | retrying | retry in
    try again in | retries? left | attempt \d+(?:\/\d+| of \d+) | /^attempt \d+: /
  `;

/** A tool goes on without something it was given, and says so as a warning: what fails later fails for that. */
const GOES_ON = words`
    variable is not set\. (?:Defaulting|Substituting) | /The \S+ variable is not set/ | Could not match supplied host pattern
    no hosts matched | /Unable to parse \S+ as an inventory source/ | /^Warning: unknown field "/
    /^\S+:\d+: .{1,200}\bignoring\b/
  `;

/** A program that names its error, by form. */
const STRONG_FORMS = [
  /^(?:[\w./@+-]+(?:\[\d+\])?: )*(?:(?:fatal|internal|runtime|syntax|parse|critical|unexpected|[A-Z]+) )?(?:error|fatal|panic|exception|failure)s?(?:\[\w+\])?:/i,
  /^\[?(?:ERROR|FATAL|CRITICAL|CRIT|EMERG|PANIC|ERR|Error|error|fatal)\]?(?:[:\]!]|\s|$)/,
  /^[EF]\d{4} |^(?:ERRO|FATA|PANI)\[\d+\]/,
  /\blevel=(?:error|fatal|panic|critical)\b/,
  /"(?:level|severity)": ?"(?:error|fatal|panic|critical|ERROR|FATAL)"|\berr(?:or)?="/,
  /^(?:E|Err|ERR!?|F): |^npm (?:error|ERR!) /,
  /^(?:Uncaught |\[cause\]: |\s*\[cause\]: |Caused by: |Exception in thread .{0,80}?)?[\w.$]*(?:Error|Exception|Panic|Failure|Interrupt|Exit|Refused|NotFound|Denied|Timeout)\b(?: \[\w+\])?(?::|$)/,
  /^\s*(?:Caused by|caused by):/,
  /^(?:panic|fatal error): |^thread '.{0,80}' panicked at|^\[signal SIG/,
  /\bfatal: |\bFAILED! =>|\bUNREACHABLE! =>|^failed: \[/,
  /^Error from server|^error (?:\w+ ){1,4}?\w+:|\brpc error: code = /,
  /^TASK ERROR|^\S+: \(\d+\) |\bstatus=2\d\d\/[A-Z_]+/,
  /^(?:unable to|could not|cannot|can't|couldn't|failed to)\b|^The \S+ ".{1,120}" is invalid:/i,
  /^\S+: (?:cannot|can't|could not|couldn't|unable to|failed to|unrecognized|invalid|unknown|illegal|missing|no such|not|bad|must be|permission|syntax)\b/i,
  /^(?:reconciliation failed|[\w/.-]+ (?:reconciliation|dry-run) failed)\b/i,
  /^\[(?:warn|error)\] \S+\.\w{1,8}$|^\S+\.\w{1,8}:\d+(?::\d+)?:? (?:\[?error\b|.*\[error\])/,
];

/** What the system says, whoever passes it on. */
const STRONG_WORDS = [
  words`
    No such (?:file or directory|host|device|process|container|image|key|user|group) | Permission denied | File exists
    Operation (?:not permitted|not supported|timed out) | command not found | (?:Is|Not) a directory | Directory not empty
    No space left on device | Read-only file system | Device or resource busy | Text file busy | Exec format error
    Argument list too long | Bad file descriptor | Invalid argument | Input\/output error | Cannot allocate memory
    Too many open files | Disk quota exceeded | Broken pipe | Stale file handle | Address already in use
    Cannot assign requested address | Protocol not supported | Host key verification failed
    Too many authentication failures | connection (?:refused|timed out|reset|closed by|aborted) | no route to host
    network is unreachable | host is (?:down|unreachable) | name or service not known | name resolution
    could not resolve | i\/o timeout | context deadline exceeded | tls handshake | certificate (?:verify|has|is|signed)
    x509 | EOF occurred | unexpected EOF | server misbehaving | unbound variable | parameter not set | bad substitution
    syntax error | unexpected token | unexpected end of file | ambiguous redirect | bad interpreter
    not a valid identifier | readonly variable | core dumped | segmentation fault | out of memory | oom-?kill\w*
    access denied | unauthorized | forbidden | authentication (?:failed|required) | invalid credentials
    not authorized | a (?:password|terminal) is required
  `,
  /\bE(?:NOENT|ACCES|PERM|EXIST|PIPE|ADDRINUSE|NOSPC|ISDIR|NOTDIR|NOTEMPTY|MFILE|INVAL|BUSY|RESOLVE|INTEGRITY|40[134])\b/,
  /\bE(?:CONNREFUSED|CONNRESET|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH)\b/,
];

const STRONG = together([
  ...STRONG_FORMS,
  ...STRONG_WORDS,
  /^\S*sh: (?:line )?\d+: .{1,200}: not found$|^\S+: (?:line )?\d+: /,
  /^\s+\d+:\d+\s+error\b/,
  /^(?:make|gmake)(?:\[\d+\])?: \*\*\* |^make: \S+: /,
  /^(?:Killed|Terminated|Aborted|Bus error|Illegal instruction|Floating point exception)\b/,
  /^AssertionError\b|^assert(?:ion)? failed|^FAIL(?:ED)?[: ]|^not ok \d/i,
]);

/** Words of a cause: they say what is wrong with something. */
const CAUSE = words`
    can ?not | (?:ca|wo|is|could|does|did)n't | (?:does|did) not | unable | invalid | denied | refuse[ds] | missing
    reject(?:ed|s)? | timed out | timeout | exceed(?:ed|s) | expired | conflicts? | unknown | unexpected | unsupported
    undefined | illegal | malformed | incorrect | busy | mismatch | corrupt(?:ed)? | unreachable | unavailable | expected
    stuck | closed | locked | forbid\w* | unauthorized | violat\w+ | bad | wrong | threshold | has changed
    not (?:a|be|empty|enough|exist|found|have|in|match|mounted|online|permitted|running)
    no (?:valid|supported|suitable|matching|mutual|usable|identity|match|matches|space|free|rule|default)
    not? (?:going|installable|quorum) | already (?:running|defined) | too (?:many|large|long|small) | toomanyrequests
    out of (?:memory|space|range|bounds|date|sync|disk|quota)
    NotFoundError | ErrImagePull | ImagePullBackOff | CreateContainer\w*Error
  `;

/** What is said to be missing, unknown, malformed or silent, whatever it is. */
const COMPLAINT = complains('lost', 'unknown', 'malformed', 'taken');
const isCause = (text: string): boolean => CAUSE.test(text) || COMPLAINT.test(text);

/** Words that only say that something is wrong. */
const TROUBLE = words`
    err(?:or)?s? | fail(?:ed|s|ure|ures|ing)? | abort(?:ed|ing)? | crash(?:ed)? | killed | panic(?:ked)? | fatal
    exception | unhealthy | not ready | BackOff | CrashLoop\w+
  `;

/** What was asked for when it failed. */
const FOUND_AT = /^[\w./-]+\.\w{1,8}:\d+(?::\d+)? [A-Z]/;
const PLACE = /^\s*(?:URL|Request|Endpoint): \S/;

const matches = (patterns: readonly RegExp[], line: string): boolean => patterns.some((pattern) => pattern.test(line));

/** The grade of a cleaned line. */
export function gradeOf(line: string): Grade {
  const npm = /^npm (?:error|ERR!)/.exec(line)?.[0];
  if (npm === undefined) return gradeText(line);
  const message = line.slice(npm.length + 1);
  if (NPM_WRAPPER.test(message)) return 'wrapper';
  if (/^\s{2}/.test(message) && !matches(STRONG_FORMS, message.trim())) return 'noise';
  const grade = gradeText(message);
  return grade === 'plain' ? 'weak' : grade;
}

/** What the loop itself wrote into the log: of a check only that it began, or that its command failed. */
const OWN = /^mendloop: /;
export const CHECK_FAILED = /^mendloop: verify: (.*): (exit code \d+|ended by \w+|left something running .*)$/;
const OWN_FINDING =
  /^mendloop: (?:requires: |(?:verify: )?check files: |verify: (?:tcp|http|file|nonempty|contains|yaml|json|output) .*: )/;

/** Only about the log itself, or about how the command is run: it says nothing of the failure. */
const OWN_REMARK = /^mendloop: the attempt ended before its output did /;

/** An event as Kubernetes lists them: its type, reason, age and source, before what is said. */
const EVENT = /^\s*(?:\S+\s{2,})?(Normal|Warning)\s{2,}\w+\s{2,}\S.{0,60}?\s{2,}(?:\S.{0,60}?\s{2,})?(?=\S)/;

function gradeText(line: string): Grade {
  const [front = '', type] = EVENT.exec(line) ?? [];
  if (type === 'Normal') return 'info';
  if (type === 'Warning') return gradeText(line.slice(front.length)) === 'strong' ? 'strong' : 'weak';
  if (OWN_REMARK.test(line)) return 'noise';
  if (OWN.test(line)) return OWN_FINDING.test(line) ? 'strong' : CHECK_FAILED.test(line) ? 'wrapper' : 'info';
  if (line.trim() === '' || isUnreadable(line)) return 'noise';
  if (isFrame(line) || matches(CONTEXT, line)) return 'noise';
  const behind = withoutFronts(line);
  const text = messageOf(behind);
  if (matches(LEVEL_BELOW, line) || (behind !== line && matches(LEVEL_BELOW, behind))) {
    return matches(PROGRESS, line) ? 'noise' : 'info';
  }
  if (GOES_ON.test(text)) return 'strong';
  if (anyMatches(WRAPPERS, line, behind, text)) return 'wrapper';
  if (EXIT_STATUS.test(text) && !matches(STRONG_WORDS, text)) return 'wrapper';
  if (anyMatches(STRONG, line, behind, text)) return isTentative(line, behind) ? 'warning' : 'strong';
  if (matches(PROGRESS, line)) return 'noise';
  if (isCause(line) || TROUBLE.test(line) || PLACE.test(line) || FOUND_AT.test(line))
    return isTentative(line, behind) ? 'warning' : 'weak';
  return 'plain';
}

const isTentative = (line: string, behind: string): boolean =>
  WARNING.test(line) || WARNING.test(behind) || RETRYING.test(line);

/** A line, what stands behind its fronts, what its record says: each is looked at once. */
const anyMatches = (patterns: readonly RegExp[], line: string, behind: string, text: string): boolean =>
  matches(patterns, line) ||
  (behind !== line && matches(patterns, behind)) ||
  (text !== behind && matches(patterns, text));

/** Whether a text says what is wrong, and not only that something is. */
export const isSpecific = (text: string): boolean => isCause(text) || matches(STRONG_WORDS, text);

/** Whether a warning tells of something that was done without, for which what comes later fails. */
export const isDoneWithout = (text: string): boolean => GOES_ON.test(text);

/** A line that only tells where in a program it happened. */
export const isFrame = (line: string): boolean => matches(FRAMES, line);

/** What other work prints in between: levels below warning, and progress. */
export const isChatter = (line: string): boolean =>
  matches(LEVEL_BELOW, line) || (matches(PROGRESS, line) && gradeOf(line) === 'noise');

/** Where the checks begin: what was printed before them ended well. */
export const beginsChecks = (line: string): boolean => line.startsWith('mendloop: verify: ');

/** Whether a line has something to say at all: text, and not only progress. */
export const isReadable = (line: string): boolean =>
  /\w/.test(line) && !isUnreadable(line) && !matches(PROGRESS, line) && !OWN_REMARK.test(line);

/** Bytes that are no text: a good part of the line is replacement characters. */
function isUnreadable(line: string): boolean {
  if (!line.includes('\ufffd')) return false;
  const broken = line.split('\ufffd').length - 1;
  return broken * 5 > line.length;
}
