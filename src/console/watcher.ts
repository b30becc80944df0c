// Somebody who watches a run: told every event, shown what goes on in between, and maybe there to be asked.
import type { Subscriber } from '../events.ts';
import type { AskPerson } from '../mend/suggestion.ts';

export interface Watcher {
  event: Subscriber;
  /** What a step is busy with just now. */
  live?(step: string, text: string): void;
  person?: AskPerson;
}
