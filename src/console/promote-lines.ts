// A promotion in words: what it would bring, whether it merges, and what to type next.
import { counted } from '../triage/words.ts';
import { ago } from './words.ts';

export interface ShownFix {
  commit: string;
  stage: string;
  time: string;
  fix: string;
  reason: string;
  plugin: string;
  tier: string;
  run: string;
  paths: readonly string[];
  outcome: string;
}

/** A promotion as `--json` tells it. */
export interface PromoteView {
  branch: string;
  base: string;
  base_commit: string;
  tip: string | null;
  stages: readonly {
    stage: string;
    failures: readonly { fingerprint: string; class: string; fixes: readonly ShownFix[] }[];
  }[];
  undone: readonly ShownFix[];
  others: readonly { commit: string; subject: string }[];
  taken_back: number;
  landed: number;
  clean: boolean;
  conflicts: readonly string[];
  /** Fixes that keep it from being accepted. */
  unverified: readonly string[];
  stat: string;
  diff?: string;
  /** The line that accepts it; null when it would be refused. */
  accept: string | null;
  /** Commands for a conflict. */
  solve: readonly string[];
}

const OUTCOMES: Readonly<Record<string, string>> = {
  verified: 'verified: the stage was green with it',
  applied: 'NOT VERIFIED: not judged yet',
  provisional: 'NOT VERIFIED: kept for now, the stage was not green with it',
  unknown: 'NOT VERIFIED: the ledger knows nothing of it',
};

const fixesOf = ({ stages }: Pick<PromoteView, 'stages'>): ShownFix[] =>
  stages.flatMap(({ failures }) => failures.flatMap(({ fixes }) => fixes));
const short = (commit: string): string => commit.slice(0, 12);
/** What others wrote must not move a terminal's cursor. */
const plain = (text: string): string => text.replace(/\p{Cc}+/gu, ' ');

/** Nothing to promote, and why that is so. */
export function nothingLine(story: PromoteView): string {
  const { branch, base, tip, taken_back: back, landed } = story;
  if (tip === null) return `nothing to promote: there is no ${branch} yet`;
  const why = [
    ...(landed > 0 ? [`${counted(landed, 'commit')} landed already`] : []),
    ...(back > 0 ? [`${counted(back, 'fix', 'fixes')} taken back`] : []),
  ];
  const reason = why.length > 0 ? ` (${why.join(', ')})` : '';
  return `nothing to promote: ${base} has all that ${branch} could bring${reason}`;
}

/** The whole story; its last line accepts it, when it may be accepted. `solve`: commands for a conflict. */
export function promoteLines(story: PromoteView, now: number): string[] {
  const { branch, base, stages: groups, undone, others } = story;
  const fixes = fixesOf(story);
  const failures = groups.reduce((sum, group) => sum + group.failures.length, 0);
  const what = [
    ...(fixes.length > 0
      ? [
          `${counted(fixes.length, 'fix', 'fixes')} for ${counted(failures, 'failure')} in ${counted(groups.length, 'stage')}`,
        ]
      : []),
    ...(undone.length > 0 ? [counted(undone.length, 'rollback')] : []),
    ...(others.length > 0 ? [counted(others.length, 'other commit')] : []),
  ];
  return [
    `${branch} into ${base}: ${what.join(', ')}`,
    '',
    ...groups.flatMap((group) => [
      group.stage,
      ...group.failures.flatMap((failure) => [
        `  for ${failure.class} ${failure.fingerprint}`,
        ...failure.fixes.flatMap((fix) => fixLines(fix, now)),
      ]),
      '',
    ]),
    ...section('rolled back, and taken out again', undone, (f) => `${short(f.commit)}  ${f.stage}  ${plain(f.fix)}`),
    ...section('other commits', others, (o) => `${short(o.commit)}  ${plain(o.subject)}`),
    ...quietly(story),
    ...(story.stat === '' ? [] : [...story.stat.split('\n'), '']),
    ...(story.diff === undefined ? [] : [...story.diff.split('\n'), '']),
    ...ending(story),
  ];
}

function fixLines(fix: ShownFix, now: number): string[] {
  return [
    `    ${short(fix.commit)}  ${ago(fix.time, now)}  ${plain(fix.fix)}`,
    `        why:  ${plain(fix.reason)}`,
    `        by:   ${fix.plugin} (${fix.tier}), run ${fix.run}; in ${fix.paths.map(plain).join(', ')}`,
    `        ${OUTCOMES[fix.outcome] ?? `NOT VERIFIED: ${fix.outcome}`}`,
  ];
}

function section<T>(title: string, rows: readonly T[], line: (row: T) => string): string[] {
  return rows.length === 0 ? [] : [title, ...rows.map((row) => `    ${line(row)}`), ''];
}

/** What is on the branch and would bring nothing. */
function quietly({ taken_back: back, landed, base }: PromoteView): string[] {
  const lines = [
    ...(back > 0 ? [`left out: ${counted(back, 'fix', 'fixes')} made and taken back`] : []),
    ...(landed > 0 ? [`left out: ${counted(landed, 'commit')} that ${base} has already`] : []),
  ];
  return lines.length > 0 ? [...lines, ''] : [];
}

function ending(story: PromoteView): string[] {
  const at = `${story.base} (${short(story.base_commit)})`;
  const merges = story.clean
    ? [`it merges cleanly into ${at}`]
    : [`it does not merge into ${at}; in conflict:`, ...story.conflicts.map((path) => `    ${plain(path)}`)];
  if (story.accept !== null) return [...merges, 'to land exactly this:', story.accept];
  if (!story.clean) return [...merges, 'solve it by hand, then look again with mendloop promote:', ...story.solve];
  const back = story.unverified.map((commit) => `mendloop rollback ${short(commit)}`);
  return [...merges, 'not yet: let a run judge what is not verified (mendloop), or roll it back:', ...back];
}

/** What landed, and how to undo and share it. */
export function landedLines(
  story: PromoteView,
  commit: string,
  checkout: string | undefined,
  push: string | undefined,
): string[] {
  const { base, undone } = story;
  const fixes = fixesOf(story);
  const runs = [...new Set(fixes.map(({ run }) => run))];
  const undo =
    runs.length === 1 && fixes.length > 1
      ? [`mendloop rollback --run ${runs[0]}`]
      : fixes.map((fix) => `mendloop rollback ${short(fix.commit)}`);
  return [
    `landed on ${base}: ${short(commit)}${checkout === undefined ? '' : `, in ${checkout}`}`,
    ...fixes.map((fix) => `    ${fix.stage}: ${plain(fix.fix)}`),
    ...undone.map((fix) => `    ${fix.stage}: ${plain(fix.fix)}`),
    ...(undo.length > 0 ? ['to undo it:', ...undo.map((line) => `    ${line}`), '    mendloop promote'] : []),
    ...(push === undefined ? [] : ['to share it:', `    ${push}`]),
  ];
}
