// Plain data with every text in it masked.

/** A copy; texts are masked, keys and everything else stay. */
export function maskedLeaves(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((one) => maskedLeaves(one, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, maskedLeaves(one, mask)]));
}
