// `unattended`: what may run before its owner has seen it. The owner's word, for all stages or for one.
import * as z from 'zod';

/** Nothing; proven repairs; or all that hides no failure and lets nobody in. */
export const UNATTENDED = ['none', 'repairs', 'all'] as const;
export type Unattended = (typeof UNATTENDED)[number];

export const unattendedSchema = z.enum(UNATTENDED);

/** What holds for a stage: its own line wins, and without one nothing runs unattended that must not run twice. */
export const unattendedOf = (
  loop: { readonly unattended: Unattended },
  stage: { readonly unattended?: Unattended | undefined; readonly rerun: boolean },
): Unattended => stage.unattended ?? (stage.rerun ? loop.unattended : 'none');
