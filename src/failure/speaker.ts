// Who says a line, and what: a host or service in front of it, a stream's name, the fields of a record. Pure.

/** A line without what stands in front of it; `host` where that is the place of a host. */
export interface Spoken {
  text: string;
  host?: string;
}

const NAME = '[A-Za-z0-9][\\w.-]{0,80}';
/** Names that are hosts by their looks: programs, devices and guests end in digits too, so only these stems count. */
const HOST_NAME = new RegExp(
  [
    String.raw`^(?:\d{1,3}(?:\.\d{1,3}){3}|[\w-]+(?:\.[\w-]+)*\.(?:lan|local|home|arpa|internal|lab|localdomain)`,
    String.raw`|(?:[\w-]*-)?(?:cp|node|worker|master|server|agent|pve|host|nas|nuc|r?pi|controlplane|control|controller|talos|etcd)-?\d{1,3})$`,
  ].join(''),
  'i',
);

/** `[cp1]: `, or `cp1 | ` as Ansible says it; with two spaces and more it is a service of compose, whose name counts. */
const HOST_FRONT = new RegExp(String.raw`^(?:\[(${NAME})\]:|(${NAME}) \|) (?=\S)`);
const HOST_COLON = new RegExp(String.raw`^(${NAME}): (?=\S)`);

/** Takes the host at a line's start away. `hosts` are those that the log names as such elsewhere. */
export function withoutHost(line: string, hosts: ReadonlySet<string> = NONE): Spoken {
  const front = HOST_FRONT.exec(line);
  if (front) return { text: line.slice(front[0].length), host: (front[1] ?? front[2]) as string };
  const [before = '', host = ''] = HOST_COLON.exec(line) ?? [];
  if (host === '' || !(hosts.has(host) || HOST_NAME.test(host))) return { text: line };
  return { text: line.slice(before.length), host };
}

const NONE: ReadonlySet<string> = new Set();

/** Fronts that say nothing of what is wrong: a container, a stream, a unit of systemd, a bullet. */
const FRONT = new RegExp(
  [
    String.raw`^(?:\s+`,
    String.raw`${NAME} +\| `,
    String.raw`\[${NAME}\]: `,
    String.raw`(?:std)?(?:err|out)(?:put)?(?:\[\d+\])?[:|] (?=\S)`,
    String.raw`[\w.-]+ [\w./@-]+\[\d+\]: `,
    '[✗✘×►•*│] )',
  ].join('|'),
  'i',
);
/** More of them than this are not in front of anything. */
const MAX_FRONTS = 4;

/** The line's own words behind its fronts; records stay as they are. */
export function withoutFronts(line: string): string {
  if (!/^[\s[✗✘×►•*│]|\||^(?:std)?(?:err|out)|\]: /i.test(line)) return line;
  let text = line;
  for (let i = 0; i < MAX_FRONTS; i++) {
    const front = FRONT.exec(text)?.[0];
    if (!front) break;
    text = text.slice(front.length);
  }
  return text;
}

const QUOTED = String.raw`"((?:[^"\\]|\\.){1,4096})"`;
/** Where records keep the cause, the most telling field first. */
const FIELDS = ['error', 'err', 'msg', 'message'].map(
  (name) => new RegExp(String.raw`(?:^|[\s{,])"?${name}"?[=:] ?${QUOTED}`),
);

/** What a record of logfmt, klog or JSON says in its telling field; other lines as they are. */
export function messageOf(text: string): string {
  if (!/="|": ?"/.test(text)) return text;
  for (const field of FIELDS) {
    const value = field.exec(text)?.[1];
    if (value !== undefined) return unescaped(value);
  }
  return text;
}

/** The text that a quoted one stands for, as far as it is sound. */
export const unescaped = (text: string): string =>
  text.replace(/\\(?:([nrt])|u([0-9a-f]{4})|(.))/gi, (_all, white: string, code: string, other: string) =>
    white ? (white === 't' ? '\t' : '\n') : code ? String.fromCharCode(Number.parseInt(code, 16)) : other,
  );
