// What a stage did besides its work: processes it left, files it changed. Either may mean that the run must not go on.
import { MendError } from '../errors.ts';
import type { CommandEnd } from '../io/command.ts';
import type { Outcome } from '../plan/action.ts';
import type { StageCall, StageScope } from './stage-call.ts';

/** After its command; a halt when the run must not go on. */
export async function lookAfter(call: StageCall, scope: StageScope, ran: CommandEnd): Promise<Outcome | undefined> {
  if (ran.leftBehind > 0) call.log.say(`ended ${ran.leftBehind} process(es) that the stage had left running`);
  if (!ran.gone) {
    const context = { human: true, next: `ps -eo pid,pgid,args; end what ${call.step} left, then: mendloop` };
    return { kind: 'halt', message: 'something it started could not be ended', context };
  }
  return inspectTree(call, scope);
}

/** What it did to the tree, also by its checks; a halt when the run must not go on. */
export async function inspectTree(call: StageCall, scope: StageScope): Promise<Outcome | undefined> {
  const { name: stage, step, attempt } = call;
  try {
    const { changed, patch } = await scope.tree.inspect({ run: scope.run, step, attempt });
    if (changed.length > 0) {
      scope.record({ type: 'attempt.changed', stage, step, attempt, data: { files: changed, patch } });
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof MendError)) throw error;
    const { code, next, problems } = error;
    return { kind: 'halt', message: `${code} ${error.message}`, context: { human: true, error: code, next, problems } };
  }
}
