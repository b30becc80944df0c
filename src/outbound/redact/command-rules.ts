// Secrets on command lines: behind options that say so, behind those of programs that call it -p or -P, and what is
// piped in.
import { NO_VALUE } from './no-secret.ts';
import { type RedactRule, rulesOf, SECRET_KEY } from './rule.ts';

// The rest of the command before the option: no farther than the command goes, and never far.
const BETWEEN = '[^\\r\\n|;&\\uffff]{0,160}?';
const GAP = '[ \\t]';
const VALUE = '(?:"(?<quoted>[^"\\r\\n]{2,512})"|\'(?<secret>[^\'\\r\\n]{2,512})\'|(?<bare>[^\\s"\'|;&<>()]{2,512}))';

/** Programs, and which of their options, or what else before it, a secret follows. */
const PROGRAMS: readonly (readonly [programs: string, before: string])[] = [
  ['ipmitool|ipmipower|ipmi-[a-z]+|mosquitto_[a-z]+|mqttx?|zip|unzip|bsdtar', `-P${GAP}*`],
  ['racadm|mongo|mongosh|mongodump|mongorestore|hponcfg|influx|twine|govc|rbd|smbmap|az|xmlstarlet', `-p${GAP}+`],
  ['useradd|usermod', `(?:-p|--password)${GAP}+`],
  ['sshpass', `-p${GAP}*`],
  ['mysql|mysqldump|mariadb|mariadb-dump|mysqladmin|mysqlimport', '-p(?=[^\\s-])'],
  ['7z|7za|rar|unrar', '-p(?=[^\\s-])'],
  ['(?:docker|podman|nerdctl|helm|oras|crane|skopeo|buildah)(?:[ \\t]+\\w{1,16})?[ \\t]+login', `-p${GAP}*`],
  ['ldap(?:search|add|modify|delete|passwd|whoami|compare)', `-w${GAP}*`],
  ...['-c', '-A', '-X'].map((option) => ['snmp[a-z]{3,8}', `${option}${GAP}*`] as const),
  ['redis-cli|valkey-cli', `-a${GAP}+`],
  [
    'htpasswd',
    `-[A-Za-z]{0,6}b[A-Za-z]{0,6}${GAP}+(?:[^\\s-]\\S{0,255}${GAP}+){1,2}?(?=\\S+[ \\t]*(?:["')|;&>\\r\\n]|$))`,
  ],
  ['smbclient|rpcclient|net|mount\\.cifs|smbget', '-U[ \\t]*["\']?[^\\s%"\']{1,64}%'],
  [
    'curl|wget|http|https|xh|lftp',
    `(?:-[a-zA-Z]{0,8}[uUa]|--(?:proxy-)?user|--auth)(?:${GAP}*|=)["']?[^\\s:"']{1,64}:`,
  ],
  ['curl|wget|http|https|xh', `(?:-[a-zA-Z]{0,8}u|--user)(?:${GAP}*|=)["']?(?=[A-Za-z]{0,64}\\d[^\\s:"']{24,})`],
  ['openssl', `(?:-pass(?:in|out)?${GAP}+pass:|-[kK]${GAP}+)`],
  ['vault', `login${GAP}+(?:token=)?(?!-)`],
  ['ipmitool', `user${GAP}+set${GAP}+password${GAP}+\\d+${GAP}+`],
  ['microk8s', `join${GAP}+[\\w.:-]{1,128}/`],
  ['nsupdate|dig|knsupdate', `-y${GAP}*(?:hmac-[\\w-]{1,16}:)?[\\w.-]{1,128}:`],
  ['mosquitto_passwd', `-b${GAP}+\\S{1,256}${GAP}+\\S{1,64}${GAP}+`],
  ['pihole', `(?:-a[ \\t]+-p|setpassword)${GAP}+`],
  ['bw', `(?:unlock|login[ \\t]+\\S{1,128})${GAP}+(?:--\\w+${GAP}+)?(?!-)`],
  ['wpa_passphrase', `\\S{1,64}${GAP}+`],
  ['nmcli', `(?:password|psk)${GAP}+`],
  ['mc', `(?:alias${GAP}+set|config${GAP}+host${GAP}+add)${GAP}+\\S{1,64}${GAP}+\\S{1,256}${GAP}+`],
  ['mc', `(?:alias${GAP}+set|config${GAP}+host${GAP}+add)${GAP}+(?:\\S{1,256}${GAP}+){3}`],
  ['rabbitmqctl', `(?:add_user|change_password)${GAP}+\\S{1,64}${GAP}+`],
  ['rclone', `obscure${GAP}+`],
  ['rclone[ \\t]+config[ \\t]+(?:create|update)', `(?:pass|key|secret_access_key)${GAP}+`],
  ['xfreerdp3?', '/p:'],
  ['iscsiadm[^\\r\\n|;&]{0,120}password', `-v${GAP}+`],
  ['rootpw', `(?:--(?:plaintext|iscrypted)${GAP}+)?(?=[^-\\s])`],
  ['(?:caddy|authelia)[ \\t]+(?:hash-password|crypto)', `--(?:plaintext|password)(?:${GAP}+|=)`],
];

/** A path, another option, and words of sentences about options. */
const NONE = new RegExp(
  `${NO_VALUE.source}|^[~.]*/|^-|^(?:is|was|for|and|or|to|file|from|stdin|create|list|not|with|must|option|flag|value|needs?|requires?|required|given|missing|instead|if|in|as|generic|tls|password|token|secret)$`,
  'i',
);

const patterns = PROGRAMS.map(
  ([programs, before]) =>
    new RegExp(`(?<![\\w.-])(?:${programs})${GAP}(?:${BETWEEN}${GAP})?(?:${before})${VALUE}`, 'dg'),
);
const byProgram = patterns.map((pattern) => rulesOf({ 'password: ': [pattern, NONE] })[0] as RedactRule);

/** Lists of arguments and continued lines are read as one command; every character stays where it is. */
const asCommand = (text: string): string =>
  text.replace(/["'][ \t]{0,4},[ \t]{0,4}["']|\\\r?\n/g, (between) => ' '.repeat(between.length));

const ofCommands = ({ name, find }: RedactRule): RedactRule => ({ name, find: (text) => find(asCommand(text)) });

export const COMMAND_RULES: RedactRule[] = [
  ...rulesOf({
    'secret: option with a secret': [
      new RegExp(
        `(?<![\\w-])--?[\\w-]{0,40}?(?:${SECRET_KEY}|certificate-key|storepass|keypass)${GAP}{1,8}(?!-)${VALUE}`,
        'dgi',
      ),
      NONE,
    ],
    // Ports, folders and numbers of processes are given so, too: only what a person would choose as a password counts.
    'password: -P with a password': [
      /(?<=[ \t])-P[ \t]{1,4}["']?(?<secret>(?=[^\s"'A-Za-z]{0,64}[A-Za-z])(?=[^\s"'\d!#%^*+?@]{0,64}[\d!#%^*+?@])[^\s"'/|;&<>()-][^\s"'/|;&<>()]{5,128})/dg,
      NONE,
    ],
    'secret: literal of a secret': [new RegExp(`--from-literal[= ]["']?[\\w.-]{1,128}=${VALUE}`, 'dg'), NO_VALUE],
    // The pipe first, what stands before it by looking back: so it is looked for once, not at every word.
    'password: login that is piped': [
      /chpasswd(?<=[\w.-]{1,32}:(?<secret>[^\s"'|:]{2,128})["']?[ \t]{0,4}\|[ \t]{0,4}(?:sudo[ \t]{1,4})?(?:\/usr)?(?:\/sbin\/)?chpasswd)/dg,
      NO_VALUE,
    ],
    'password: password that is piped': [
      /\|[ \t]{0,4}(?=(?:sudo[ \t]{1,4})?(?:cryptsetup|passwd[ \t]+--stdin|openssl[ \t]|[\w ./-]{1,80}--password-stdin|zfs|zpool|kinit|gpg|ssh-add|su[ \t]|smbpasswd|vncpasswd|htpasswd|veracrypt|restic|borg|age|vault|wg[ \t]+(?:pubkey|set))|sudo[ \t]+-S)(?<=(?:echo|printf)[ \t]{1,4}(?:-n[ \t]{1,4})?(?:["'][^"'\r\n]{0,8}["'][ \t]{1,4})?(?:"(?<quoted>[^"\r\n]{3,128})"|'(?<secret>[^'\r\n]{3,128})'|(?<bare>[^\s"'|]{3,128}))[ \t]{0,4}\|[ \t]{0,4})/dg,
      NO_VALUE,
    ],
    'secret: file made of a word': [
      new RegExp(`<\\([ \\t]{0,4}(?:echo|printf)[ \\t]{1,4}(?:-n[ \\t]{1,4})?${VALUE}[ \\t]{0,4}\\)`, 'dg'),
      NO_VALUE,
    ],
    'password: list of logins':
      /chpasswd[^\r\n]{0,80}\r?\n(?:[ \t]{0,40}(?:list|users):[^\r\n]{0,20}\r?\n)?(?<secret>(?:[ \t]{0,40}(?:- )?["']?[\w.-]{1,32}:(?![ \t])\S{2,128}[ \t]*(?:\r?\n|$)){1,20})/dg,
  }),
  { name: 'option of a program', find: (text: string) => byProgram.flatMap(({ find }) => find(text)) },
].map(ofCommands);
