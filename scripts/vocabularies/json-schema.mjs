// JSON Schema, and the dialect of it that Kubernetes has, as types of a vocabulary. Alternatives are one type with the keys of all.
import { isBare, smallest } from './types.mjs';

/** `schemas`: root → schema. `resolve`: what a $ref means, as { name, schema }. */
export function schemaTypes(schemas, resolve) {
  const types = {};
  const made = new Map();
  const roots = Object.entries(schemas).map(([root, schema]) => [root, typeOf(schema, root.replace(/:.*/, ''))]);
  return smallest(Object.fromEntries(roots), types);

  function typeOf(given, path) {
    const { schema, name } = unwrapped(given, path);
    if (made.has(schema)) return made.get(schema);
    const own = unused(name);
    made.set(schema, own);
    types[own] = {};
    types[own] = bodyOf(partsOf(schema), own);
    if (!isBare(types[own])) return own;
    made.set(schema, '');
    delete types[own];
    return '';
  }

  function unused(name, count = 2) {
    if (!(name in types)) return name;
    return `${name}${count}` in types ? unused(name, count + 1) : `${name}${count}`;
  }

  /** Lists are their elements; a reference is what it means, by its own name. */
  function unwrapped(schema, name) {
    if (schema.$ref) {
      const meant = resolve(schema.$ref);
      return unwrapped(meant.schema, meant.name);
    }
    if (schema.allOf?.length === 1 && !schema.properties) return unwrapped(schema.allOf[0], name);
    return schema.items && !schema.properties ? unwrapped(schema.items, name) : { schema, name };
  }

  function partsOf(given) {
    const { schema } = unwrapped(given, '');
    const alternatives = [schema.oneOf, schema.anyOf, schema.allOf].flatMap((each) => each ?? []);
    return [schema, ...alternatives.flatMap(partsOf)];
  }

  function bodyOf(parts, name) {
    const byKey = new Map();
    const add = (key, schema) => byKey.set(key, [...(byKey.get(key) ?? []), schema]);
    for (const part of parts) {
      for (const [key, schema] of Object.entries(part.properties ?? {})) add(key, schema);
      for (const [pattern, schema] of Object.entries(part.patternProperties ?? {}))
        if (!pattern.startsWith('^x-')) add('*', schema);
      if (part.additionalProperties) add('*', part.additionalProperties);
    }
    const type = (key, [first, ...others]) =>
      typeOf(others.length > 0 ? { anyOf: [first, ...others] } : first, `${name}.${key}`);
    return Object.fromEntries([...byKey].map(([key, all]) => [key, type(key, all)]));
  }
}

/** What references into `document` mean: `#/a/b/Name` is called Name, without the groups in front of it. */
export function within(document) {
  return (reference) => {
    const steps = reference.replace(/^#\//, '').split('/');
    const schema = steps.reduce((value, step) => value?.[step], document);
    if (schema === undefined) throw new Error(`no ${reference}`);
    return { name: steps.at(-1).replace(/^.*\./, ''), schema };
  };
}

/** Types of a vocabulary as schemas of a document that has them at #/structs. */
export function asSchemas(types) {
  const schema = (type) => (type === '' ? {} : { $ref: `#/structs/${type}` });
  return Object.fromEntries(
    Object.entries(types).map(([name, { '*': others, ...keys }]) => [
      name,
      {
        properties: Object.fromEntries(Object.entries(keys).map(([key, type]) => [key, schema(type)])),
        ...(others !== undefined && { additionalProperties: schema(others) }),
      },
    ]),
  );
}
