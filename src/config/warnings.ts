// What a context map may say but its owner should know.
import { type ContextMap, isBuiltInCheck, type Stage } from './context-map.ts';
import { pathMatcher } from './globs.ts';
import { commandWords } from './words.ts';

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
