// Lines that stand for others which the answer left out.

const BARE = /^(?:\.{3,}|…)$/;
const SIGN = String.raw`(?:#+|\/\/+|--|;+|\/\*+|<!--|\{\/\*)\s*[[(<]?(?:\.{3,}|…)`;
const COMMENT = new RegExp(String.raw`^(?:${SIGN}|(?:\.{3,}|…)(?=\s))\s*(.*?)\s*(?:\*\/\}?|-->)?$`);
const LEFT_OUT =
  /\b(?:rest|unchanged|existing|omitted|same|remain\w*|previous|other|more|snip\w*|code|lines?|file|content\w*|config\w*)\b/i;

/** `...`, `# ...`, `# ... rest of the file ...`: lines left out of what is shown. */
export function isEllipsis(text: string): boolean {
  const line = text.trim();
  if (line.length > 120 || !(line.includes('...') || line.includes('…'))) return false;
  if (BARE.test(line)) return true;
  const comment = COMMENT.exec(line);
  if (!comment) return false;
  const words = (comment[1] as string).trim();
  return words === '' || (LEFT_OUT.test(words) && !/[=:;{}"'$]|,$/.test(words));
}

/** An ellipsis that says in words that something was left out; nobody writes that into a file. */
export const saysLeftOut = (text: string): boolean => isEllipsis(text) && LEFT_OUT.test(text);
