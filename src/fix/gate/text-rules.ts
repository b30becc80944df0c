// Texts that a change may not make: characters that no eye sees, lines that nobody reads to their end, and encrypted files.
import type { Edit } from '../edit.ts';
import { changedLines } from './changed-lines.ts';
import type { Finding } from './finding.ts';
import { clip } from './rules.ts';

const MAX_LINE_CHARS = 4_000;
const CONTROL = /(?!\t)\p{Cc}|\p{Cs}/u;
const NOT_SEEN = /[\u200b\u2060\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ue000-\ue102]/u;

export const textFindings = ({ path, before, after }: Edit): Finding[] =>
  changedLines(before, after).added.flatMap(({ text, number }): Finding[] => {
    const seen = number === 1 ? text.replace(/^\ufeff/, '') : text;
    const at = (why: string) => `${path}:${number}: ${why}: ${clip(seen.trim())}`;
    if (CONTROL.test(seen) || NOT_SEEN.test(seen))
      return [{ code: 'unsafe_text', reason: at('has characters that are not seen') }];
    if (seen.length <= MAX_LINE_CHARS) return [];
    return [{ code: 'too_large', reason: at(`a line of more than ${MAX_LINE_CHARS} characters`) }];
  });

/** Encrypted by sops, whatever it is called: its own block with a checksum, or a value in its form. */
const SOPS = /^\s*"?sops"?:\s*\{?$[\s\S]*^\s*"?mac"?:|\bENC\[AES256|^sops_mac=/m;

export const encryptedFindings = ({ path, before, after }: Edit): Finding[] =>
  SOPS.test(before ?? '') || SOPS.test(after)
    ? [{ code: 'protected', reason: `${path}: it is encrypted, or would be; no fix may change it` }]
    : [];
