// A command that only looks, waits or checks, between others of its block.
import type { Shape } from '../shape.ts';

/** Programs whose verbs only look or wait, with these verbs; the words may not be put together while it runs. */
const LOOKS: Readonly<Record<string, readonly string[]>> = {
  kubectl: ['rollout status', 'wait', 'cluster-info', 'version'],
  flux: ['check', 'version'],
  talosctl: ['health', 'version'],
  helm: ['version', 'lint'],
  nc: ['-z'],
  sleep: [''],
};
const PLAIN = /^[\w./:=@-]+$/;
const REQUIRED = /^"\$\{\w+:\?[\w .,'-]*\}"$/;
const BELOW = /^"?(?:\$\{?MENDLOOP_OUT\}?\/)?[\w.-]+(?:\/[\w.-]+)*\/?"?$/;

export const addedLook: Shape = (place) => {
  if (place.what !== 'added-command' || place.isLast || !place.words) return undefined;
  const [program = '', ...rest] = place.words;
  if (program === ':' && rest.length === 1 && REQUIRED.test(rest[0] as string))
    return 'it checks that a variable is set';
  if (program === 'mkdir' && rest[0] === '-p' && rest.length > 1)
    return rest.slice(1).every((word) => BELOW.test(word) && !word.split('/').includes('..'))
      ? 'it makes a folder that is needed'
      : undefined;
  const verbs = Object.hasOwn(LOOKS, program) ? LOOKS[program] : undefined;
  if (!verbs || !rest.every((word) => PLAIN.test(word))) return undefined;
  const spoken = rest.join(' ');
  return verbs.some((verb) => spoken === verb || spoken.startsWith(`${verb} `) || verb === '')
    ? 'it only looks or waits'
    : undefined;
};
