/** For a script that git runs, or that stands in for git: ends the Node above it, however many shells are between. */
export const KILL_LOOP = [
  'loop=$PPID',
  `while [ "$loop" -gt 1 ]; do case "$(ps -o args= -p "$loop")" in "${process.execPath} "*) break ;; esac`,
  `loop=$(ps -o ppid= -p "$loop" | tr -d " "); done`,
  'kill -9 "$loop"',
].join('; ');
