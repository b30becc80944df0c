// Module hook: a plugin that imports `mendloop` or `zod` gets those of the running package, wherever its own file lies.
// In a bundle these are parts of the bundle: a plugin and the loop must share one copy of every class.
const OURS = /^(?:mendloop|zod)(?:\/|$)/;
const ROOT = new URL('../../', import.meta.url).href;
let doors = {};

export function initialize(bundled) {
  doors = bundled;
}

export function resolve(specifier, context, next) {
  const { parentURL = ROOT } = context;
  if (!OURS.test(specifier) || parentURL.includes('/node_modules/')) return next(specifier, context);
  if (doors[specifier]) return { url: doors[specifier], format: 'module', shortCircuit: true };
  return next(specifier, parentURL.startsWith(ROOT) ? context : { ...context, parentURL: import.meta.url });
}
