// Module hook: a plugin that imports `mendloop` or `zod` gets those of the running package, wherever its own file lies.
// In a bundle these are parts of the bundle: a plugin and the loop must share one copy of every class.
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';

/** What a plugin may import: specifier → source, from the root. */
export const DOORS = {
  mendloop: 'src/index.ts',
  'mendloop/model': 'src/model.ts',
  'mendloop/testing': 'src/testing/index.ts',
  zod: 'zod',
};
/** What a door is called in a bundle, without its ending. */
export const doorName = (specifier) => `door-${specifier.replaceAll('/', '-')}`;

const OURS = /^(?:mendloop|zod)(?:\/|$)/;
const ROOT = new URL('../../', import.meta.url).href;
/** The bundle that runs, its folder or a file in it: a packed one is the root itself. Without one the doors are the sources. */
let bundle = existsSync(new URL(`${doorName('mendloop')}.mjs`, ROOT)) ? ROOT : undefined;

/** From now on this process resolves the doors, those of the bundle of `bundleUrl` if there is one. */
export function lendDoors(bundleUrl) {
  // A Node that has both warns of the older way.
  if (!nodeModule.registerHooks) return nodeModule.register(import.meta.url, { data: bundleUrl });
  initialize(bundleUrl);
  nodeModule.registerHooks({ resolve });
}

export function initialize(bundleUrl) {
  bundle ??= bundleUrl;
}

export function resolve(specifier, context, next) {
  const { parentURL = ROOT } = context;
  if (!OURS.test(specifier) || parentURL.includes('/node_modules/')) return next(specifier, context);
  if (Object.hasOwn(DOORS, specifier)) {
    if (bundle)
      return { url: new URL(`${doorName(specifier)}.mjs`, bundle).href, format: 'module', shortCircuit: true };
    if (specifier !== 'zod') return next(`${ROOT}${DOORS[specifier]}`, context);
  }
  return next(specifier, parentURL.startsWith(ROOT) ? context : { ...context, parentURL: import.meta.url });
}
