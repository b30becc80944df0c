// What make, just, Taskfiles, compose and env files define and use, as rows.
import { ANY } from './definition.ts';
import type { Found } from './found.ts';
import { define, type Form, key, type LineRow, lines, SPACE_LINE, unquoted, use, value } from './rows.ts';
import { type Entry, entryAt, valueAt } from './yaml-outline.ts';

const VARIABLE = String.raw`(?:(?:override|export|private)\s+)*([^\s:=+?!#]+)\s*(?:[?+!]|:{1,3})?=`;
const TARGETS = String.raw`(?!if|else|endif|vpath|unexport|\.[A-Z_]+\b)[^\s:=#&][^:=#&]*`;
const COMPUTES = /^(?!\t).*\$[({](?:eval|foreach|call)\b/g;
const MAKE_USE = /(?<!\$)(?:\$\$)*\$(?:[({](?:call\s+)?([^\s(){}:,=@<^*?%+|]+)(?![^(){}:,=])|([A-Za-z_]))/g;
const MAKE: readonly LineRow[] = [
  [MAKE_USE, 'use', 'make-variable'],
  [/^ *[-s]?include\s+([^=#]+)/g, 'use', 'file'],
  [/^ *define\s+([^\s=]+)/g, 'define', 'make-variable'],
  [/^ *export\s+([^=#]+)(?:#.*)?$/g, 'define', 'env-variable'],
  [new RegExp(`^ *${VARIABLE}`, 'g'), 'define', 'make-variable'],
  [new RegExp(`^ *(?:\\w+\\s+)?export\\s+${VARIABLE}`, 'g'), 'define', 'env-variable'],
  [new RegExp(`^ *(${TARGETS})&?::?(?![:=]|\\s*${VARIABLE})`, 'g'), 'define', 'target', undefined, 'make'],
  // `target: NAME = value`: for that target alone.
  [new RegExp(`^ *${TARGETS}::?\\s*${VARIABLE}`, 'g'), 'guess', 'make-variable'],
  [COMPUTES, 'define', 'make-variable', ANY],
  [COMPUTES, 'define', 'target', ANY, 'make'],
];
const COMMENT = /^[^\S\n]*#.*/gm;

export const makefile = (text: string, found: Found): void =>
  lines(MAKE)(text.replace(/\\\r?\n/g, SPACE_LINE).replace(COMMENT, ''), found);

const JUST_VARIABLE = /(?<![\w-])(?!(?:if|else|assert)\b)[A-Za-z_][\w-]*(?![\w-]*\s*\()/;
const PARAMETERS = /^@?[A-Za-z_][\w-]*(\s[^:]*):(?!=)/g;
/** What is handed to a dependency: `(push host)`. */
const HANDED = new RegExp(`(?<=\\(\\s*[\\w:-]+\\s[^()]{0,200})(${JUST_VARIABLE.source})`, 'g');
const IN_DEFAULT = new RegExp(`(?<==\\s*(?:\\([^)]{0,200})?)(${JUST_VARIABLE.source})`, 'g');
const IN_RECIPES: readonly LineRow[] = [
  [/(?<!\{)\{\{(?!\{)([^{}]*)\}\}/g, 'use', 'just-variable', unquoted(JUST_VARIABLE)],
];
const JUST: readonly LineRow[] = [
  [/^alias\s+([\w-]+)\s*:=/g, 'define', 'target', undefined, 'just'],
  [/^(?:export\s+)?([A-Za-z_][\w-]*)\s*:=/g, 'define', 'just-variable'],
  [/^export\s+([A-Za-z_][\w-]*)\s*:=/g, 'define', 'env-variable'],
  [/^(?!set\s|alias\s)[A-Za-z_].*?:=(.*)/g, 'use', 'just-variable', unquoted(JUST_VARIABLE)],
  [/^@?([A-Za-z_][\w-]*)(?:\s[^:]*)?:(?!=)/g, 'define', 'target', undefined, 'just'],
  [PARAMETERS, 'define', 'just-variable', /([A-Za-z_][\w-]*)(?:\s*=\s*(?:\([^)]*\)|\S+))?/g],
  [PARAMETERS, 'define', 'env-variable', /\$([A-Za-z_][\w-]*)/g],
  [PARAMETERS, 'use', 'just-variable', IN_DEFAULT],
  [/^@?[A-Za-z_][\w-]*(?:\s[^:]*)?:(?!=)(.*)/g, 'use', 'just-variable', HANDED],
];

export function justfile(text: string, found: Found): void {
  const read = /^(?:import|mod\b\??\s*([\w-]+))\??[^\S\n]*(?:["']([^"'\n]+)["'])?/gm;
  for (const [, name, path = name] of text.matchAll(read)) found.use('file', path, name && `${name}::`);
  lines(IN_RECIPES)(text, found);
  // A colon in a default value does not end the parameters.
  lines(JUST)(text.replace(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|`[^`\n]*`/g, "''"), found);
}

const ENV_NAME = /^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*[=:]/g;
const ENV: readonly LineRow[] = [
  [ENV_NAME, 'define', 'env-variable'],
  [ENV_NAME, 'define', 'shell-variable'],
  [ENV_NAME, 'define', 'make-variable'],
  [/\$(?:\{[#!]?)?([A-Za-z_]\w*)/g, 'use', 'env-variable'],
];
export const envFile = (text: string, found: Found): void => lines(ENV)(text.replace(COMMENT, ''), found);

const COMPOSE_NAME = /(?:^|\/)(?:docker-)?compose[^/]*\.ya?ml$|compose\.ya?ml$/;
export const isComposeName = (path: string): boolean => COMPOSE_NAME.test(path.replace(/\.(?:j2|tmpl)$/, ''));

export const COMPOSE: Form = {
  is(path, [first]) {
    const services = entryAt(first?.siblings ?? [], 'services')?.children ?? [];
    const runs = ({ children }: Entry) => entryAt(children, 'image') ?? entryAt(children, 'build');
    return isComposeName(path) || (!entryAt(first?.siblings ?? [], 'kind') && services.some(runs));
  },
  rows: [
    [/^services \S+$/, define('service', key)],
    [/^services$/, define('network', () => 'default')],
    [/^volumes \S+$/, define('volume', key)],
    [/^networks \S+$/, define('network', key)],
    [/^(?:configs|secrets) \S+$/, define('compose-config', key)],
    [/^include(?: (?:path|env_file)?)? ?$/, use('file', value)],
    [/^services \S+ (?:extends file|env_file(?: (?:path)?)?)$/, use('file', value)],
  ],
  lines: lines([[/(?<!\$)(?:\$\$)*\$(?:\{(\w+)|([A-Za-z_]\w*))/g, 'use', 'env-variable']]),
};

const flattens = ({ children }: Entry) => valueAt(children, 'flatten') === 'true';
export const TASKFILE: Form = {
  is: (path, [first]) =>
    /(?:^|\/)\.?taskfile[^/]*\.ya?ml$/i.test(path) ||
    ['version', 'tasks'].every((key) => entryAt(first?.siblings ?? [], key)),
  rows: [
    [/^tasks \S+$/, define('target', key, 'task')],
    [/^tasks \S+ aliases $/, define('target', value, 'task')],
    [/(?:^| )(?:vars|env) \S*$/, define('task-variable', (one) => one.key || one.value)],
    [/^tasks .* for as$/, define('task-variable', value)],
    [
      /^includes \S+$/,
      use(
        'file',
        (one) => one.value || valueAt(one.children, 'taskfile'),
        (one) => (flattens(one) ? '' : `${one.key}:`),
      ),
    ],
  ],
  lines: lines([[/\{\{([^{}]*)\}\}/g, 'use', 'task-variable', /"[^"]*"|(?<![\w)\]])\.([A-Za-z_]\w*)/g]]),
};
