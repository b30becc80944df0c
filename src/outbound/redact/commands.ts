// Secrets on command lines that no name announces: behind options of programs that call them -p or -P or nothing at all,
// and what is piped in, written to a file or given as a here-string.
import { CHOSEN, lookOf, NO_VALUE, NO_WORD } from './looks.ts';
import { findPattern, type RedactRule, rulesOf } from './rule.ts';
import { movedBy, type Range, type Span } from './spans.ts';

const GAP = '[ \\t]{1,8}';
const VALUE =
  '(?:\\$?\'"([^"\\r\\n]{2,512})"\'|"([^"\\r\\n]{2,512})"|\'([^\'\\r\\n]{2,512})\'|([^\\s"\'|;&<>()]{2,512}))';
/** In the table below: blanks, some words, the rest of the command before something. QUOTE: one that may close behind the value. */
const SHORT: Readonly<Record<string, string>> = {
  _: GAP,
  WORD: `\\S{1,256}${GAP}`,
  ANY: '(?:[^\\r\\n|;&\\uffff]{0,160}?[ \\t])?',
};
const inQuote = (before: string, quote: string): string =>
  `(?:${before.replaceAll('{QUOTE}', quote)})([^${quote}\\r\\n]{2,512})${quote}`;

/** Programs, and after which of their options, or what else, a secret stands. */
const PROGRAMS = String.raw`
ipmitool ipmipower ipmi-chassis ipmi-sel mosquitto_pub mosquitto_sub mosquitto_rr mosquitto_ctrl mqtt mqttx zip unzip bsdtar sqlcmd bcp: -P[ \t]*
ssh-keygen: -[NP]{_}
racadm mongo mongosh mongodump mongorestore hponcfg influx twine govc rbd smbmap az cqlsh rdesktop nxc: -p{_}
useradd usermod redfishtool rabbitmqadmin evil-winrm: -p{_}
sshpass: -p[ \t]*
mysql mysqldump mariadb mariadb-dump mysqladmin mysqlimport mariadb-admin 7z 7za 7zz rar unrar: -h?p(?=[^\s-])
docker podman nerdctl helm oras crane skopeo buildah: login{_}{ANY}-p(?:[ \t]*|=)
ldapsearch ldapadd ldapmodify ldapdelete ldappasswd ldapwhoami ldapcompare ldapmodrdn kadmin: -w[ \t]*
ldappasswd slappasswd: -s{_}
kadmin kadmin.local: -pw{_}
snmpget snmpwalk snmpset snmpbulkwalk snmpbulkget snmpgetnext snmptrap snmptable snmpstatus: -[cAX][ \t]*
redis-cli valkey-cli: -a{_}|(?:AUTH|auth){_}(?:{WORD}(?=\S))?
htpasswd: -[A-Za-z]{0,6}b[A-Za-z]{0,6}{_}(?:[^\s-]\S{0,255}{_}){1,2}?(?=\S+[ \t]*(?:["')|;&>\r\n]|$))
smbclient rpcclient net mount.cifs smbget winexe: -U[ \t]*{QUOTE}[^\s%"']{1,64}%
net: /user:\S{1,64}{_}(?!/)|user{_}{WORD}(?=\S{1,64}{_}/add)|use{_}(?:{WORD}){1,2}(?=[^\s/]\S{0,63}{_}/user:)
curl wget http https xh lftp etcdctl ab mysqlsh ctr: (?:-[a-zA-Z]{0,8}[uUa]|--(?:proxy-)?user|--auth)(?:[ \t]*|=){QUOTE}[^\s:"']{1,64}:
curl wget http https xh: (?:-[a-zA-Z]{0,8}u|--user)(?:[ \t]*|=)["']?(?=[A-Za-z]{0,64}\d[^\s:"']{24,})
curl: (?:-[a-zA-Z]{0,8}b|--cookie)(?:[ \t]*|=)["']?[\w.-]{1,64}=
ipa-server-install ipa-client-install ipa-replica-install: -[paw]{_}
kubeadm k0s cluster netclient swarm: join{_}(?:-\w+{_})?(?=[\w+/=.-]{40})
ansible-vault: encrypt_string{_}(?!-)
lftp: -u[ \t]*["']?[^\s,"']{1,64},
openssl: -pass(?:in|out)?{_}{QUOTE}pass:
openssl: -[kK]{_}|(?<=openssl{_})passwd{_}(?:-\w+{_}){0,4}(?!-)
vault bao: login{_}(?:token=)?(?!-)|operator{_}unseal{_}(?!-)
ipmitool: user{_}set{_}password{_}\d+{_}
microk8s: join{_}[\w.:-]{1,128}/
nsupdate dig knsupdate rndc: -y[ \t]*(?:hmac-[\w-]{1,16}:)?[\w.-]{1,128}:
sentinel: auth-pass{_}{WORD}
mosquitto_passwd: -b{_}{WORD}{WORD}
pihole: (?:-a{_}-p|setpassword){_}
bw: (?:unlock|login{_}\S{1,128}){_}(?:--\w+{_})?(?!-)
wpa_passphrase radtest: (?<=(?:wpa_passphrase|radtest){_}){WORD}
radtest: (?<=radtest{_}){WORD}{WORD}{WORD}\d{1,6}{_}
nmcli wpa_cli hostapd_cli: (?:[\w.-]{0,40}(?:password|passphrase|psk)|wep_key\d){_}
mc: (?:alias{_}set|config{_}host{_}add){_}{WORD}{WORD}
mc: (?:alias{_}set|config{_}host{_}add){_}(?:{WORD}){3}
rabbitmqctl: (?:add_user|change_password){_}{WORD}
samba-tool: user{_}(?:create|add){_}{WORD}(?!-)
rclone: obscure{_}|config{_}(?:create|update){_}{ANY}(?:pass|key|secret_access_key){_}
xfreerdp xfreerdp3 wlfreerdp: /p:
iscsiadm: -v{_}(?<=password[ \t][^\r\n|;&]{0,80}-v{_})
swaks: -ap{_}
steamcmd: \+login{_}{WORD}(?!\+)
sqlplus expdp impdp rman: [\w.]{1,64}/(?=[^\s/]*@)
cargo: login{_}(?!-)
doctl glab: -t{_}
ngrok: (?:add-)?authtoken{_}
poetry composer: http-basic\.\S{1,128}{_}{WORD}|(?:pypi-token|github-oauth|gitlab-token|bearer)\.\S{1,128}{_}
virsh: secret-set-value{_}(?:--base64{_})?{WORD}
pdnsutil: import-tsig-key{_}{WORD}{WORD}`;

/** How far behind the name of a program its options are looked for. */
const MAX_COMMAND = 400;
const MAX_VALUE = 512;
const COMMAND_END = /[\r\n|;&\uffff]/;
const OPTIONS = new Map<string, RegExp[]>();
for (const row of PROGRAMS.trim().split('\n')) {
  const [programs = '', ...rest] = row.split(': ');
  const before = rest.join(': ').replace(/\{(_|WORD|ANY)\}/g, (_, word: string) => SHORT[word] as string);
  const bare = `(?:${before.replaceAll('{QUOTE}', '["\']?')})${VALUE}`;
  const forms = before.includes('{QUOTE}') ? [inQuote(before, '"'), inQuote(before, "'"), bare] : [bare];
  const pattern = new RegExp(`(?<=[ \\t]["']?)(?:${forms.join('|')})`, 'dg');
  for (const program of programs.split(' ')) OPTIONS.set(program, [...(OPTIONS.get(program) ?? []), pattern]);
}
const PROGRAM = new RegExp(`(?<![\\w.-])(?:${[...OPTIONS.keys()].join('|').replaceAll('.', '\\.')})(?=[ \\t])`, 'g');

function findOptions(text: string): Span[] {
  const commands = new Map<RegExp, Range[]>();
  for (const { 0: program, index: start } of text.matchAll(PROGRAM)) {
    const length = text.slice(start, start + MAX_COMMAND).search(COMMAND_END);
    const range = { start, end: start + (length === -1 ? MAX_COMMAND : length) };
    for (const pattern of OPTIONS.get(program) ?? []) {
      const ranges = commands.get(pattern) ?? [];
      const last = ranges.at(-1);
      commands.set(pattern, ranges);
      // Commands that overlap are one: each part of a text is searched once for an option.
      if (last !== undefined && start <= last.end) last.end = Math.max(last.end, range.end);
      else ranges.push({ ...range });
    }
  }
  return [...commands].flatMap(([pattern, ranges]) =>
    ranges.flatMap(({ start, end }) => {
      const line = text.slice(end, end + MAX_VALUE).split(/[\r\n]/)[0] as string;
      const values = findPattern(text.slice(start, end) + line, pattern, 'password', NO_WORD, 0, end - start);
      return values.map((span) => movedBy(span, start));
    }),
  );
}

/** Lists of arguments and continued lines are read as one command; every character stays where it is. */
const asCommand = (text: string): string =>
  text.replace(/["'][ \t]{0,4},[ \t]{0,4}["']|\\\r?\n/g, (between) => ' '.repeat(between.length));

const ECHO = `(?:echo|printf)${GAP}(?:-[neE]{1,3}${GAP})?(?:(?:["'][^"'\\r\\n]{0,16}["']|%s)${GAP})?`;
// Programs that read a password or a key, by name or by what they are asked to do.
const READERS =
  '(?:sudo[ \\t]{1,4}(?:-S)?)?(?:cryptsetup|passwd[ \\t]|realm[ \\t]|openssl[ \\t]|zfs|zpool|kinit|gpg|ssh-add|su[ \\t]|smbpasswd|vncpasswd|htpasswd|veracrypt|restic|borg|age|vault|bao|pass[ \\t]|rage|mkpasswd|wg[ \\t]+(?:pubkey|set)|(?!(?:sudo[ \\t]{1,4})?(?:e?grep|rg|sed|g?awk|tr|cut|wc|sort|jq|yq|xargs|while|read|tee|cat|head|tail)[ \\t])[\\w ./-]{1,80}?(?:-stdin|login|auth|passw|passphrase|secret|token|unlock|unseal|seal|crypt|luks|-key))|sudo[ \\t]+-S';
const pattern = (source: string, flags = 'dg'): RegExp => new RegExp(source, flags);

/** A login in the same command, but of programs whose -u is no login, or whose -p asks for the password or is a port. */
const LOGIN =
  /(?<!(?<!(?<!\\)[\w.-])(?:(?:sudo|doas|runuser|ps|pgrep|systemctl)(?:[ \t]{1,4}-\w{1,16}){0,3}|(?:docker|docker-compose|podman|nerdctl|kubectl|git|mysql|mysqldump|mariadb|mariadb-dump|mysqladmin)(?:[ \t][^\r\n|;&]{0,120})?))[ \t](?:-[uU]|--user(?:name)?)(?:[ \t]{1,8}|=)["']?[\w.@\\][\w.@\\-]{0,63}["']?(?:[ \t][^\r\n|;&\uffff]{0,168})?$/;

const ROWS = rulesOf({
  // Ports, folders and numbers are given so, too: only what a person would choose as a password counts.
  'password: short option with a password': [
    /[ \t]-(?:[pPwWkKx]|pw)[ \t]{1,4}["']?([^\s"'`/|;&<>(),-][^\s"'`/|;&<>(),]{5,128})/dg,
    (value) => NO_WORD.test(value) || lookOf(value) < CHOSEN,
  ],
  // A login is given, so what follows -p is no folder, unless another program is run under that name.
  'password: -p beside a login': [
    pattern(`[ \\t]-p(?<!(?:mkdir|cp)${GAP}-p)(?:${GAP}|=)${VALUE}`),
    (value, before) => NO_WORD.test(value) || /^[\d.:-]+\/(?:tcp|udp)$|^\$/.test(value) || !LOGIN.test(before),
  ],
  'secret: literal of a secret': [pattern(`--from-literal[= ]["']?[\\w.-]{1,128}=${VALUE}`), NO_VALUE],
  'password: password that is piped': [
    // Also of a group that says it twice.
    pattern(
      `\\|[ \\t]{0,4}(?=${READERS})(?<=${ECHO}${VALUE}[ \\t;)]{0,4}\\|[ \\t]{0,4})|;(?=[ \\t]{0,4}${ECHO}[^\\r\\n|()]{2,256}\\)[ \\t]{0,4}\\|[ \\t]{0,4}(?:${READERS}))(?<=${ECHO}${VALUE}[ \\t]{0,4};)`,
    ),
    pattern(`${NO_VALUE.source}|\\$[A-Za-z_{(]`, 'i'),
  ],
  'password: here-string with a password': [
    pattern(
      `<<<[ \\t]{0,4}${VALUE}(?<=(?:${READERS}|chpasswd|login|passwd|secret[ \\t]+create|--with-token)[^\\r\\n|;&<\\uffff]{0,120}<<<[^<\\r\\n]{0,520})`,
    ),
    NO_VALUE,
  ],
  'password: command that prints a password': [
    pattern(
      `(?:pass(?:word|phrase)?|secret|token|key)[_-]?(?:command|cmd)(?:${GAP}|[ \\t]{0,4}[:=][ \\t]{0,4})["']?${ECHO}${VALUE}`,
      'dgi',
    ),
    NO_VALUE,
  ],
  'secret: word written to a file of secrets': [
    pattern(
      `>>?[ \\t]{0,4}(?=["']?[\\w./~-]{0,100}(?:pass|pw|secret|token|cred|luks|key(?!s)|\\.env))(?<=${ECHO}${VALUE}[ \\t]{0,4}>>?[ \\t]{0,4})`,
    ),
    NO_VALUE,
  ],
  'secret: file made of a word': [pattern(`<\\([ \\t]{0,4}${ECHO}${VALUE}[ \\t]{0,4}\\)`), NO_VALUE],
  'password: list of logins':
    /chpasswd[^\r\n]{0,80}\r?\n(?:[ \t]{0,40}(?:list|users|expire):[^\r\n]{0,20}\r?\n){0,2}((?:[ \t]{0,40}(?:- )?["']?[\w.-]{1,32}:(?![ \t])\S{2,128}[ \t]*(?:\r?\n|$)){1,20})/dg,
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
