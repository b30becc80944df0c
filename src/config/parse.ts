// Text of a configuration file → frozen configuration, or every problem at once with its position.
import type { z } from 'zod';
import { type Mapping, mapping } from '../shape.ts';
import { type ContextMap, contextMapSchema, RESERVED_STAGE_NAMES, STAGE_NAME } from './context-map.ts';
import { type Frozen, freeze } from './freeze.ts';
import { DEFAULT_BRANCH, type LoopConfig, loopConfigSchema } from './loop-config.ts';
import { cyclesOf } from './needs.ts';
import { commandWords, isWipeScript, pathMatcher, rawWords } from './paths.ts';
import { check, described, type Finding, formatPath, inOrder, type Path, type Problem } from './problem.ts';
import { didYouMean } from './suggest.ts';
import { readYaml, type YamlSource } from './yaml-source.ts';

/** The value, or every problem found, in the order of the file. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: Problem[] };

/** Reads the text of `ai/context_map.yaml`; `file` is how messages call it. Never throws. */
export function parseContextMap(text: string, file: string): Parsed<ContextMap> {
  return parse(contextMapSchema, readYaml(text, file), file, crossChecks);
}

/** Findings about a file that was read, each where it stands there. */
export function located(text: string, file: string, findings: readonly Finding[]): Problem[] {
  const { source } = readYaml(text, file);
  return inOrder(findings.map((finding) => placed(finding, file, source)));
}

const placed = ({ path, at, message }: Finding, file: string, source: YamlSource | undefined): Problem => ({
  file,
  ...(source?.locate(path, at) ?? { line: 1, column: 1 }),
  path: formatPath(path),
  message,
});

/** Reads the text of `ai/loop.yaml`; no file, or nothing in it, means the defaults. Never throws. */
export function parseLoopConfig(text: string | undefined, file: string): Parsed<LoopConfig> {
  return parse(loopConfigSchema, readYaml(text ?? '', file, {}), file, sameBranch);
}

/** Only `branch` and `base` of `ai/loop.yaml`: what else is in it is not looked at, unless it is no YAML at all. Never throws. */
export function parseBranches(text: string | undefined, file: string): Parsed<Pick<LoopConfig, 'branch' | 'base'>> {
  return parse(branchesSchema, readYaml(text ?? '', file, {}), file, sameBranch);
}

const branchesSchema = loopConfigSchema.pick({ branch: true, base: true }).strip();

/** What of `ai/loop.yaml` nobody may mistake: what runs unattended, and where stages run. Never throws. */
export function parseSettings(
  text: string | undefined,
  file: string,
): Parsed<Pick<LoopConfig, 'unattended' | 'lab' | 'backend'>> {
  return parse(settingsSchema, readYaml(text ?? '', file, {}), file, () => []);
}

const settingsSchema = loopConfigSchema.pick({ unattended: true, lab: true, backend: true }).strip();

/** `crossChecks`: what the schema cannot see. */
function parse<T>(
  schema: z.ZodType<T>,
  { source, problems }: ReturnType<typeof readYaml>,
  file: string,
  crossChecks: (value: unknown, written: YamlSource['written']) => Finding[],
): Parsed<Frozen<T>> {
  const refused = (...more: Problem[]): Parsed<never> => ({ ok: false, problems: inOrder([...problems, ...more]) });
  const whole = (message: string) => refused(placed(atValue([], message), file, undefined));
  if (source === undefined) return refused();
  const { value, written } = source;
  if (value === undefined) return whole('the file is empty; expected a mapping with "stages"');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return whole(`expected a mapping of keys to values, got ${described(value)}`);
  }
  const checked = check(schema, value);
  const findings = [...('findings' in checked ? checked.findings : []), ...crossChecks(value, written)];
  if ('value' in checked && findings.length + problems.length === 0) return { ok: true, value: freeze(checked.value) };
  return refused(...findings.map((finding) => placed(finding, file, source)));
}

function sameBranch(value: unknown): Finding[] {
  const { branch = DEFAULT_BRANCH, base } = value as { branch?: unknown; base?: unknown };
  if (typeof base !== 'string' || base !== branch) return [];
  return [atValue(['base'], 'the same as branch; fixes need a branch of their own')];
}

// What two places of the map must agree on. It is looked for in the value as it was read, before the schema: a stage that
// is broken in one place hides nothing about the others. What has the wrong type is left to the schema to report.

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isText = (value: unknown): value is string => typeof value === 'string';
const atValue = (path: Path, message: string): Finding => ({ path, at: 'value', message });

/** Every finding about names, needs, forbidden scripts and matrix values. `written` gives a scalar as it stands in the file. */
function crossChecks(value: unknown, written: (path: Path) => string | undefined): Finding[] {
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
