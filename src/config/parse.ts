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
  const { source, problems } = readYaml(text, file);
  if (source === undefined) return refused(problems);
  if (source.value === undefined) {
    return refused([...problems, topLevel(file, 'the file is empty; expected a mapping with "stages"')]);
  }
  return judged(contextMapSchema, source, file, problems, crossChecks(source.value, source.written));
}

/** Reads the text of `ai/loop.yaml`; no file, or nothing in it, means the defaults. Never throws. */
export function parseLoopConfig(text: string | undefined, file: string): Parsed<LoopConfig> {
  const { source, problems } = readYaml(text ?? '', file);
  if (source === undefined) return refused(problems);
  const filled = { ...source, value: source.value ?? {} };
  return judged(loopConfigSchema, filled, file, problems, branchFindings(filled.value));
}

/** Only `branch` and `base` of `ai/loop.yaml`: what else is in it is not looked at, unless it is no YAML at all. Never throws. */
export function parseBranches(text: string | undefined, file: string): Parsed<Pick<LoopConfig, 'branch' | 'base'>> {
  const { source, problems } = readYaml(text ?? '', file);
  if (source === undefined) return refused(problems);
  const filled = { ...source, value: source.value ?? {} };
  return judged(branchesSchema, filled, file, problems, branchFindings(filled.value));
}

const branchesSchema = loopConfigSchema.pick({ branch: true, base: true }).strip();

function judged<T>(
  schema: z.ZodType<T>,
  source: YamlSource,
  file: string,
  problems: readonly Problem[],
  crossed: readonly Finding[],
): Parsed<Frozen<T>> {
  const { value } = source;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refused([...problems, topLevel(file, `expected a mapping of keys to values, got ${described(value)}`)]);
  }
  const checked = check(schema, value);
  const findings = [...('findings' in checked ? checked.findings : []), ...crossed];
  const found = findings.map(({ path, at, message }) => ({
    file,
    ...source.locate(path, at),
    path: formatPath(path),
    message,
  }));
  if ('value' in checked && found.length + problems.length === 0) return { ok: true, value: freeze(checked.value) };
  return refused([...problems, ...found]);
}

function branchFindings(value: unknown): Finding[] {
  const { branch = DEFAULT_BRANCH, base } = value as { branch?: unknown; base?: unknown };
  if (typeof base !== 'string' || base !== branch) return [];
  return [{ path: ['base'], at: 'value', message: 'the same as branch; fixes need a branch of their own' }];
}

const topLevel = (file: string, message: string): Problem => ({ file, line: 1, column: 1, path: '', message });

const refused = (problems: readonly Problem[]): { ok: false; problems: Problem[] } => ({
  ok: false,
  problems: inOrder(problems),
});
