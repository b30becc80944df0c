// What kind of text a file holds, as far as judging its lines goes.

/** `prose` is only read by people; `data` holds commands as values; anything unknown is taken for a script. */
export type Language = 'shell' | 'data' | 'prose';

const PROSE = /\.(?:md|markdown|mdx|rst|adoc)$/i;
const SHELL =
  /\.(?:sh|bash|zsh|ksh|dash|bats|mk|fish)$|(?:^|\/)(?:[^/.]+|[^/]*makefile|[^/]*dockerfile|containerfile|justfile)$/i;
const SHELL_START = /^#!\s*\S*(?:\/|\s)(?:env\s+(?:-S\s+)?)?(?:\S*\/)?(?:ba|z|k|da|a)?sh\b/;
const ANY_START = /^#!/;

export function languageOf(path: string, text: string): Language {
  if (SHELL_START.test(text)) return 'shell';
  if (ANY_START.test(text)) return 'data';
  if (PROSE.test(path)) return 'prose';
  return SHELL.test(path) ? 'shell' : 'data';
}

/** Whether `bash -n` and shellcheck have something to say about the file. */
export function wantsShellCheck(path: string, text: string): boolean {
  const first = text.slice(0, 200);
  return SHELL_START.test(first)
    ? /(?:ba|da|k|\/|\s)sh\b/.test(first.split('\n')[0] ?? '')
    : /\.(?:sh|bash)$/i.test(path);
}
