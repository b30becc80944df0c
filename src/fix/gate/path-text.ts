// Whether a path is written the one plain way. Everything that some file system, tool or eye would take for another path
// than it says is refused, before any pattern sees it.

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

/** Every way of being another path than one reads. */
const PATH_FAULTS: readonly (readonly [why: string, has: RegExp | ((path: string) => boolean)])[] = [
  ['it is empty', (path) => path.trim() === ''],
  [`it is longer than ${MAX_PATH_CHARS} characters`, (path) => path.length > MAX_PATH_CHARS],
  ['it has control characters or line breaks', /[\p{Cc}\p{Zl}\p{Zp}]/u],
  [
    'it has characters that are not seen',
    /[\p{Cf}\p{Co}\p{Cn}\p{Cs}\u115f\u1160\u3164\uffa0]|\u034f|(?! )\p{Zs}|\p{Variation_Selector}/u,
  ],
  ['it is absolute', /^[/~]/],
  ['it has a backslash', /\\/],
  ['it has a colon', /:/],
  ['it has quotes', /["'`]/],
  ['it is escaped', /%(?:2e|2f|5c|00|25)/i],
  ['it has "." or ".." or empty parts', /(?:^|\/)\.{0,2}(?:\/|$)/],
  ['a part of it begins or ends with a space, or ends with a dot', /(?:^|\/)\s|[\s.](?:\/|$)/],
  ['it has the short form of a longer name', /~\d+(?:[./]|$)/],
  ['it has letters that are written another way than usual', (path) => path.normalize('NFKC') !== path],
  ['it has letters that look like others', (path) => path.split('/').some(disguised)],
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
export const pathFault = (path: string): string | undefined =>
  PATH_FAULTS.find(([, has]) => (has instanceof RegExp ? has.test(path) : has(path)))?.[0];
