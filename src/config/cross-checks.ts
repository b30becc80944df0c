// What two places of the context map must agree on. Works on the value as it was read, before the schema: a stage that
// is broken in one place hides nothing about the others. What has the wrong type is left to the schema to report.
import { type ContextMap, isBuiltInCheck, RESERVED_STAGE_NAMES, STAGE_NAME, type Stage } from './context-map.ts';
import { cyclesOf } from './needs.ts';
import { commandWords, isWipeScript, pathMatcher, rawWords } from './paths.ts';
import type { Finding, Path } from './problem.ts';
import { didYouMean } from './suggest.ts';

type Mapping = Readonly<Record<string, unknown>>;

const mapping = (value: unknown): Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Mapping) : {};
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isText = (value: unknown): value is string => typeof value === 'string';

/** Every finding about names, needs, forbidden scripts and matrix values. `written` gives a scalar as it stands in the file. */
export function crossChecks(value: unknown, written: (path: Path) => string | undefined): Finding[] {
  const top = mapping(value);
  const stages = mapping(top.stages);
  const isProtected = pathMatcher(list(top.protected_files).filter(isText), { ignoreCase: true });
  return [
    ...Object.keys(stages).flatMap(nameFindings),
    ...needFindings(stages),
    ...Object.entries(stages).flatMap(([name, stage]) => [
      ...forbiddenFindings(name, mapping(stage), isProtected),
      ...numberFindings(['stages', name, 'matrix'], mapping(mapping(stage).matrix), written),
    ]),
  ];
}

function nameFindings(name: string): Finding[] {
  const found = (message: string): Finding[] => [{ path: ['stages', name], at: 'key', message }];
  if (!STAGE_NAME.test(name)) {
    return found('expected a stage name of up to 64 characters a-z, 0-9, "_" and "-" that starts with a letter');
  }
  if (!RESERVED_STAGE_NAMES.includes(name)) return [];
  return found('this name is reserved, mendloop uses it itself; choose another stage name');
}

function needFindings(stages: Mapping): Finding[] {
  const names = Object.keys(stages);
  const needs = new Map(names.map((name) => [name, list(mapping(stages[name]).needs)]));
  const findings: Finding[] = [];
  for (const [name, needed] of needs) {
    needed.forEach((need, index) => {
      const found = (message: string) =>
        findings.push({ path: ['stages', name, 'needs', index], at: 'value', message });
      if (!isText(need)) return;
      if (!needs.has(need)) found(`unknown stage ${JSON.stringify(need)}${didYouMean(need, names, 'known stages')}`);
      else if (needed.indexOf(need) < index) found(`${JSON.stringify(need)} is listed twice`);
    });
  }
  const edges = new Map([...needs].map(([name, needed]) => [name, needed.filter(isText)]));
  for (const cycle of cyclesOf(edges)) {
    const [first = '', second = ''] = cycle;
    const path = ['stages', first, 'needs', needs.get(first)?.indexOf(second) ?? 0];
    findings.push({ path, at: 'value', message: `needs go round in a circle: ${cycle.join(' → ')}` });
  }
  return findings;
}

function forbiddenFindings(name: string, stage: Mapping, isProtected: (path: string) => boolean): Finding[] {
  const places: [Path, unknown][] = [
    [['command'], stage.command],
    ...list(stage.verify).map((entry, index): [Path, unknown] => [['verify', index], entry]),
    ...list(stage.diagnostics).map((entry, index): [Path, unknown] => [['diagnostics', index], entry]),
  ];
  return places.flatMap(([place, command]) => {
    const words = isText(command) ? command : Array.isArray(command) ? command.filter(isText) : [];
    const path = ['stages', name, ...place];
    const found = (word: string, what: string): Finding => {
      const message = `names ${word}, ${what}; what may not be edited may not be run`;
      return { path, at: 'value', message };
    };
    const wiping = rawWords(words).filter((word) => !word.startsWith('-') && !/\s/.test(word) && isWipeScript(word));
    const guarded = commandWords(words).filter((word) => isProtected(word) && !isWipeScript(word));
    return [
      ...wiping.map((word) => found(word, 'a wipe script')),
      ...guarded.map((word) => found(word, 'a protected file')),
    ];
  });
}

/** YAML reads 1.10 as 1.1 and 007 as 7: a value that would change its text must be quoted. */
function numberFindings(path: Path, matrix: Mapping, written: (path: Path) => string | undefined): Finding[] {
  return Object.entries(matrix).flatMap(([axis, values]) =>
    list(values).flatMap((value, index): Finding[] => {
      const here = [...path, axis, index];
      const text = typeof value === 'number' ? written(here) : undefined;
      if (text === undefined || text === String(value)) return [];
      const message = `${text} is a number and would be read as ${value}; put it in quotes`;
      return [{ path: here, at: 'value', message }];
    }),
  );
}

const SCRIPT = /\.(?:sh|bash|zsh|py|rb|pl|js|mjs|cjs|ts|mts)$/;

/**
 * One line each, `path: message`. A script that judges stages may not be edited by what it judges: where `files` covers
 * one, the gate will refuse it all the same.
 */
export function configWarnings(map: ContextMap): string[] {
  const judges = new Map<string, string>();
  for (const [name, stage] of Object.entries(map.stages)) {
    for (const { script, role } of judgingScripts(stage)) {
      if (!judges.has(script)) judges.set(script, `stages.${name}.${role}`);
    }
  }
  return Object.entries(map.stages).flatMap(([name, { files }]) => {
    const covered = pathMatcher(files);
    return [...judges]
      .filter(([script]) => covered(script))
      .map(([script, where]) => `stages.${name}.files: covers ${script}, named in ${where}; the AI may not edit that`);
  });
}

function judgingScripts(stage: Stage): { script: string; role: string }[] {
  const commands = [
    ...stage.verify.map((entry, index) => ({ entry, role: `verify[${index}]` })),
    ...stage.diagnostics.map((entry, index) => ({ entry, role: `diagnostics[${index}]` })),
  ];
  return commands.flatMap(({ entry, role }) => {
    if (isBuiltInCheck(entry)) return [];
    const words = commandWords(entry);
    // The first word is what runs, whatever its ending; the others are data unless they look like scripts.
    return words
      .filter((word, index) => SCRIPT.test(word) || (index === 0 && word.includes('/')))
      .map((script) => ({ script, role }));
  });
}
