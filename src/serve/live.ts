// Tells watchers when files of state change: one timer for all watchers, none without any.
import { stampsOf } from '../io/files.ts';
import type { Layout } from '../io/layout.ts';
import { listRuns } from '../journal/runs.ts';

const LOOK_EVERY_MS = 500;

export interface Changes {
  /** Calls back when something has changed, until the returned function is called. */
  watch(changed: () => void): () => void;
}

export function watchChanges(layout: Layout): Changes {
  const watchers = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  let folders = '';
  let journal = layout.runs;
  let last = '';

  return {
    watch(changed) {
      watchers.add(changed);
      if (timer === undefined) {
        last = look();
        timer = setInterval(tell, LOOK_EVERY_MS).unref();
      }
      return () => {
        watchers.delete(changed);
        if (watchers.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };

  function tell(): void {
    const now = look();
    if (now === last) return;
    last = now;
    for (const changed of watchers) changed();
  }

  /** A new run changes the folder of runs, a running one its journal. */
  function look(): string {
    const now = stampsOf([layout.runs, layout.actions, layout.escalations]).text;
    if (now !== folders) {
      folders = now;
      const newest = listRuns(layout).at(-1);
      journal = newest === undefined ? layout.runs : layout.journal(newest);
    }
    return `${now}\n${stampsOf([journal, layout.stages, layout.ledger, layout.lock, layout.safeMode]).text}`;
  }
}
