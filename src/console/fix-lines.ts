// What happens to a fix, in one line each.

interface FixData {
  plugin?: string;
  note?: { fix: string };
  paths?: string[];
  code?: string;
  reasons?: string[];
  outcome?: string;
  reason?: string;
  text?: string;
  path?: string;
  case?: string;
  why?: string;
}

/** The word for a row and what it says; undefined for events that are no news of a fix. */
export function fixLine(type: string, data: Record<string, unknown>): [word: string, text: string] | undefined {
  const { plugin = '', note, paths = [], code, reasons = [], outcome, reason, text, path, why } = data as FixData;
  const what = note?.fix ?? 'a change';
  switch (type) {
    case 'fix.committed':
      return ['fix', `${what}  (${plugin}: ${paths.join(', ')})`];
    case 'fix.refused':
      return ['refused', `${plugin}: ${code}: ${reasons[0] ?? ''}`];
    case 'fix.judged':
      return outcome === 'verified' ? ['mended', what] : ['kept', `${what}: ${reason}`];
    case 'fix.reverted':
      return ['taken back', `${what}: ${reason}`];
    case 'fix.suggested':
      return ['suggested', `${what}  (${plugin})`];
    case 'fix.declined':
      return ['declined', `${what}  (${plugin})`];
    case 'plugin.said':
      return [plugin, String(text)];
    case 'plugin.passed':
      return ['no fix', `${plugin}: ${reason}`];
    case 'plugin.failed':
      return ['no answer', String(reason)];
    case 'prompt.saved':
      return ['kept', `the question that nobody could be asked: ${path}`];
    case 'case.opened':
      return ['case', `${data.case}: ${path}`];
    case 'case.closed':
      return ['case', `${data.case} is closed: ${reason}`];
    case 'safe_mode.on':
      return ['safe mode', `safe mode is on, the AI changes nothing more: ${why}`];
    default:
      return undefined;
  }
}
