/** For a script that git runs, or that stands in for git: ends the Node above it, however many shells are between. */
export const KILL_LOOP = [
  'loop=$PPID',
  `while [ "$loop" -gt 1 ]; do case "$(tr '\\0' ' ' </proc/$loop/cmdline)" in "${process.execPath} "*) break ;; esac`,
  `loop=$(sed 's/.*) . //; s/ .*//' /proc/$loop/stat); done`,
  'kill -9 "$loop"',
].join('; ');
