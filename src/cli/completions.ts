// `mendloop completions bash|zsh|fish`: what makes a shell complete commands, their options and the stages, from the tables that
// help is made of.
import { failUsage } from '../errors.ts';
import { loadStages, recordedStages } from '../journal/load-stages.ts';
import { type Answer, type Command, type CommandInput, checkoutOf } from './command.ts';
import { ALIASES, GLOBAL_OPTIONS, optionParts } from './options.ts';

export async function run({ words, home, layout, commands }: CommandInput): Promise<Answer> {
  const [shell = ''] = words;
  // What the scripts below ask for the words of the repository around.
  if (shell === 'stages') return answer(checkoutOf(home) ? stagesOf(home(), layout) : []);
  const make = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (!make || words.length > 1) failUsage('completions needs one shell', 'mendloop completions bash|zsh|fish');
  return answer(make(commands).split('\n'));
}

const answer = (lines: readonly string[]): Answer => ({ text: lines, json: { lines }, forScripts: true });

const stagesOf = (home: string, layout: CommandInput['layout']): string[] =>
  recordedStages(home, loadStages(layout(), { look: true }).state);

type Commands = Readonly<Record<string, Command>>;

/** Commands under every word that means them. */
function byWord(commands: Commands): [word: string, command: Command][] {
  const aliases = Object.entries(ALIASES).map(([word, name]): [string, Command] => [word, commands[name] as Command]);
  return [...Object.entries(commands), ...aliases];
}

/** The options that a command tells of, as they are typed. */
const optionsOf = ({ options = {} }: Command): string =>
  Object.keys({ ...options, ...GLOBAL_OPTIONS })
    .map((key) => `--${optionParts(key).name}`)
    .join(' ');

/** Words that may follow a command, besides stages: `safe-mode on`. */
const choicesOf = ({ usage }: Command): string =>
  (usage.match(/(?<![-\w<])[a-z]+(?:\|[a-z]+)+(?![\w>])/g) ?? []).join(' ').replaceAll('|', ' ');

const takesStages = ({ usage }: Command): boolean => usage.includes('<stage>');

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** In words that bash and zsh read alike: what may follow the command. */
function follow(commands: Commands): string {
  const rows = byWord(commands).map(([word, command]) => {
    const stages = takesStages(command) ? 1 : '';
    return `    ${word}) options=${quoted(optionsOf(command))}; choices=${quoted(choicesOf(command))}; stages=${stages} ;;`;
  });
  const names = byWord(commands).map(([word]) => word);
  return `  local options=${quoted(optionsOf(commands.all as Command))} choices='' stages=1
  case "$command" in
${rows.join('\n')}
    '') choices=${quoted(names.join(' '))} ;;
  esac
  if [ -n "$stages" ]; then
    choices="$choices $(mendloop completions stages 2>/dev/null | tr '\\n' ' ')"
  fi`;
}

const SCRIPTS: Readonly<Record<string, (commands: Commands) => string>> = {
  bash: (commands) => `_mendloop() {
  local word="\${COMP_WORDS[COMP_CWORD]}" command=''
  [ "$COMP_CWORD" -gt 1 ] && command="\${COMP_WORDS[1]}"
${follow(commands)}
  case "$word" in
    -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word") ;;
  esac
}
complete -o default -F _mendloop mendloop`,
  zsh: (commands) => `#compdef mendloop
_mendloop() {
  local word="\${words[CURRENT]}" command=''
  [ "$CURRENT" -gt 2 ] && command="\${words[2]}"
${follow(commands)}
  case "$word" in
    -*) compadd -- \${=options} ;;
    *) compadd -- \${=choices} ;;
  esac
}
compdef _mendloop mendloop`,
  fish: (commands) => {
    const line = (...parts: string[]) => ['complete -c mendloop', ...parts].join(' ');
    const seen = (words: readonly string[]) => `__fish_seen_subcommand_from ${words.join(' ')}`;
    const first = '__fish_use_subcommand';
    const described = Object.entries(commands).map(([name, { summary }]) =>
      line(`-n ${quoted(first)}`, `-a ${name}`, `-d ${quoted(summary)}`),
    );
    const withStages = byWord(commands).filter(([, command]) => takesStages(command));
    const options = byWord(commands).flatMap(([word, { options = {} }]) =>
      Object.entries(options).map(([key, text]) => fishOption(seen([word]), key, text)),
    );
    const choices = Object.entries(commands)
      .filter(([, command]) => choicesOf(command) !== '')
      .map(([name, command]) => line(`-n ${quoted(seen([name]))}`, `-a ${quoted(choicesOf(command))}`));
    const stages = [first, seen(withStages.map(([word]) => word))];
    return [
      line('-f'),
      ...described,
      ...choices,
      ...stages.map((when) => line(`-n ${quoted(when)}`, `-a ${quoted('(mendloop completions stages 2>/dev/null)')}`)),
      ...Object.entries(GLOBAL_OPTIONS).map(([key, text]) => fishOption('', key, text)),
      ...options,
    ].join('\n');

    function fishOption(when: string, key: string, text: string): string {
      const { name, short, value } = optionParts(key);
      const parts = [`-l ${name}`, ...(short ? [`-s ${short}`] : []), ...(value ? ['-r'] : [])];
      return line(...(when ? [`-n ${quoted(when)}`] : []), ...parts, `-d ${quoted(text.split('\n')[0] ?? '')}`);
    }
  },
};
