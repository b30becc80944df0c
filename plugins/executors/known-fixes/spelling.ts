// Words with a grammar of their own, cron expressions and image references: the one small rewriting of a wrong one. Pure.

/** A cron expression without the field for seconds that other schedulers have, and with single blanks. */
export function cronRewrites(word: string): string[] {
  const fields = word.trim().split(/\s+/);
  const [first, ...rest] = fields;
  const plain = (fields.length === 6 && first === '0' ? rest : fields).join(' ').replace(/(?<=\*) ?\/ ?(?=\d)/g, '/');
  return plain !== word && /^(?:[\d*,/?-]+|[a-z]{3})(?: (?:[\d*,/?-]+|[a-z]{3})){4}$/i.test(plain) ? [plain] : [];
}

const PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const IMAGE = new RegExp(
  `^(?:(?:localhost|[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+)(?::\\d+)?/|[A-Za-z0-9-]+:\\d+/)?${PART}(?:/${PART})*` +
    '(?::\\w[\\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$',
);

/** An image reference in small letters, or without a scheme, where that makes it one. */
export function imageRewrites(word: string, message: string): string[] {
  if (!/invalid reference format/.test(message) || IMAGE.test(word)) return [];
  const [, name = word, rest = ''] = /^(.*?)((?:[:@](?!\d+\/)[^/]*)?)$/.exec(word) ?? [];
  const ways = new Set([name.toLowerCase() + rest, word.replace(/^(?:https?|docker|oci):\/\//, '')]);
  return [...ways].filter((one) => one !== word && IMAGE.test(one));
}
