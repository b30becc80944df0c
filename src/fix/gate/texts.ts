// The shell texts in a file: scripts, recipes, RUN lines, and the values of YAML that something runs.
import { programsOfSql } from '../shell/unwrap.ts';
import type { Data } from './data.ts';
import { dataTexts } from './data-texts.ts';
import { listItems } from './hcl.ts';
import type { Language } from './language.ts';
import type { ShellText } from './shell-text.ts';

/** `isRun`: some script of the repository runs or sources the file. */
export function shellTexts(
  path: string,
  text: string,
  language: Language,
  data: Data | undefined,
  isRun: boolean,
): ShellText[] {
  switch (language) {
    case 'shell':
      return [{ text, role: 'run', line: 1, name: '' }];
    case 'make':
      return makeRecipes(text);
    case 'just':
      return justRecipes(text);
    case 'docker':
      return dockerLines(text);
    case 'hcl':
      return data ? hclTexts(data) : [];
    case 'settings':
      return isRun || ENVIRONMENT.test(path)
        ? [{ text, role: 'run', line: 1, name: '' }, ...settingTexts(text)]
        : [...unitCommands(text), ...timedCommands(text), ...settingTexts(text)];
    case 'yaml':
    case 'toml':
      return data ? dataTexts(path, data) : [];
    case 'program':
      return data ? nixTexts(data) : /\.sql$/i.test(path) ? sqlTexts(text) : stringTexts(text);
    default:
      return [];
  }
}

/** Files of variables that scripts source. */
const ENVIRONMENT = /(?:^|\/)[^/]*\.?env(?:\.[^/]*)?$/i;

/** Lines with what a backslash at their end joins to them. */
function logicalLines(text: string): { text: string; line: number }[] {
  const lines: { text: string; line: number }[] = [];
  let open: { text: string; line: number } | undefined;
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const joins = /(?:^|[^\\])(?:\\\\)*\\$/.test(line);
    const part = joins ? `${line.slice(0, -1)} ` : line;
    open = open ? { ...open, text: `${open.text}${part.trimStart()}` } : { text: part, line: i + 1 };
    if (joins) continue;
    lines.push(open);
    open = undefined;
  }
  return open ? [...lines, open] : lines;
}

const VARIABLE = /^(?:export\s+|override\s+|define\s+)*([\w.-]+)\s*(?:\?|\+|:{1,3}|!)?=\s*(.*)$/;

/** The variables of a makefile. */
export function makeVariables(text: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const { text: line } of logicalLines(text)) {
    const [, name, value] = line.startsWith('\t') ? [] : (VARIABLE.exec(line) ?? []);
    if (name !== undefined) values.set(name, value as string);
  }
  return values;
}

/** A line of a makefile with its variables filled in; those that it does not set are the shell's. */
export function expanded(line: string, values: ReadonlyMap<string, string>): string {
  const value = (name: string) => values.get(name) ?? (name === 'MAKE' ? 'make' : `$$${name}`);
  let made = line;
  for (let i = 0; i < 3; i++) made = made.replace(/\$[({](\w+)[)}]/g, (_, name) => value(name));
  return made;
}

/** What make fills in for a target: `$@`, `$<`, `$(@D)`; two dollars are one of the shell's. */
const AUTOMATIC = /\$\$|\$(?:[@<^*?+%|]|[({][@<^*?+%|][DF]?[)}])/g;

const TARGET_VARIABLE =
  /^([^\s#:=][^:=#]*):\s*(?:(?:export|override|private)\s+)*([\w.-]+)\s*(?:\?|\+|:{1,3}|!)?=\s*(.*)$/;

/** Variables that single targets of a makefile have, by their names. */
function targetVariables(lines: readonly { text: string }[]): Map<string, Map<string, string>> {
  const made = new Map<string, Map<string, string>>();
  for (const { text } of lines) {
    const [, targets, name, value] = TARGET_VARIABLE.exec(text) ?? [];
    for (const target of targets?.trim().split(/\s+/) ?? [])
      made.set(target, new Map([...(made.get(target) ?? []), [name as string, value as string]]));
  }
  return made;
}

function makeRecipes(text: string): ShellText[] {
  const lines = logicalLines(text);
  const values = makeVariables(text);
  const ofTargets = targetVariables(lines);
  let name = '';
  const shellText = (line: string): string => {
    const settings = name.split(/\s+/).flatMap((target) => [...(ofTargets.get(target) ?? [])]);
    const filled = line.replace(AUTOMATIC, (whole) => (whole === '$$' ? whole : '$$MAKE_TARGET'));
    return expanded(filled, settings.length === 0 ? values : new Map([...values, ...settings]))
      .replace(/\$[({]shell\s+([^)}]*)[)}]/g, '$$($1)')
      .replaceAll('$$', '$');
  };
  return lines.flatMap(({ text: line, line: number }): ShellText[] => {
    if (line.startsWith('\t')) {
      const recipe = recipeText(line);
      return recipe === '' || recipe.startsWith('#')
        ? []
        : [{ text: shellText(recipe), role: 'run', line: number, name }];
    }
    const [, heads, inline] = /^([^\s#:=][^:=#]*?)\s*::?(?![=:])[^;#]*(?:;\s*(.*))?$/.exec(line) ?? [];
    if (heads !== undefined) name = heads;
    const called = [...line.matchAll(/\$[({]shell\s+((?:[^(){}]|\([^()]*\))*)[)}]/g)].map(
      ([, command]) => command as string,
    );
    const assigned = /!=\s*(.*)$/.exec(line)?.[1];
    const flags = /^\.SHELLFLAGS\s*:?=\s*(.*)$/.exec(line)?.[1];
    const commands = [...(inline ? [inline] : []), ...called, ...(assigned ? [assigned] : [])];
    return [
      ...commands.map((command): ShellText => ({ text: shellText(command), role: 'run', line: number, name })),
      ...(flags === undefined ? [] : [{ text: `set ${flags}`, role: 'run' as const, line: number, name: '' }]),
    ];
  });
}

/** A dash before a recipe means that its failure does not count. */
function recipeText(line: string): string {
  const [, signs = '', recipe = ''] = /^([@+-]*)\s*(.*)$/s.exec(line.trim()) ?? [];
  return forgiven(recipe, signs);
}

const forgiven = (command: string, signs: string): string =>
  signs.includes('-') && command !== '' && !command.startsWith('#') ? `{ ${command}; } || true` : command;

const JUST_HEAD = /^@?([\w-]+)(?:\s+[+*$]*\w+(?:=(?:"[^"]*"|'[^']*'|[^\s:]+))?)*\s*:(?!=)/;

function justRecipes(text: string): ShellText[] {
  const made: ShellText[] = [];
  let name = '';
  let attributes = '';
  let guard = '';
  let script: { text: string; line: number } | undefined;
  const close = () => {
    if (script) made.push({ ...script, role: 'run', name, guard });
    script = undefined;
  };
  for (const { text: line, line: number } of logicalLines(text)) {
    if (/^\s+\S/.test(line) && name !== '') {
      if (script) script.text += `\n${line.trim()}`;
      else if (/^\s+#!/.test(line)) script = { text: line.trim(), line: number };
      else if (!/^\s+#/.test(line)) made.push({ text: recipeText(line), role: 'run', line: number, name, guard });
      continue;
    }
    if (line.trim() === '') continue;
    close();
    const shell = /^set\s+shell\s*:=\s*\[(.*)\]/.exec(line)?.[1];
    if (shell !== undefined)
      made.push({
        text: `set ${strings(shell)
          .slice(1)
          .join(' ')
          .replace(/(-\w*)c$/, '$1')}`,
        role: 'run',
        line: number,
        name: '',
      });
    if (/^\[.*\]\s*$/.test(line)) {
      attributes += line.replace(/\[(?:doc|group|private|no-cd|no-exit-message)\b.*?\]/g, '');
      continue;
    }
    name = JUST_HEAD.exec(line)?.[1] ?? '';
    guard = attributes;
    attributes = '';
    for (const [, command, called] of line.matchAll(/`([^`]+)`|\bshell\(\s*["']([^"']+)["']/g))
      made.push({ text: (command ?? called) as string, role: 'run', line: number, name: 'variable' });
  }
  close();
  return made;
}

const goesOn = (line: string | undefined): boolean => /(?:^|[^\\])(?:\\\\)*\\\s*$/.test(line ?? '');

/** Each instruction with its lines as they stand; a comment or nothing between them ends none. */
function dockerLines(text: string): ShellText[] {
  const instructions: { text: string; line: number }[] = [];
  let isOpen = false;
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const isBlank = /^\s*(?:#.*)?$/.test(line);
    const last = instructions.at(-1);
    if (isOpen && last) last.text += `\n${isBlank ? '\\' : line.trimEnd()}`;
    else instructions.push({ text: isBlank ? '' : line.trimEnd(), line: i + 1 });
    if (!isOpen || !isBlank) isOpen = goesOn(line);
  }
  return instructions.flatMap(({ text: whole, line }): ShellText[] => {
    const [head = '', word = ''] =
      /^\s*(RUN|CMD|ENTRYPOINT|HEALTHCHECK|SHELL|ONBUILD)(?:\s|\\\n)+(?:--\S+(?:\s|\\\n)+)*(?:(?:CMD|RUN)\s+)?/i.exec(
        whole,
      ) ?? [];
    if (word === '') return [];
    const plain = whole.slice(head.length);
    const role = /^(?:RUN|ONBUILD)$/i.test(word) ? 'run' : 'container';
    return [
      {
        text: jsonList(plain.replaceAll('\\\n', ' ')) ?? plain,
        role,
        line: line + head.split('\n').length - 1,
        name: word,
      },
    ];
  });
}

/** Lines that go on with a command which ended before them. */
export const looseLines = (text: string): number[] =>
  text
    .split(/\r?\n/)
    .flatMap((line, i, all) => (/^\s*(?:&&|\|\||--?\w)/.test(line) && !goesOn(all[i - 1]) ? [i + 1] : []));

function jsonList(text: string): string[] | undefined {
  if (!text.trim().startsWith('[')) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.map(String) : undefined;
  } catch {
    return undefined;
  }
}

const HCL_COMMAND = /^(?:command|inline|program|user_data|script|content|cloud_init|startup_script)$/;

/** Provisioners, containers and here-documents of Terraform. */
function hclTexts({ leaves }: Data): ShellText[] {
  return leaves.flatMap(({ keys, value, line }): ShellText[] => {
    const name = keys.at(-1) ?? '';
    if (!HCL_COMMAND.test(name) || value === '{}') return [];
    const isContainer = keys.some((key) => /^(?:init_)?container/.test(key));
    const role = isContainer ? 'container' : /^(?:command|inline|script|program)$/.test(name) ? 'run' : 'maybe';
    const list = listItems(value);
    if (list && name !== 'inline') return [{ text: list.map(({ text }) => text), role, line, name }];
    const texts = list ?? [{ text: value.replace(/\\n/g, '\n').replace(/\\"/g, '"'), below: 0 }];
    return texts.map(({ text, below }) => ({ text: hclText(text), role, line: line + below, name }));
  });
}

/** The quoted texts in a line of program text. */
export const strings = (text: string): string[] =>
  [...text.matchAll(/"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`([^`]*)`/gs)].map(([, double, single, back]) =>
    (double ?? single ?? back ?? '').replace(/\\(["'\\])/g, '$1').replace(/\\n/g, '\n'),
  );

/** Calls of a program that start another one. */
const STARTS =
  /\b(?:subprocess\.\w+|check_call|check_output|Popen|execFile\w*|execSync|spawn\w*|execa|os\.system|exec\.Command)\s*\(|\$`/;

/** Texts in a program that may be commands: those of one line together, as a list of words is written. */
function stringTexts(text: string): ShellText[] {
  return text.split('\n').flatMap((line, i): ShellText[] => {
    if (/^\s*(?:#|\/\/|\*)/.test(line)) return [];
    const list = /\[([^\]]*)\]/.exec(line)?.[1];
    const words = strings(list !== undefined && STARTS.test(line) ? list : line);
    const isList = words.length > 1 && words.every((word) => !/\s/.test(word));
    const texts = isList ? [words] : words.filter((word) => /\s/.test(word.trim()));
    const role = STARTS.test(line) ? 'run' : 'maybe';
    return texts.map((one) => ({ text: one, role, line: i + 1, name: '' }));
  });
}

const hclText = (text: string): string => text.replace(/\$\{[^}]*\}/g, (whole) => `{{${whole.slice(2, -1)}}}`);

const NIX_SCRIPT = /(?:script|hook|commands?|^(?:pre|post)(?:Start|Stop)|^Exec\w+)$/i;

/** Scripts of services, and other texts of Nix. */
const nixTexts = ({ leaves }: Data): ShellText[] =>
  leaves
    .filter(({ value }) => /\s/.test(value.trim()))
    .map(({ keys, value, line }) => ({
      text: hclText(value),
      role: NIX_SCRIPT.test(keys.at(-1) ?? '') ? 'container' : 'maybe',
      line,
      name: keys.join('.'),
    }));

/** What a database has a shell run. */
const sqlTexts = (text: string): ShellText[] =>
  text
    .split('\n')
    .flatMap((line, i) =>
      programsOfSql(line).map((command): ShellText => ({ text: command, role: 'run', line: i + 1, name: '' })),
    );

/** Values of settings, and lines that set nothing, may be commands for whoever reads them. */
const settingTexts = (text: string): ShellText[] =>
  text.split('\n').flatMap((line, i): ShellText[] => {
    if (/^\s*(?:[#;[]|$)/.test(line)) return [];
    const values = strings(line).flatMap((value) => [value, ...strings(value)]);
    const whole = /^\s*[\w.-]+\s*[=:]/.test(line) ? [] : [line];
    return [...whole, ...values]
      .filter((words) => /\s/.test(words.trim()))
      .map((words) => ({ text: words, role: 'maybe', line: i + 1, name: '' }));
  });

/** Behind the times of a crontab, or a question of an installer. */
const TIMED = /^\s*(?:@\w+|(?:[\d*/,-]+\s+){5}|d-i\s+\S+_command\s+string\s)\s*(\S.*)$/;

/** The command of each line; in a crontab of the system a user stands before it. */
const timedCommands = (text: string): ShellText[] =>
  logicalLines(text).flatMap(({ text: line, line: number }): ShellText[] => {
    const [, rest] = TIMED.exec(line) ?? [];
    if (rest === undefined) return [];
    const readings = [rest, rest.replace(/^\S+\s+/, '')];
    return readings.map((command) => ({ text: command, role: 'container', line: number, name: 'cron' }));
  });

const UNIT = /^\s*(Exec(?:(?:Start|Stop|Reload|Condition)\w*)?|Health(?:Startup)?Cmd)\s*=\s*([-@:+!]*)(.*)$/;

function unitCommands(text: string): ShellText[] {
  return logicalLines(text).flatMap(({ text: line, line: number }): ShellText[] => {
    const [, name = '', signs = '', command = ''] = UNIT.exec(line) ?? [];
    if (command === '') return [];
    const plain = command.replace(/\\x([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
    return [{ text: forgiven(plain, signs), role: 'container', line: number, name }];
  });
}
