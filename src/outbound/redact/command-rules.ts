// Secrets on command lines: behind options that say so, behind those of programs that call it -p or -P or nothing at
// all, and what is piped in.

import { NO_VALUE } from './looks.ts';
import { findPattern, type RedactRule, rulesOf } from './rule.ts';
import { movedBy, type Range, type Span } from './spans.ts';
import { charSet, eachRun } from './text-index.ts';

// The rest of the command before something: no farther than the command goes, and never far.
const BETWEEN = '[^\\r\\n|;&\\uffff]{0,160}?';
const GAP = '[ \\t]{1,8}';
const VALUE =
  '(?:\\$?\'"(?<nested>[^"\\r\\n]{2,512})"\'|"(?<quoted>[^"\\r\\n]{2,512})"|\'(?<secret>[^\'\\r\\n]{2,512})\'|(?<bare>[^\\s"\'|;&<>()]{2,512}))';
const WORD = `\\S{1,256}${GAP}`;
const QUOTE = '(?<open>["\'])?';
const LOGIN = `${QUOTE}[^\\s:"']{1,64}:`;

/** Programs, and after which of their options, or what else, a secret stands. */
const PROGRAMS: readonly (readonly [programs: string, before: string])[] = [
  ['ipmitool ipmipower ipmi-chassis ipmi-sel mosquitto_pub mosquitto_sub mosquitto_rr mosquitto_ctrl', '-P[ \\t]*'],
  ['mqtt mqttx zip unzip bsdtar sqlcmd bcp', '-P[ \\t]*'],
  ['ssh-keygen', `-[NP]${GAP}`],
  [
    'racadm mongo mongosh mongodump mongorestore hponcfg influx twine govc rbd smbmap az cqlsh rdesktop nxc',
    `-p${GAP}`,
  ],
  ['useradd usermod redfishtool rabbitmqadmin evil-winrm', `-p${GAP}`],
  ['sshpass', '-p[ \\t]*'],
  ['mysql mysqldump mariadb mariadb-dump mysqladmin mysqlimport mariadb-admin 7z 7za 7zz rar unrar', '-h?p(?=[^\\s-])'],
  ['docker podman nerdctl helm oras crane skopeo buildah', `login${GAP}(?:${BETWEEN}[ \\t])?-p(?:[ \\t]*|=)`],
  ['ldapsearch ldapadd ldapmodify ldapdelete ldappasswd ldapwhoami ldapcompare ldapmodrdn kadmin', '-w[ \\t]*'],
  ['ldappasswd slappasswd', `-s${GAP}`],
  ['kadmin kadmin.local', `-pw${GAP}`],
  ['snmpget snmpwalk snmpset snmpbulkwalk snmpbulkget snmpgetnext snmptrap snmptable snmpstatus', '-[cAX][ \\t]*'],
  ['redis-cli valkey-cli', `-a${GAP}|(?:AUTH|auth)${GAP}(?:${WORD}(?=\\S))?`],
  [
    'htpasswd',
    `-[A-Za-z]{0,6}b[A-Za-z]{0,6}${GAP}(?:[^\\s-]\\S{0,255}${GAP}){1,2}?(?=\\S+[ \\t]*(?:["')|;&>\\r\\n]|$))`,
  ],
  ['smbclient rpcclient net mount.cifs smbget winexe', `-U[ \\t]*${QUOTE}[^\\s%"']{1,64}%`],
  [
    'net',
    `/user:\\S{1,64}${GAP}(?!/)|user${GAP}${WORD}(?=\\S{1,64}${GAP}/add)|use${GAP}(?:${WORD}){1,2}(?=[^\\s/]\\S{0,63}${GAP}/user:)`,
  ],
  [
    'curl wget http https xh lftp etcdctl ab mysqlsh',
    `(?:-[a-zA-Z]{0,8}[uUa]|--(?:proxy-)?user|--auth)(?:[ \\t]*|=)${LOGIN}`,
  ],
  ['curl', `(?:-[a-zA-Z]{0,8}b|--cookie)(?:[ \\t]*|=)["']?[\\w.-]{1,64}=`],
  ['ipa-server-install ipa-client-install ipa-replica-install', `-[paw]${GAP}`],
  ['kubeadm k0s cluster netclient swarm', `join${GAP}(?:-\\w+${GAP})?(?=[\\w+/=.-]{40})`],
  ['ansible-vault', `encrypt_string${GAP}(?!-)`],
  ['curl wget http https xh', `(?:-[a-zA-Z]{0,8}u|--user)(?:[ \\t]*|=)["']?(?=[A-Za-z]{0,64}\\d[^\\s:"']{24,})`],
  ['lftp', '-u[ \\t]*["\']?[^\\s,"\']{1,64},'],
  [
    'openssl',
    `-pass(?:in|out)?${GAP}${QUOTE}pass:|-[kK]${GAP}|(?<=openssl${GAP})passwd${GAP}(?:-\\w+${GAP}){0,4}(?!-)`,
  ],
  ['vault bao', `login${GAP}(?:token=)?(?!-)|operator${GAP}unseal${GAP}(?!-)`],
  ['ipmitool', `user${GAP}set${GAP}password${GAP}\\d+${GAP}`],
  ['microk8s', `join${GAP}[\\w.:-]{1,128}/`],
  ['nsupdate dig knsupdate rndc', '-y[ \\t]*(?:hmac-[\\w-]{1,16}:)?[\\w.-]{1,128}:'],
  ['sentinel', `auth-pass${GAP}${WORD}`],
  ['mosquitto_passwd', `-b${GAP}${WORD}${WORD}`],
  ['pihole', `(?:-a${GAP}-p|setpassword)${GAP}`],
  ['bw', `(?:unlock|login${GAP}\\S{1,128})${GAP}(?:--\\w+${GAP})?(?!-)`],
  ['wpa_passphrase radtest', `(?<=(?:wpa_passphrase|radtest)${GAP})${WORD}`],
  ['radtest', `(?<=radtest${GAP})${WORD}${WORD}${WORD}\\d{1,6}${GAP}`],
  ['nmcli wpa_cli hostapd_cli', `(?:[\\w.-]{0,40}(?:password|passphrase|psk)|wep_key\\d)${GAP}`],
  ['mc', `(?:alias${GAP}set|config${GAP}host${GAP}add)${GAP}${WORD}${WORD}`],
  ['mc', `(?:alias${GAP}set|config${GAP}host${GAP}add)${GAP}(?:${WORD}){3}`],
  ['rabbitmqctl', `(?:add_user|change_password)${GAP}${WORD}`],
  ['samba-tool', `user${GAP}(?:create|add)${GAP}${WORD}(?!-)`],
  ['rclone', `obscure${GAP}|config${GAP}(?:create|update)${BETWEEN}[ \\t](?:pass|key|secret_access_key)${GAP}`],
  ['xfreerdp xfreerdp3 wlfreerdp', '/p:'],
  ['iscsiadm', `-v${GAP}(?<=password${BETWEEN}[ \\t]-v${GAP})`],
  ['rootpw', `(?:--(?:plaintext|iscrypted)${GAP})?(?=[^-\\s])`],
  ['caddy authelia', `--(?:plaintext|password)(?:${GAP}|=)`],
  ['swaks', `-ap${GAP}`],
  ['ngrok', `(?:add-)?authtoken${GAP}`],
  ['cargo', `login${GAP}(?!-)`],
  ['doctl glab', `-t${GAP}`],
  ['grafana-cli', `reset-admin-password${GAP}(?!-)`],
  ['poetry composer', `http-basic\\.\\S{1,128}${GAP}${WORD}`],
  ['poetry composer', `(?:pypi-token|github-oauth|gitlab-token|bearer)\\.\\S{1,128}${GAP}`],
  ['virsh', `secret-set-value${GAP}(?:--base64${GAP})?${WORD}`],
  ['pdnsutil', `import-tsig-key${GAP}${WORD}${WORD}`],
];

/** A path, another option, and words of sentences about options. */
const NONE = new RegExp(
  `${NO_VALUE.source}|^[~.]*/|^[-})\\]:]|^[\\w./-]+\\.(?:ya?ml|json|ini|txt|pem|key|crt|env|conf|toml|p12|jks|sh)$|^[\\d.:-]+$|^(?:is|was|for|and|or|to|file|from|stdin|create|list|not|with|must|option|flag|value|needs?|requires?|required|given|missing|instead|if|in|as|generic|tls|password|token|secret|failed|successful|successfully|error|status|required)[:,.]?$`,
  'i',
);

/** How far behind the name of a program its options are looked for. */
const MAX_COMMAND = 400;
const MAX_VALUE = 512;
const COMMAND_END = /[\r\n|;&\uffff]/;
const NAME = charSet(/[\w.-]/);
const MAX_NAME = 24;
const OPTIONS = new Map<string, RegExp[]>();
for (const [programs, before] of PROGRAMS) {
  const pattern = new RegExp(`(?<=[ \\t]["']?)(?:${before})${VALUE}`, 'dg');
  for (const program of programs.split(' ')) OPTIONS.set(program, [...(OPTIONS.get(program) ?? []), pattern]);
}

function findOptions(text: string): Span[] {
  const commands = new Map<RegExp, Range[]>();
  eachRun(text, NAME, (start, nameEnd) => {
    const isName = nameEnd - start <= MAX_NAME && /[ \t]/.test(text.charAt(nameEnd));
    const patterns = isName ? OPTIONS.get(text.slice(start, nameEnd)) : undefined;
    if (patterns === undefined) return;
    const length = text.slice(start, start + MAX_COMMAND).search(COMMAND_END);
    for (const pattern of patterns) {
      const ranges = commands.get(pattern) ?? [];
      commands.set(pattern, ranges);
      addRange(ranges, { start, end: start + (length === -1 ? MAX_COMMAND : length) });
    }
  });
  return [...commands].flatMap(([pattern, ranges]) =>
    ranges.flatMap(({ start, end }) => {
      const line = text.slice(end, end + MAX_VALUE).split(/[\r\n]/, 1)[0] as string;
      const values = findPattern(text.slice(start, end) + line, pattern, 'password', NONE, 0, end - start);
      return values.map((span) => movedBy(span, start));
    }),
  );
}

/** Commands that overlap are one: each part of a text is searched once for an option, whatever stands before it. */
function addRange(ranges: Range[], range: Range): void {
  const last = ranges.at(-1);
  if (last !== undefined && range.start <= last.end) last.end = Math.max(last.end, range.end);
  else ranges.push(range);
}

/** Lists of arguments and continued lines are read as one command; every character stays where it is. */
const asCommand = (text: string): string =>
  text.replace(/["'][ \t]{0,4},[ \t]{0,4}["']|\\\r?\n/g, (between) => ' '.repeat(between.length));

const ECHO = `(?:echo|printf)${GAP}(?:-n${GAP})?(?:(?:["'][^"'\\r\\n]{0,16}["']|%s)${GAP})?`;
// Programs that read a password or a key, by name or by what they are asked to do.
const READERS =
  '(?:sudo[ \\t]{1,4}(?:-S)?)?(?:cryptsetup|passwd[ \\t]|realm[ \\t]|openssl[ \\t]|zfs|zpool|kinit|gpg|ssh-add|su[ \\t]|smbpasswd|vncpasswd|htpasswd|veracrypt|restic|borg|age|vault|bao|pass[ \\t]|rage|mkpasswd|wg[ \\t]+(?:pubkey|set)|(?!(?:sudo[ \\t]{1,4})?(?:e?grep|rg|sed|g?awk|tr|cut|wc|sort|jq|yq|xargs|while|read|tee|cat|head|tail)[ \\t])[\\w ./-]{1,80}?(?:-stdin|login|auth|passw|passphrase|secret|token|unlock|unseal|seal|crypt|luks|-key))|sudo[ \\t]+-S';

const ROWS = rulesOf({
  // A login is given, so what follows -p is no port and no folder.
  'password: -p beside a login': [
    new RegExp(
      `[ \\t](?:-u|-U|--user(?:name)?)(?:${GAP}|=)["']?[\\w.@\\\\-]{1,64}["']?${GAP}(?:${BETWEEN}[ \\t])?-p(?:${GAP}|=)${VALUE}`,
      'dg',
    ),
    NONE,
  ],
  // Ports, folders and numbers of processes are given so, too: only what a person would choose as a password counts.
  'password: -P with a password': [
    /[ \t]-P[ \t]{1,4}["']?(?<secret>(?=[^\s"'A-Za-z]{0,64}[A-Za-z])(?=[^\s"'\d!#%^*+?@]{0,64}[\d!#%^*+?@])[^\s"'/|;&<>()-][^\s"'/|;&<>()]{5,128})/dg,
    NONE,
  ],
  'secret: literal of a secret': [new RegExp(`--from-literal[= ]["']?[\\w.-]{1,128}=${VALUE}`, 'dg'), NO_VALUE],
  'password: password that is piped': [
    new RegExp(`\\|[ \\t]{0,4}(?=${READERS})(?<=${ECHO}${VALUE}[ \\t]{0,4}\\|[ \\t]{0,4})`, 'dg'),
    new RegExp(`${NO_VALUE.source}|\\$[A-Za-z_{(]`, 'i'),
  ],
  'password: here-string with a password': [
    new RegExp(
      `<<<[ \\t]{0,4}${VALUE}(?<=(?:${READERS}|chpasswd|login|passwd|secret[ \\t]+create|--with-token)[^\\r\\n|;&<\\uffff]{0,120}<<<[^<\\r\\n]{0,520})`,
      'dg',
    ),
    NO_VALUE,
  ],
  'password: command that prints a password': [
    new RegExp(
      `(?:pass(?:word|phrase)?|secret|token|key)[_-]?(?:command|cmd)(?:${GAP}|[ \\t]{0,4}[:=][ \\t]{0,4})["']?${ECHO}${VALUE}`,
      'dgi',
    ),
    NO_VALUE,
  ],
  'secret: word written to a file of secrets': [
    new RegExp(
      `>>?[ \\t]{0,4}(?=["']?[\\w./~-]{0,100}(?:pass|pw|secret|token|cred|luks|key(?!s)|\\.env))(?<=${ECHO}${VALUE}[ \\t]{0,4}>>?[ \\t]{0,4})`,
      'dg',
    ),
    NO_VALUE,
  ],
  'secret: file made of a word': [new RegExp(`<\\([ \\t]{0,4}${ECHO}${VALUE}[ \\t]{0,4}\\)`, 'dg'), NO_VALUE],
  'password: list of logins':
    /chpasswd[^\r\n]{0,80}\r?\n(?:[ \t]{0,40}(?:list|users|expire):[^\r\n]{0,20}\r?\n){0,2}(?<secret>(?:[ \t]{0,40}(?:- )?["']?[\w.-]{1,32}:(?![ \t])\S{2,128}[ \t]*(?:\r?\n|$)){1,20})/dg,
});

// All rules are asked about the same text in a row.
let latest = { text: '', command: '' };

export const COMMAND_RULES: RedactRule[] = [...ROWS, { name: 'option of a program', find: findOptions }].map(
  ({ name, find }) => ({
    name,
    find: (text) => {
      if (latest.text !== text) latest = { text, command: asCommand(text) };
      return find(latest.command);
    },
  }),
);
