// One-time tokens for answers that come from outside, such as from a button in a notice: each is bound to a case and the change that was
// shown, works once, and expires. On disk is only its hash, so that whoever reads the folder cannot answer with it.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { namesIn } from '../io/files.ts';
import type { Layout } from '../io/layout.ts';
import {
  createText,
  entryStat,
  leaveInPlace,
  moveAway,
  ownFolder,
  readChecked,
  removeFile,
  writeAtomic,
} from '../io/store.ts';
import { count, listOf, name, oneOf, shaped } from '../shape.ts';

/** Servers keep messages as long. */
export const TOKEN_MS = 12 * 3_600_000;
/** For so long it is known why one does not work any more. */
const REMEMBERED_MS = 7 * 86_400_000;
/** So many wrong ones within an hour are looked at. */
const MAX_WRONG = 10;
const HOUR_MS = 3_600_000;

const isToken = shaped({ version: oneOf([1]), case: name, patch: name, expires: count });
/** When wrong ones came. */
const isLog = shaped({ version: oneOf([1]), wrong: listOf(count) });

/** A new token for the change `patch` in a case, and until when it works. */
export function newToken(layout: Layout, about: { case: string; patch: string }, now: number) {
  forgetOld(layout, now);
  const token = randomBytes(24).toString('base64url');
  const expires = now + TOKEN_MS;
  ownFolder(layout.tokens);
  write(join(layout.tokens, `${hashOf(token)}.json`), { version: 1, ...about, expires });
  return { token, expires: new Date(expires).toISOString() };
}

export type TokenUse = { readonly case: string; readonly patch: string } | { readonly refused: string };

/** Uses a token up. Compares in constant time; too many wrong ones within an hour are not looked at. */
export function takeToken(layout: Layout, token: string, now: number): TokenUse {
  const log = readLog(layout);
  const wrong = log.wrong.filter((at) => now - at < HOUR_MS);
  if (wrong.length >= MAX_WRONG)
    return { refused: `${MAX_WRONG} wrong answers came within an hour: none is looked at until that is over` };
  const file = fileOf(layout, token);
  if (file === undefined) {
    writeLog(layout, { ...log, wrong: [...wrong, now] });
    return { refused: 'its token is unknown: it was made up, or is for another home' };
  }
  if (file.endsWith(USED)) return { refused: 'its token was used before' };
  const path = join(layout.tokens, file);
  const read = readChecked(path, isToken, leaveInPlace);
  if (!read.found || !claim(path)) return { refused: 'its token was used before' };
  if (now >= read.value.expires) return { refused: 'its token has expired: it came after more than 12 hours' };
  return { case: read.value.case, patch: read.value.patch };
}

const USED = '.used';

/** Only one process can rename a file. */
function claim(path: string): boolean {
  try {
    moveAway(path, `${path}${USED}`);
    return true;
  } catch (error) {
    if (entryStat(path) !== undefined) throw error;
    return false;
  }
}

/** Whether some token may still come back. */
export const hasTokens = (layout: Layout, now: number): boolean =>
  namesIn(layout.tokens).some((file) => {
    if (!HASH.test(file) || file.endsWith(USED)) return false;
    const read = readChecked(join(layout.tokens, file), isToken, leaveInPlace);
    return read.found && now < read.value.expires;
  });

const HASH = /^[0-9a-f]{64}\.json(?:\.used)?$/;
const LOG = 'log.json';
const MAX_HEARD = 500;

/** Whether a message of an answer topic is new; from then on it is not, for any process. */
export function isNew({ tokens }: Layout, { id, time }: { id: string; time: number }): boolean {
  ownFolder(tokens);
  const heard = namesIn(tokens).filter((file) => file.startsWith('heard-'));
  for (const file of heard.slice(0, -MAX_HEARD)) removeFile(join(tokens, file));
  return createText(join(tokens, `heard-${String(time).padStart(12, '0')}-${hashOf(id).slice(0, 16)}`), '');
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

function fileOf({ tokens }: Layout, token: string): string | undefined {
  const wanted = Buffer.from(hashOf(token));
  return namesIn(tokens)
    .filter((file) => HASH.test(file))
    .reduce<string | undefined>(
      (found, file) => (timingSafeEqual(Buffer.from(file.slice(0, wanted.length)), wanted) ? file : found),
      undefined,
    );
}

function forgetOld({ tokens }: Layout, now: number): void {
  for (const file of namesIn(tokens).filter((file) => HASH.test(file))) {
    const path = join(tokens, file);
    const read = readChecked(path, isToken, leaveInPlace);
    if (!read.found || now - read.value.expires > REMEMBERED_MS) removeFile(path);
  }
}

function readLog({ tokens }: Layout) {
  const read = readChecked(join(tokens, LOG), isLog, leaveInPlace);
  return read.found ? read.value : { version: 1 as const, wrong: [] };
}

function writeLog({ tokens }: Layout, log: ReturnType<typeof readLog>): void {
  ownFolder(tokens);
  write(join(tokens, LOG), log);
}

const write = (path: string, value: object): void => writeAtomic(path, `${JSON.stringify(value)}\n`);
