// What stands under a secret-like key and is none: a reference, a template, a name, a path, a number, a word of a
// message.
import { isHighEntropy, turns } from './secret-signs.ts';

/** A value that only says where the real one comes from, or that there is none. */
export const NO_VALUE =
  /^(?:\$[A-Za-z_({]|%\w+%$|\{[{%]|<[^>]*>?$|\*+$|[xX.•*_-]+$|(?:\w\.)?x{5,}|your[_-]|my[_-]?(?:secret|password|token)$|!\w+(?:[ \t]|$)|(?:null|none|nil|true|false|yes|no|undefined|empty|unset|always|never|auto|on_create|hidden|masked|redacted|omitted|change[_-]?me|replace[_-]?me|todo|required|optional|string|boolean|bool|number|object|unknown|sensitive|\(sensitive|\(known|known|lookup|secretKeyRef|valueFrom|\(hidden|n\/a|public|private)(?![\w-])|vault:|op:\/\/|ref\+|arn:|akv:\/\/)/i;

const NUMBER = /^-?\d{1,6}(?:\.\d+)?(?:ms|[smhdw]|[kmg]i?b?|[ \t]+[a-z]+)?$/i;
// Of Terraform, Python, JavaScript, Jinja without braces; a call of anything.
const CODE =
  /^(?:(?:var|local|data|module|each|env|os|process|self|this|args|config|settings|request|hostvars|random_\w+|[a-z][a-z\d]*_[a-z\d_]+)(?:\.[A-Za-z_][\w-]*(?:\[[^\]]{0,64}\])?)+|(?:local|var|data|module|secrets|hostvars|groups|os\.environ|process\.env)[.\w]*\[.{0,80}|[A-Za-z_][\w.]{0,60}\(.{0,200})[,;)]?$/;
/** `secrets.cluster.secret`: names of names, the last of them secret-like. */
const MEMBER = /^[A-Za-z_]+(?:\.[A-Za-z_]+){0,6}\.[A-Za-z_]*(?:token|password|passwd|pass|secret|key)[,;)]?$/i;
const PATH = /^(?:~|\.{1,2})?\/[\w.@${}-]+(?:\/[\w.@${}*-]*)*[:,]?$/;
/** `secret/s3`, `apps/grafana/admin`: where something is. */
const PLACE = /^[a-z][a-z\d_.-]{1,40}(?:\/[a-z\d_.-]{1,40}){1,5}$/;
const URL = /^[a-z][\w+.-]{1,20}:\/\/(?![^\s/]*:[^\s/]*@)/i;
const ADDRESS = /^(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?$/;
/** `flux-system/sops-age`: a name in a namespace. */
const NAMED = /^[a-z][a-z-]{0,62}\/[a-z][a-z.-]{0,62}$/;
const VARIABLE = /^[A-Z][A-Z0-9]*(?:_+[A-Z0-9]+)+$/;
const OWN_NAME = /^(?:[a-z]+[_-]){0,6}(?:token|password|passwd|pass|pwd|username|[a-z]+[_-]key)$/i;

/** `secretKey: github_app_id` of an ExternalSecret. */
const KEY_OF_SECRET = /^(?:&\w+[ \t]+)?[a-z][a-z\d]*(?:[._-][a-z\d]+)+$/i;
/** `githubConfigSecret: runner-secret`: a resource by its name. */
const NAMES_SECRET = /^(?!client|app|shared|webhook|cookie|session|jwt)[a-z]+(?:[A-Z][a-z]+)*Secret$/;
/** Under `caSecret` or `tlsSecret` any name of a resource. */
const KEBAB = /^[a-z]+(?:-[a-z]+\d?)+$/;
const SECRET_NAME = /^[a-z]+(?:-[a-z]+)*-(?:secrets?|credentials?|creds|auth|tls|token|config|keys?)$/;

/** `value` of `key`: not the secret itself. */
export function isNoSecret(value: string, key: string, separator: ':' | '='): boolean {
  const plain = value.trim();
  if (plain.length < 3 || !/[A-Za-z0-9]/.test(plain) || NO_VALUE.test(plain) || NUMBER.test(plain)) return true;
  if ([CODE, MEMBER, ADDRESS, URL].some((form) => form.test(plain)) || /^(?:var|local|module|each)\.[a-z_]/.test(plain))
    return true;
  if (PATH.test(plain) && !/=$/.test(plain) && !isHighEntropy(plain.replace(/^[~.]*\//, ''))) return true;
  if (PLACE.test(plain) && !isHighEntropy(plain)) return true;
  if (VARIABLE.test(plain) && turns(plain) < 0.2) return true;
  if (plain.toLowerCase() === key.toLowerCase() || /^(?:token|password|passwd|secret)$/i.test(plain)) return true;
  // `password=db_password` in a program, `secretKey: api-token` of a Secret.
  if (
    OWN_NAME.test(plain) &&
    ((/[a-z]Key$/.test(key) && separator === ':') || (separator === '=' && plain.includes('_')))
  )
    return true;
  if (key === 'secretKey' && separator === ':' && KEY_OF_SECRET.test(plain)) return true;
  if (!/secret$/i.test(key)) return false;
  return NAMED.test(plain) || (NAMES_SECRET.test(key) && (SECRET_NAME.test(plain) || KEBAB.test(plain)));
}

/** A value that begins so is part of a message. */
export const MESSAGE =
  /^(?:is|was|has|must|may|can|cannot|could|should|does|did|will|not|no|the|this|that|your|you|all|a|an|for|from|of|to|and|or|with|without|in|on|by|as|at|if|wrong|incorrect|invalid|expired|missing|failed|unset|ok|okay|success|denied|unknown|unrecognized|unauthorized|forbidden|found|set|reset|created|configured|unchanged|updated|deleted|rotated|renewed|generated|obtained|received|rejected|accepted|verified|entry|expiry|too|only|use|using|see|please|enter|type|permission|authentication|unbound|parameter|field|variable|passwords?|tokens?|secrets?|error|user|disabled|enabled|default|blank|ignored|skipped|unexpected|expected|unable|requires?|required|provided|given|end|already|expires?|mapping|value|key|string|got|want|have|lifetime|rotation|changed|does|doesn't|isn't|can't)(?=[\s.,;:!)]|$)/i;

/** Four words and more without a digit or a sign: a reason, where the key is not that of a passphrase. */
const SENTENCE = /^[a-z]+(?: [a-z,]+){3,}/i;

/** A word or a sentence of a message, and no value. */
export const isProse = (value: string, key = ''): boolean =>
  MESSAGE.test(value) || (/^(?:pass|token|secret)$/i.test(key) && SENTENCE.test(value));
