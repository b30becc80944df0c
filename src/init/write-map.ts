// The proposal as YAML that people read: a comment for each decision, lines that yamllint's defaults take. Pure.
import { Document, isMap, isScalar, type Pair, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Proposal } from './propose.ts';
import type { Draft } from './survey.ts';

const WIDTH = 80;
const MAX_LEFT = 40;

/** `ai/context_map.yaml`. */
export function mapText(proposal: Proposal): string {
  const { stages, protect, carry, left } = proposal;
  const document = new Document({
    stages: Object.fromEntries(stages.map((stage) => [stage.name, stageValue(stage)])),
    ...(protect.length > 0 ? { protected_files: protect } : {}),
    ...(carry.length > 0 ? { carry: carry.map(({ path, secret }) => (secret ? path : { path, secret })) } : {}),
  });
  const top = document.contents as YAMLMap;
  const all = top.get('stages') as YAMLMap;
  for (const [i, stage] of stages.entries()) {
    const pair = all.items[i] as Pair<Scalar, YAMLMap>;
    pair.key.commentBefore = comment(stage.why, 2);
    pair.key.spaceBefore = i > 0;
    style(pair.value as YAMLMap, stage);
  }
  const [, ...others] = top.items as Pair<Scalar, unknown>[];
  for (const { key } of others) key.spaceBefore = true;
  const keyOf = (name: string) => (top.items as Pair<Scalar, unknown>[]).find(({ key }) => key.value === name)?.key;
  const guarded = keyOf('protected_files');
  if (guarded)
    guarded.commentBefore = comment(
      [
        'These take something away, by their name or by what they run: no fix touches',
        'them, and no stage may run them.',
      ],
      0,
    );
  const carried = keyOf('carry');
  if (carried) {
    carried.commentBefore = comment(
      [
        'Not in git and needed by stages: linked into the worktree, never edited, never',
        'sent. What is not marked secret: false is masked in what a model is told.',
      ],
      0,
    );
    const items = (top.get('carry') as YAMLSeq).items as (Scalar | YAMLMap)[];
    for (const [i, item] of items.entries()) {
      if (isMap(item)) item.flow = true;
      item.commentBefore = comment([carry[i]?.why ?? ''], 2);
    }
  }
  const text = document.toString({ lineWidth: WIDTH - 2, flowCollectionPadding: false, blockQuote: 'literal' });
  return `${HEAD}${trimmed(text)}${leftText(left)}`;
}

const HEAD = `---
# yaml-language-server: $schema=schema/context_map.schema.json
# The stages of this repository, as mendloop init proposes them: read each, and
# change what is wrong. It counts when it is committed.
# mendloop validate checks it, mendloop plan shows what a run would do.

`;

function stageValue(stage: Draft): Record<string, unknown> {
  const { description, command, needs, files, verify, tools, env, wants, timeout, on_failure } = stage;
  const requires = {
    ...(tools.length > 0 ? { tools } : {}),
    ...(env.length > 0 ? { env } : {}),
    ...(wants.length > 0 ? { files: wants } : {}),
  };
  return {
    description,
    command: command.includes('\n') ? `${wrapped(command)}\n` : command,
    ...(needs.length > 0 ? { needs } : {}),
    ...(files.length > 0 ? { files } : {}),
    ...(verify.length > 0
      ? { verify: verify.map((one) => (typeof one === 'string' && one.includes('\n') ? `${one}\n` : one)) }
      : {}),
    ...(Object.keys(requires).length > 0 ? { requires } : {}),
    ...(timeout ? { timeout } : {}),
    ...(on_failure ? { on_failure } : {}),
  };
}

const COMMENTS: Readonly<Record<string, string>> = {
  files: 'what a fix may touch',
  verify: 'what must hold for green',
  on_failure: 'nothing else needs it',
};

/** Short lists on one line; a word on what each key is, once, at the first stage. */
function style(map: YAMLMap, { name }: Draft): void {
  for (const { key, value } of map.items as Pair<Scalar, unknown>[]) {
    const text = JSON.stringify((value as { toJSON?: () => unknown })?.toJSON?.() ?? value);
    const isShort = text.length + String(key.value).length < WIDTH - 12 && !text.includes('\\n');
    if (['needs', 'files', 'requires'].includes(String(key.value)) && isShort) (value as YAMLMap).flow = true;
    if (key.value === 'verify') for (const item of (value as YAMLSeq).items) if (isMap(item)) item.flow = true;
    const about = COMMENTS[String(key.value)];
    if (about !== undefined && name === 'check') key.commentBefore = ` ${about}`;
    if (isScalar(value) && key.value === 'on_failure') value.comment = ` ${COMMENTS.on_failure}`;
  }
  if (!map.has('verify')) {
    map.comment = ' verify: nobody but you knows what must hold afterwards: a command that\n succeeds when it does';
  }
}

/** Long lines of shell broken at spaces outside of quotes. */
function wrapped(command: string): string {
  return command
    .split('\n')
    .flatMap((line) => (line.startsWith('#') ? wrapComment(line) : wrapLine(line)))
    .join('\n');
}

const ROOM = WIDTH - 8;

function wrapLine(line: string): string[] {
  if (line.length <= ROOM) return [line];
  let [quote, cut] = ['', -1];
  for (let i = 0; i < Math.min(line.length, ROOM - 2); i++) {
    const character = line[i] as string;
    if (quote === '' && /["']/.test(character)) quote = character;
    else if (character === quote) quote = '';
    else if (character === ' ' && quote === '' && i > 4) cut = i;
  }
  if (cut === -1) return [line];
  return [`${line.slice(0, cut)} \\`, ...wrapLine(`  ${line.slice(cut + 1).trimStart()}`)];
}

function wrapComment(line: string): string[] {
  const [, mark = '#', text = ''] = /^(#\s*)(.*)$/.exec(line) ?? [];
  const words = text.split(' ');
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length + 1 <= ROOM) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? `${mark}${word}` : `${mark}  ${word}`);
  }
  return lines;
}

/** Lines of a comment, as the library wants them: each with a space before it. */
function comment(sentences: readonly string[], indent: number): string {
  const words = sentences
    .join(' ')
    .replace(/[\r\n]+/g, ' ')
    .split(/\s+/)
    .filter(Boolean);
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length + 1 <= WIDTH - 4 - indent)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(` ${word}`);
  }
  return lines.join('\n');
}

const trimmed = (text: string): string => text.replace(/[ \t]+$/gm, '').replace(/\n{3,}/g, '\n\n');

/** What is not proposed, as comments behind everything else. */
function leftText(left: Proposal['left']): string {
  if (left.length === 0) return '';
  const shown = left.slice(0, MAX_LEFT);
  const lines = shown.flatMap(({ what, why }) => [
    `# - ${printable(what)}`,
    ...(printable(why)
      .match(/.{1,72}(?:\s|$)/g)
      ?.map((part) => `#   ${part.trim()}`) ?? []),
  ]);
  const more = left.length - shown.length;
  return `\n# Not proposed, and why:\n${lines.map(short).join('\n')}\n${more > 0 ? `# and ${more} more\n` : ''}`;
}

const printable = (text: string): string => text.replace(/[^\x20-\x7e]+/g, ' ').trim();
const short = (line: string): string => (line.length <= WIDTH - 1 ? line : `${line.slice(0, WIDTH - 4)}...`);

/** `ai/loop.yaml`. */
export const LOOP_TEXT = `---
# yaml-language-server: $schema=schema/loop.schema.json
# How mendloop behaves here; what is not written has its default.

# suggest: every fix is shown to you first, at a terminal or as a case
# (mendloop cases). When some of them were what you would have done yourself,
# and check and verify of your stages would notice a bad one: auto.
mode: suggest
`;
