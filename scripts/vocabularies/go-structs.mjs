// Structs of Go with yaml or json tags, as types of a vocabulary. Read by line, which is safe in what gofmt has formatted.
import { isBare, smallest } from './types.mjs';

/**
 * `roots`: root → [import path, struct]. `repositories`: start of an import path → the repository that has it; what others define
 * is not known. `inlined`: the fields that [import path, type] has besides what is written, as key → [import path, type].
 */
export function structTypes(roots, repositories, inlined = () => undefined) {
  const types = {};
  const packages = new Map();
  const made = new Map();
  const names = Object.entries(roots).map(([root, [path, name]]) => [root, typeOf(path, name)]);
  return smallest(Object.fromEntries(names), types);

  function typeOf(path, name) {
    const place = `${path}.${name}`;
    if (made.has(place)) return made.get(place);
    const found = packageAt(path).get(name);
    if (found === undefined) return '';
    if (found.expression) return expressionType(found.expression, found);
    const own = unused(name);
    made.set(place, own);
    types[own] = {};
    types[own] = Object.assign({}, ...found.fields.map((field) => fieldKeys(field, found)));
    if (!isBare(types[own])) return own;
    made.set(place, '');
    delete types[own];
    return '';
  }

  function unused(name, count = 2) {
    if (!(name in types)) return name;
    return `${name}${count}` in types ? unused(name, count + 1) : `${name}${count}`;
  }

  function fieldKeys({ key, inline, expression }, file) {
    const special = inlined(...placeOf(expression, file));
    if (special)
      return Object.fromEntries(Object.entries(special).map(([each, [path, name]]) => [each, typeOf(path, name)]));
    if (key === '-') return {};
    if (!inline) return { [key]: expressionType(expression, file) };
    const map = /^map\[\w+\](.*)$/.exec(expression);
    if (map) return { '*': expressionType(map[1], file) };
    return types[expressionType(expression, file)] ?? {};
  }

  function expressionType(expression, file) {
    const bare = expression.replace(/^(?:\*|\[\])+/, '');
    const map = /^map\[\w+\](.*)$/.exec(bare);
    if (!map) return typeOf(...placeOf(bare, file));
    const value = expressionType(map[1], file);
    if (value === '') return '';
    types[`map of ${value}`] = { '*': value };
    return `map of ${value}`;
  }

  function placeOf(expression, { path, imports }) {
    const [, from, name] = /^\*?(?:(\w+)\.)?(\w+)$/.exec(expression) ?? [];
    return [from ? (imports.get(from) ?? '') : path, name];
  }

  /** The structs and other types of a package, by name. */
  function packageAt(path) {
    if (!packages.has(path)) packages.set(path, read(path));
    return packages.get(path);
  }

  function read(path) {
    const start = Object.keys(repositories).find((each) => path === each || path.startsWith(`${each}/`));
    if (!start) return new Map();
    const { repository, folder = '' } = repositories[start];
    const place = folder + path.slice(start.length).replace(/^\//, '');
    const direct = (file) => file.slice(place.length + 1).match(/^[^/]*\.go$/) && !file.endsWith('_test.go');
    const files = repository.list(place).filter(direct);
    if (files.length === 0) throw new Error(`no package ${path} in ${repository.source}`);
    return new Map(files.flatMap((file) => typesIn(repository.read(file), path)));
  }
}

const TYPE = /^type (\w+)(?: struct \{.*\n([\s\S]*?)^\}| =? ?([\w.*[\]]+)$)/gm;
const FIELD = /^\t+(?:\w+\s+)?([\w.*[\]{}]+)\s+`[^`]*?\b(?:yaml|json):"([^",]*)((?:,\w+)*)[^`]*`/gm;
const IMPORT = /^(?:import )?\t?(?:(\w+) )?"([\w./-]+)"$/gm;

function typesIn(text, path) {
  const imports = new Map([...text.matchAll(IMPORT)].map(([, alias, from]) => [alias ?? lastName(from), from]));
  return [...text.matchAll(TYPE)].map(([, name, lines, expression]) => {
    const own = fieldsIn(lines ?? '');
    const fields = own.length > 0 || expression ? own : fieldsIn(ownReader(text, name));
    return [name, { path, imports, fields, expression }];
  });
}

const fieldsIn = (lines) =>
  [...lines.matchAll(FIELD)].map(([, expression, key, options]) => ({
    key,
    inline: key === '' && options.split(',').includes('inline'),
    expression,
  }));

/** A type without tags may read itself, into a struct that has them. */
const ownReader = (text, name) =>
  new RegExp(`^func \\(\\w+ \\*${name}\\) UnmarshalYAML\\([\\s\\S]*?^\\}`, 'm').exec(text)?.[0] ?? '';

const lastName = (path) =>
  path
    .replace(/\/v\d+$/, '')
    .split('/')
    .at(-1);
