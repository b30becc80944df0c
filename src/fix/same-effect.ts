// Whether two patches do the same: comments, messages, white space and the order of independent lines make no difference. Pure.

const ALL_SPACE = /\s+/g;
/** Where the white space before a line means something. */
const BY_INDENT = /\.(?:ya?ml|py|j2|tmpl|gotmpl)$|(?:^|\/)(?:Makefile|justfile)$|\.(?:mk|just)$/i;
const SLASHES = /\.(?:[cm]?[jt]sx?|go|rs|java|c|h|cc|cpp|hcl|tf|jsonc?|css|php)$/i;
const WHOLE_COMMENT = /^\s*(?:#|\/\/|--\s|;|<!--)/;
const END_COMMENT = /\s+#\s.*$/;
const END_SLASHES = /\s+\/\/\s.*$/;
/** A command that only says something, and what only names or describes. */
const SAYS = /^\s*(?:echo|printf|log|info|warn|print)\b(?![^#]*(?:[>|`]|\$\())/;
const NAMES = /^(\s*(?:-\s+)?(?:name|msg|fail_msg|success_msg|description|desc|summary|title):)\s*\S+\s+\S.*$/;

/** What is done to one file: lines that go and that come, without what makes no difference. */
type Effect = readonly [path: string, gone: string[], come: string[]];

/** Whether two clean diffs of ours do the same. One that changes nothing but words is the same only as itself. */
export function haveSameEffect(one: string, other: string): boolean {
  const effects = effectsOf(one);
  if (effects.every(([, gone, come]) => gone.length + come.length === 0)) return one === other;
  return JSON.stringify(effects) === JSON.stringify(effectsOf(other));
}

/** By path. */
function effectsOf(diff: string): Effect[] {
  const files = new Map<string, { gone: string[]; come: string[] }>();
  let file = { gone: [] as string[], come: [] as string[] };
  let path = '';
  for (const line of diff.split('\n')) {
    if (line.startsWith('+++ ')) {
      path = line.slice(4);
      file = files.get(path) ?? { gone: [], come: [] };
      files.set(path, file);
    } else if (/^[+-](?!-- )/.test(line)) {
      const text = telling(line.slice(1), path);
      if (text !== '') (line.startsWith('+') ? file.come : file.gone).push(text);
    }
  }
  const effects = [...files].map(([name, { gone, come }]): Effect => {
    const [goes, comes] = withoutCommon(gone, come);
    return [name, inOrder(goes), inOrder(comes)];
  });
  return effects.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The line without comment, message and white space that mean nothing; '' when nothing is left. */
function telling(line: string, path: string): string {
  if (WHOLE_COMMENT.test(line) && !line.startsWith('#!')) return '';
  if (SAYS.test(line)) return '';
  const bare = line.replace(SLASHES.test(path) ? END_SLASHES : END_COMMENT, '').replace(NAMES, '$1');
  const indent = BY_INDENT.test(path) ? (/^\s*/.exec(bare)?.[0] ?? '') : '';
  const text = bare.trim().replace(ALL_SPACE, ' ');
  return text === '' ? '' : indent + text;
}

/** Lines that go and come back just so do nothing. */
function withoutCommon(gone: readonly string[], come: readonly string[]): [string[], string[]] {
  const left = [...come];
  const rest = gone.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return [rest, left];
}

const SETTING = /^(\s*)(?:export\s+)?["']?([\w./-]+)["']?\s*[:=]\s*([^$\s].*)$/;

/** Settings that follow each other, of one level and none made of another, in one order. */
function inOrder(lines: readonly string[]): string[] {
  const runs: string[][] = [];
  let level: string | undefined;
  for (const line of lines) {
    const [, indent, , value] = SETTING.exec(line) ?? [];
    const isPlain = value !== undefined && !value.includes('$');
    if (isPlain && indent === level) runs.at(-1)?.push(line);
    else runs.push([line]);
    level = isPlain ? indent : undefined;
  }
  return runs.flatMap((run) => run.sort());
}
