// What an error says, whoever says it: what is wrong (a complaint) with what (a subject). Rules are made of the two, so
// that the words of the field are understood from a tool that nobody thought of.

/** One alternative of a pattern for each phrase, parted by ` | ` or new lines. */
const either = (list: TemplateStringsArray, ...parts: string[]): string =>
  `(?:${String.raw(list, ...parts)
    .trim()
    .split(/\s+\|\s+|\s*\n\s*/)
    .join('|')})`;

const CANNOT = "(?:cannot|can't|could not|couldn't|unable to|failed to|did not|didn't|was not able to)";

/** How something is said to be wrong: by words before the subject, and by words behind it. */
const COMPLAINTS = {
  /** It is not there. */
  lost: {
    before: either`
      no such | missing | non-?existent | ${CANNOT} (?:find|open|stat|access|locate|look up)(?: or \w+)?
      no (?:matching|available|suitable|usable)
    `,
    after: either`
      not found | (?:does|do|did) not exist | (?:doesn't|don't|didn't) exist | not be (?:found|located)
      (?:cannot|can't) be (?:found|located|read) | (?:is|are|was|were) (?:missing|absent) | missing(?=[.,;)]|$)
      no longer exists? | isn't there | not there
    `,
  },
  /** Nobody knows the name. */
  unknown: {
    before: either`
      unknown | undefined | undeclared | unrecogni[sz]ed | unresolved | no match(?:es)? for | no \S+ (?:named|matching|by that name)
      no \w+ (?=["'\x60])
      ${CANNOT} (?:resolve|retrieve|select|load|download) | no \w+(?: \w+)? exists? with
      no (?:[\w-]+ ){1,3}(?:found|matched|match|matches|specified|defined|configured|passed|given|provides)
    `,
    after: either`
      undefined | unknown | not be resolved | (?:has|have) no entry | unrecogni[sz]ed
      not (?:been )?(?:defined|declared|set|configured|registered|known|available|recogni[sz]ed|signed|present|installed|yet installed)
    `,
  },
  /** It is not what it should be. */
  malformed: {
    before: either`
      invalid | unsupported | unexpected(?! EOF| end of file) | illegal | malformed | bad | wrong | incorrect
      duplicated? | conflicting | conflicts? with | incompatible | inconsistent | ambiguous | extraneous | unclosed
      unterminated | mismatched
      (?:${CANNOT}|errors?) (?:pars|decod|validat|unmarshal|convert|compil|interpret|loading config)\w*
      expected (?:an?|one of|token|['"<]\S+)
    `,
    after: either`
      (?:is|are) (?:an? )?(?:invalid|unsupported|malformed|required|mandatory|empty|immutable|ambiguous|out of range)
      (?:is|are) (?:not (?:valid|one of|suitable|an? valid)|too (?:long|short|large|small|big|old|new))
      not (?:allowed|supported|expected|valid) | (?:must|should) (?:not )?(?!not)\w+
      (?:does|do|did) not (?:match|validate|support|conform|meet|contain|have|provide)
      (?:doesn't|don't|didn't) (?:match|support|meet|have|provide|contain) | (?:is )?required(?=[,.;]|$) | lacks | expected(?=[.,;]|$) | already (?:set|defined|declared) | mismatch
      (?:parse|parsing|syntax|validation|schema) errors? | not the correct
      expected \S{1,40},? (?:but )?(?:got|found|was) | has no | incompatible with
      (?:cannot|can't|may not) be (?:changed|used|set|empty|null|imported|specified|handled|determined|combined)
    `,
  },
  /** Somebody else has it. */
  taken: {
    before: either`conflict: | naming conflict`,
    after: either`
      already (?:in use|exists?|taken|allocated|registered|assigned|bound|been (?:taken|used|allocated|defined)|used by|being used)
      (?:is|are) in use | conflicts? with | overlaps? with
    `,
  },
  /** One must be it, or have it. */
  needed: {
    before: either`
      needs? | requires? | required | must be | must run | must be run | only | lacks? | missing | insufficient | not enough
      wrong | bad | no | not | run(?: this)?(?: script)? | use | executed
    `,
    after: either`(?:is|are) (?:required|needed|missing) | required | needed | errors? | check failed`,
  },
  /** Somebody does not take it for what it should be. */
  distrusted: {
    before: either`
      invalid | wrong | incorrect | bad | expired | revoked | missing | empty | no(?! such) | no valid | unauthori[sz]ed
      invalid format for | ${CANNOT} (?:verify|validate|load|decrypt|use|get|find|locate)
    `,
    after: either`
      (?:(?:has|have|is|was|are|were|been) )*(?:expired|revoked|rejected|refused|invalid|incorrect|wrong|denied|missing)
      (?:is |was )?not (?:valid|accepted|found|provided|recogni[sz]ed) | (?:does|do|did) not (?:match|exist) | mismatch
      (?:is )?required | failed | failure | errors? | could decrypt | not be (?:verified|found)
    `,
  },
  /** It does not answer. */
  silent: {
    before: either`
      (?:timed out|timeout)(?: after [\w.]+(?: \w+)?)?(?: (?:while |when )?waiting (?:for|on))? | deadline exceeded | no response | not respond
      gave up | lost | ${CANNOT} (?:connect|reach|contact|establish|dial|ping)
    `,
    after: either`
      timed out | timeout | timeouts | (?:is )?unreachable | unavailable | (?:not|never|stopped) respond\w*
      no response | not reachable | deadline exceeded | hung up | broken pipe
      (?:(?:was|were|unexpectedly|abruptly|[\w-]+ly) ){0,3}(?:refused|reset|closed|aborted|lost|dropped|terminated|interrupted)
    `,
  },
} as const;

const ENDINGS =
  'ya?ml|json5?|toml|tf(?:vars)?|hcl|sh|py|m?js|ts|conf|cfg|ini|env|pem|crt|key|tgz|tar|gz|iso|img|qcow2|raw|j2|g?o?tmpl|txt|nix|md|lock|deb';

/** Words for a thing, and how its names look where they stand for it. */
const SUBJECTS = {
  file: {
    nouns: either`
      files? | director(?:y|ies) | folder | path | mount ?point | playbook | kubeconfig | the role
      (?:Docker|Make|Just|Task|Helm|Caddy|Vagrant|Gem|Proc)file
    `,
    names: either`[\w@./-]*[\w@-]\.(?:${ENDINGS}) | (?:~|\.{1,2})?\/[\w.@+-]+(?:\/[\w.@+-]*)*`,
  },
  tool: {
    nouns: either`commands? | executables? | binar(?:y|ies) | program | shell | interpreter`,
    names: String.raw`\$PATH`,
  },
  credential: {
    nouns: either`
      (?:usernames?\/)?passwords? | passphrases? | credentials? | signatures? | log-?(?:in|on)s? | tickets?
      (?:\w+)?authentication(?! handshake) | authorization(?: header)?
      (?:\w+[- ])?tokens?(?! ['"]| (?:in|at|near|on|while|before|after)\b)(?: CA hash)? | no key could | identity
      (?:access|api|auth|private|ssh|gpg|age|pgp|decryption|encryption|signing|master)[- _]?keys?(?: id)?
    `,
    names: 'NO_PASSWORD',
  },
  privilege: {
    nouns: either`
      (?:as |by |with )?(?:the )?(?:root|superuser|super user|administrator|sudo)(?: user)?
      (?:(?:root|administrator|elevated|admin|access) )?(?:permissions?|privileges?|rights)
    `,
    names: 'NO_PRIVILEGE',
  },
  package: {
    nouns: either`
      packages? | modules?(?:\/actions?)? | collections? | plugins? | charts? | distribution | repository | manifest
      version that satisfies | installation candidate | image | requirement
    `,
    names: 'NO_PACKAGE',
  },
  peer: {
    nouns: either`
      connection | connect | connecting | hosts? | server | socket | registry | requests? | response | remote | peer
      endpoint | upstream | https? | tcp | ssh | port | download | transfer | fetch | dial | handshake | session | tunnel
      io | data (?:send|receive)
      escalation prompt
    `,
    names: String.raw`\w+:\/\/[^\s"']{1,200}`,
  },
} as const;

/** A name in quotes, or a word: what stands between a subject and what is said of it. */
const NAME = String.raw`["'\x60‘“<([][^"'\x60’”>)\]\n]{0,120}["'\x60’”>)\]]|[\w./@+-]{1,100}(?::[\w./@+-]{1,100})?`;
const MAX_BETWEEN = { before: 2, after: 4 };

/** Matches a text that says a complaint of a subject, with a few words between them at most. */
export function says(what: keyof typeof COMPLAINTS, subject: keyof typeof SUBJECTS): RegExp {
  const { before, after } = COMPLAINTS[what];
  const { nouns, names } = SUBJECTS[subject];
  const noun = String.raw`(?<![\w.-])${nouns}(?![\w-])`;
  const ahead = String.raw`\b${before}(?:(?: [\w./-]+){0,${MAX_BETWEEN.before}}?[ :]+${noun}|[ :]+(?:an? |the )?["'\x60(]?${names})`;
  const between = String.raw`["'\x60)]?(?:[ ,]+(?:${NAME}),?){0,${MAX_BETWEEN.after}}?[ ,:]+`;
  return new RegExp(String.raw`${ahead}|(?:${noun}|(?<![\w/.-])${names})${between}${after}(?!\w)`, 'im');
}

/** Matches a text that says a complaint, whatever of. */
export const complains = (...what: (keyof typeof COMPLAINTS)[]): RegExp =>
  new RegExp(
    what.map((one) => String.raw`\b${COMPLAINTS[one].before}:? \S|\S:? ${COMPLAINTS[one].after}(?!\w)`).join('|'),
    'im',
  );
