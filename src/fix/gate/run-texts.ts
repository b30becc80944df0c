// The texts of a file that something runs: a script whole, recipes, RUN lines, and the values of YAML and JSON that are commands.
import { isMap, isScalar, isSeq, LineCounter, parseAllDocuments, type YAMLMap } from 'yaml';
import { deepOffset } from '../../config/yaml-depth.ts';
import { hideTemplates } from '../shell/hide-templates.ts';
import type { CommandText } from '../shell/read-commands.ts';

export interface RunText {
  readonly text: CommandText;
  readonly line: number;
  /** It runs only where a condition of Ansible holds. */
  readonly guarded: boolean;
}

/** A call of an Ansible module. */
export interface ModuleCall {
  /** The last part of its name. */
  readonly module: string;
  readonly args: ReadonlyMap<string, string>;
  readonly line: number;
  readonly guarded: boolean;
}

/** Endings of what is no shell, scripts in other languages included. */
const OTHER: ReadonlySet<string> = new Set(
  (
    'md markdown rst adoc txt py rb pl php lua go rs java js jsx cjs mjs ts tsx cts mts tf hcl nix toml ini ' +
    'cfg conf service css htm html svg sql lock xml ps1'
  ).split(' '),
);

/** Never throws. */
export function runTexts(path: string, text: string): { texts: RunText[]; calls: ModuleCall[] } {
  const name = (path.split('/').at(-1) as string).replace(/\.(?:j2|tmpl|tpl)$/, '');
  if (/\.(?:ya?ml|json)$/i.test(name)) return fromData(name, text);
  const first = text.split('\n', 1)[0] as string;
  const isShebang = first.startsWith('#!');
  const of = (texts: RunText[]) => ({ texts, calls: [] });
  if (/^(?:gnu)?makefile|\.mk$/i.test(name)) return of(recipes(text, /^\t[@+-]*(.*)/));
  if (/^\.?justfile$|\.just$/i.test(name)) return of(recipes(text, /^\s+[@-]*(.*)/));
  if (/^(?:dockerfile|containerfile)|\.dockerfile$/i.test(name))
    return of(recipes(text, /^\s*(?:ONBUILD\s+)?RUN\s+(?:--\S+\s+)*(.*)/is));
  const isShell = isShebang
    ? /\b(?:ba|da|z|k|a)?sh\b|\bbats\b/.test(first)
    : !OTHER.has(name.toLowerCase().split('.').slice(1).at(-1) ?? '');
  return of(isShell ? [{ text, line: 1, guarded: false }] : []);
}

/** Lines that begin so, with what a backslash at their end joins to them; `$(X)` is a variable of make. */
function recipes(text: string, begins: RegExp): RunText[] {
  const made: RunText[] = [];
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const line = i + 1;
    let whole = lines[i] as string;
    while (/\\\s*$/.test(whole) && i + 1 < lines.length) whole = `${whole.replace(/\\\s*$/, ' ')}${lines[++i]}`;
    const [, command = ''] = begins.exec(whole) ?? [];
    const shell = command.replace(/\$\((\w+)\)/g, '$${$1}').replaceAll('$$', '$');
    if (shell !== '') made.push({ text: shell, line, guarded: false });
  }
  return made;
}

/** Each text of these is a command; of a list, each item. */
const COMMAND =
  /^(?:run|runcmd|bootcmd|script|before_script|after_script|shell|raw|cmds?|sh|win_shell|defer|preconditions)$/;
/** A list of these is one command. */
const WORDS = /^(?:command|args|entrypoint|exec)$/;

function fromData(name: string, text: string): { texts: RunText[]; calls: ModuleCall[] } {
  const texts: RunText[] = [];
  const calls: ModuleCall[] = [];
  if (deepOffset(text) !== undefined) return { texts, calls };
  const lines = new LineCounter();
  const options = { logLevel: 'silent', uniqueKeys: false, prettyErrors: false, lineCounter: lines } as const;
  const parsed = parseAllDocuments(hideTemplates(text), options);
  const lineOf = (node: unknown): number => {
    const range = isScalar(node) || isMap(node) || isSeq(node) ? node.range : undefined;
    const isBlock = isScalar(node) && /^BLOCK_/.test(node.type ?? '');
    return lines.linePos(range?.[0] ?? 0).line + (isBlock ? 1 : 0);
  };
  const add = (given: CommandText, at: unknown, guarded: boolean) =>
    texts.push({ text: given, line: lineOf(at), guarded });

  // Whatever is called so below them is a command.
  const isNamed = (above: string) =>
    (above === 'scripts' && name === 'package.json') || (above === 'tasks' && /taskfile/i.test(name));

  /** `above`: the key whose value this is. */
  function visit(node: unknown, above: string, guarded: boolean): void {
    const argv = isSeq(node) && above === 'a command' ? textsIn(node) : undefined;
    if (argv) add(argv, node, guarded);
    else if (isSeq(node))
      for (const item of node.items) visit(item, COMMAND.test(above) && isSeq(item) ? 'a command' : above, guarded);
    if (isScalar(node) && typeof node.value === 'string' && COMMAND.test(above)) add(node.value, node, guarded);
    if (isMap(node)) visitMap(node, above, guarded || node.has('when'));
  }

  function visitMap(map: YAMLMap, above: string, guarded: boolean): void {
    const given = ['command', 'entrypoint', 'args'].map((key) => map.get(key)).filter(textsIn);
    const words = given.flatMap((node) => textsIn(node) as string[]);
    if (words.length > 0) add(words[0]?.startsWith('-') ? ['sh', ...words] : words, given.at(-1), guarded);
    for (const { key: node, value } of map.items) {
      const key = (isScalar(node) ? String(node.value) : '').split('.').at(-1) as string;
      const call = callOf(key, value, lineOf(node), guarded);
      if (call) calls.push(call);
      if (WORDS.test(key) && isScalar(value) && typeof value.value === 'string') add(value.value, value, guarded);
      else visit(value, isNamed(above) && !isMap(value) ? 'cmds' : key, guarded);
    }
  }

  for (const { contents } of Array.isArray(parsed) ? parsed : []) visit(contents, '', false);
  return { texts, calls };
}

/** The texts of a list of texts. */
function textsIn(node: unknown): string[] | undefined {
  const values = isSeq(node) ? node.items.map((item) => (isScalar(item) ? item.value : undefined)) : [];
  return values.length > 0 && values.every((value) => typeof value === 'string') ? (values as string[]) : undefined;
}

function callOf(module: string, value: unknown, line: number, guarded: boolean): ModuleCall | undefined {
  const pairs: [string, string][] = isMap(value)
    ? value.items.flatMap(({ key, value: one }) => (isScalar(one) ? [[String(key), String(one.value)]] : []))
    : isScalar(value) && typeof value.value === 'string'
      ? [...value.value.matchAll(/(\w+)=(\S+)/g)].map(([, key, one]) => [key as string, one as string])
      : [];
  return pairs.length > 0 ? { module, args: new Map(pairs), line, guarded } : undefined;
}
