// A quoted value of YAML that is never closed. Pure.

const OPENED = /^\s*(?:- )*(?:[\w./-]+:\s+)?(["'])(.*)$/;

/** The line with its value closed at its end; undefined when it is closed, or may end elsewhere. */
export function closedValue(line: string): string | undefined {
  const [, quote, rest] = OPENED.exec(line.trimEnd()) ?? [];
  if (quote === undefined || rest === undefined || rest === '' || rest.includes(quote)) return undefined;
  return / #|[:,]$|\\$/.test(rest) ? undefined : `${line.trimEnd()}${quote}`;
}
