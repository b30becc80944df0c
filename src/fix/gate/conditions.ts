// Conditions of Ansible's tasks, as far as their words alone tell what becomes of them.
import type { Knows } from './rules.ts';

/** The parts that must all hold; one with brackets or `or` stays whole. */
export const partsOf = (condition: string): string[] =>
  (/[()]|\bor\b/.test(condition) ? [condition] : condition.split(/\s+and\s+/)).map((text) =>
    text.replace(/\s+/g, ' ').trim(),
  );

const NO = /^(?:false|no|none|omit|not true|'[^']*' in '[^']*')$/i;
/** What every host has. */
const ALWAYS_THERE =
  'inventory_hostname|ansible_facts|group_names|groups|hostvars|ansible_play_hosts|ansible_version|playbook_dir';
const MISSING = new RegExp(
  `^(?:${ALWAYS_THERE})(?:\\.\\w+)* (?:is (?:not defined|undefined|none)|== (?:''|""))$|^ansible_play_hosts ?\\| ?length == 0$`,
);

/** It cannot hold on any host. */
export function holdsNowhere(condition: string): boolean {
  const parts = partsOf(condition);
  return parts.some((part) => NO.test(part) || MISSING.test(part) || parts.includes(`not ${part}`));
}

/** A host or group by its name, and a variable that somebody may have set. */
const HOST = /\b(?:inventory_hostname(?:_short)?|ansible_(?:hostname|fqdn|nodename)|group_names|groups)\b/;
const SETTING =
  /^((?!ansible_)[a-z_]\w*) (?:is defined|\| ?default\((?:false|no|''|"")(?:, ?true)?\)(?: ?\| ?bool)?)$/i;

/** A name in it that nothing in the repository has: a host, a group, a variable; with one it may hold nowhere. */
export function unknownName(condition: string, knows: Knows): string | undefined {
  return (
    partsOf(condition)
      .filter((part) => !/^not | not in |!=|\bhostvars\[/.test(part))
      .flatMap((part) => {
        const names = HOST.test(part)
          ? [...part.matchAll(/(["'])([\w.-]+)\1/g)].map(([, , name]) => name as string)
          : [];
        return [...names, ...(SETTING.exec(part)?.slice(1, 2) ?? [])];
      })
      // All names are asked for, not up to the first unknown one: those that `knows` misses are looked up together.
      .filter((name) => !knows(name))[0]
  );
}

const MAX_CODE = 255;
const COMPARED: Readonly<Record<string, (code: number, other: number) => boolean>> = {
  '==': (code, other) => code === other,
  '!=': (code, other) => code !== other,
  '>': (code, other) => code > other,
  '>=': (code, other) => code >= other,
  '<': (code, other) => code < other,
  '<=': (code, other) => code <= other,
};

/** How many exit codes besides 0 a `failed_when` lets pass; undefined where it asks for more than the code. */
export function forgivenCodes(condition: string): number | undefined {
  const tests = partsOf(condition).map(codeTest);
  if (tests.some((test) => test === undefined)) return undefined;
  const codes = Array.from({ length: MAX_CODE }, (_, i) => i + 1);
  return codes.filter((code) => !tests.every((test) => test?.(code))).length;
}

/** Every exit code passes. */
export const forgivesAll = (condition: string): boolean =>
  forgivenCodes(condition) === MAX_CODE ||
  partsOf(condition).some((part) => NO.test(part) || /^\w+ is (?:not defined|undefined)$/.test(part));

function codeTest(part: string): ((code: number) => boolean) | undefined {
  const [, operator = '', number] = /^[\w.]+\.rc ?(==|!=|>=?|<=?) ?(-?\d+)$/.exec(part) ?? [];
  const compare = COMPARED[operator];
  if (compare) return (code) => compare(code, Number(number));
  const [, not, list, range] = /^[\w.]+\.rc (not )?in (?:\[([\d, ]*)\]|range\((\d+)\))$/.exec(part) ?? [];
  if (list === undefined && range === undefined) return undefined;
  const isListed = (code: number) =>
    list === undefined ? code < Number(range) : list.split(',').some((one) => Number(one) === code);
  return (code) => isListed(code) !== (not !== undefined);
}
