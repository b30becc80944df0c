// A value of the wrong type, at the path or line that the error names: a number or bool where text is wanted gets quotes,
// text where a number or bool is wanted loses them.
import { faultyFileNames } from './complaints.ts';
import { errorText } from './messages.ts';
import { lineAt, onlyOne, type Repair, rewritten, splice, textsOf, withLine } from './repair.ts';
import { readYaml } from './yaml.ts';
import { endsIn, entriesOf, type YamlEntry } from './yaml-tree.ts';

const AT_LINE = /line (?<line>\d+): cannot unmarshal !!(?:int|float|bool|str) `(?<value>[^`\n]+)` into (?<want>\w+)/;
const AT_PATH = [
  /cannot unmarshal (?:number|bool|string) into Go struct field (?<path>[\w.]+) of type (?<want>\w+)/,
  /(?<path>[\w.-]+) contains \S+, which is an invalid type, it should be (?<want>[^\n]+)/,
  /(?<path>[\w-]+(?:\.[\w-]+)+) must be an? (?<want>string|boolean|integer|number)/,
  /(?<path>[\w.-]+): Invalid type\. Expected: \[?(?<want>\w+)[^\n]*, given: \w+/,
  /at '(?<path>[^'\n]+)': got \w+, want (?<want>[^\n]+)/,
];

type Wanted = 'text' | 'number' | 'bool';

function wantedType(want: string): Wanted | undefined {
  if (/str/.test(want)) return 'text';
  if (/^u?int|^integer|^number|^float/.test(want)) return 'number';
  return /^bool/.test(want) ? 'bool' : undefined;
}

export const wrongType: Repair = async (facts) => {
  const text = errorText(facts);
  const named = faultyFileNames(facts, /\.ya?ml$/);
  const texts = await textsOf(facts, (path) => /\.ya?ml$/.test(path) && (named.size === 0 || named.has(path)));
  const groups = [AT_LINE, ...AT_PATH]
    .map((pattern) => pattern.exec(text)?.groups)
    .find((found) => found !== undefined);
  const wanted = wantedType(groups?.want ?? '');
  if (!groups || wanted === undefined) return undefined;
  const { line, path = '', value = '' } = groups;
  const mended = [...texts].flatMap(([file, before]) => {
    const after = line ? retypedLine(before, Number(line), value, wanted) : retyped(before, typePath(path), wanted);
    return after === undefined || readYaml(after).errors.length > 0 ? [] : [{ path: file, text: before, after }];
  });
  // With several, the one whose folder the errors name.
  const near = mended.filter(({ path }) =>
    text.split(/[^\w./-]+/).some((word) => /\w\/\w/.test(word) && path.includes(word)),
  );
  const only = onlyOne(mended) ?? onlyOne(near);
  if (!only) return mended.length === 0 ? undefined : { unsure: `the value may be in ${mended.length} files` };
  return rewritten(only, only.after, {
    fix: `Write ${line ? `the value in line ${line}` : path} of ${only.path} as ${wanted === 'text' ? 'text' : `a ${wanted}`}`,
    reason: `The tool wants ${wanted === 'text' ? 'text' : `a ${wanted}`} there, and the value means the same in that form`,
  });
};

/** Without the name of the Go type in front. */
const typePath = (path: string): string[] => segments(path.replace(/^[A-Z]\w*\./, ''));

/** The text with every value at `path`, or right below it, in the wanted form; undefined when none has another. */
function retyped(text: string, path: readonly string[], wanted: Wanted): string | undefined {
  const entries = entriesOf(text);
  // Charts make the list `env` from a mapping in their values.
  const isEnv = path.slice(-2).join('.') === 'env.value';
  const at = entries.filter(
    (entry) => endsIn(entry, path) || (isEnv && (endsIn(entry, ['env']) || endsIn(entry, ['env', 'value']))),
  );
  const values = at.flatMap((entry) => (entry.is === 'map' && wanted === 'text' ? entry.children : [entry]));
  const edits = values.flatMap((entry) => editOf(text, entry, wanted) ?? []).sort((a, b) => b.at - a.at);
  return edits.length === 0
    ? undefined
    : edits.reduce((rest, edit) => splice(rest, edit.at, edit.length, edit.to), text);
}

function editOf(text: string, { is, value, valueAt: [from, to] }: YamlEntry, wanted: Wanted) {
  if (is !== 'scalar' || value === null || value === undefined) return undefined;
  const form = inForm(text.slice(from, to), wanted);
  return form === undefined ? undefined : { at: from, length: to - from, to: form };
}

/** The scalar in the wanted form; undefined when it has that form already, or cannot have it. */
function inForm(source: string, wanted: Wanted): string | undefined {
  if (wanted === 'text')
    return /^(?:[-+]?[\d.]+(?:e\d+)?|true|false|yes|no|on|off)$/i.test(source) ? `"${source}"` : undefined;
  const inside = /^(["'])(.*)\1$/.exec(source)?.[2] ?? '';
  return (wanted === 'number' ? /^(?:0|[1-9]\d*)(?:\.\d+)?$/ : /^(?:true|false)$/).test(inside) ? inside : undefined;
}

function retypedLine(text: string, number: number, value: string, wanted: Wanted): string | undefined {
  const line = lineAt(text, number);
  const [, head = '', source = '', rest = ''] = /^(\s*(?:- )*(?:[\w."'/-]+:\s+)?)(\S+)(\s*(?:#.*)?)$/.exec(line) ?? [];
  const form = source.replace(/^(["'])(.*)\1$/, '$2') === value ? inForm(source, wanted) : undefined;
  return form === undefined ? undefined : withLine(text, number, head + form + rest);
}

/** The keys of `spec.containers[0].image` and `/spec/containers/0/image`, without positions and the root. */
const segments = (path: string): string[] =>
  path.split(/[./[\]]+/).filter((part) => part !== '' && part !== '(root)' && !/^\d+$/.test(part));
