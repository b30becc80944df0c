// git: which commits and which files, never what is in them. A textconv driver would decrypt what the owner keeps encrypted,
// and a diff shows files that the stage's case does not.
import { BELOW, type Flags, MOMENT, matching, NUMBER, on, oneOf, type Tool, taking, verbs } from '../grammar.ts';

// No colon, which names a file in a commit; no blob can be shown by git log or in a summary.
const REVISION = matching('a revision', /^(?!.*\/\.\.(?:\/|$))[A-Za-z0-9@][\w./~^-]{0,100}$/);
const HEAD = matching('HEAD, HEAD~1, …', /^HEAD(?:[~^]\d{0,4})*$/);
// %G runs a program.
const PRETTY = matching('a format without signatures', /^(?!.*%[<>|+ -]*G)[ -~]{1,200}$/);
const SUMMARY = ['--stat', '--shortstat', '--numstat', '--name-only', '--name-status', '--summary'];
const SUMMARIES: Flags = on(SUMMARY.join(' '));
const PATHS = { path: BELOW };

export const GIT: Tool = {
  name: 'git',
  before: on('--no-pager'),
  verbs: [
    {
      words: 'status',
      flags: { ...on('-s --short -b --branch --porcelain'), '--untracked-files': { attached: oneOf('no normal all') } },
      ...PATHS,
    },
    {
      words: 'log',
      flags: {
        ...{
          ...SUMMARIES,
          ...on('--oneline --graph --decorate --all --merges --no-merges --follow --first-parent -s --no-patch'),
        },
        ...{ ...on('--no-color --reverse -NUMBER'), ...taking(NUMBER, '-n --max-count') },
        ...{ '--since': { attached: MOMENT }, '--until': { attached: MOMENT }, '--after': { attached: MOMENT } },
        ...{
          '--format': { attached: PRETTY },
          '--pretty': { attached: PRETTY },
          '--date': { attached: oneOf('short iso relative') },
        },
      },
      ...{ operand: REVISION, count: [0, 2], ...PATHS },
    },
    {
      words: 'show',
      flags: { ...SUMMARIES, ...on('-s --no-patch --oneline --no-color') },
      ...{ operand: HEAD, count: [0, 1], needs: [[...SUMMARY, '-s', '--no-patch']] },
    },
    {
      words: 'diff',
      flags: { ...SUMMARIES, ...on('--cached --staged --no-color') },
      ...{ operand: REVISION, count: [0, 2], needs: [SUMMARY], ...PATHS },
    },
    { words: 'ls-files', flags: on('-m --modified -o --others -d --deleted --exclude-standard'), ...PATHS },
    {
      words: 'rev-parse',
      ...{
        flags: on('--short --abbrev-ref --verify --show-toplevel --is-inside-work-tree'),
        operand: REVISION,
        count: [0, 2],
      },
    },
    ...verbs('version'),
  ],
};
