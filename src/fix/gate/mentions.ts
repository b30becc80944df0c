// Whether a text of the repository names a program, host or account; comments do not count.

const ESCAPE = /[.*+?^${}()|[\]\\/]/g;

/** `name` as a whole word, outside of comments. */
export function mentions(text: string, name: string): boolean {
  if (!text.toLowerCase().includes(name.toLowerCase())) return false;
  const isWhole = new RegExp(`(?:^|[^\\w.-])${name.replace(ESCAPE, '\\$&')}(?![\\w-])`, 'i');
  return text.split('\n').some((line) => isWhole.test(withoutComment(line)));
}

const withoutComment = (line: string): string => (/^\s*(?:#|\/\/)/.test(line) ? '' : line.replace(/\s#\s.*$/, ''));
