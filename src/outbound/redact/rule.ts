// A rule about texts that are secrets by their form. In its examples `<36>` stands for so many letters and digits that look
// random, `<hex:40>` for hexadecimal ones, `<b64:44>` for base64: no example is a secret, and no scanner takes it for one.

export interface RedactRule {
  name: string;
  /** For the placeholder. */
  kind: string;
  /** With the flags `d` and `g`. What is to be masked is the group `secret`, or all of it. Linear: it begins with something
   * fixed or looks behind itself, and nothing open-ended is followed by something that can fail. */
  pattern: RegExp;
  /** Values that are none: variables, templates, words. */
  unless?: RegExp;
  /** In each of them the filled part is masked. */
  matches: readonly string[];
  misses: readonly string[];
}

/** A value that only says where the real one comes from, or that there is none. */
export const NO_VALUE =
  /^(?:\$|%[\w]+%$|\{\{|<[^>]*>?$|\*+$|[xX.•-]+$|(?:null|none|nil|true|false|undefined|empty|unset|hidden|masked|redacted|omitted|changeme|required|optional|string|sensitive|\(sensitive|\(known|known|lookup|var\.|local\.|module\.|data\.|each\.|env\.|os\.|process\.|vault:|secretKeyRef|valueFrom|op:\/\/|ref\+|!vault)\b)/i;
