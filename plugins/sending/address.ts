// Where a plugin may send to: an https address anywhere, or plain http on this machine and its network.
import { z } from 'zod';
import { hostOf, isLanAddress } from '../executors/ollama/lan.ts';

/** What is wrong with `text` as an address to send to; undefined: nothing. The address itself is not repeated, it may be a secret. */
export function addressFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    return 'expected an address such as https://example.com/path';
  if (url.username !== '' || url.password !== '') return 'an address with a user name or password is not taken';
  if (url.hash !== '') return 'an address with a # is not taken';
  if (url.protocol === 'http:' && 'refused' in hostOf(url.origin)) {
    return 'expected https: plain http is only for this machine and its network';
  }
  return undefined;
}

/** An address without a query, to which a path is appended. */
export const baseAddress = z.string().superRefine((text, ctx) => {
  const message = addressFault(text) ?? (text.includes('?') ? 'an address with a ? is not taken' : undefined);
  if (message !== undefined) ctx.addIssue({ code: 'custom', message });
});

/** Which addresses the name of `url` may stand for: what is sent in the clear stays on this network. */
export const mayReach = (url: string): ((address: string) => boolean) =>
  url.startsWith('https:') ? () => true : isLanAddress;
