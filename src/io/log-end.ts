// The end of a log of any size, as text: never more of it in memory than asked for.
import { readTail } from './files.ts';

/** The last bytes of a file; `cut` when there are more before them. */
export interface FileEnd {
  text: string;
  cut: boolean;
}

/** Undefined when the file cannot be read: it vanished, or is none. Bytes that are no UTF-8 become U+FFFD. */
export function readLogEnd(path: string, bytes: number): FileEnd | undefined {
  try {
    const found = readTail(path, bytes);
    return found && { text: found.text, cut: found.size > bytes };
  } catch {
    // Nothing to read is an answer here, not a fault: the failure is then known by how it ended.
    return undefined;
  }
}
