// Errors thrown away on a command whose failure matters: one that was there before without it, or one that stands alone.
// Where only the answer of a command is asked (`if`, `command -v`, `$(…)`), its errors may go.
import { essence, type Line } from './changed-lines.ts';
import type { Language } from './language.ts';
import { headOf, type Reading, readShell } from './reading.ts';

const THROWN = /(?:^|\s)(?:2>>?|&>>?)\s?\/dev\/null(?=\s|$)|(?:^|\s)>>?\s?\/dev\/null 2>&1(?=\s|$)/;
const THROWN_ALL = new RegExp(THROWN.source, 'g');
const ASKS = /^(?:if|elif|while|until|!|then if)(?= )/;
const PROBES =
  /^(?:sudo )?(?:\S*\/)?(?:command|which|type|hash|id|getent|pgrep|kill|wait|tput|stty|cd|pushd|popd|pidof|test|\[\[?|grep|e?grep|systemctl is-\S+|docker info|declare|unset|ls|stat|readlink|realpath|mountpoint|ping|nc|echo|printf|fuser|sleep|rm)(?=\s)/;

const louder = (command: string): string => command.replace(THROWN_ALL, '').replace(/\s+/g, ' ').trim();

/** Whether one of the readings of an added line throws away errors that somebody needs. */
export function silences(readings: readonly Reading[], removed: readonly Line[], language: Language): boolean {
  if (language !== 'shell') return false;
  return readings.some(({ line, commands }) => {
    if (!THROWN.test(line) || ASKS.test(line)) return false;
    const quiet = commands.filter((command) => THROWN.test(command)).map(louder);
    const known = removed.flatMap(({ text }) => readShell(essence(text))[0]?.commands ?? []);
    if (quiet.some((command) => known.includes(command))) return true;
    if (/&&|\|\||\$\(|`|<\(/.test(line)) return false;
    const loud = commands.find((command) => THROWN.test(command));
    return loud !== undefined && headOf(loud.split(' ')) !== '' && !PROBES.test(loud);
  });
}
