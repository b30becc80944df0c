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
  const hereDocument = document === undefined ? [] : [{ ...textWord(document.text, from), head: document.head }];
  const [feeder] = fedBy;
  const echoed = feeder && spokenText(feeder);
  const poured = feeder && nameOf(feeder.words[0]) === 'cat' ? feeder.document : undefined;
  return [
    ...hereDocument,
    ...(echoed ? [{ ...echoed, head: '|' }] : []),
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
const RUNS_FILE = /^(?:(?:ba|z|da|k|a)?sh|source|\.|chmod|python[\d.]*|perl|node|ruby|at|crontab)$/;

/** The scripts that commands write into files which are run, look like scripts or begin like them; parts of one are joined. */
export function writtenScripts(commands: readonly Command[]): { text: Word; command: Command }[] {
  const runs = new Set(
    commands
      .flatMap(({ words }) => (RUNS_FILE.test(nameOf(words[0])) ? words.slice(1) : words.slice(0, 1)))
      .map(({ text }) => text),
  );
  const files = new Map<string, { text: string; command: Command }>();
  for (const command of commands) {
    const name = nameOf(command.words[0]);
    const target = command.redirects.find(({ operator }) => /^(?:>|>>|>\||&>|&>>)$/.test(operator))?.target;
    const file = name === 'tee' ? command.words.find(({ text }, i) => i > 0 && !text.startsWith('-')) : target;
    const text = name === 'cat' || name === 'tee' ? documents(command)[0] : spokenText(command);
    if (!file || !text || file.text.startsWith('/dev/')) continue;
    const before = files.get(file.text)?.text ?? '';
    files.set(file.text, { text: `${before}${text.text}${name === 'printf' ? '' : '\n'}`, command });
  }
  return [...files]
    .filter(([file, { text }]) => SCRIPT_FILE.test(file) || runs.has(file) || text.startsWith('#!'))
    .map(([, { text, command }]) => ({ text: textWord(text, command.from), command }));
}

const SUBSTITUTED = /\$\(((?:[^()]|\([^()]*\))*)\)|`((?:[^`\\]|\\.)*)`/g;

/** Substitutions inside texts that bash may expand later: in arithmetic, prompts and here-documents. */
export function hiddenTexts({ words, assignments, document, from }: Command): Word[] {
  const all = [...words, ...assignments.flatMap(({ values }) => values)];
  const quoted = all.filter(({ raw, text }) => /^(?:\w+=)?\$?'/.test(raw) && /\$\(|`/.test(text));
  const isSpoken =
    /^(?:echo|printf|awk|gawk|sed|jq|perl|python[\d.]*|ruby|node|ssh|sh|bash|trap|grep)$/.test(nameOf(words[0])) &&
    words[1]?.text !== '-v';
  // Inside of backticks those within are escaped.
  const nested = all.flatMap(({ raw }) => [...raw.matchAll(/\\`(.*?)\\`/gs)].map(([, text]) => `\`${text}\``));
  const texts = [...(isSpoken ? [] : quoted.map(({ text }) => text)), ...nested];
  const isExpanded = document !== undefined && !/['"\\]/.test(document.head) && document.text.includes('`');
  return [...texts, ...(isExpanded ? [document.text] : [])].flatMap((text) =>
    [...text.matchAll(SUBSTITUTED)].map(([, dollar, back]) =>
      textWord((dollar ?? back ?? '').replace(/\\`/g, '`'), from),
    ),
  );
}
