// Writing the tree waits for running attempts and holds back new ones; attempts run side by side as they like.

export type Barrier = ReturnType<typeof openBarrier>;

export function openBarrier() {
  let running = 0;
  let quiet: (() => void) | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let beforeWriting: (() => Promise<void>) | undefined;

  return {
    /** Called before the tree is written, while no attempt begins: it ends what has not begun elsewhere. */
    onWriting(work: () => Promise<void>): void {
      beforeWriting = work;
    },
    /** The tree is being written, or a write waits for attempts to end. */
    get isClosed(): boolean {
      return waiting > 0;
    },
    /** Runs an attempt, after writes that are under way or waiting. */
    async attempt<T>(work: () => Promise<T>): Promise<T> {
      // Writes that were added meanwhile go first, else a busy run would never be mended.
      while (waiting > 0) await writing;
      running += 1;
      try {
        return await work();
      } finally {
        running -= 1;
        if (running === 0) quiet?.();
      }
    },
    /** Writes the tree: when nothing else runs, one at a time, in the order asked. */
    alone<T>(work: () => Promise<T>): Promise<T> {
      waiting += 1;
      const mine = writing.then(async () => {
        try {
          await beforeWriting?.();
          if (running > 0) await allQuiet();
          return await work();
        } finally {
          waiting -= 1;
        }
      });
      writing = mine.catch(() => {});
      return mine;
    },
  };

  async function allQuiet(): Promise<void> {
    await new Promise<void>((resolve) => {
      quiet = resolve;
    });
    quiet = undefined;
  }
}
