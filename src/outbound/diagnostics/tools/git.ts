// git: which commits and which files, never what is in them. A textconv driver would decrypt what the owner keeps encrypted,
// and a diff shows files that the stage's case does not.
import { BELOW, flags, matching, operands, type Tool, verbsWith } from '../grammar.ts';

// No colon, which names a file in a commit; no blob can be shown by git log or in a summary.
const REVISION = matching('a revision', /^(?!.*\/\.\.(?:\/|$))[A-Za-z0-9@][\w./~^-]{0,100}$/);
const HEAD = matching('HEAD, HEAD~1, …', /^HEAD(?:[~^]\d{0,4})*$/);
// %G runs a program.
const PRETTY = matching('a format without signatures', /^(?!.*%[<>|+ -]*G)[ -~]{1,200}$/);
const SUMMARY = '--stat --shortstat --numstat --name-only --name-status --summary';
const PATHS = { path: BELOW };

const verb = verbsWith({ pretty: PRETTY });

export const GIT: Tool = {
  name: 'git',
  before: flags('--no-pager'),
  verbs: [
    verb('status', '-s --short -b --branch --porcelain, --untracked-files=<no|normal|all>', PATHS),
    verb(
      'log',
      `${SUMMARY} --oneline --graph --decorate --all --merges --no-merges --follow --first-parent -s --no-patch
       --no-color --reverse -NUMBER, -n --max-count <number>, --since=<moment>, --until=<moment>, --after=<moment>,
       --format=<pretty>, --pretty=<pretty>, --date=<short|iso|relative>`,
      { ...operands(REVISION, 0, 2), ...PATHS },
    ),
    verb('show', `${SUMMARY} -s --no-patch --oneline --no-color`, {
      ...operands(HEAD, 0, 1),
      needs: [[...SUMMARY.split(' '), '-s', '--no-patch']],
    }),
    verb('diff', `${SUMMARY} --cached --staged --no-color`, {
      ...operands(REVISION, 0, 2),
      needs: [SUMMARY.split(' ')],
      ...PATHS,
    }),
    verb('ls-files', '-m --modified -o --others -d --deleted --exclude-standard', PATHS),
    verb('rev-parse', '--short --abbrev-ref --verify --show-toplevel --is-inside-work-tree', operands(REVISION, 0, 2)),
    verb('version'),
  ].flat(),
};
