// Where a diff without fences ends and what the model says about it begins.

const SAYS = /^(?:\*\*|#+ |> )?(?:Fix|Reason|Note|Explanation|Summary|Changes?)\b[^:]{0,30}:/;
const SENTENCE = /^(?:[A-Z*`>#]|\d+\. ).*\s\S+\s\S+.*[.!:?*)]$/;

const isProse = (line: string): boolean => SAYS.test(line) || SENTENCE.test(line);
const isBullet = (line: string): boolean => /^[-*] [A-Z`*]/.test(line);

/** The index of the first line that is not the diff's; only where no changed line can follow is anything cut off. */
export function chatterFrom(body: readonly string[]): number {
  const lastChanged = body.findLastIndex((line) => /^[+-]/.test(line) && !isBullet(line));
  for (let i = lastChanged + 1; i < body.length; i++) {
    const line = body[i] as string;
    if (/^(?:\*\*)?(?:Fix|Reason)(?:\*\*)?:/.test(line) || (body[i - 1] === '' && isProse(line))) return i;
  }
  return body.length;
}
