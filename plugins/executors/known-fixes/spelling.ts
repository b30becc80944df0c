// Words with a grammar of their own, cron expressions and image references: the small rewritings of a wrong one that are
// right. Pure.
import { nearest, sortedLetters } from './near.ts';

const CRON_FIELDS = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: 'jan feb mar apr may jun jul aug sep oct nov dec' },
  { min: 0, max: 6, names: 'sun mon tue wed thu fri sat' },
] as const;
const CRON_MACROS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

function isCron(text: string): boolean {
  if (CRON_MACROS.includes(text) || /^@every \d+[smh]/.test(text)) return true;
  const fields = text.split(' ');
  return fields.length === 5 && CRON_FIELDS.every((rule, i) => isCronField(fields[i] as string, rule));
}

function isCronField(field: string, rule: (typeof CRON_FIELDS)[number]): boolean {
  const number = (word: string) => {
    const name = 'names' in rule ? rule.names.split(' ').indexOf(word.toLowerCase()) : -1;
    const value = name >= 0 ? name + rule.min : /^\d+$/.test(word) ? Number(word) : Number.NaN;
    return value >= rule.min && value <= rule.max ? value : Number.NaN;
  };
  return field.split(',').every((part) => {
    const [, range = '', step] = /^([^/]*)(?:\/(\d+))?$/.exec(part) ?? [];
    if (step !== undefined && Number(step) === 0) return false;
    const [from = '', to = from] = range.split('-');
    return /^[*?]$/.test(range) || number(from) <= number(to);
  });
}

/** The valid expressions that `word` is a slip for. */
export function cronRewrites(word: string): string[] {
  if (isCron(word)) return [];
  const fields = word.trim().split(/\s+/);
  const macro = word.startsWith('@') ? [word.toLowerCase(), ...CRON_MACROS] : [];
  return distinct([
    ...macro,
    fields.join(' '),
    word.replace(/\s+\/\s*(?=\d)|(?<=\*)\s*\/\s+/g, '/'),
    word.replace(/\s*,\s*/g, ','),
    // Without the field for seconds that other schedulers have.
    ...(fields.length === 6 && fields[0] === '0' ? [fields.slice(1).join(' ')] : []),
    // Sunday as 0.
    ...(fields[4] === '7' ? [[...fields.slice(0, 4), '0'].join(' ')] : []),
    fields.map((field, i) => misnamed(field, i)).join(' '),
    word.replaceAll('\\', '/'),
  ]).filter((one) => one !== word && isCron(one) && !(macro.length > 0 && !isOneSlip(word, one)));
}

/** The month or day that a field's letters can only be. */
function misnamed(field: string, index: number): string {
  const rule = CRON_FIELDS[index];
  const names = rule && 'names' in rule && /^[a-z]+$/i.test(field) ? rule.names.split(' ') : [];
  const name = nearest(field.toLowerCase(), names)[0];
  return name === undefined ? field : field === field.toUpperCase() ? name.toUpperCase() : name;
}

const isOneSlip = (word: string, macro: string): boolean =>
  word.toLowerCase() === macro || sortedLetters(word) === sortedLetters(macro);

const PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const IMAGE = new RegExp(
  `^(?:(?:localhost|[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+)(?::\\d+)?/|[A-Za-z0-9-]+:\\d+/)?${PART}(?:/${PART})*` +
    '(?::\\w[\\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$',
);

const isImage = (text: string): boolean => IMAGE.test(text);

/** The valid references that `word` is a slip for. */
export function imageRewrites(word: string, message: string): string[] {
  if (!/invalid reference format/.test(message) || isImage(word)) return [];
  const [, name = word, rest = ''] = /^(.*?)((?:[:@](?!\d+\/)[^/]*)?)$/.exec(word) ?? [];
  return distinct([
    word.trim(),
    name.toLowerCase() + rest,
    word.replace(/^(?:https?|docker|oci):\/\//, ''),
    word.replace(/:{2,}/g, ':'),
    word.replace(/(?<!:)\/{2,}/g, '/'),
    word.replace(/[:@/]+$/, ''),
    word.replace(/@(?!sha256:)(?=[\w.-]+$)/, ':'),
    word.replace(/\s+/g, ''),
    word.replace(/^\//, ''),
  ]).filter((one) => one !== word && isImage(one));
}

const distinct = (words: readonly string[]): string[] => [...new Set(words)];
