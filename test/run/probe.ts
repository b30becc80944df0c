// An executor that answers as a test tells it, and a repository whose stage fails as its own files say.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyEvent } from '../journal/any-event.ts';
import { folder, git } from '../worktree/repository.ts';
import { homelab, NOTE } from './homelab.ts';

/**
 * The plugin as the owner would commit it: the n-th call gets the n-th answer, and the last one again and
 * again; one answer `{words}` has an answer for each word that the file may begin with, and each try on it.
 */
export const probePlugin = (name = 'probe', hook: 'propose' | 'escalate' = 'propose'): string => `
import { appendFileSync, readFileSync } from 'node:fs';
import { z } from 'zod';
// Whatever was asked before, and by whichever process: what the file says decides, and what was tried on it.
const byWord = (words, text, tries) => {
  const own = words[text.split('\\n')[0]] ?? [{ pass: 'no such word' }];
  return [own[Math.min(tries.length, own.length - 1)]];
};
export default {
  name: '${name}',
  options: z.strictObject({ folder: z.string() }),
  async ${hook}({ failure, files, tries, refused, read, stage, options, signal, case: sent }) {
    const at = (file) => options.folder + '/' + file;
    const told = { stage: stage.name, fingerprint: failure.fingerprint, class: failure.class, files, tries, refused, case: sent };
    appendFileSync(at('${name}.asked'), JSON.stringify(told) + '\\n');
    const asked = readFileSync(at('${name}.asked'), 'utf8').trim().split('\\n').length;
    const said = JSON.parse(readFileSync(at('${name}.json'), 'utf8'));
    const answers = said.length === 1 && said[0].words ? byWord(said[0].words, await read(files[0]), tries) : said;
    const answer = answers[Math.min(asked, answers.length) - 1];
    if (answer.kill) process.kill(process.pid, 'SIGKILL');
    if (answer.throw) throw new Error(answer.throw);
    if (answer.hang) await new Promise((done) => signal.addEventListener('abort', done));
    if (answer.huge) return { answer: 'x'.repeat(answer.huge) };
    if (answer.pause) await new Promise((done) => setTimeout(done, answer.pause));
    return answer.give ?? answer;
  },
};
`;

/** What the probe was told, call by call. */
export interface Asked {
  stage: string;
  fingerprint: string;
  class: string;
  files: string[];
  tries: { plugin: string; outcome: string; diff?: string }[];
  refused: { code: string; reasons: string[] }[];
  /** What an escalation was sent. */
  case?: { name: string; version: number; text: string };
}

export interface Probe {
  folder: string;
  /** Answers to give from now on, the first one first. */
  answers(...answers: unknown[]): void;
  asked(): Asked[];
}

export function probe(name = 'probe', at = folder()): Probe {
  const log = join(at, `${name}.asked`);
  const told: Probe = {
    folder: at,
    answers(...answers) {
      writeFileSync(log, '');
      writeFileSync(join(at, `${name}.json`), JSON.stringify(answers));
    },
    asked: () =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line))
        : [],
  };
  told.answers({ pass: 'nothing to say' });
  return told;
}

/** Fails as the first word of its file says; green when that is `good`. */
export const CHECK = `#!/usr/bin/env bash
set -eu
read -r word < "$1"
echo "$MENDLOOP_STEP $word" >> "$MENDLOOP_HOME/ai/state/ran"
case "$word" in
  good) exit 0 ;;
  net) echo "curl: (7) Failed to connect to 10.0.0.5 port 6443: Connection refused"; exit 7 ;;
  outside) echo "error: the landlord has switched off the power"; exit 1 ;;
  slow) sleep 30 ;;
  *) echo "error: unexpected word $word in $1"; exit 1 ;;
esac
`;

export const FILE = 'conf/a.txt';

export const stageOn = (file = FILE, more: object = {}) => ({
  command: ['bash', 'check.sh', file],
  files: ['conf/'],
  ...more,
});

export const OUTSIDE_RULE = { match: 'the landlord', class: 'permission_denied', external: true };

export interface Mendable {
  home: string;
  probe: Probe;
  /** The commits of the AI branch that are not on main, oldest first: their subjects. */
  subjects(): string[];
  /** A file of the worktree as it is on disk. */
  tree(path?: string): string;
  /** Tracked and untracked changes of the worktree. */
  treeStatus(): string;
}

export interface MendableOptions {
  word?: string;
  stages?: Record<string, object>;
  loop?: object;
  files?: Record<string, string>;
  /** Settings of other plugins. */
  more?: object;
}

/** A repository whose stage `a` reads `conf/a.txt`, and whose plugin is a probe. */
export function mendable({ word = 'bad', stages, loop = {}, files = {}, more = {} }: MendableOptions = {}): Mendable {
  const told = probe();
  const home = homelab(
    stages ?? { a: stageOn() },
    { executors: ['probe'], plugins: { probe: { folder: told.folder }, ...more }, classify: [OUTSIDE_RULE], ...loop },
    { 'check.sh': CHECK, [FILE]: `${word}\nsecond\n`, 'plugins/executors/probe.mjs': probePlugin(), ...files },
  );
  return {
    home,
    probe: told,
    subjects: () =>
      git(home, 'log', '--reverse', '--format=%s', 'main..ai/orchestrator-stage1').split('\n').filter(Boolean),
    tree: (path = FILE) => readFileSync(join(home, 'ai/worktree', path), 'utf8'),
    treeStatus: () => git(join(home, 'ai/worktree'), 'status', '--porcelain'),
  };
}

/** An answer that makes the file begin with `word`. */
export const says = (word: string, second = 'second', file = FILE) => ({
  files: { [file]: `${word}\n${second}\n` },
  note: { fix: `Say ${word}`, reason: 'the check wants another word' },
});

/** An answer that replaces the first line of a file of two. */
export const swap = (path: string, from: string, to: string) => ({
  answer: `--- a/${path}\n+++ b/${path}\n@@ -1,2 +1,2 @@\n-${from}\n+${to}\n second\n`,
  note: { fix: `say ${to}`, reason: `it says ${from}` },
});

/** A stage that wants this word, or `both`, to begin conf/a.txt. */
export const wants = (word: string) =>
  `${NOTE}; read -r word < conf/a.txt; case $word in ${word}|both) ;; *) echo "error: $MENDLOOP_STAGE wants ${word}, got $word"; exit 1;; esac`;

/** `type outcome` of everything that became of fixes. */
export const fixTrail = (events: readonly AnyEvent[]): string[] =>
  events
    .filter(({ type }) => type.startsWith('fix.') || type === 'plugin.failed')
    .map(({ type, data }) => [type, data.outcome ?? data.code].filter(Boolean).join(' '));

export const decided = (events: readonly AnyEvent[]): unknown[] =>
  events.filter(({ type }) => type === 'failure.decided').map(({ data }) => data.why ?? data.tier);

/** What the stage found each time it ran: `step word`. */
export function ranWords(home: string): string[] {
  const path = join(home, 'ai/state/ran');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
}
