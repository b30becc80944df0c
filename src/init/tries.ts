// The part of a stage that can be tried without reaching a host, a cluster or a network, and what came of it. Pure, but for the try.
import type { TryOut } from './checks.ts';
import type { Draft, Survey } from './survey.ts';

/** What a runner evaluates although it only shows what it would do: then it is not started at all. */
const EVALUATES: Readonly<Record<string, RegExp>> = {
  make: /\$[({]shell\b|!=|^\t\s*[@-]*\+|\$[({]MAKE[)}]|^\s*-?s?include\b/m,
  just: /`|\bshell\(/,
  task: /^\s*-?\s*(?:sh|status|preconditions|if):/m,
};
const SHOWS: Readonly<Record<string, string>> = { make: '--dry-run', just: '--dry-run', task: '--dry' };

/** The command that shows what a stage would do; undefined where that could do something. */
function harmless({ command, definedIn }: Draft, { text }: Survey): string | undefined {
  const [, tool = ''] = /^(make|just|task)\s/.exec(command) ?? [];
  const shows = SHOWS[tool];
  if (shows === undefined || definedIn.some((path) => EVALUATES[tool]?.test(text(path)))) return undefined;
  return `${command.replace(tool, `${tool} ${shows}`)} >/dev/null`;
}

/** What Ansible says of roles that the stage installs before it needs them. */
const TO_INSTALL = /\brole '.*' was not found|couldn't resolve module/;

/** The stage with a line on what a try said of it. `faults`: file → why the stage `check` leaves it out. */
export async function tried(draft: Draft, survey: Survey, tryOut: TryOut, faults: ReadonlyMap<string, string>) {
  const missing = draft.tools.filter((tool) => !survey.installed(tool));
  const files = draft.runs.split('\n').filter((line) => faults.has(line));
  const notes = files.map((path) => {
    const fault = faults.get(path) as string;
    return TO_INSTALL.test(fault) && /requirements\.ya?ml/.test(survey.paths.join('\n'))
      ? `Not tried to its end: what requirements.yml lists is not installed here (${fault})`
      : `Tried here, and as it is it would fail: ${fault}`;
  });
  if (missing.length > 0) notes.push(`Not tried: ${missing.join(', ')} is not installed here.`);
  const command = files.length > 0 || missing.length > 0 ? undefined : harmless(draft, survey);
  const result = command === undefined ? undefined : await tryOut(command, command.replace(' >/dev/null', ''));
  if (result && 'ok' in result)
    notes.push(
      result.ok
        ? `Tried as ${command?.replace(' >/dev/null', '')}: it can be started.`
        : `Tried here, and as it is it would fail: ${result.complaint}`,
    );
  return { ...draft, why: [...draft.why, ...notes] };
}
