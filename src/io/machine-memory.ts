// How large a model this machine can hold.
import { totalmem } from 'node:os';

/** Bytes of memory that this machine has. */
export const machineMemory = (): number => totalmem();
