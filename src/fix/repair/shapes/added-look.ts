// A command that only looks, waits or checks, between others of its block.
import type { Shape } from '../shape.ts';

/** What only looks or waits, with the options that say of what and how long. */
const LOOKS: readonly RegExp[] = [
  /^kubectl (?:rollout status|wait) [\w./ -]+$/,
  /^(?:kubectl|flux|talosctl|helm) version(?: --client)?$/,
  /^(?:kubectl cluster-info|flux check|talosctl health|helm lint [\w./-]+)$/,
  /^sleep \d{1,3}[sm]?$/,
];
/** Of kubectl no other option is looked at. */
const OPTION = /^(?:-n|--(?:namespace|timeout|for)(?:=[\w=/-]+)?)$/;
const REQUIRED = /^"\$\{\w+:\?[\w .,'-]*\}"$/;
const BELOW = /^"?(?:\$\{?MENDLOOP_OUT\}?\/)?\w[\w.-]*(?:\/[\w.-]+)*\/?"?$/;

export const addedLook: Shape = (place) => {
  if (place.what !== 'added-command' || place.isLast || !place.words) return undefined;
  const [program = '', ...rest] = place.words;
  if (program === ':' && rest.length === 1 && REQUIRED.test(rest[0] as string))
    return 'it checks that a variable is set';
  if (program === 'mkdir' && rest[0] === '-p' && rest.length > 1)
    return rest.slice(1).every((word) => BELOW.test(word) && !word.split('/').includes('..'))
      ? 'it makes a folder that is needed'
      : undefined;
  const options = rest.filter((word) => word.startsWith('-') && word !== '--client');
  if (!options.every((word) => OPTION.test(word))) return undefined;
  const spoken = place.words.filter((word) => !word.startsWith('--') || word === '--client').join(' ');
  return LOOKS.some((look) => look.test(spoken)) ? 'it only looks or waits' : undefined;
};
