// Times and lists in the words people use.
import { cutText, displayWidth } from '../io/fit-text.ts';
import { plainText } from '../io/plain-text.ts';
import { counted } from '../triage/words.ts';

/** `0.3 s`, `12 s`, `4 min 5 s`, `2 h 3 min`. */
export function spell(ms: number): string {
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** Dollars; small sums to a tenth of a cent. */
export const moneyText = (dollars: number): string => `$${dollars.toFixed(dollars > 0 && dollars < 0.1 ? 3 : 2)}`;

/** `80 bytes`, `3.2 kB`, `12 MB`, `1.1 GB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [size, unit] = bytes < 1e6 ? [bytes / 1e3, 'kB'] : bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

/** How long ago an ISO time was: `just now`, `5 min ago`, `3 h ago`, `2 days ago`. */
export function ago(time: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(time)) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return `${Math.floor(minutes / 1440)} days ago`;
}

/** When something began, as people say it: `14:02`, `yesterday`, `Tuesday`, `3 November`, `3 November 2025`. */
export function since(time: string, now: number): string {
  const then = new Date(time);
  const days = Math.round((midnight(new Date(now)) - midnight(then)) / 86_400_000);
  if (days <= 0) return `${String(then.getHours()).padStart(2, '0')}:${String(then.getMinutes()).padStart(2, '0')}`;
  if (days === 1) return 'yesterday';
  if (days < 7) return then.toLocaleDateString('en-GB', { weekday: 'long' });
  const year = then.getFullYear() === new Date(now).getFullYear() ? {} : ({ year: 'numeric' } as const);
  return then.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', ...year });
}

const midnight = (day: Date): number => new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime();

/** The last line with something to read in it: progress bars and colour stripped, cut to `width`. */
export function lastLine(text: string, width: number): string {
  const last = readableLines(text).at(-1)?.trim() ?? '';
  return cutText(last, width);
}

/** The lines with something to read in them, without what would colour a terminal or move its cursor. */
export function readableLines(text: string): string[] {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are control characters.
      .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007]*\u0007/g, '')
      .split(/[\r\n]+/)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what is left of them would move the cursor.
      .map((line) => plainText(line.replace(/[\u0000-\u001f\u007f]/g, ' ').trimEnd()))
      .filter((line) => line !== '')
  );
}

const MAX_FAILED = 5;

/** What a list of runs says of one: which steps failed, and how many fixes it made. */
export function runWords({ failed, fixes }: { failed: readonly string[]; fixes: number }): string[] {
  const more = failed.length - MAX_FAILED;
  const names = [...failed.slice(0, MAX_FAILED), ...(more > 0 ? [`and ${more} more`] : [])];
  return [
    ...(failed.length > 0 ? [`failed: ${names.join(' ')}`] : []),
    ...(fixes > 0 ? [counted(fixes, 'fix', 'fixes')] : []),
  ];
}

/** Rows of words in columns, each as wide as its widest word; the last is not padded. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>((w, row) => row.map((cell, i) => Math.max(w[i] ?? 0, displayWidth(cell))), []);
  return rows.map((row) =>
    row
      .map((cell, i) => cell + ' '.repeat((widths[i] ?? 0) - displayWidth(cell)))
      .join('  ')
      .trimEnd(),
  );
}
