// What two places of the context map must agree on: findings, which refuse it. They work on the value as it was read,
// before the schema: a stage that is broken in one place hides nothing about the others. What has the wrong
// type is left to the schema to report.
import { RESERVED_STAGE_NAMES, STAGE_NAME } from './context-map.ts';
import { cyclesOf } from './needs.ts';
import { commandWords, isWipeScript, pathMatcher, rawWords } from './paths.ts';
import type { Finding, Path } from './problem.ts';
import { didYouMean } from './suggest.ts';

type Mapping = Readonly<Record<string, unknown>>;

const mapping = (value: unknown): Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Mapping) : {};
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isText = (value: unknown): value is string => typeof value === 'string';
const atValue = (path: Path, message: string): Finding => ({ path, at: 'value', message });

/** Every finding about names, needs, forbidden scripts and matrix values. `written` gives a scalar as it stands in the file. */
export function crossChecks(value: unknown, written: (path: Path) => string | undefined): Finding[] {
  const top = mapping(value);
  const stages = mapping(top.stages);
  const isProtected = pathMatcher(list(top.protected_files).filter(isText), { ignoreCase: true });
  return [
    ...Object.keys(stages).flatMap(nameFindings),
    ...needFindings(stages),
    ...Object.entries(stages).flatMap(([name, stage]) => [
      ...forbiddenFindings(['stages', name], mapping(stage), isProtected),
      ...numberFindings(['stages', name, 'matrix'], mapping(mapping(stage).matrix), written),
    ]),
  ];
}

function nameFindings(name: string): Finding[] {
  const message = !STAGE_NAME.test(name)
    ? 'expected a stage name of up to 64 characters a-z, 0-9, "_" and "-" that starts with a letter'
    : RESERVED_STAGE_NAMES.includes(name)
      ? 'this name is reserved, mendloop uses it itself; choose another stage name'
      : undefined;
  return message === undefined ? [] : [{ path: ['stages', name], at: 'key', message }];
}

function needFindings(stages: Mapping): Finding[] {
  const names = Object.keys(stages);
  const needs = new Map(names.map((name) => [name, list(mapping(stages[name]).needs)]));
  const fault = (need: string, earlier: readonly unknown[]): string | undefined => {
    if (!needs.has(need)) return `unknown stage ${JSON.stringify(need)}${didYouMean(need, names, 'known stages')}`;
    return earlier.includes(need) ? `${JSON.stringify(need)} is listed twice` : undefined;
  };
  const single = [...needs].flatMap(([name, needed]) =>
    needed.flatMap((need, index) => {
      const message = isText(need) ? fault(need, needed.slice(0, index)) : undefined;
      return message === undefined ? [] : [atValue(['stages', name, 'needs', index], message)];
    }),
  );
  const circles = cyclesOf(new Map([...needs].map(([name, needed]) => [name, needed.filter(isText)])));
  return [
    ...single,
    ...circles.map((circle) => {
      const [first = '', second = ''] = circle;
      const path = ['stages', first, 'needs', needs.get(first)?.indexOf(second) ?? 0];
      return atValue(path, `needs go round in a circle: ${circle.join(' → ')}`);
    }),
  ];
}

function forbiddenFindings(path: Path, stage: Mapping, isProtected: (path: string) => boolean): Finding[] {
  const commands: [Path, unknown][] = [
    [['command'], stage.command],
    ...['verify', 'diagnostics'].flatMap((key) =>
      list(stage[key]).map((entry, index): [Path, unknown] => [[key, index], entry]),
    ),
  ];
  return commands.flatMap(([place, command]) => {
    const words = isText(command) ? command : list(command).filter(isText);
    const wiping = rawWords(words).filter((word) => !word.startsWith('-') && !/\s/.test(word) && isWipeScript(word));
    const guarded = commandWords(words).filter((word) => isProtected(word) && !isWipeScript(word));
    const named = [
      ...wiping.map((word) => `${word}, a wipe script`),
      ...guarded.map((word) => `${word}, a protected file`),
    ];
    return named.map((what) => atValue([...path, ...place], `names ${what}; what may not be edited may not be run`));
  });
}

/** YAML reads 1.10 as 1.1 and 007 as 7: a value that would change its text must be quoted. */
function numberFindings(path: Path, matrix: Mapping, written: (path: Path) => string | undefined): Finding[] {
  return Object.entries(matrix).flatMap(([axis, values]) =>
    list(values).flatMap((value, index) => {
      const here = [...path, axis, index];
      const text = typeof value === 'number' ? written(here) : undefined;
      if (text === undefined || text === String(value)) return [];
      return [atValue(here, `${text} is a number and would be read as ${value}; put it in quotes`)];
    }),
  );
}
