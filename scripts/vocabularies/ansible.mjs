// Ansible's modules with their arguments, as their documentation has them, and the keywords of its playbooks, as its classes have them.
import { parse } from 'yaml';

const BLOCK = (name) => new RegExp(`^ *${name} *= *[ru]?("""|''')([\\s\\S]*?)\\1`, 'm');
/** Documented like options, but they stand for what has no name. */
const UNNAMED = ['free_form', 'free-form', 'key_value'];
const FOLDERS = {
  core: { modules: 'lib/ansible/modules', fragments: 'lib/ansible/plugins/doc_fragments' },
  collection: { modules: 'plugins/modules', fragments: 'plugins/doc_fragments' },
};

/** Module → its arguments with their other names. `collections`: name → repository, ansible.builtin among them. */
export function moduleArguments(collections, wanted) {
  const { repository, folders } = placeOf(wanted);
  const modules = repository.list(folders.modules).filter((path) => /\/[a-z]\w*\.py$/.test(path));
  const found = modules.flatMap((path) => {
    const text = BLOCK('DOCUMENTATION').exec(linked(repository, path))?.[2];
    return text ? [[`${wanted}.${/(\w+)\.py$/.exec(path)[1]}`, argumentsOf(parsed(text, path))]] : [];
  });
  return Object.fromEntries(found);

  function argumentsOf({ options, extends_documentation_fragment: fragments = [] }) {
    const own = Object.entries(options ?? {}).flatMap(([name, { aliases = [] }]) => [name, ...aliases]);
    const others = [fragments].flat().flatMap((name) => argumentsOf(fragment(name)));
    return [...new Set([...own, ...others])].filter((name) => !UNNAMED.includes(name)).sort();
  }

  function fragment(name) {
    const parts = name.split('.');
    const collection = parts.length > 2 ? parts.splice(0, 2).join('.') : 'ansible.builtin';
    const { repository, folders } = placeOf(collection);
    const path = `${folders.fragments}/${parts[0]}.py`;
    const variable = (parts[1] ?? 'documentation').toUpperCase();
    const text = BLOCK(variable).exec(repository.read(path))?.[2];
    if (text === undefined) throw new Error(`no ${variable} in ${path} of ${collection}`);
    return parsed(text, path);
  }

  function placeOf(name) {
    if (!collections[name]) throw new Error(`no source: collection ${name}`);
    return { repository: collections[name], folders: name === 'ansible.builtin' ? FOLDERS.core : FOLDERS.collection };
  }
}

/** A module of two names is a link, which git has as the name it points to. */
function linked(repository, path) {
  const text = repository.read(path);
  return /^\w+\.py$/.test(text) ? linked(repository, path.replace(/[^/]*$/, text)) : text;
}

function parsed(text, path) {
  try {
    return parse(text, { uniqueKeys: false, logLevel: 'error' }) ?? {};
  } catch (error) {
    throw new Error(`${path}: ${error.message}`);
  }
}

/** Collection → the old names that it still takes → modules among `known`. Names of Ansible itself are without its own in front. */
export function redirectsTo(collections, known) {
  const routes = Object.entries(collections).map(([collection, repository]) => {
    const isCore = collection === 'ansible.builtin';
    const path = isCore ? 'lib/ansible/config/ansible_builtin_runtime.yml' : 'meta/runtime.yml';
    const { action, modules } = parse(repository.read(path)).plugin_routing ?? {};
    const full = ([name, { redirect }]) => [isCore ? name : `${collection}.${name}`, redirect];
    return [
      collection,
      Object.entries({ ...action, ...modules })
        .map(full)
        .filter(([, redirect]) => redirect),
    ];
  });
  const next = new Map(routes.flatMap(([, pairs]) => pairs));
  const end = (name, steps = 0) => (next.has(name) && steps < 9 ? end(next.get(name), steps + 1) : name);
  const kept = (pairs) => pairs.map(([name]) => [name, end(name)]).filter(([, to]) => known.has(to));
  return Object.fromEntries(routes.map(([collection, pairs]) => [collection, Object.fromEntries(kept(pairs).sort())]));
}

/** Kind of playbook object → its keywords. */
export function keywords(core) {
  const files = core.list('lib/ansible/playbook').filter((path) => path.endsWith('.py'));
  const classes = new Map(files.flatMap((path) => classesIn(core.read(path))));
  const lookups = core.list('lib/ansible/plugins/lookup').map((path) => /(\w+)\.py$/.exec(path)?.[1]);
  const loops = lookups.filter((name) => name && name !== '__init__').map((name) => `with_${name}`);
  const all = (name) => {
    const { bases, own } = classes.get(name) ?? { bases: [], own: [] };
    return [...own, ...bases.flatMap(all)];
  };
  const words = (name, ...more) => [...new Set([...all(name), ...more])].sort();
  const task = ['local_action', ...loops];
  return {
    play: words('Play'),
    block: words('Block'),
    task: words('Task', ...task),
    handler: words('Handler', ...task),
    role: words('RoleInclude'),
    loop_control: words('LoopControl'),
  };
}

function classesIn(text) {
  return text.split(/^(?=class )/m).flatMap((part) => {
    const [, name, bases = ''] = /^class (\w+)(?:\(([^)]*)\))?:/.exec(part) ?? [];
    const fields = [...part.matchAll(/^ {4}(\w+) = \w*FieldAttribute\((.*)/gm)];
    const open = fields.filter(([, , rest]) => !rest.includes('private=True'));
    const own = open.map(([, field, rest]) => /\balias='(\w+)'/.exec(rest)?.[1] ?? field);
    return name ? [[name, { bases: bases.split(/,\s*/).filter(Boolean), own }]] : [];
  });
}
