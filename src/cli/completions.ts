// `mendloop completions bash|zsh|fish`: what makes a shell complete commands, their options and the stages, from the tables that
// help is made of.
import { failUsage } from '../errors.ts';
import { loadStages, recordedStages } from '../journal/load-stages.ts';
import { type Answer, type Command, type CommandInput, checkoutOf } from './command.ts';
import { ALIASES, GLOBAL_OPTIONS, optionParts } from './options.ts';

export async function run({ words, home, layout, commands }: CommandInput): Promise<Answer> {
  const [shell = ''] = words;
  // The scripts below call this for the stages of the current repository.
  if (shell === 'stages') return answer(checkoutOf(home) ? stagesOf(home(), layout) : []);
  const make = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (!make || words.length > 1) failUsage('completions needs one shell', 'mendloop completions bash|zsh|fish');
  return answer(make(commands).split('\n'));
}

const answer = (lines: readonly string[]): Answer => ({ text: lines, json: { lines }, forScripts: true });

const stagesOf = (home: string, layout: CommandInput['layout']): string[] =>
  recordedStages(home, loadStages(layout(), { look: true }).state);

type Commands = Readonly<Record<string, Command>>;

/** Commands by name, and by alias. */
function byWord(commands: Commands): [word: string, command: Command][] {
  const aliases = Object.entries(ALIASES).map(([word, name]): [string, Command] => [word, commands[name] as Command]);
  return [...Object.entries(commands), ...aliases];
}

/** The options of a command, as they are typed. */
const optionsOf = ({ options = {} }: Command): string =>
  Object.keys({ ...options, ...GLOBAL_OPTIONS })
    .map((key) => `--${optionParts(key).name}`)
    .join(' ');

/** Words that may follow a command, besides stages: `safe-mode on`. */
const choicesOf = ({ usage }: Command): string =>
  (usage.match(/(?<![-\w<])[a-z]+(?:\|[a-z]+)+(?![\w>])/g) ?? []).join(' ').replaceAll('|', ' ');

const takesStages = ({ usage }: Command): boolean => usage.includes('<stage>');

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Shell code for bash and zsh that sets what may follow the command. */
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
    *) compadd -- \${=choices} || _files ;;
  esac
}
compdef _mendloop mendloop`,
  fish: (commands) => {
    const names = Object.keys(commands);
    const seen = (...words: string[]) => `__fish_seen_subcommand_from ${words.join(' ')}`;
    // Without another command, words are stages to run.
    const after = (name: string) =>
      name === 'all' ? `not ${seen(...names.filter((one) => one !== name))}` : seen(name);
    return [
      'complete -c mendloop -f',
      ...Object.entries(commands).flatMap(([name, command]) => [
        fishLine('__fish_use_subcommand', `-a ${name}`, command.summary),
        ...(choicesOf(command) ? [fishLine(after(name), `-a ${quoted(choicesOf(command))}`)] : []),
        ...(takesStages(command) ? [fishLine(after(name), `-a '(mendloop completions stages 2>/dev/null)'`)] : []),
        ...(/<(?:file|log)>/.test(command.usage) ? [fishLine(after(name), '-F')] : []),
        ...Object.entries(command.options ?? {}).map(([key, text]) => fishOption(after(name), key, text)),
      ]),
      ...Object.entries(GLOBAL_OPTIONS).map(([key, text]) => fishOption('', key, text)),
    ].join('\n');
  },
};

function fishLine(when: string, what: string, about = ''): string {
  const parts = [...(when ? [`-n ${quoted(when)}`] : []), what, ...(about ? [`-d ${quoted(about)}`] : [])];
  return ['complete -c mendloop', ...parts].join(' ');
}

function fishOption(when: string, key: string, text: string): string {
  const { name, short, value = '' } = optionParts(key);
  const takes = value === '' ? '' : value === 'DIR' || value === 'LOG' ? ' -rF' : ' -x';
  return fishLine(when, `-l ${name}${short ? ` -s ${short}` : ''}${takes}`, text.replaceAll('\n', ' '));
}
