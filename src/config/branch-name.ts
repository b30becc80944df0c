// Which texts git accepts as the name of a branch, decided without asking git.
import { z } from 'zod';

/** True when `git check-ref-format --branch` accepts the name; `@`, its short form of HEAD, is none. */
export function isBranchName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses them
  if (name === '' || /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\//.test(name)) return false;
  if (/^[-/]|[./]$/.test(name) || name === '@' || name === 'HEAD') return false;
  return name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
}

/** A branch name. */
export const branchNameSchema = z
  .string({ error: 'expected a branch name' })
  .refine(isBranchName, { error: (issue) => `${JSON.stringify(issue.input)} is not a valid git branch name` });
