// What the shells themselves make of our completions: each is started, and asked what may follow.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Answer, CommandInput } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { run } from '../../src/cli/completions.ts';
import { folder, write } from '../environment.ts';
import { needs } from '../needs.ts';

const dir = folder();
write(dir, { 'fix.diff': '' });

/** The script for a shell, in a file. */
async function scriptFor(shell: string): Promise<string> {
  const answer = (await run({ words: [shell], commands: COMMANDS } as unknown as CommandInput)) as Answer;
  const path = join(dir, shell);
  writeFileSync(path, (answer.text as string[]).join('\n'));
  return path;
}

test('bash offers commands, stages, options of that command, and its words', async () => {
  const script = await scriptFor('bash');
  const complete = (...words: string[]) => {
    const text = `mendloop() { printf 'talos\\nobs\\n'; }
source '${script}'
COMP_WORDS=(mendloop ${words.map((word) => `'${word}'`).join(' ')}) COMP_CWORD=${words.length}
_mendloop; echo "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', text], { encoding: 'utf8' }).trim();
  };
  assert.is(complete('st'), 'status');
  assert.is(complete('ta'), 'talos');
  assert.is(complete('logs', '--r'), '--raw --run --root');
  assert.is(complete('promote', '--p'), '--push --pr');
  assert.is(complete('talos', 'o'), 'obs');
  assert.is(complete('safe-mode', 'o'), 'on off');
  assert.is(complete('doctor', ''), '');
});

/** Types each line and TAB into an interactive zsh, and writes down what became of it. */
const ZSH = `zmodload zsh/zpty
script=$1 lines=$2; shift 2
zpty shell zsh -f -i
zpty -w shell "PS1= TERM=dumb; autoload -Uz compinit; compinit -uD; mendloop() { printf 'talos\\nobs\\n' }"
zpty -w shell "source \${(q)script}; take() { print -r -- \\"\\$BUFFER\\" >>\${(q)lines}; BUFFER= }; zle -N take"
zpty -w shell "bindkey '^X' take; print ready >>\${(q)lines}"
await() {
  repeat 1500 { zpty -rt shell x 2>/dev/null; [[ -e $lines && $(wc -l <$lines) -ge $1 ]] && return; sleep 0.02 }
  exit 1
}
count=1; await 1
for line; do zpty -wn shell "$line"$'\\t\\x18'; await $((++count)); done
zpty -d shell`;

needs('zsh')('zsh completes the same, and files where nothing else fits', async () => {
  const [script, lines] = [await scriptFor('zsh'), join(dir, 'lines')];
  const typed = ['st', 'ta', 'logs --ra', 'promote --pu', 'talos o', 'safe-mode of', 'check-patch fix', 'doctor ta'];
  const args = typed.map((words) => `mendloop ${words}`);
  execFileSync('zsh', ['-fc', ZSH, 'zsh', script, lines, ...args], { cwd: dir });
  assert.equal(readFileSync(lines, 'utf8').trimEnd().split('\n'), [
    'ready',
    ...['status ', 'talos ', 'logs --raw ', 'promote --push ', 'talos obs ', 'safe-mode off '].map(
      (words) => `mendloop ${words}`,
    ),
    'mendloop check-patch fix.diff ',
    'mendloop doctor ta',
  ]);
});

needs('fish')('fish completes the same, with what help says of each', async () => {
  const script = await scriptFor('fish');
  const typed = ['st', 'ta', 'logs --ra', 'promote --p', 'talos o', 'talos --wi', 'safe-mode o', 'check-patch fix'];
  const asked = [...typed, 'doctor ta', 'run --wo', 'logs --run '].map((words) => `complete -C 'mendloop ${words}'`);
  const text = ["function mendloop; printf 'talos\\nobs\\n'; end", `source ${script}`, ...asked].join('\n');
  // No settings, no history: of nobody.
  const env = { ...process.env, HOME: dir, XDG_CONFIG_HOME: dir, XDG_DATA_HOME: dir };
  const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', text], { cwd: dir, env, encoding: 'utf8' });
  const about = (name: string, key: string) => COMMANDS[name]?.options?.[key]?.replaceAll('\n', ' ');
  assert.equal(stderr, '');
  assert.equal(stdout.trimEnd().split('\n'), [
    `status\t${COMMANDS.status?.summary}`,
    'talos',
    `--raw\t${about('logs', 'raw')}`,
    `--pr\t${about('promote', 'pr')}`,
    `--push\t${about('promote', 'push')}`,
    'obs',
    `--with-needs\t${about('all', 'with-needs')}`,
    'off',
    'on',
    'fix.diff',
    `--workers\t${about('all', 'workers=N')}`,
  ]);
});

test.run();
