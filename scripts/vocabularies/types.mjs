// Types of a vocabulary: each is key → type of its value; `*` stands for any other key, '' for a value whose keys are not known.

/** A type that says nothing is none. */
export const isBare = (body) => Object.entries(body).every(([key, type]) => key === '*' && type === '');

/** `roots` and the types they reach, equal ones made one, in the order of their names. */
export function smallest(roots, types) {
  let left = new Map(Object.entries(types));
  const same = new Map();
  for (let before = Number.POSITIVE_INFINITY; left.size < before; ) {
    before = left.size;
    const byBody = new Map();
    for (const [name, body] of [...left].sort(shorterFirst)) {
      const text = JSON.stringify(sorted(body));
      if (byBody.has(text)) same.set(name, byBody.get(text));
      else byBody.set(text, name);
    }
    left = new Map([...byBody.values()].map((name) => [name, mapped(left.get(name), final)]));
  }
  function final(name) {
    return same.has(name) ? final(same.get(name)) : name;
  }
  const named = mapped(roots, final);
  const reached = new Set(Object.values(named));
  for (const name of reached)
    for (const type of Object.values(left.get(name) ?? missing(name))) if (type !== '') reached.add(type);
  return {
    roots: sorted(named),
    types: sorted(Object.fromEntries([...reached].map((name) => [name, sorted(left.get(name))]))),
  };
}

function missing(name) {
  throw new Error(`no type ${name}`);
}

const shorterFirst = ([a], [b]) => a.length - b.length || (a < b ? -1 : 1);
const mapped = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
const sorted = (object) => Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
