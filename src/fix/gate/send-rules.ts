// Added commands that send files, standard input or secrets to somebody.

import { isShell } from '../shell/wrappers.ts';
import { type Address, addressesIn, isPrivate } from './addresses.ts';
import { Arguments } from './arguments.ts';
import type { Line } from './changed-lines.ts';
import { type Change, type Fact, type FileFacts, spellings } from './facts.ts';
import { asks, type Finding, refuses } from './finding.ts';
import type { Knows } from './rules.ts';
import { shownWords } from './shown.ts';

const WHY = 'sends files, standard input or secrets to somebody else';
const CLIENTS =
  /^(?:curl|wget|http|https|xh|httpie|nc|ncat|netcat|socat|telnet|ftp|lftp|tftp|sftp|scp|rsync|ssh|mail|mailx|s-nail|sendmail|mutt|swaks|msmtp|aws|gsutil|gcloud|az|rclone|s3cmd|s5cmd|mc|mcli|b2|gh|glab|openssl|dig|getent|nslookup|host|drill|ping|mosquitto_pub|kcat|kafkacat|redis-cli|ntfy|apprise|telegram-send|slack|websocat|grpcurl|hey|croc|wormhole|transfer|rsh|rcp|finger|whois|logger|snmptrap|snmpset|xmpp|irc|pastebinit|gist|curlie|aria2c|lynx|w3m|links|busybox|ipfs|docker|podman|skopeo|oras|crane|git)$/;
/** Options whose value is sent; the short ones mean something else to wget. */
const DATA =
  /^--(?:data\S*|form\S*|upload-file|json|post-file|post-data|body-file|body-data|url-query|cookie|form-string)$/;
const SHORT_DATA = /^(?:-[a-zA-Z]*[dFT]|-b)$/;
const JOINED_SHORT_DATA = /^-[dFT]\S/;
const JOINED_DATA = /^--(?:data\S*|form\S*|upload-file|json|post-file|post-data|body-file|body-data|url-query)=/;
const SECRET = /\$\{?\w*(?:TOKEN|PASSWORD|PASSWD|PASS|SECRET|API_?KEY|PRIVATE|CREDENTIAL|KUBECONFIG|AUTH|_KEY|_PW)\w*/i;
const SECRET_FILE =
  /(?:^|[=@/:])(?:\.env\S*|id_(?:rsa|ed25519|ecdsa)|kubeconfig|talosconfig|admin\.conf|k3s\.yaml|\S+\.(?:pem|key|agekey|kdbx)|secrets?\.(?:ya?ml|env|json)|shadow|authorized_keys|\.ssh|\.kube|terraform\.tfstate|credentials|age\.key|keys\.txt|\.netrc|\.pgpass|token)(?:$|[/\s])/i;
const ALWAYS =
  /^(?:mail|mailx|s-nail|sendmail|mutt|swaks|msmtp|croc|wormhole|transfer|pastebinit|gist|telegram-send|slack|tftp|rcp|kcat|kafkacat|mosquitto_pub|apprise)$/;

interface Sending {
  readonly destinations: readonly Address[];
  /** A destination that is only known at run time. */
  readonly unknown: boolean;
  readonly payload: readonly string[];
}

export function sendFindings(change: Change, knows: Knows): Finding[] {
  const { path, added, old, lines, now } = change;
  const earlier = old.commands.flatMap((fact) => {
    const sending = sendingOf(fact);
    return sending ? [{ program: fact.program, ...sending }] : [];
  });
  const commands = added.flatMap((fact): Finding[] => {
    const words = shownWords(fact);
    if (usesSocket(fact, now)) return [refuses('sends', path, fact.line, WHY, words)];
    const sending = sendingOf(fact);
    if (!sending) return [];
    const same = earlier.some(
      (other) =>
        other.program === fact.program &&
        hosts(other) === hosts(sending) &&
        plainPayload(other) === plainPayload(sending),
    );
    if (same) return [];
    const isNear =
      !sending.unknown &&
      sending.destinations.length > 0 &&
      sending.destinations.every((one) => isPrivate(one) || knows(one.host));
    const wasThere = earlier.some(
      (other) => other.program === fact.program && shortHosts(other) === shortHosts(sending),
    );
    return isNear || wasThere
      ? [asks('softer', path, fact.line, 'sends something to an address that is known', words)]
      : [refuses('sends', path, fact.line, WHY, words)];
  });
  // Another time limit sends nothing else, nor to anybody else.
  const plain = ({ text }: Line) => text.trim().replace(/\b(timeout["']?\s*[=:]\s*)\d+\b/gi, '$1');
  const isOther = (line: Line) => !lines.removed.some((other) => plain(other) === plain(line));
  return [
    ...commands,
    ...secretsInAddresses(change),
    ...(now.language === 'program'
      ? lines.added.filter(isOther).flatMap(({ text, number }) => programLine(path, text, number))
      : []),
  ];
}

/** An address with a secret in it, as data and templates write it. */
const SECRET_IN_ADDRESS =
  /:\/\/[^"\s]{0,200}?(?:\$\{|\{\{|["'] ?[~+]).{0,100}(?:token|passw(?:or)?d|secret|api_?key|private_key|kubeconfig)(?!\w)/i;

/** Data whose reader would tell a secret to whoever has the address; to the same one it was told before. */
function secretsInAddresses({ path, addedLeaves, goneLeaves }: Change): Finding[] {
  const hostOf = (value: string) => addressesIn(value)[0]?.host;
  return addedLeaves
    .filter(({ value }) => SECRET_IN_ADDRESS.test(value))
    .filter(
      ({ value }) =>
        !goneLeaves.some((leaf) => SECRET_IN_ADDRESS.test(leaf.value) && hostOf(leaf.value) === hostOf(value)),
    )
    .map(({ value, line }) => asks('softer', path, line, 'puts a secret into an address', value));
}

const hosts = ({ destinations }: Sending): string => destinations.map(({ host }) => host).join(' ');
/** `nas` and `nas.lan` may be one host. */
const shortHosts = (sending: Sending): string => hosts(sending).replace(/\b([a-z][\w-]*)\.\S+/g, '$1');
const plainPayload = ({ payload }: Sending): string => payload.join('\0').replace(/[${}]/g, '');

/** The text that a shell is given is read as the commands that it is. */
const usesSocket = ({ program, words, redirects }: Fact, file: FileFacts): boolean =>
  [
    ...words.map(({ text }) => text).filter((text) => !isShell(program) || text.startsWith('/dev/')),
    ...redirects.map(({ target }) => target?.text ?? ''),
  ].some((text) => spellings(text, file).some((one) => /\/dev\/(?:tcp|udp)\//.test(one)));

/** What a command sends, and where; undefined when it sends nothing. */
function sendingOf(fact: Fact): Sending | undefined {
  const { program, inline } = fact;
  if (inline && programSends(inline.text))
    return { destinations: addressesIn(inline.text), unknown: !/:\/\//.test(inline.text), payload: [inline.text] };
  if (!CLIENTS.test(program) || fact.role === 'maybe') return undefined;
  const args = new Arguments(fact.args);
  const payload = payloadOf(program, args, fact);
  if (payload.length === 0) return undefined;
  const all = fact.args.map(({ text }) => text).join(' ');
  const destinations = [...addressesIn(all), ...remoteHosts(program, args)];
  return { destinations, unknown: destinations.length === 0, payload };
}

const READS_INPUT =
  /^(?:nc|ncat|netcat|socat|telnet|ssh|openssl|curl|wget|http|https|xh|websocat|logger|aws|gsutil|rclone|gh|docker|busybox)$/;

function payloadOf(program: string, args: Arguments, fact: Fact): string[] {
  const { fedBy, redirects, document } = fact;
  if (!isNetworkUse(program, args)) return [];
  const input = redirects
    .filter(({ operator, target }) => operator === '<' && target?.text !== '/dev/null')
    .map(({ target }) => target?.text ?? '<');
  const fed =
    fedBy.length > 0 || document !== undefined
      ? [document?.text ?? `| ${fedBy[0]?.words.map(({ text }) => text).join(' ')}`]
      : [];
  const isShort = (option: RegExp, word: string) => program !== 'wget' && option.test(word);
  const data = args.words.filter((word, i) => {
    const before = args.words[i - 1] ?? '';
    return (
      DATA.test(before) || isShort(SHORT_DATA, before) || JOINED_DATA.test(word) || isShort(JOINED_SHORT_DATA, word)
    );
  });
  const secrets = fact.args
    .filter(({ text, dynamic }) => dynamic && (SECRET.test(text) || text.includes('$(…)')))
    .map(({ text }) => text);
  // The words of ssh name files on the other machine.
  const files = program === 'ssh' ? [] : args.words.filter((word) => SECRET_FILE.test(word));
  const shells = /^(?:nc|ncat|netcat|socat)$/.test(program) && args.any(/^-[a-z]*[ec]$|EXEC:|SYSTEM:/) ? ['-e'] : [];
  const uploads = [...uploaded(program, args), ...shells];
  const reads =
    READS_INPUT.test(program) && !(program === 'curl' && !args.any(/^(?:-|@-|.*@-)$/)) ? [...fed, ...input] : [];
  return [...data, ...secrets, ...files, ...uploads, ...reads, ...(ALWAYS.test(program) ? ['*', ...fed] : [])];
}

/** Clients that have other uses as well, and when they reach somebody. */
const USES: readonly (readonly [programs: RegExp, test: (args: Arguments) => boolean])[] = [
  [/^openssl$/, (args) => args.verb(/^s_client$/, 1)],
  [/^(?:docker|podman|skopeo|oras|crane)$/, (args) => args.verb(/^(?:push|copy|save|login)$/, 2)],
  [/^getent$/, (args) => args.verb(/^a?hosts/, 1)],
  [/^git$/, (args) => args.verb(/^(?:push|send-email|request-pull)$/, 2)],
  [/^(?:gh|glab)$/, (args) => args.verb(/^(?:gist|secret|api|issue|release|variable)$/, 1)],
  [/^(?:aws|gcloud|az)$/, (args) => args.any(/^(?:cp|mv|sync|upload\S*|put-\S+|send-\S+|publish|create-\S+)$/)],
  [/^busybox$/, (args) => args.verb(/^(?:nc|wget|telnet|ftpput|tftp|sendmail)$/, 1)],
  [/^logger$/, (args) => args.has('n', 'server')],
];
const isNetworkUse = (program: string, args: Arguments): boolean =>
  USES.every(([programs, test]) => !programs.test(program) || test(args));

/** Local files that are copied to somewhere else. */
function uploaded(program: string, args: Arguments): string[] {
  const operands =
    program === 'scp'
      ? args.operands.filter((word) => !/^-[oiPFJSlc]$/.test(args.words[args.words.indexOf(word) - 1] ?? ''))
      : args.operands;
  const target = operands.at(-1) ?? '';
  if (program === 'scp' || program === 'rsync')
    return /^(?:[\w.-]+@)?[\w.${}-]+:|^rsync:\/\//.test(target) && operands.length > 1 ? operands.slice(0, -1) : [];
  if (/^(?:sftp|l?ftp)$/.test(program)) return ['*'];
  if (
    /^(?:aws|gsutil|s3cmd|s5cmd|rclone|mc|mcli|b2|az|gcloud|docker|podman|skopeo|oras|crane|git|gh|glab)$/.test(program)
  )
    return program === 'rclone' && !args.verb(/^(?:copy|copyto|move|moveto|sync|rcat)$/, 1)
      ? []
      : operands.slice(1).filter((word) => !/^\d+$/.test(word));
  if (program === 'ssh') return args.any(/^-[a-zA-Z]*R/) ? ['-R'] : [];
  return [];
}

function remoteHosts(program: string, args: Arguments): Address[] {
  const words = args.operands;
  if (/^(?:scp|rsync|sftp)$/.test(program))
    return words.flatMap((word) => /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)/.exec(word)?.[1] ?? []).map((host) => ({ host }));
  if (/^(?:nc|ncat|netcat|telnet|ssh|ftp|tftp|ping|dig|host|nslookup)$/.test(program))
    return words
      .filter((word) => /^[\w.@-]+\.[\w.-]+$/.test(word))
      .slice(0, 1)
      .map((word) => ({ host: word.split('@').at(-1) as string }));
  const connect = args.value(/^-connect$/) ?? /(?:TCP|OPENSSL)[\w-]*:([\w.-]+)/i.exec(args.all)?.[1];
  return connect ? [{ host: connect.split(':')[0] as string }] : [];
}

const PROGRAM_SENDS =
  /\b(?:requests\.(?:post|put|patch|request)|urlopen\([^)]*data|http\.client|httpx\.(?:post|put)|socket\.(?:socket|create_connection)|create_connection\(|smtplib|ftplib|paramiko|fetch\([^)]*(?:POST|PUT|body)|axios\.(?:post|put)|http\.request\(|https\.request\(|net\.connect|Net::HTTP\.(?:post|start)|IO::Socket|LWP::|urllib\.request\.Request|aiohttp)/;
const programSends = (text: string): boolean =>
  PROGRAM_SENDS.test(text) ||
  (/\burlopen\(|requests\.get\(|fetch\(/.test(text) &&
    /environ|\b[pP]?open\(|\bread\(|process\.env|\+|\{[^{}]*(?:token|passw|secret|key)[^{}]*\}/i.test(text));

function programLine(path: string, text: string, number: number): Finding[] {
  if (/^\s*(?:#|\/\/)/.test(text) || !programSends(text)) return [];
  return [refuses('sends', path, number, WHY, text.trim())];
}
