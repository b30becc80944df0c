// Whose failure is being mended: one stage at a time, from the question until its fixes are judged. What that stage needs may
// go before it, for it cannot run until they are made again.
import { perRun, type Run } from '../stage/run.ts';

const turns = perRun(() => ({ holders: [] as string[], waiting: new Set<() => void>() }));

/** Resolves to whether it had to wait: then things may have changed. `mayPass` says whether the stage is needed by a holder. */
export async function takeTurn(
  run: Run,
  stage: string,
  mayPass: (holder: string) => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const turn = turns(run);
  let waited = false;
  const isFree = () => turn.holders.every((holder) => holder === stage || mayPass(holder));
  while (!isFree() && !signal.aborted) {
    waited = true;
    await new Promise<void>((resolve) => {
      const go = () => {
        turn.waiting.delete(go);
        resolve();
      };
      turn.waiting.add(go);
      signal.addEventListener('abort', go, { once: true });
    });
  }
  if (!turn.holders.includes(stage)) turn.holders.push(stage);
  return waited;
}

/** Lets the next one in, unless a fix of the stage is still to be judged. */
export function endTurn(run: Run, stage: string, isOver = false): void {
  if (!isOver && run.journal.failures.openFixes(stage).length > 0) return;
  const turn = turns(run);
  turn.holders = turn.holders.filter((holder) => holder !== stage);
  for (const go of [...turn.waiting]) go();
}
