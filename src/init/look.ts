// The only part of init that touches the machine: lists and reads files, looks for programs, tries checks, writes.
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { OWNED_PATHS } from '../config/files.ts';
import { runBy, type Sources } from '../fix/check-files/check-files.ts';
import { slowdown, systemClock } from '../io/clock.ts';
import { fileFacts, findTool } from '../io/files.ts';
import { readDestroying } from '../io/gate/gate.ts';
import { runDiagnostic } from '../io/run-diagnostic.ts';
import { secretsFrom } from '../io/secrets.ts';
import { createText, ifPossible, readText } from '../io/store.ts';
import { createRedactor } from '../outbound/redact/redactor.ts';
import { sourcesOf } from '../stage/check-sources.ts';
import { DEFAULT_PATH } from '../stage/env.ts';
import { isBelow } from '../worktree/carry.ts';
import { checkoutFiles, ignoredBeside } from '../worktree/read.ts';
import type { Tried } from './checks.ts';
import type { Asked } from './propose.ts';
import { isAside, type Survey, shortened } from './survey.ts';

const MAX_TEXT_BYTES = 256 * 1024;
/** The time for one probe and for all on an idle machine; multiplied on a busy one. */
const TRY_MS = 3000;
const TRY_ALL_MS = 12_000;
const AT_ONCE = 2;

export interface Look {
  readonly survey: Survey;
  readonly asked: Asked;
  /** Masks what could be a secret. */
  readonly mask: (text: string) => string;
  readonly sources: Sources;
}

/** Undefined where git tracks nothing. */
export async function look(home: string, env: NodeJS.ProcessEnv): Promise<Look | undefined> {
  const checkout = await checkoutFiles(home);
  if (!checkout || checkout.files.size === 0) return undefined;
  const texts = new Map<string, string>();
  const path = env.PATH || DEFAULT_PATH;
  const peek = (file: string): string | undefined => {
    const facts = fileFacts(join(home, file));
    return facts?.isFile && facts.size <= MAX_TEXT_BYTES ? ifPossible(() => readText(join(home, file))) : undefined;
  };
  const text = (file: string): string => {
    if (!checkout.files.has(file) || checkout.links.has(file)) return '';
    const content = texts.get(file) ?? peek(file)?.replaceAll('\r\n', '\n') ?? '';
    texts.set(file, content);
    return content;
  };
  const { secrets } = secretsFrom({ home, carry: [], env });
  const redactor = createRedactor({ secrets, paths: checkout.files.keys() });
  const mask = (shown: string) => redactor.redact(shown);
  const probe = prober(home, env, mask);
  let end: number | undefined;
  const timeLeft = () => {
    const now = systemClock.monotonic();
    end ??= now + TRY_ALL_MS * slowdown();
    return Math.min(TRY_MS * slowdown(), end - now);
  };
  const ignored = await ignoredBeside(home, ['.']);
  const installed = (tool: string) => findTool(tool, path) !== undefined;
  /** The plugin of docker lies in one of several folders: ask docker. */
  const composeCommand = async (): Promise<string | undefined> => {
    const standalone = installed('docker-compose') ? 'docker-compose' : undefined;
    if (!installed('docker')) return standalone;
    // With a time of its own: that of the probes begins when the repository is read.
    const answer = await probe('docker compose version', TRY_MS * slowdown());
    return 'ok' in answer && !answer.ok ? standalone : 'docker compose';
  };
  // What mendloop reads here brings no lab up, and no fix may touch it.
  const isOwned = (file: string) => OWNED_PATHS.some((owned) => isBelow(file, owned));
  const files = new Map([...checkout.files].filter(([file]) => !isOwned(file)));
  const paths = [...files.keys()];
  const survey: Survey = {
    files,
    paths,
    text,
    isTooLarge: (file) => (fileFacts(join(home, file))?.size ?? 0) > MAX_TEXT_BYTES,
    ignored,
    exists: (file) => fileFacts(join(home, file)) !== undefined,
    installed,
    compose: await composeCommand(),
    readme: paths.filter(tellsHowToStart).map(text).join('\n'),
  };
  const sources = sourcesOf(checkout);
  const harms = new Map<string, ReturnType<typeof readDestroying>>();
  return {
    survey,
    mask,
    asked: {
      runBy: (command) => runBy(command, 'init', sources),
      harm: (file, shell) => {
        const key = `${file}\0${shell}`;
        const reading = harms.get(key) ?? readDestroying(file, shell);
        harms.set(key, reading);
        return reading;
      },
      peek,
      tryOut: limited((command) => probe(command, timeLeft())),
    },
    sources,
  };
}

const GUIDE =
  /^(?:docs?|[\w-]+)\/(?:[\w-]+\/)?(?:readme|[\w-]*(?:install|getting|setup|deploy|bootstrap|quick)[\w-]*)\.mdx?$/i;
const tellsHowToStart = (path: string): boolean =>
  /^readme(?:\.\w+)?$/i.test(path) || (GUIDE.test(path) && !isAside(path));

/** Runs AT_ONCE of them at a time, in the order they come. */
function limited<T>(work: (command: string) => Promise<T>): (command: string) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = AT_ONCE;
  return async (command) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await work(command);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

/** Runs probes in the checkout. */
function prober(cwd: string, given: NodeJS.ProcessEnv, mask: Look['mask']) {
  const variables = Object.entries({ ...given, LC_ALL: 'C.UTF-8' }).filter(([, value]) => value !== undefined);
  const shared = { cwd, env: Object.fromEntries(variables), signal: new AbortController().signal, graceMs: 500 };
  return async (command: string, timeoutMs: number): Promise<Tried> => {
    if (timeoutMs < 50) return { late: true };
    const request = { ...shared, command: `set -o pipefail\n${command}`, timeoutMs };
    const { ended, output } = await runDiagnostic(request, systemClock);
    if (ended === 'exit code 0') return { ok: true };
    if (ended.startsWith('stopped')) return { late: true };
    return { ok: false, complaint: mask(firstComplaint(output) || ended) };
  };
}

const MAX_COMPLAINT = 140;
const BEGINS = /\berror\b|ERROR|unknown command|: line \d+:|\bno such\b|\[error\]|\bfailed\b|not found/i;

function firstComplaint(output: string): string {
  const lines = stripVTControlCharacters(output)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const line = lines.find((one) => BEGINS.test(one) && !/^\[?WARN/i.test(one)) ?? lines[0] ?? '';
  return shortened(line.replace(/^[EWI]\d{4} [^\]]*\] /, '').replace(/[^\x20-\x7e]+/g, ' '), MAX_COMPLAINT);
}

/** Writes the files that do not exist yet; returns their paths. Throws MendError when the disk refuses. */
export const writeNew = (home: string, files: readonly { path: string; text: string }[]): string[] =>
  files.filter(({ path, text }) => createText(join(home, path), text)).map(({ path }) => path);
