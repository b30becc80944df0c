// Scripts with a fault that has one certain repair.
import type { BrokenStage } from './broken-stage.ts';

const HEAD = '#!/usr/bin/env bash\nset -euo pipefail\n';
const RUN = 'stages/web/run.sh';

/** A stage of one script, in which `wrong` stands instead of `right`. */
function script(
  fault: string,
  repair: string | null,
  body: string,
  [right, wrong]: readonly [string, string],
  more: Partial<BrokenStage> & { others?: Record<string, string> } = {},
): BrokenStage {
  const { others = {}, ...rest } = more;
  const text = body.startsWith('#!') ? body : HEAD + body;
  if (!text.includes(right)) throw new Error(`${fault}: ${right} is not in the script`);
  return {
    ...{ fault, repair, command: RUN, files: ['stages/web/'] },
    sound: { [RUN]: text, ...others },
    broken: { [RUN]: text.replace(right, () => wrong) },
    ...rest,
  };
}

const whole = (fault: string, sound: string, broken: string, more: Partial<BrokenStage> = {}): BrokenStage => ({
  ...{ fault, repair: 'crlf', command: RUN, files: ['stages/web/'] },
  sound: { [RUN]: sound },
  broken: { [RUN]: broken },
  ...more,
});

const dos = (text: string): string => text.replaceAll('\n', '\r\n');
const GREET = `${HEAD}greet() {\n  echo "hello $1"\n}\nif [[ -n \${HOME:-} ]]; then\n  greet web\nfi\n`;
const LIB = 'say() {\n  echo "web: $1"\n}\n';
const VMS = { 'config/vms.tsv': '101\tcp1\n' };

export const brokenScripts: readonly BrokenStage[] = [
  whole('CRLF, started by env', GREET, dos(GREET)),
  whole(
    'CRLF, started by its path',
    GREET.replace('/usr/bin/env bash', '/bin/bash'),
    dos(GREET.replace('/usr/bin/env bash', '/bin/bash')),
  ),
  whole('CRLF, read by bash', GREET, dos(GREET), { command: `bash ${RUN}` }),
  whole('CRLF, only some lines', `${HEAD}\necho one\necho two\n`, `${HEAD}\r\necho one\r\necho two\n`),
  whole(
    'CRLF, a function',
    '#!/usr/bin/env bash\nf() {\n  echo hi\n}\nf\n',
    dos('#!/usr/bin/env bash\nf() {\n  echo hi\n}\nf\n'),
    { command: `bash ${RUN}` },
  ),
  whole(
    'CRLF, an if',
    '#!/usr/bin/env bash\nif true; then\n  echo hi\nfi\n',
    dos('#!/usr/bin/env bash\nif true; then\n  echo hi\nfi\n'),
    { command: `bash ${RUN}` },
  ),
  {
    ...{ fault: 'CRLF, a file that is read by the script', repair: 'crlf', command: RUN, files: ['stages/web/'] },
    sound: { [RUN]: `${HEAD}. stages/web/lib.sh\nsay hello\n`, 'stages/web/lib.sh': LIB },
    broken: { 'stages/web/lib.sh': dos(LIB) },
  },
  {
    ...{ fault: 'CRLF, in a path of a settings file', repair: 'crlf', command: RUN, files: ['stages/web/', 'config/'] },
    sound: {
      [RUN]: `${HEAD}. config/web.conf\ncat "$list"\n`,
      'config/web.conf': 'name=web\nlist=config/vms.tsv\n',
      ...VMS,
    },
    broken: { 'config/web.conf': 'name=web\nlist=config/vms.tsv\r\n' },
  },

  { ...script('not executable', 'executable', 'echo hi\n', ['hi', 'hi']), plain: [RUN] },
  {
    ...script('a helper that is not executable', 'executable', 'stages/web/sub.sh\n', ['sub', 'sub'], {
      others: { 'stages/web/sub.sh': '#!/bin/sh\necho hi\n' },
    }),
    plain: ['stages/web/sub.sh'],
  },
  {
    ...{
      fault: 'a script of a recipe that is not executable',
      repair: 'executable',
      command: 'make',
      files: ['stages/web/'],
    },
    sound: { Makefile: 'out:\n\tstages/web/sub.sh\n', 'stages/web/sub.sh': '#!/bin/sh\necho hi\n' },
    broken: {},
    plain: ['stages/web/sub.sh'],
  },

  script('a command with two letters swapped', 'wrong-word', 'mkdir -p out\necho done\n', ['mkdir', 'mkdri']),
  script('a command in a pipe', 'wrong-word', 'printf "b\\na\\n" | sort | head -n1\n', ['sort', 'srot']),
  script('a command in a substitution', 'wrong-word', 'name="$(basename "$PWD")"\necho "$name"\n', [
    'basename',
    'basenmae',
  ]),
  script('a long command with a letter missing', 'wrong-word', 'sha256sum "$0"\n', ['sha256sum', 'sha256sm']),
  script('a command behind if', 'wrong-word', 'if ! grep -q web <<<"web"; then exit 1; fi\necho ok\nrealpath .\n', [
    'realpath',
    'raelpath',
  ]),
  script('a function of the script', 'wrong-word', 'say_hello() { echo hello; }\nsay_hello\n', [
    '\nsay_hello\n',
    '\nsay_helo\n',
  ]),

  script('a command that is said', 'wrong-word', 'echo "hello web"\n', ['echo', 'ehco']),
  {
    ...{ fault: 'a command of a recipe', repair: 'wrong-word', command: 'make', files: ['Makefile'] },
    sound: { Makefile: 'out:\n\t@mkdir -p out\n' },
    broken: { Makefile: 'out:\n\t@mkdri -p out\n' },
  },

  script('a path with two letters swapped', 'misspelt-path', 'cat config/vms.tsv\n', ['vms', 'vsm'], { others: VMS }),
  script(
    'a path that is read by the shell',
    'misspelt-path',
    'while read -r id _; do echo "$id"; done <config/machines.tsv\n',
    ['machines', 'machnes'],
    { others: { 'config/machines.tsv': '1\ta\n' } },
  ),
  script('a sourced file', 'misspelt-path', '. stages/web/common.sh\nsay hello\n', ['common', 'comon'], {
    others: { 'stages/web/common.sh': LIB },
  }),
  script('a folder', 'misspelt-path', 'cd config\nls\n', ['config', 'confgi'], { others: VMS }),
  script('the other ending of YAML', 'misspelt-path', 'grep -q web config/web.yaml\n', ['web.yaml', 'web.yml'], {
    others: { 'config/web.yaml': 'name: web\n' },
  }),

  script('a variable with two letters swapped', 'wrong-word', 'namespace=web\necho "to $namespace"\n', [
    '$namespace',
    '$namespaec',
  ]),
  script('a variable in braces', 'wrong-word', `release=web\necho "\${release%-*}"\n`, ['{release', '{relese']),
  {
    ...{ fault: 'a variable that is used twice', repair: 'wrong-word', command: RUN, files: ['stages/web/'] },
    sound: { [RUN]: `${HEAD}release=web\necho "$release"\necho "$release"\n` },
    broken: { [RUN]: `${HEAD}release=web\necho "$relase"\necho "$relase"\n` },
  },
  script('a variable of the environment', 'wrong-word', 'echo "$MENDLOOP_STAGE"\n', ['STAGE', 'STGAE']),
  script(
    'a variable of a sourced file',
    'wrong-word',
    '. stages/web/env.sh\necho "$cluster_name"\n',
    ['$cluster_name', '$cluster_nmae'],
    { others: { 'stages/web/env.sh': 'cluster_name=lab\n' } },
  ),

  script('sh instead of bash, pipefail', 'shebang', `${HEAD}echo hi\n`, ['/usr/bin/env bash', '/bin/sh']),
  script(
    'sh instead of bash, a test',
    'shebang',
    '#!/usr/bin/env bash\nset -eu\nif [[ $HOME == /* ]]; then echo hi; else exit 1; fi\n[[ -n $HOME ]]\n',
    ['/usr/bin/env bash', '/bin/sh'],
  ),
  script(
    'sh instead of bash, an array',
    'shebang',
    `#!/usr/bin/env bash\nset -eu\nnodes=(a b)\necho "\${nodes[1]}"\n`,
    ['/usr/bin/env bash', '/bin/sh'],
  ),
  {
    ...{ fault: 'no first line, started by a program', repair: 'shebang', files: ['stages/web/'] },
    command: ['python3', '-c', 'import subprocess, sys; sys.exit(subprocess.run(["stages/web/run.sh"]).returncode)'],
    sound: { [RUN]: `${HEAD}echo hi\n` },
    broken: { [RUN]: 'set -euo pipefail\necho hi\n' },
    plain: [],
  },
  {
    ...{
      fault: 'Python without its first line',
      repair: 'shebang',
      command: 'stages/web/run.py',
      files: ['stages/web/'],
    },
    sound: { 'stages/web/run.py': '#!/usr/bin/env python3\nimport sys\nprint(sys.version_info[0])\n' },
    broken: { 'stages/web/run.py': 'import sys\nprint(sys.version_info[0])\n' },
  },

  script('an indented end of a here-document', 'here-document', 'write() {\n  cat <<EOF\nname: web\nEOF\n}\nwrite\n', [
    '\nEOF\n',
    '\n  EOF\n',
  ]),
  script(
    'a mistyped end of a here-document',
    'here-document',
    '{\n  cat <<EOF\nname: web\nEOF\n} >/dev/null\necho done\n',
    ['\nEOF\n', '\nEOFF\n'],
  ),
  script('not executable, without a shell', 'executable', 'echo hi\n', ['hi', 'hi'], { command: [RUN], plain: [RUN] }),
  script('a quote that is never closed', 'open-quote', 'echo "the web is up"\necho done\n', ['up"', 'up']),
  script('an assignment that is never closed', 'open-quote', "title='the web'\necho $title\n", ["web'", 'web']),
];
