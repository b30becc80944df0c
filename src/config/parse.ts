// Text of a configuration file → frozen configuration, or every problem at once with its position.
import type { z } from 'zod';
import { type ContextMap, contextMapSchema } from './context-map.ts';
import { crossChecks } from './cross-checks.ts';
import { type Frozen, freeze } from './freeze.ts';
import { DEFAULT_BRANCH, type LoopConfig, loopConfigSchema } from './loop-config.ts';
import { check, described, type Finding, formatPath, inOrder, type Problem } from './problem.ts';
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
  return inOrder(
    findings.map(({ path, at, message }) => ({
      file,
      ...(source?.locate(path, at) ?? { line: 1, column: 1 }),
      path: formatPath(path),
      message,
    })),
  );
}

/** Reads the text of `ai/loop.yaml`; no file, or nothing in it, means the defaults. Never throws. */
export function parseLoopConfig(text: string | undefined, file: string): Parsed<LoopConfig> {
  return parse(loopConfigSchema, readYaml(text ?? '', file, {}), file, sameBranch);
}

/** Only `branch` and `base` of `ai/loop.yaml`: what else is in it is not looked at, unless it is no YAML at all. Never throws. */
export function parseBranches(text: string | undefined, file: string): Parsed<Pick<LoopConfig, 'branch' | 'base'>> {
  return parse(branchesSchema, readYaml(text ?? '', file, {}), file, sameBranch);
}

const branchesSchema = loopConfigSchema.pick({ branch: true, base: true }).strip();

/** `crossChecks`: what the schema cannot see. */
function parse<T>(
  schema: z.ZodType<T>,
  { source, problems }: ReturnType<typeof readYaml>,
  file: string,
  crossChecks: (value: unknown, written: YamlSource['written']) => Finding[],
): Parsed<Frozen<T>> {
  const refused = (...more: Problem[]): Parsed<never> => ({ ok: false, problems: inOrder([...problems, ...more]) });
  const whole = (message: string): Parsed<never> => refused({ file, line: 1, column: 1, path: '', message });
  if (source === undefined) return refused();
  const { value, locate, written } = source;
  if (value === undefined) return whole('the file is empty; expected a mapping with "stages"');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return whole(`expected a mapping of keys to values, got ${described(value)}`);
  }
  const checked = check(schema, value);
  const findings = [...('findings' in checked ? checked.findings : []), ...crossChecks(value, written)];
  if ('value' in checked && findings.length + problems.length === 0) return { ok: true, value: freeze(checked.value) };
  return refused(
    ...findings.map(({ path, at, message }) => ({ file, ...locate(path, at), path: formatPath(path), message })),
  );
}

function sameBranch(value: unknown): Finding[] {
  const { branch = DEFAULT_BRANCH, base } = value as { branch?: unknown; base?: unknown };
  if (typeof base !== 'string' || base !== branch) return [];
  return [{ path: ['base'], at: 'value', message: 'the same as branch; fixes need a branch of their own' }];
}
