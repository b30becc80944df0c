// Texts that a command is given, writes or holds, which may be commands themselves.
import type { Command } from './command.ts';
import type { Word } from './words.ts';
import { nameOf } from './wrappers.ts';

export const joined = (words: readonly Word[]): Word | undefined =>
  words.length === 0
    ? undefined
    : {
        text: words.map(({ text }) => text).join(' '),
        dynamic: words.some(({ dynamic }) => dynamic),
        quoted: true,
        raw: words.map(({ raw }) => raw).join(' '),
        from: (words[0] as Word).from,
      };

/** What a command reads that is written in the script: a here-document, or what echo prints into it. */
export function documents({ document, fedBy, from }: Command): Document[] {
  const own = document === undefined ? [] : [{ ...textWord(document.text, from), head: document.head }];
  const [feeder] = fedBy;
  const said = feeder && spokenText(feeder);
  const poured = feeder && nameOf(feeder.words[0]) === 'cat' ? feeder.document : undefined;
  return [
    ...own,
    ...(said ? [{ ...said, head: '|' }] : []),
    ...(poured ? [{ ...textWord(poured.text, from), head: poured.head }] : []),
  ];
}

/** A text that a command reads, and how its here-document begins. */
type Document = Word & { readonly head: string };

export const textWord = (text: string, from: number): Word => ({ text, dynamic: false, quoted: true, raw: text, from });

/** What echo or printf prints, as far as it is written down. */
function spokenText({ words }: Command): Word | undefined {
  const [program, ...rest] = words;
  if (!/^(?:echo|printf)$/.test(nameOf(program))) return undefined;
  const given = rest.filter(({ text }) => !/^-[neE]+$/.test(text));
  const [format, ...values] = given;
  const isFormat = nameOf(program) === 'printf' && format !== undefined && /%s/.test(format.text);
  const text = isFormat
    ? values.reduce((made, { text }) => made.replace('%s', () => text), format.text)
    : (joined(given)?.text ?? '');
  const spoken = joined(given);
  return spoken && { ...spoken, text: text.replace(/\\n/g, '\n') };
}

const SCRIPT_FILE = /\.(?:sh|bash)$/;

/** A script that the command writes into a file; what is in it may be run from there. */
export function writtenScript(command: Command): Word | undefined {
  const target = command.redirects.find(({ operator }) => /^(?:>|>>|>\||&>|&>>)$/.test(operator))?.target;
  const name = nameOf(command.words[0]);
  const isTee = name === 'tee';
  const file = isTee ? command.words.find(({ text }, i) => i > 0 && !text.startsWith('-')) : target;
  if (!file || file.text.startsWith('/dev/')) return undefined;
  const text = name === 'cat' || isTee ? (documents(command)[0] ?? undefined) : spokenText(command);
  return text && (SCRIPT_FILE.test(file.text) || text.text.startsWith('#!')) ? text : undefined;
}

const SUBSTITUTED = /\$\(((?:[^()]|\([^()]*\))*)\)|`((?:[^`\\]|\\.)*)`/g;

/** Substitutions inside texts that bash may expand later: in arithmetic, prompts and here-documents. */
export function hiddenTexts({ words, assignments, document, from }: Command): Word[] {
  const quoted = [...words, ...assignments.flatMap(({ values }) => values)].filter(
    ({ raw, text }) => /^'|^\$'/.test(raw) && /\$\(|`/.test(text),
  );
  const isSpoken = /^(?:echo|printf|awk|gawk|sed|jq|perl|python[\d.]*|ruby|node|ssh|sh|bash|trap|grep)$/.test(
    nameOf(words[0]),
  );
  const texts = isSpoken ? [] : quoted.map(({ text }) => text);
  const isExpanded = document !== undefined && !/['"\\]/.test(document.head) && document.text.includes('`');
  return [...texts, ...(isExpanded ? [document.text] : [])].flatMap((text) =>
    [...text.matchAll(SUBSTITUTED)].map(([, dollar, back]) =>
      textWord((dollar ?? back ?? '').replace(/\\`/g, '`'), from),
    ),
  );
}
