// The secrets of this machine: read from carried files and the environment, for the filter that keeps them here.
import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { RedactionError, type Secret, type ShortSecret } from '../outbound/redact/secret.ts';
import { openValues, type SecretList, secretsInEnv, secretsInText } from '../outbound/redact/secrets-in-file.ts';
import { readAt, withPlainFile } from './regular-file.ts';

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_BINARY_BYTES = 64 * 1024;
const MAX_FILES = 2000;
const MAX_TOTAL_BYTES = 32 * 1024 * 1024;

interface KnownHere {
  secrets: Secret[];
  /** Secrets that are too short to be masked: for the owner to make longer. */
  short: ShortSecret[];
  /** Carried files whose content is not looked for: links out of home, and large binary files. */
  passedOver: string[];
  /** Values of carried files that hold no secret: never masked. */
  open: string[];
}

/**
 * `carry`: paths below home, as in the context map; one that does not exist is passed over. `open`: those that hold no
 * secret. Throws RedactionError when a carried file cannot be read, is too large or does not parse: nothing may be sent
 * then.
 */
export function secretsFrom(of: {
  home: string;
  carry: readonly string[];
  open?: readonly string[];
  env: NodeJS.ProcessEnv;
}): KnownHere {
  const { home, carry, open = [], env } = of;
  const list: KnownHere = { secrets: [], short: [], passedOver: [], open: [] };
  const add = ({ secrets, short }: SecretList) => {
    for (const secret of secrets) list.secrets.push(secret);
    list.short.push(...short);
  };
  const files = carriedFiles(home, carry, list.passedOver);
  let total = 0;
  for (const path of files) {
    const bytes = read(home, path, list.passedOver);
    if (bytes === undefined) continue;
    total += bytes.length;
    if (total > MAX_TOTAL_BYTES) refuse(`carried files have more than ${MAX_TOTAL_BYTES} bytes together`);
    if (isBinary(bytes)) {
      // Its bytes cannot stand in a text; what base64 makes of them can.
      list.secrets.push({ value: bytes.toString('base64'), kind: 'binary', from: path });
    } else add(secretsInText(path, bytes.toString('utf8').replace(/^\ufeff/, '')));
  }
  add(secretsInEnv(env));
  list.open = openIn(home, open, new Set(files));
  return list;
}

/** What cannot be read or is too large is masked like anything else: nothing is lost by that but what could be read. */
function openIn(home: string, open: readonly string[], secret: ReadonlySet<string>): string[] {
  try {
    const files = carriedFiles(home, open, []).filter((path) => !secret.has(path));
    return files.flatMap((path) => {
      const text = read(home, path, [])?.toString('utf8');
      return text === undefined ? [] : openValues(path, text);
    });
  } catch (error) {
    if (error instanceof RedactionError) return [];
    throw error;
  }
}

/**
 * Every file that is carried, folders walked through. What the owner named may be a link inside of home; others are not
 * followed out.
 */
function carriedFiles(home: string, carry: readonly string[], passedOver: string[]): string[] {
  const files = new Set<string>();
  const folders = new Set<string>();
  const real = realpathSync(home);
  const queue = carry.map((path) => ({ path, named: true }));
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { path, named } = next;
    const place = attempt(path, () => realpathSync(join(real, path)));
    if (place === undefined) continue;
    const inside = relative(real, place);
    const first = inside.split(sep)[0] ?? '';
    if (first === '..') {
      if (named) {
        const what = `the carried ${path} is a link out of the repository, so its secrets are not known`;
        refuse(what, `put the file itself at ${path}, or take it out of carry in ai/context_map.yaml`);
      }
      passedOver.push(`${path} (leads out of the repository)`);
      continue;
    }
    const entry = attempt(path, () => lstatSync(place));
    if (entry === undefined || first === '' || first === '.git') continue;
    if (entry.isFile()) files.add(inside);
    else if (!entry.isDirectory() || folders.has(inside)) continue;
    else if (named || inside === path) {
      folders.add(inside);
      const names = attempt(path, () => readdirSync(place)) ?? [];
      queue.push(...names.map((name) => ({ path: join(inside, name), named: false })));
    } else passedOver.push(`${path} (a link to a folder)`);
    if (files.size + queue.length > MAX_FILES) refuse(`carry brings more than ${MAX_FILES} files along`);
  }
  return [...files].sort();
}

function read(home: string, path: string, passedOver: string[]): Buffer | undefined {
  return attempt(path, () =>
    withPlainFile(join(realpathSync(home), path), ({ fd, size }) => {
      if (size > MAX_BINARY_BYTES && isBinary(readAt(fd, 0, 8192))) {
        passedOver.push(`${path} (binary, ${size} bytes)`);
        return undefined;
      }
      if (size > MAX_FILE_BYTES)
        refuse(`the carried file ${path} has ${size} bytes; at most ${MAX_FILE_BYTES} are read`);
      return readAt(fd, 0, size);
    }),
  );
}

/** What `look` returns; undefined when there is nothing. Throws RedactionError when it may not be looked at. */
function attempt<T>(path: string, look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === undefined) throw error;
    const what = `the carried file ${path} cannot be read (${code}), so its secrets are not known`;
    refuse(what, `let this user read ${path}, or take it out of carry in ai/context_map.yaml`);
  }
}

const FEWER = 'carry only what stages need: name files in ai/context_map.yaml, not whole folders';

function refuse(what: string, next = FEWER): never {
  throw new RedactionError(what, next);
}

const isBinary = (bytes: Buffer): boolean => bytes.subarray(0, 8192).includes(0);
