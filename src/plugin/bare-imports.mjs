// Module hook: a plugin that imports `mendloop` or `zod` gets those of the running package, wherever its own file lies.
const OURS = /^(?:mendloop|zod)(?:\/|$)/;
const ROOT = new URL('../../', import.meta.url).href;

export function resolve(specifier, context, next) {
  const { parentURL = ROOT } = context;
  const theirs = !parentURL.startsWith(ROOT) && !parentURL.includes('/node_modules/');
  return next(specifier, theirs && OURS.test(specifier) ? { ...context, parentURL: import.meta.url } : context);
}
