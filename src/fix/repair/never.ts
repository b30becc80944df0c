// What is never a repair, whatever the log says: booleans, numbers, negations, addresses and accounts.
import type { AskCode } from '../edit.ts';
import type { WordPlace } from './place.ts';

const BOOLEAN = /^(?:true|false|yes|no|on|off|y|n|null|none|nil|~)$/i;
const NUMBER = /^[-+]?v?\d[\d._:/x-]*(?:[A-Za-z%]{1,3})?$/;
const IP = /\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){3,}\b/i;
const MAC = /\b[0-9a-f]{2}(?::[0-9a-f]{2}){5}\b/i;
const HOST_AND_PORT = /(?<![\w$])[\w.-]+:\d{2,5}\b/;
/** Two labels at least, the last of letters, as domains have; what has an ending of a file is a file. */
const DOMAIN = /^(?:[a-z0-9_-]+\.)+(?:[a-z]{2,})\.?$/i;
const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const FILE_ENDINGS = words(
  'yaml yml json json5 toml sh bash py js mjs ts j2 tmpl tpl gotmpl tf tfvars hcl conf cfg ini env mk just md txt csv xml sql service timer ' +
    'lock log pem crt key img iso qcow2 gz tgz zip tar lua rb go nix rules list repo html htm css svg png',
);
/** Keys by their last word: the value says who somebody is, or where something is. */
const ACCOUNTS = words(
  'user username users owner group uid gid account subject subjects principal runasuser runasgroup login',
);
const PLACES = words(
  'host hosts hostname server servers address addresses endpoint endpoints url urls uri domain domains ip ips port ports mail email device ' +
    'devices disk interface iface gateway nameserver nameservers registry repository repo image mirror proxy listen bind peer peers cidr subnet',
);
/** Keys and words with which a failure is put up with. */
const TOLERATES = words(
  'ignore_errors ignore_unreachable failed_when changed_when no_log rescue continue-on-error continue_on_error allow_failure optional ignore ' +
    'ignored skip force default',
);

export const isBoolean = (word: string): boolean => BOOLEAN.test(word);
/** Versions, tags, digests and sizes are numbers. */
export const isNumber = (word: string): boolean => NUMBER.test(word) || /^sha\d+:/.test(word) || /^\d/.test(word);

/** Whether a text is, or has in it, an address: IP, CIDR, URL, host and port, domain, mail, device, absolute path. */
export function isAddress(text: string): boolean {
  if (/:\/\/|@\w|^\/|^~/.test(text) || IP.test(text) || MAC.test(text) || HOST_AND_PORT.test(text)) return true;
  return DOMAIN.test(text) && !FILE_ENDINGS.has(text.slice(text.lastIndexOf('.') + 1).toLowerCase());
}

/** `POSTGRES_HOST` and `serverAddress` by their last word. */
const lastWord = (key: string): string =>
  key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .findLast((word) => word !== '') ?? '';

export const isAccountKey = (key: string): boolean => ACCOUNTS.has(lastWord(key)) || /service_?account/i.test(key);
const isAddressKey = (key: string): boolean => PLACES.has(lastWord(key));
export const isOwnersKey = (key: string): boolean => isAccountKey(key) || isAddressKey(key);
export const isTolerant = (word: string): boolean => TOLERATES.has(word);
/** A word that no shape may touch, wherever it stands. */
export const isFixed = (word: string): boolean => isBoolean(word) || isNumber(word) || isTolerant(word);

const DIRECTIVES: readonly RegExp[] = [
  // It goes on in the next line.
  /\\\s*$/,
  // A setting, an interpreter, a template, an option.
  /(?:^|\s)[\w.-]+\s*[:=]\S|^\s*[\w-]+:|^!|\{[{%#]|^\s*[-+]\w/,
  /\b(?:no(?:qa|lint|sec|inspection)|ignore|skip|disable|enable|suppress|exclude|allow|pragma|cloud-config|syntax)/i,
];

/** Whether a comment speaks to a tool: `# shellcheck disable=…`, `# noqa`, `#!`, `#cloud-config`. What looks like one is one. */
export function isDirective(comment: string): boolean {
  const text = comment.replace(/^\s*(?:#|\/\/|;|--|"")/, '');
  return DIRECTIVES.some((pattern) => pattern.test(text));
}

/** Keys whose value decides whether something runs, holds or counts as failed. */
const DECIDES =
  /^(?:when|if|unless|until|changed_when|that|assert|condition|expr|restart|verify|validate\w*|enabled?|suspend|prune)$/;
/** Those that say for how long, how often and by which probe it is asked. */
const PROBES = /^(?:wait|timeout|retries|healthcheck|(?:live|readi)nessProbe)$/;
export const decides = (key: string): boolean => DECIDES.test(key) || PROBES.test(key);

/** Keys that hold what is run. */
const RUNS = /^(?:command|args|scripts?|run|cmd|cmds|shell|entrypoint|exec|hook|Exec\w+)$/;
export const isRun = (key: string): boolean => RUNS.test(key);

/** All that is not a space and touches the word: `https://a/b` around `a`. */
export const blobAround = (left: string, word: string, right: string): string =>
  `${/[^\s"'`,;()[\]{}|=]*$/.exec(left)?.[0] ?? ''}${word}${/^[^\s"'`,;()[\]{}|=]*/.exec(right)?.[0] ?? ''}`;

const IN_CODE = /\.(?:py|tf|tofu|hcl)$/;
/** The name that a word is given to in its own text: `NAME=`, `--option=`, `key:`. */
const ASSIGNED = /([\w-]+)\s*[=:]\s*["']?[^\s"']*$/;
const GRANTS = /(?:Role|Binding|Policy)$/;

/** The kind of decision that a word is whatever a log says of it, by itself or by where it stands; undefined: it may be a slip. */
export function ownersKind({ path, role, keys, left, right, old, new: now, document }: WordPlace): AskCode | undefined {
  const words = [old, now];
  const steps = keys.filter((each) => each !== '-');
  const key = steps.at(-1) ?? '';
  // Outside of quotes a dot of a program's text parts names.
  const isInCode = IN_CODE.test(path) && left.split(/["']/).length % 2 === 1;
  const before = left.replace(/\$\{(\w+)\}/g, '$$$1');
  if (!isInCode && words.some((word) => isAddress(blobAround(before, word, right)))) return 'address';
  // What is called by its name only is what the key above says; below `hosts` and other plurals the keys are the names.
  const above = /^(?:name|value|key|id)$/.test(key) ? steps.at(-2) : undefined;
  const holders = role === 'key' ? [/s$/.test(key) ? key : ''] : [key, above ?? '', ASSIGNED.exec(left)?.[1] ?? ''];
  if (holders.some(isOwnersKey) || GRANTS.test(document?.kind ?? '')) return 'address';
  const isValue = role !== 'key';
  if (words.some(isBoolean) || (isValue && (decides(key) || keys[0] === 'test'))) return 'condition';
  if (words.some(isNumber)) return 'number';
  const isDefault = isValue && (isTolerant(key) || /default\([^)]*$/.test(left));
  return isDefault || words.some(isTolerant) ? 'tolerance' : undefined;
}
