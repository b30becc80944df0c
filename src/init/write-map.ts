// The proposal as YAML: a comment for each decision, within the defaults of yamllint. Pure.
import { Document, isMap, isScalar, type Pair, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { needsStrictShell } from '../config/strict-shell.ts';
import type { Proposal } from './propose.ts';
import type { Draft } from './survey.ts';

const WIDTH = 80;
const MAX_REASONS = 20;
const MAX_OF_ONE_REASON = 6;
const MAX_DESCRIPTION = 60;

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
  for (const [name, about] of Object.entries(ABOUT)) {
    const key = keyOf(name);
    if (key) key.commentBefore = comment([about], 0);
  }
  const items = ((top.get('carry') as YAMLSeq | undefined)?.items ?? []) as (Scalar | YAMLMap)[];
  for (const [i, item] of items.entries()) {
    if (isMap(item)) item.flow = true;
    item.commentBefore = comment([carry[i]?.why ?? ''], 2);
  }
  const text = document.toString({ lineWidth: WIDTH - 2, flowCollectionPadding: false, blockQuote: 'literal' });
  return `${HEAD}${trimmed(text)}${leftText(left)}`;
}

const ABOUT = {
  protected_files:
    'These take something away, by their name or by what they run, or hold secrets: no fix touches them, and no stage may run them.',
  carry:
    'Not in git and needed by stages: linked into the worktree, never edited, never sent. What is not marked secret: false is masked in what a model is told.',
};

const HEAD = `---
# yaml-language-server: $schema=schema/context_map.schema.json
# The stages of this repository, as mendloop init proposes them: read each, and
# change what is wrong. It counts when it is committed.
# mendloop validate checks it, mendloop plan shows what a run would do.

`;

function stageValue(stage: Draft): Record<string, unknown> {
  const { description, command, needs, files, verify, tools, env, wants, timeout, on_failure, always } = stage;
  const requires = {
    ...(tools.length > 0 ? { tools } : {}),
    ...(env.length > 0 ? { env } : {}),
    ...(wants.length > 0 ? { files: wants } : {}),
  };
  return {
    description:
      description.length > MAX_DESCRIPTION ? `${description.slice(0, MAX_DESCRIPTION - 3).trimEnd()}...` : description,
    command: shellText(command, 'command'),
    ...(needs.length > 0 ? { needs } : {}),
    ...(files.length > 0 ? { files } : {}),
    ...(verify.length > 0
      ? { verify: verify.map((one) => (typeof one === 'string' ? shellText(one, 'check') : one)) }
      : {}),
    ...(Object.keys(requires).length > 0 ? { requires } : {}),
    ...(timeout ? { timeout } : {}),
    ...(on_failure ? { on_failure } : {}),
    ...(always ? { always } : {}),
  };
}

const COMMENTS: Readonly<Record<string, string>> = {
  files: 'what a fix may touch',
  verify: 'what must hold for green',
  on_failure: 'nothing else needs it',
  always: 'it only looks, so it runs every time',
};

/** Puts short lists on one line, and explains the keys in comments at the first stage. */
function style(map: YAMLMap, { name }: Draft): void {
  for (const { key, value } of map.items as Pair<Scalar, unknown>[]) {
    const text = JSON.stringify((value as { toJSON?: () => unknown })?.toJSON?.() ?? value);
    const isShort = text.length + String(key.value).length < WIDTH - 12 && !text.includes('\\n');
    if (['needs', 'files', 'requires'].includes(String(key.value)) && isShort) (value as YAMLMap).flow = true;
    else if (key.value === 'requires')
      for (const { value: words } of (value as YAMLMap).items as Pair<Scalar, YAMLSeq>[])
        (words as YAMLSeq).flow = JSON.stringify(words).length < WIDTH - 20;
    if (key.value === 'verify') for (const item of (value as YAMLSeq).items) if (isMap(item)) item.flow = true;
    const about = COMMENTS[String(key.value)];
    if (about !== undefined && name === 'check') key.commentBefore = ` ${about}`;
    if (isScalar(value) && key.value === 'on_failure') value.comment = ` ${COMMENTS.on_failure}`;
  }
  if (!map.has('verify')) {
    map.comment = ' verify: nobody but you knows what must hold afterwards: a command that\n succeeds when it does';
  }
}

/** A command as one line where it fits, else as a block of wrapped lines. */
function shellText(command: string, kind: 'command' | 'check'): string {
  const strict = kind === 'command' ? 'set -eo pipefail' : 'set -e';
  // A run sets these options anyway; written out, the lines do the same when they are copied.
  const text = needsStrictShell(command, kind) ? `${strict}\n${command}` : command;
  return text.includes('\n') || text.length > WIDTH - 16 ? `${wrapped(text)}\n` : text;
}

/** Wraps long lines of shell at spaces outside of quotes. */
function wrapped(command: string): string {
  return command
    .split('\n')
    .flatMap((line) => (line.startsWith('#') ? wrapComment(line) : wrapLine(line)))
    .join('\n');
}

const ROOM = WIDTH - 8;

function wrapLine(line: string): string[] {
  if (line.length <= ROOM) return [line];
  const breaks: number[] = [];
  let quote = '';
  for (const [i, character] of [...line].entries()) {
    if (quote === '' && /["']/.test(character)) quote = character;
    else if (character === quote) quote = '';
    else if (character === ' ' && quote === '' && line.slice(0, i).trim() !== '') breaks.push(i);
  }
  // A word that is too long stays whole.
  const cut = breaks.findLast((at) => at <= ROOM - 2) ?? breaks[0];
  if (cut === undefined) return [line];
  return [`${line.slice(0, cut)} \\`, ...wrapLine(`  ${line.slice(cut + 1).trimStart()}`)];
}

function wrapComment(line: string): string[] {
  const [, mark = '# ', text = ''] = /^(#\s*)(.*)$/.exec(line) ?? [];
  return folded(text, mark, `${mark}  `, ROOM);
}

/** A comment as the yaml library takes it: each line begins with a space. */
const comment = (sentences: readonly string[], indent: number): string =>
  sentences
    .flatMap((one) => folded(printable(one).replace(/\s+/g, ' '), `${' '.repeat(indent)} `, `${' '.repeat(indent)} `))
    .map((line) => line.slice(indent))
    .join('\n');

/** Fixes white space that yamllint would report. */
const trimmed = (text: string): string =>
  text
    .replace(/[ \t]+$/gm, '')
    .replace(/^( +on_failure: skip) #/gm, '$1  #')
    .replace(/\n{3,}/g, '\n\n');

/** What is not proposed, as comments at the end, grouped by reason. */
function leftText(left: Proposal['left']): string {
  if (left.length === 0) return '';
  const reasons = [...new Set(left.map(({ why }) => why))];
  const lines = reasons.slice(0, MAX_REASONS).flatMap((why) => {
    const all = left.filter((one) => one.why === why).map(({ what }) => printable(what));
    const few = all.length > MAX_OF_ONE_REASON + 1 ? all.slice(0, MAX_OF_ONE_REASON) : all;
    const more = all.length - few.length;
    return [
      ...folded(printable(why), '# - ', '#   '),
      ...few.map((what) => cut(`#       ${what}`)),
      ...(more > 0 ? [`#       and ${more} more`] : []),
    ];
  });
  const others = reasons.length - MAX_REASONS;
  return `\n# Not proposed, and why:\n${lines.join('\n')}\n${others > 0 ? `# and for ${others} other reasons\n` : ''}`;
}

const cut = (line: string): string => (line.length > WIDTH ? `${line.slice(0, WIDTH - 3).trimEnd()}...` : line);

/** The words of a text in lines of `width`; `head` begins the first, `indent` the others. */
function folded(text: string, head: string, indent: string, width = WIDTH): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(`${head}${word}`);
    else if (last.length + word.length + 1 < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${indent}${word}`);
  }
  return lines;
}

const printable = (text: string): string => text.replace(/[^\x20-\x7e]+/g, ' ').trim();
/** `ai/loop.yaml`. */
export const LOOP_TEXT = `---
# yaml-language-server: $schema=schema/loop.schema.json
# How mendloop behaves here; what is not written has its default.

# What of a fix may run before you have seen it. repairs: what is proven to be
# one, such as a mistyped name of something that is there; you are asked about
# everything else, at a terminal or in a case (mendloop cases). none: you are
# asked about every change. A stage of the map may have a line of its own.
unattended: repairs

# How long runs, logs and cases that are over are kept, and how much of them;
# what is still needed stays (mendloop gc --dry-run says what would go).
retention: {days: 90, max_mb: 2000}
`;
