// A command as a reason shows it.
import type { RunCommand } from '../shell/unwrap.ts';

export const shownWords = ({
  words,
  redirects,
  assignments,
}: Pick<RunCommand, 'words' | 'redirects' | 'assignments'>): string =>
  [
    ...assignments.map(({ name, values }) => `${name}=${values.map(({ text }) => text).join(' ')}`),
    ...words.map(({ text }) => (text === '' ? "''" : text)),
    ...redirects.map(({ descriptor, operator, target }) => `${descriptor}${operator}${target?.text ?? ''}`),
  ]
    .join(' ')
    .replace(/\ue000+/g, '{{…}}');
