// What an error says, whoever says it: what is wrong (a complaint) with what (a subject). Rules are made of the two, so
// that the words of the field are understood from a tool that nobody thought of.

/** The phrases of a list, parted by ` | ` or new lines. */
const phrases = (list: string): string[] => list.trim().split(/\s+\|\s+|\s*\n\s*/);

/** One alternative of a pattern for each phrase. */
const either = (list: TemplateStringsArray, ...parts: string[]): string =>
  `(?:${phrases(String.raw(list, ...parts)).join('|')})`;

/**
 * One pattern for phrases that are found as whole words; one in slashes is a pattern as it stands. Small and capital letters
 * are the same; `^` and `$` stand at the ends of a line.
 */
export function words(list: TemplateStringsArray): RegExp {
  const all = phrases(list.raw.join(''));
  const patterns = all.flatMap((one) => /^\/(.*)\/$/.exec(one)?.[1] ?? []);
  const plain = all.filter((one) => !/^\/.*\/$/.test(one));
  // Together behind one word boundary they are looked for in one go.
  return new RegExp([...(plain.length > 0 ? [`\\b(?:${plain.join('|')})\\b`] : []), ...patterns].join('|'), 'im');
}

/** Phrases, with whole patterns between them. */
export const any = (list: TemplateStringsArray, ...patterns: RegExp[]): RegExp[] => [...patterns, words(list)];

const CANNOT = "(?:cannot|can't|could not|couldn't|unable to|failed to|did not|didn't|was not able to)";
const DOES_NOT = "(?:does|do|did)(?: not|n't)";
const IS = '(?:is|are|was|were)';

/** How something is said to be wrong: by words before the subject, and by words behind it. */
const COMPLAINTS = {
  /** It is not there. */
  lost: {
    before: either`
      no such | missing | non-?existent | ${CANNOT} (?:find|open|stat|access|locate|look up)(?: or \w+)?
      no (?:matching|available|suitable|usable) | not found(?=: )
    `,
    after: either`
      not found | ${DOES_NOT} (?:exist|point to) | (?:not|cannot|can't) be (?:found|located|read) | ${IS} (?:missing|absent)
      missing(?=[.,;)]|$) | no longer exists? | not there | (?:is not executable: )?no such file or directory
    `,
  },
  /** Nobody knows the name. */
  unknown: {
    before: either`
      unknown | undefined | undeclared | unrecogni[sz]ed | unresolved | no match(?:es)? for | no \w+(?= ["'\x60])
      no \S+ (?:named|matching|by that name) | no \w+(?: \w+)? exists? with
      ${CANNOT} (?:resolve|retrieve|select|load|download)
      no (?:[\w-]+ ){1,3}(?:found|matched|match|matches|specified|defined|configured|passed|given|provides)
    `,
    after: either`
      undefined | unknown | not be resolved | (?:has|have) no entry | unrecogni[sz]ed
      not (?:been |yet )?(?:defined|declared|set|configured|registered|known|available|recogni[sz]ed|signed|present|installed)
    `,
  },
  /** It is not what it should be. */
  malformed: {
    before: either`
      invalid | unsupported | unexpected(?! EOF| end of file) | illegal | malformed | bad | wrong | incorrect
      duplicated? | conflicting | conflicts? with | incompatible | inconsistent | ambiguous | extraneous | unclosed
      unterminated | mismatched | found multiple | expecting | expected (?:an?|one of|token|['"<]\S+)
      (?:${CANNOT}|errors?) (?:pars|decod|validat|unmarshal|convert|compil|interpret|loading config)\w*
    `,
    after: either`
      ${IS} (?:an? )?(?:invalid|unsupported|malformed|required|mandatory|empty|immutable|ambiguous|out of range)
      ${IS} (?:not (?:valid|one of|suitable|an? valid)|too (?:long|short|large|small|big|old|new))
      ${DOES_NOT} (?:match|validate|support|conform|meet|contain|have|provide)
      not (?:allowed|supported|expected|valid|the correct) | (?:must|should) (?:not )?(?!not)\w+ | lacks | has no
      (?:required|expected)(?=[,.;]|$) | too (?:few|long|short|many (?:spaces|arguments)) | already (?:set|defined|declared) | mismatch | incompatible with
      (?:parse|parsing|syntax|validation|schema) errors? | expected \S{1,40},? (?:but )?(?:got|found|was)
      (?:cannot|can't|may not) be (?:changed|used|set|empty|null|imported|specified|handled|determined|combined)
    `,
  },
  /** Somebody else has it. */
  taken: {
    before: either`conflict: | naming conflict`,
    after: either`
      already (?:been )?(?:in use|exists?|taken|allocated|registered|assigned|bound|used|being used)
      ${IS} in use | (?:conflicts?|overlaps?) with
    `,
  },
  /** One must be it, or have it. */
  needed: {
    before: either`
      needs? | requires? | required | must be | must run | only | lacks? | missing | insufficient | not enough
      wrong | bad | not? | run(?: this)?(?: script)? | use | executed
    `,
    after: either`(?:${IS} )?(?:required|needed) | ${IS} missing | errors? | check failed`,
  },
  /** Somebody does not take it for what it should be. */
  distrusted: {
    before: either`
      invalid | wrong | incorrect | bad | expired | revoked | missing | empty | no(?! such) | no valid | unauthori[sz]ed | requires?
      invalid format for | ${CANNOT} (?:verify|validate|load|decrypt|use|get|find|locate)
    `,
    after: either`
      (?:(?:has|have|been|${IS}) )*(?:expired|revoked|rejected|refused|invalid|incorrect|wrong|denied|missing)
      (?:${IS} )?not (?:valid|accepted|found|provided|recogni[sz]ed) | ${DOES_NOT} (?:match|exist) | mismatch
      (?:${IS} )?required | failed | failure | errors? | could decrypt | not be (?:verified|found)
    `,
  },
  /** It does not answer. */
  silent: {
    before: either`
      (?:timed out|timeout)(?: after [\w.]+(?: \w+)?)?(?: (?:while |when )?waiting (?:for|on))?
      deadline exceeded | no response | not respond | gave up | lost
      ${CANNOT} (?:connect(?! to (?:\w+ ){0,2}bus\b)|reach|contact|establish|dial|ping)
    `,
    after: either`
      timed out | timeouts? | (?:${IS} )?unreachable | unavailable | (?:not|never|stopped) respond\w*
      no response | not reachable | deadline exceeded | hung up | broken pipe
      (?:(?:was|were|[\w-]+ly) ){0,3}(?:refused|reset|closed|aborted|lost|dropped|terminated|interrupted)
    `,
  },
} as const;

/** What else has a root, or is called so. */
const ROOT_OF = either`
  file ?systems? | partition | dis[ck] | device | dataset | volume | cert\w* | CA | director(?:y|ies) | path | folder | node
  element | object | module | domain | zone | key | cause
`;

interface Subject {
  nouns: string;
  names?: string;
}

const ENDINGS =
  'ya?ml|json5?|toml|tf(?:vars)?|hcl|sh|py|m?js|ts|conf|cfg|ini|env|pem|crt|key|tgz|tar|gz|iso|img|qcow2|raw|j2|g?o?tmpl|txt|nix|md|lock|deb';

/** Words for a thing, and how its names look where they stand for it. */
const SUBJECTS: Record<'file' | 'tool' | 'credential' | 'privilege' | 'package' | 'peer', Subject> = {
  file: {
    nouns: either`
      (?:(?!pro)\w+)?files? | director(?:y|ies) | folder | path | mount ?point | playbook | kubeconfig | the role
    `,
    names: either`[\w@./-]*[\w@-]\.(?:${ENDINGS}) | \.env[\w.-]* | (?:~|\.{1,2})?\/[\w.@+-]+(?:\/[\w.@+-]*)*`,
  },
  tool: {
    nouns: either`commands? | executables? | binar(?:y|ies) | program | shell | interpreter`,
    names: String.raw`\$PATH`,
  },
  credential: {
    nouns: either`
      (?:usernames?\/)?passwords? | passphrases? | credentials? | (?<!directory )signatures? | log-?(?:in|on)s? | tickets?
      (?:\w+)?auth(?:entication|orization)?(?! handshake)(?: header| option)?
      (?:\w+[- ])?tokens?(?! ['"]| (?:in|at|near|on|while|before|after)\b)(?: CA hash)? | no key could | identity
      (?:X-)?(?:access|api|auth|private|ssh|gpg|age|pgp|decryption|encryption|signing|master)[- _]?keys?(?: id)?
    `,
  },
  privilege: {
    nouns: either`
      (?:as |by |with )?(?:the )?(?:root(?! ${ROOT_OF})|superuser|super user|administrator|sudo)(?: user)?
      (?:(?:root|administrator|elevated|admin|access) )?(?:permissions?|privileges?|rights)
    `,
  },
  package: {
    nouns: either`
      packages? | modules?(?:\/actions?)? | collections? | plugins? | charts? | distribution | repository | manifest
      version that satisfies | installation candidate | image | requirement
    `,
  },
  peer: {
    nouns: either`
      connection | connect | connecting | hosts? | server | socket | registry | requests? | response | remote | peer
      endpoint | upstream | https? | tcp | ssh | port | download | transfer | fetch | dial | handshake | session | tunnel
      io | data (?:send|receive) | escalation prompt
    `,
    names: String.raw`\w+:\/\/[^\s"']{1,200}`,
  },
};

/** A name in quotes, or a word: what stands between a subject and what is said of it. */
const NAME = String.raw`["'\x60‘“<([][^"'\x60’”>)\]\n]{0,120}["'\x60’”>)\]]|[\w./@+-]{1,100}(?::[\w./@+-]{1,100})?`;
const MAX_BETWEEN = { before: 2, after: 4 };

/** Matches a text that says a complaint of a subject, with a few words between them at most. */
export function says(what: keyof typeof COMPLAINTS, subject: keyof typeof SUBJECTS): RegExp {
  const { before, after } = COMPLAINTS[what];
  const { nouns, names } = SUBJECTS[subject];
  const noun = String.raw`(?<![\w."'-])${nouns}(?![\w-])`;
  const ahead = String.raw`\b${before}(?: (?!(?:in|on|of)\b)(?:${NAME})){0,${MAX_BETWEEN.before}}?[ :]+${noun}`;
  const named = names ? [String.raw`\b${before}[ :]+(?:an? |the )?["'\x60(]?${names}`] : [];
  const things = names ? String.raw`(?:${noun}|(?<![\w/.-])${names})` : noun;
  const between = String.raw`["'\x60)]?(?:[ ,]+(?:${NAME}),?){0,${MAX_BETWEEN.after}}?[ ,:]+`;
  return new RegExp([ahead, ...named, `${things}${between}${after}(?!\\w)`].join('|'), 'im');
}

/** Matches a text that says a complaint, whatever of. */
export const complains = (...what: (keyof typeof COMPLAINTS)[]): RegExp =>
  new RegExp(
    what.map((one) => String.raw`\b${COMPLAINTS[one].before}:? \S|\S:? ${COMPLAINTS[one].after}(?!\w)`).join('|'),
    'im',
  );
