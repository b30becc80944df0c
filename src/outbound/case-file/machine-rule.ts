// The last words of a case, for a machine that answers it.
import { toolLines } from '../diagnostics/tools.ts';
import { formatRule } from '../prompt/format-rule.ts';

const MORE = `A request for diagnostics: one JSON object and nothing else, at most 8 commands, each a list of words without a shell.
They only look: what writes, follows, reads secrets or goes elsewhere is not run. The outputs come back with this case, once.

{"diagnostics": [["kubectl", "get", "pods", "-A"], ["talosctl", "services"]]}

What may be asked:`;

const HAND_OVER = `A hand-over to a person: one JSON object and nothing else.

{"hand_over": "what they have to do, and why no change to these files can"}`;

/** The answers that are accepted; the form of a patch stands last. */
export function machineRule(version: 1 | 2): string {
  const asking = version === 1 ? [MORE, ...toolLines().map((line) => `- ${line}`), ''] : [];
  const count = version === 1 ? 'three' : 'two (what was asked for has been run)';
  return [
    `# For a machine\n\nAnswer with one of ${count}: a patch, in the form at the end;${version === 1 ? ' diagnostics;' : ''} a hand-over.\n`,
    ...asking,
    HAND_OVER,
    '',
    patchRule(),
  ].join('\n');
}

/** As in a prompt, but who has no change hands over. */
const patchRule = (): string => `${formatRule('diff').split('\n\nWhen no change ')[0]?.trimEnd()}\n`;
