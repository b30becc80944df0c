// Words that take a protection away, let somebody in or throw something away, in whatever language and under whatever key they
// stand. Which tool reads them is not worked out: one that was not there before is the owner's to decide.
import type { Leaf } from './data.ts';
import type { Change } from './facts.ts';
import { asks, type Finding } from './finding.ts';

const OFF = '(?:false|no|off|none|null|disabled?|0|never|optional|permissive|ignore|skip)';
const ON = '(?:true|yes|on|1|enabled?|always)';
/** Between a key and its value, however it is written. */
const IS = '(?:[._-]?enabled?)?["\'\\]]*(?:\\s*[:=]\\s*|\\s+)["\']?';

/** What it does, and the words that do it: in a line, or in `keys.of.data: value`. */
const WORDS: readonly (readonly [why: string, pattern: RegExp])[] = [
  [
    'switches a protection off',
    new RegExp(
      `(?<!pw|password_?|skip[_-]?|no[_-]?(?:tls[_-]?)?|disable[_-]?)(?:auth|authn|authz|authentication|authorization|rbac|tls|ssl|verify|verification|ssl_?verify|validate|validate_certs|signature|gpg_?check|firewall|selinux|apparmor|seccomp|encryption|encrypted|protection|host_?key_?checking|sandbox|csrf|networkpolicy|admission)${IS}${OFF}(?![\\w-])`,
      'i',
    ),
  ],
  [
    'switches a protection off',
    new RegExp(
      `(?:insecure|anonymous|no_?tls_?verify|allow[_-]?(?:anonymous|insecure|privileged|unauth|unsafe|all|guest|empty)|skip[_-]?(?:tls|ssl|verify|verification|checks?|validation|auth)|disable[_-]?(?:auth|tls|ssl|security|verif|validation|host|checks?|protection|firewall|login)|trust[_-]?(?:all|any))\\w*${IS}${ON}(?![\\w-])`,
      'i',
    ),
  ],
  [
    'switches a protection off',
    /--(?:insecure|no-?auth|no-?verify|skip-tls|skip-verify|allow-privileged|no-check|no-tls|disable-auth|privileged|unsafe)[\w-]*(?![\w=-])(?<!talosctl[^;|&]*--insecure)|StrictHostKeyChecking[= ]["']?(?:no|off)\b|\bAlwaysAllow\b|\bno_root_squash\b|\bPermitEmptyPasswords\b|AUTH_METHOD["']?\s*[:=]\s*["']?trust\b/i,
  ],
  [
    'lets somebody in',
    /\bNOPASSWD\b|\b(?:SUPERUSER|CREATEROLE)\b|\bGRANT\s+ALL\b|\bPermitRootLogin\b|\bssh-(?:ed25519|rsa|dss)\s+AAAA|\becdsa-sha2-\S+\s+AAAA|--?(?:root-password|ssh-inject|password-file|allow-root)\b|(?:^|[^\d.])0\.0\.0\.0\/0|(?:^|[\s"'=:])::\/0(?!\w)|tcp:\/\/0\.0\.0\.0/i,
  ],
  [
    'makes somebody an administrator',
    /(?:role|group|groups|policy|permissions?|access|scope)s?[\w.-]*["'\]]*\s*[:=]\s*["']?(?:\[\s*["']?)?(?:role:|os:|cluster-?|\w*?)(?:admin|administrators?|superuser|sudo|wheel)\b|--group=admin|^\s*p,.*,\s*\*\s*,.*\ballow\b|^\s*g,[^,]+,\s*role:\w*admin|--(?:is-)?admin\b|capabilities.*\bsudo\b|\ballow \*/i,
  ],
  [
    'has something cleaned, removed or made anew',
    new RegExp(
      `(?:^|[.\\s"'_-])(?:clean(?!up)|wipe|purge|reset|destroy|drop|erase|delete|remove|recreate|reinit|reinstall|overwrite|truncate|format)[\\w-]*${IS}${ON}(?![\\w-])`,
      'i',
    ),
  ],
  [
    'goes by another way to its hosts',
    /\bansible_(?:connection|ssh_\w*args|become_method|shell_executable|ssh_executable)\b/,
  ],
  [
    'gives options to other tools',
    /^\s*(?:export\s+)?(?:TF_CLI_ARGS|ANSIBLE_(?!CONFIG\b|FORCE_COLOR|NOCOLOR|STDOUT)|MAKEFLAGS)\w*\s*[:=]|(?:^|[\s.])[A-Z_]*(?:ADDOPTS|_OPTS|_OPTIONS|_FLAGS|_ARGS)\s*[:=]/,
  ],
  ['puts code into a setting', /(?:snippet|\.lua|lua_?script|\bscript_?inline)["']?\s*:/i],
  ['goes nowhere', /[:=]\s*["']?(?:null|blackhole|\/dev\/null|devnull|void)["']?\s*$/],
  ['follows what somebody else may propose', /\brefs\/(?:pull|merge-requests)\//],
  ['runs on a day that does not come', /(?:^|[\s"'])\S+ \S+ (?:3[01] 2|31 (?:4|6|9|11)) \S+["']?\s*$/],
  ['says itself what is healthy', /\bhealthCheckExprs\b|customizations\.health\b|\bhealth\.lua\b/],
  [
    'stands for the real thing',
    /(?:diagnostic|maintenance|debug|dry_?run|standby|demo|mock)_?mode(?:\.enabled?)?["']?\s*[:=]\s*["']?(?:true|yes|on|1)\b/i,
  ],
  ['is all of a machine', /(?:DIR|ROOT|FOLDER|DEST|TARGET|DATA)\w*=["']?(?:\/|~\/?|\$HOME\/?)["']?\s*$/i],
  ['puts something in the place of a function', /^\s*[\w.]+\.\w+\s*=\s*(?:lambda\b|\([^)]*\)\s*=>|function\b)/],
  ['is loaded by every start of an interpreter', /\b(?:sitecustomize|usercustomize)\b|site-packages\/\S*\.pth\b/],
  [
    'does not count as a failure any more',
    /(?:ignore(?:-?failures?|Failures?|-?errors|Errors)|continue[_-]?on[_-]?(?:error|failure)|allow[_-]?failures?)["']?\s*[:=]\s*["']?(?:true|yes|on|1)\b/i,
  ],
  ['is not waited for any more', /\bpoll["']?\s*:\s*["']?(?:0\b|\{\{)/],
  ['keeps others quiet', /\binhibit_rules\b|\bmute_time_intervals?\b/],
  [
    'adds objects of its own',
    /\b(?:extra(?:Objects|Manifests|Deploy|Resources|Containers|InitContainers)|rawResources|additionalManifests|inlineManifests|sidecars?|postStart|preStop|postRenderers)["']?\s*:/,
  ],
  [
    'lets somebody in by another way',
    /(?:auth|login)[\w.-]*(?:proxy|bypass|header|auto)[\w.-]*["']?\s*[:=]\s*["']?(?:true|yes|on|1)\b/i,
  ],
  [
    'is written so that nobody can read it',
    /(?:\\x[0-9a-f]{2}){3}|(?:\\0?[0-7]{3}){3}|\\u00[2-7][0-9a-f]|\bmap\(\s*chr\b|fromCharCode|(?:\bchr\(\d+\)\s*[.+]\s*){2}|[a-z](?:''|"")[a-z]|['"]\w+['"]\s\.\s['"]\w+['"]|\bbase64_decode\(|b64decode\(|['"]\s*\|\s*(?:b64decode|reverse)\b|[a-z0-9+/]{12}={0,2}["']?\s*\|\s*base64\s+(?:-d|--decode)\b/i,
  ],
  ['has a shell run it', /^\s*(?:export\s+)?[A-Z_]+=\s*["']?(?:\/\S*\/)?(?:ba|da|z)?sh\s+-c\b/],
  [
    'switches off what looks after it',
    /(?:rules|alerts?|monitoring|health\w*|probes?|backups?|snapshots?|audit)[\w-]*(?:\.[\w-]+){0,2}\.(?:(?:create|enabled?): (?:false|no|off)|disabled: (?:true|yes|on))$/i,
  ],
  ['only pretends', /\bcheck_mode["']?\s*:\s*(?!["']?(?:false|no)\b)\S/],
  [
    'does less of what it did',
    /\b(?:loop|with_\w+)["']?\s*:.*\|\s*(?:reject|select|first|last|slice|batch|difference|intersect)/,
  ],
  [
    'matches everything',
    /=~\s*["'\\]*\.[*+]["'\\]|:\s*["']?(?:\.\*|\*\*?|\^?\.\*\$)["']?\s*$|^\s*-\s*["']?(?:\.\*|\*\*?|\^?\.\*\$)["']?\s*$/,
  ],
];

const leafText = ({ keys, value }: Leaf): string => `${keys.filter((one) => !/^\d+$/.test(one)).join('.')}: ${value}`;

/** Data as one line for each value, and the added lines as they are. */
function textsOf({ addedLeaves, lines, now }: Change): { text: string; line: number }[] {
  // Variables of containers: `name` beside `value`.
  const nameBeside = ({ keys, line }: Leaf) =>
    now.data?.leaves.findLast(
      (leaf) =>
        leaf.keys.at(-1) === 'name' &&
        leaf.line <= line &&
        leaf.line >= line - 2 &&
        leaf.keys.slice(0, -1).join() === keys.slice(0, -1).join(),
    );
  const text = (leaf: Leaf) => {
    const name = leaf.keys.at(-1) === 'value' ? nameBeside(leaf)?.value : undefined;
    return name === undefined ? leafText(leaf) : `${name}: ${leaf.value}`;
  };
  return [
    ...addedLeaves.filter(({ value }) => !value.includes('\n')).map((leaf) => ({ text: text(leaf), line: leaf.line })),
    ...lines.added
      .filter(({ text }) => !/^\s*(?:#|\/\/)/.test(text))
      .map(({ text, number }) => ({ text, line: number })),
  ];
}

/** Values and lines that have a word of this kind which the file did not have. */
export function weakeningFindings(change: Change): Finding[] {
  const { path, before, old } = change;
  const wordIn = (text: string, pattern: RegExp) => pattern.exec(text)?.[0].trim();
  const wasThere = (word: string, pattern: RegExp) =>
    [...(before ?? '').split('\n'), ...(old.data?.leaves ?? []).map(leafText)].some(
      (one) => wordIn(one, pattern) === word,
    );
  const isNew = (pattern: RegExp, text: string) => {
    const word = wordIn(text, pattern);
    return word !== undefined && !wasThere(word, pattern);
  };
  return textsOf(change).flatMap(({ text, line }) => {
    const why = WORDS.find(([, pattern]) => isNew(pattern, text))?.[0];
    return why === undefined ? [] : [asks('softer', path, line, why, text.trim())];
  });
}
