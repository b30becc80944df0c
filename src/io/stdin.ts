// Standard input: its end, or its lines one at a time; never all of it in memory.

/** The last `bytes` of stdin; `cut` when there was more before them. */
export async function readStdinEnd(bytes: number): Promise<{ end: Buffer; cut: boolean }> {
  let end = Buffer.alloc(0);
  let cut = false;
  for await (const chunk of process.stdin) {
    // Twice the size before the front is let go: else every small chunk would copy everything.
    end = Buffer.concat([end, chunk as Buffer]);
    if (end.length > 2 * bytes) {
      end = Buffer.from(end.subarray(-bytes));
      cut = true;
    }
  }
  return { end: end.subarray(-bytes), cut: cut || end.length > bytes };
}

/** A line of stdin, or that it was longer than allowed and was passed over. */
export type StdinLine = { text: string } | { tooLong: true };

/** The lines of stdin, the last one also without its end; a line longer than `most` bytes is passed over. */
export async function* stdinLines(most: number): AsyncGenerator<StdinLine> {
  let parts: Buffer[] = [];
  let size = 0;
  const line = (): StdinLine => {
    const whole: StdinLine = size > most ? { tooLong: true } : { text: Buffer.concat(parts).toString('utf8') };
    parts = [];
    size = 0;
    return whole;
  };
  const add = (part: Buffer) => {
    size += part.length;
    if (size > most) parts = [];
    else parts.push(part);
  };
  for await (const chunk of process.stdin) {
    let at = 0;
    const bytes = chunk as Buffer;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, at)) {
      add(bytes.subarray(at, end));
      yield line();
      at = end + 1;
    }
    add(bytes.subarray(at));
  }
  if (size > 0) yield line();
}
