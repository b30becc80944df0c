// Whether a path is written the one plain way. Everything that some file system, tool or eye would take for another path
// than it says is refused, before any pattern sees it.

interface PathFault {
  why: string;
  match: (path: string) => boolean;
}

const MAX_PATH_CHARS = 1024;
/** Letters that look like Latin ones, by the letter they look like. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  ...{ а: 'a', ɑ: 'a', α: 'a', в: 'b', с: 'c', ϲ: 'c', ԁ: 'd', е: 'e', ҽ: 'e', ε: 'e', ɡ: 'g', һ: 'h', н: 'h' },
  ...{ і: 'i', ı: 'i', ι: 'i', ӏ: 'l', ј: 'j', к: 'k', κ: 'k', ո: 'n', м: 'm', о: 'o', ο: 'o', օ: 'o', р: 'p' },
  ...{ ρ: 'p', ԛ: 'q', г: 'r', ѕ: 's', т: 't', τ: 't', υ: 'u', ս: 'u', ν: 'v', ѵ: 'v', ԝ: 'w', ѡ: 'w', х: 'x' },
  ...{ χ: 'x', у: 'y', γ: 'y', ᴢ: 'z', ƽ: '5' },
};

/** The path as an eye or a forgiving file system might read it: lower case, look-alikes made Latin, accents dropped. */
export function looksLike(path: string): string {
  const plain = path
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase();
  return plain.replace(/\P{ASCII}/gu, (letter) => LOOK_ALIKES[letter] ?? letter);
}

const ASCII = /^\p{ASCII}*$/u;

const parts = (path: string): string[] => path.split('/');

/** Every way of being another path than one reads. */
export const PATH_FAULTS: readonly PathFault[] = [
  { why: 'it is empty', match: (path) => path.trim() === '' },
  { why: `it is longer than ${MAX_PATH_CHARS} characters`, match: (path) => path.length > MAX_PATH_CHARS },
  { why: 'it has control characters or line breaks', match: (path) => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(path) },
  {
    why: 'it has characters that are not seen',
    match: (path) =>
      /[\p{Cf}\p{Co}\p{Cn}\p{Cs}\u115f\u1160\u3164\uffa0]|\u034f|(?! )\p{Zs}|\p{Variation_Selector}/u.test(path),
  },
  { why: 'it is absolute', match: (path) => /^[/~]/.test(path) },
  { why: 'it has a backslash', match: (path) => path.includes('\\') },
  { why: 'it has a colon', match: (path) => path.includes(':') },
  { why: 'it has quotes', match: (path) => /["'`]/.test(path) },
  { why: 'it is escaped', match: (path) => /%(?:2e|2f|5c|00|25)/i.test(path) },
  {
    why: 'it has "." or ".." or empty parts',
    match: (path) => parts(path).some((part) => part === '' || part === '.' || part === '..'),
  },
  {
    why: 'a part of it begins or ends with a space, or ends with a dot',
    match: (path) => parts(path).some((part) => /^\s|[\s.]$/.test(part)),
  },
  {
    why: 'it has the short form of a longer name',
    match: (path) => parts(path).some((part) => /~\d+(?:\.|$)/.test(part)),
  },
  {
    why: 'it has letters that are written another way than usual',
    match: (path) => !ASCII.test(path) && path.normalize('NFKC') !== path,
  },
  { why: 'it has letters that look like others', match: (path) => !ASCII.test(path) && parts(path).some(disguised) },
];

/** A part with a word that mixes Latin with letters which are taken for it, or that is made of such letters only. */
function disguised(part: string): boolean {
  return part
    .toLowerCase()
    .split(/\P{L}+/u)
    .some((word) => {
      const letters = [...word];
      const alike = letters.filter((letter) => letter in LOOK_ALIKES);
      return alike.length > 0 && (alike.length === letters.length || /[a-z]/.test(word));
    });
}

/** Why `path` is not a plain path inside the tree, or undefined when it is. */
export function pathFault(path: string): string | undefined {
  return PATH_FAULTS.find(({ match }) => match(path))?.why;
}
