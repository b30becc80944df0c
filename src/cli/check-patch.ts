// `mendloop check-patch`: whether a model's answer would pass the gate. For people, and as JSON Lines for scripts.

import { EXIT, fail } from '../errors.ts';
import { applyChanges } from '../fix/apply-changes.ts';
import { cleanDiff } from '../fix/clean-diff.ts';
import { type Edit, REFUSALS, type Refusal } from '../fix/edit.ts';
import { judgeResult } from '../fix/gate/judge.ts';
import type { GateRules, Tree } from '../fix/gate/rules.ts';
import { readAnswer } from '../fix/read-answer.ts';
import { stdinLines } from '../io/stdin.ts';
import { withoutLineNumbers } from '../outbound/shown-files.ts';
import { answerOf } from './answer-of.ts';
import type { CommandInput } from './command.ts';
import { type PatchLine, readPatchLine } from './patch-line.ts';

const MOST_LINE_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 1;
const MAX_LINES = 100;

export async function run(input: CommandInput): Promise<number> {
  const { words, options, out, home } = input;
  if (options.jsonl) return jsonLines(input);
  const [file] = words;
  const stage = options.stage === undefined ? undefined : String(options.stage);
  if (file === undefined || words.length > 1 || stage === undefined) {
    fail('E_USAGE', {
      what: 'check-patch needs an answer and the stage it is for',
      next: 'mendloop check-patch <file> --stage <stage>; - for stdin',
    });
  }
  const answer = await answerOf(file);
  const { checkHere } = await import('./check-here.ts');
  const found = await checkHere(home(), stage, answer);
  if (found.ok) {
    const paths = found.files.map(({ path }) => path);
    out.answer(`it would pass for stage ${stage}: ${paths.join(', ')}\n\n${found.diff.trimEnd()}`, {
      ...{ ok: true, stage, files: paths, diff: found.diff },
    });
  } else {
    const lines = [
      `refused, ${found.code}: ${REFUSALS[found.code]}`,
      ...found.reasons.map((reason) => `  - ${reason}`),
    ];
    out.answer(lines.join('\n'), { ok: false, stage, code: found.code, reasons: found.reasons });
  }
  return EXIT.ok;
}

/** One line out for each line in, in order. */
async function jsonLines({ out }: CommandInput): Promise<number> {
  let exit: number = EXIT.ok;
  let number = 0;
  for await (const line of stdinLines(MOST_LINE_BYTES)) {
    number++;
    const read = 'text' in line ? readPatchLine(line.text) : { problem: `longer than ${MOST_LINE_BYTES} bytes` };
    if ('problem' in read) {
      exit = EXIT.usage;
      out.jsonLine({ id: read.id ?? null, error: { code: 'E_JSON_LINE', line: number, message: read.problem } });
    } else out.jsonLine({ id: read.value.id, ...answerLine(checkLine(read.value)) });
  }
  return exit;
}

type Checked = { ok: true; files: Edit[]; diff: string } | Refusal;

function checkLine({ path, files, links, answer, allow, protect, max_files, max_lines }: PatchLine): Checked {
  const read = readAnswer(withoutLineNumbers(answer), { path });
  if (!read.ok) return read;
  const applied = applyChanges(read.changes, (wanted) => (links.has(wanted) ? undefined : files.get(wanted)), { path });
  if (!applied.ok) return applied;
  const rules: GateRules = {
    ...{ allow, protect, untouchable: [], tier: 'executor', tree: treeOf(files, links) },
    maxFiles: max_files ?? MAX_FILES,
    maxLines: max_lines ?? MAX_LINES,
  };
  const verdict = judgeResult(applied.files, rules);
  return verdict.ok ? { ...applied, diff: cleanDiff(applied.files) } : verdict;
}

function treeOf(files: ReadonlyMap<string, string>, links: ReadonlyMap<string, string>): Tree {
  const folders = new Set(
    [...files.keys(), ...links.keys()].flatMap((path) => {
      const parts = path.split('/').slice(0, -1);
      return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
    }),
  );
  return {
    exists: (path) => files.has(path) || links.has(path) || folders.has(path),
    isFolder: (path) => folders.has(path),
    linkTarget: (path) => links.get(path),
  };
}

/** What others rely on, by these names. */
function answerLine(checked: Checked) {
  if (!checked.ok) return { ok: false, code: checked.code, reasons: checked.reasons };
  return {
    ok: true,
    files: Object.fromEntries(checked.files.map(({ path, after }) => [path, after])),
    diff: checked.diff,
  };
}
