// The limit of address space (`ulimit -v`): where there is too little V8 ends the whole process, without a word for people.
import { fail } from '../errors.ts';
import { ifPossible, readText } from './store.ts';

/** Throws E_MEMORY where less than `bytes` may be reserved. Without a limit, or where the system does not tell, there is enough. */
export function requireAddressSpace(what: string, bytes: number): void {
  const limits = ifPossible(() => readText('/proc/self/limits')) ?? '';
  const limit = /^Max address space +(\d+)/m.exec(limits)?.[1];
  if (limit !== undefined && Number(limit) < bytes) fail('E_MEMORY', { what });
}
