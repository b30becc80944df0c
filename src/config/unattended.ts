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

/** What each of them means, for people. */
const WORDS: Readonly<Record<Unattended, string>> = {
  none: 'every change is asked about',
  repairs: 'proven repairs run, everything else is asked about',
  all: 'what is not refused runs, but for what may hide the failure or let somebody in',
};

/** One of them with what it means; `whose`: of which stages. */
export const unattendedText = (unattended: Unattended, whose = ''): string =>
  `unattended: ${unattended}${whose} (${WORDS[unattended]})`;

/** Where something else than the default holds: which stages, of those that a fix may mend, and what that means. */
export function unattendedLines(
  stages: Readonly<Record<string, Parameters<typeof unattendedOf>[1] & { readonly files: readonly string[] }>>,
  loop: Parameters<typeof unattendedOf>[0],
): { readonly unattended: Unattended; readonly text: string }[] {
  const mendable = Object.entries(stages).filter(([, { files }]) => files.length > 0);
  return UNATTENDED.flatMap((unattended) => {
    const names = mendable.filter(([, stage]) => unattendedOf(loop, stage) === unattended).map(([name]) => name);
    if (unattended === 'repairs' || names.length === 0) return [];
    const whose = names.length === mendable.length ? '' : ` for ${names.join(', ')}`;
    return [{ unattended, text: unattendedText(unattended, whose) }];
  });
}
