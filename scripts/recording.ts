// The recording of the README: lines of a terminal, each appearing when it was printed, as one SVG that needs no script.
// Where nothing moves (a printer, reduced motion), all of it is there.

/** A line of the recording; `isCommand` is what a person types. */
export interface RecordedLine {
  text: string;
  /** Milliseconds after the line before it. */
  pauseMs: number;
  isCommand: boolean;
}

const FONT_PX = 12;
const LINE_PX = 17;
const CHARACTER_PX = FONT_PX * 0.602;
const MARGIN_PX = 16;
/** Nobody wants to watch a stage for longer than this. */
const MAX_PAUSE_MS = 900;
const COLUMNS = 120;

const COLOURS: Readonly<Record<string, string>> = {
  green: '#3fb950',
  mended: '#3fb950',
  fix: '#d29922',
  failed: '#f85149',
  stale: '#d29922',
};

/** The SVG. Long lines go on in the next row, as in a terminal. */
export function recordingOf(lines: readonly RecordedLine[]): string {
  let atMs = 300;
  const rows = lines.flatMap(({ text, pauseMs, isCommand }) => {
    atMs += Math.min(pauseMs, MAX_PAUSE_MS);
    return rowsOf(text).map((part) => ({ part, atMs, isCommand }));
  });
  const drawn = rows.map(({ part, atMs, isCommand }, row) => {
    const y = MARGIN_PX + (row + 1) * LINE_PX - 4;
    const kind = isCommand ? ' class="typed"' : '';
    return `<text x="${MARGIN_PX}" y="${y}"${kind} style="animation-delay:${Math.round(atMs)}ms">${coloured(part)}</text>`;
  });
  const width = Math.ceil(COLUMNS * CHARACTER_PX + 2 * MARGIN_PX);
  const height = rows.length * LINE_PX + 2 * MARGIN_PX;
  return `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>A run of mendloop in its simulated lab</title>
<style>
text { font: ${FONT_PX}px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #c9d1d9;
  white-space: pre; animation: show 1ms both }
.typed { fill: #ffffff; font-weight: bold }
@keyframes show { from { opacity: 0 } to { opacity: 1 } }
@media (prefers-reduced-motion: reduce) { text { animation: none } }
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${drawn.join('\n')}
</svg>
`;
}

/** What stands in such an SVG, row by row. */
export const textOf = (svg: string): string =>
  [...svg.matchAll(/<text [^>]*>(.*?)<\/text>/g)]
    .map(([, row = '']) => unescaped(row.replace(/<[^>]*>/g, '')))
    .join('\n');

/** A line in rows of at most the recording's width. */
export const rowsOf = (text: string): string[] =>
  text.length <= COLUMNS ? [text] : [text.slice(0, COLUMNS), ...rowsOf(text.slice(COLUMNS))];

/** The state of a stage in its colour. */
function coloured(row: string): string {
  const [, before = '', state = '', after = ''] = /^(\w+ +)(\w+)(.*)$/.exec(row) ?? [];
  const colour = COLOURS[state];
  if (!colour) return escaped(row);
  return `${escaped(before)}<tspan fill="${colour}">${state}</tspan>${escaped(after)}`;
}

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;' } as const;
const escaped = (text: string) => text.replace(/[&<>]/g, (sign) => ESCAPES[sign as keyof typeof ESCAPES]);
const unescaped = (text: string) =>
  Object.entries(ESCAPES).reduceRight((rest, [sign, name]) => rest.replaceAll(name, sign), text);
