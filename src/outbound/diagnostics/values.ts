// What may stand as a value or an operand of a diagnostic. None of these can name a file outside, and a name that is looked
// up elsewhere is too short to carry a text out.
import type { Rule } from './grammar.ts';

export const matching = (what: string, pattern: RegExp): Rule => ({ what, takes: (text) => pattern.test(text) });

export const oneOf = (words: string): Rule => {
  const known = new Set(words.split(' '));
  return { what: `one of ${words.replaceAll(' ', ', ')}`, takes: (text) => known.has(text) };
};

/** Each part between commas. */
export const listOf = (rule: Rule): Rule => ({
  what: `${rule.what}, or several with commas between`,
  takes: (text) => text.split(',').every(rule.takes),
});

export const either = (...rules: readonly Rule[]): Rule => ({
  what: rules.map(({ what }) => what).join(', or '),
  takes: (text) => rules.some((rule) => rule.takes(text)),
});

export const NUMBER = matching('a number', /^\d{1,6}$/);
export const SECONDS = matching('a duration of at most 60 s, such as 30s', /^(?:[1-9]|[1-5]\d|60)s$/);
export const DURATION = matching('a duration such as 30s or 2h', /^(?:\d{1,5}(?:ms|s|m|h))+$/);
export const MOMENT = matching('a moment or a time span', /^[+-]?[\w][\w :.+-]{0,40}$/);
/** A name of Kubernetes, Talos, Helm or systemd: starts with a letter or digit, no slash. */
export const NAME = matching('a name', /^[A-Za-z0-9][\w.:@-]{0,200}$/);
export const NAMESPACE = matching('a namespace', /^[a-z0-9][a-z0-9-]{0,62}$/);
/** For the server or program that is asked to compare it with; never a path or address. */
export const TEXT = matching('a text', /^[^\s/~-][^/~]{0,250}$/);
/** May have slashes: label keys have them. */
export const SELECTOR = matching('a selector', /^[A-Za-z0-9!][\w ./!=,()-]{0,250}$/);
export const JSON_PATH = matching('a JSON path', /^\{?\.[^~]{0,250}$/);

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)$/;
const IPV6 = /^(?=.*:.*:)[0-9a-f:]{2,39}$/i;
const PRIVATE = /^(?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+$/;
const HOST_NAME = /^(?=.{1,48}$)[a-z0-9_](?:[a-z0-9_-]{0,19})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,19})){0,4}\.?$/i;

export const ADDRESS: Rule = { what: 'an IP address', takes: (text) => IPV4.test(text) || IPV6.test(text) };
export const PRIVATE_ADDRESS: Rule = {
  what: 'a private IPv4 address',
  takes: (text) => IPV4.test(text) && PRIVATE.test(text),
};
export const HOST: Rule = {
  what: 'an IP address or a short host name',
  takes: (text) => ADDRESS.takes(text) || HOST_NAME.test(text),
};

/** A path below the folder it runs in, as it is: only names and sizes are shown of it. */
export const BELOW: Rule = {
  what: 'a path below the repository root',
  takes: (text) => /^[\w.@+][\w.@+/-]{0,200}$/.test(text) && !text.split('/').includes('..'),
};
