// What the name of a target, a script or a heading says of its purpose, and the name of the stage that is made of it. Pure.
import { LATER_COMMANDS, RESERVED_STAGE_NAMES } from '../config/context-map.ts';

const LOOKS =
  /^(?:lint|tests?|checks?|validate|verify|fmt|format|diff|plan|preview|status|list|ls|show|get|logs?|help|version|info|print|describe|graph|stats|debug|doctor|bench|benchmark|scan|audit|dry|dryrun|smoke|health|ping|watch|top)$/;
const PERSON =
  /^(?:console|shell|ssh|exec|attach|edit|login|auth|forward|portforward|serve|dev|dashboard|open|connect|browse|tunnel|proxy|ui|k9s|repl|interactive|menu|browser|vnc|passwords?|credentials?|tokens?|kubeconfig)$/;
const DAILY =
  /^(?:upgrades?|updates?|bump|renovate|backups?|restore|snapshots?|rollback|drain|cordon|uncordon|reboot|restart|shutdown|poweroff|suspend|resume|migrate|failover|release|publish|push|tag|commit|docs?|changelog|hooks?|encrypt|decrypt|rotate|import|export|download|fetch|pull|unlock|lock|approve|rekey|new|add|force|recover|rescue|repair|hibernate|wake|rebuild|replace|refresh|vendor|deps|requirements|completion|annotate|label|archive|mount|iso|usb|gensecrets?|stress|sync|reconcile|resync)$/;

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
/** Why something of this name is not for bringing the lab up; undefined when the name does not tell. */
export function otherPurpose(name: string): string | undefined {
  const words = wordsOf(name);
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word));
  if (has(PERSON)) return 'it wants a person at a terminal, or does not end by itself';
  if (has(LOOKS)) return 'it looks, tests or formats: something for the stage check';
  return has(DAILY) ? 'it is no part of bringing the lab up' : undefined;
}

/** A valid stage name; `run-` is put before the name of a command. */
export function stageName(target: string): string {
  const plain = target
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 50);
  const name = plain === '' ? 'stage' : plain;
  return name === 'check' || RESERVED_STAGE_NAMES.includes(name) || LATER_COMMANDS.includes(name)
    ? `run-${name}`
    : name;
}
