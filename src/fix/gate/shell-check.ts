// The part of judging that needs a process: `bash -n` and shellcheck.

/** Done by whoever calls the gate: problems of `after` that `before` did not have, one line each. */
export type ShellCheck = (path: string, before: string | null, after: string) => Promise<string[]>;

const TEMPLATE = /\.(?:j2|jinja2?|tmpl|gotmpl|tpl|tftpl|erb|template|dist|example|sample)$/i;
/** A line that hardly anything but shell has. */
const SHELL_LINE = /^\s*(?:set -|source |\. |export |if \[|[\w-]+\(\) *\{)/m;

/** Whether `text` is a script for them: by its first line, else by its name; without an ending, by its lines. */
export function wantsShellCheck(path: string, text: string): boolean {
  if (TEMPLATE.test(path)) return false;
  const [first = ''] = text.split('\n', 1);
  if (first.startsWith('#!')) return /\b(?:ba|da|a)?sh\b/.test(first);
  const isPlainName = !/\.[^/]*$|file$/i.test(path);
  return /\.(?:sh|bash)$/i.test(path) || (isPlainName && SHELL_LINE.test(text));
}
