// A report as lines for a terminal, and as Markdown for a mail or an issue. What people, logs and models wrote is text in both.
import { table } from '../console/words.ts';
import type { Report } from '../inspect/report.ts';
import { cutText } from '../io/fit-text.ts';
import { asCode } from '../outbound/text.ts';
import { glanceOf, reportTitle, type Section, sectionsOf, when } from './report-sections.ts';
import { stateOf } from './states.ts';

/** Without colour; longer lines are cut where they are printed. */
export function reportLines(report: Report): string[] {
  const glance = glanceOf(report).map(({ label, figure, text }) => [label, figure, cutText(text, MAX_CELL)]);
  return [
    reportTitle(report),
    ...report.notices.map((text) => `note: ${text}`),
    '',
    ...(report.runs.newest
      ? [...table(glance), ...sectionsOf(report).flatMap(sectionLines), '', TIMES]
      : ['there has been no run yet; to start one: mendloop']),
  ];
}

const TIMES = 'times are UTC; a page with pictures and changes: mendloop report --html FILE';

/** A terminal has few lines; the other forms have all rows. */
const MAX_ROWS = 12;
/** Lines of logs are as long as they are; what stands in a last column, often a command, is whole. */
const MAX_CELL = 100;
const fitted = (row: readonly string[]): string[] => [
  ...row.slice(0, -1).map((cell) => cutText(cell, MAX_CELL)),
  ...row.slice(-1),
];

function sectionLines({ title, head, rows, none, more }: Section): string[] {
  if (rows.length === 0) return ['', `${title}: ${none}`];
  const hidden = rows.length - MAX_ROWS;
  const lines = [
    ...table([head, ...rows.slice(0, MAX_ROWS).map(fitted)]),
    ...(hidden > 0 ? [`and ${hidden} more`] : []),
    ...(more ? [more] : []),
  ];
  return ['', title, ...lines.map((line) => `  ${line}`)];
}

/** `diffs`: commit → its change. */
export function reportMarkdown(report: Report, diffs: ReadonlyMap<string, string>): string {
  const fixes = report.fixes.flatMap((fix) => {
    const diff = diffs.get(fix.commit ?? '');
    return diff === undefined ? [] : [{ fix, diff }];
  });
  return [
    `# ${words(reportTitle(report))}`,
    '',
    ...glanceOf(report).map(
      ({ label, figure, text }) => `- **${words(label)}: ${words(figure)}**${text ? ` ${words(text)}` : ''}`,
    ),
    ...report.notices.flatMap((text) => ['', `> ${words(text)}`]),
    ...sectionsOf(report).flatMap(sectionMarkdown),
    ...fixes.flatMap(({ fix, diff }) => [
      '',
      `### ${words(fix.fix || 'a change')}`,
      '',
      words(`${fix.stage}, ${when(fix.time)}: ${stateOf('fix', fix.outcome).word}${fix.why ? `, ${fix.why}` : ''}`),
      '',
      ...fenced(diff),
    ]),
    '',
    'Times are UTC.',
    '',
  ].join('\n');
}

function sectionMarkdown({ title, head, rows, none, more }: Section): string[] {
  const row = (cells: readonly string[]) => `| ${cells.map(words).join(' | ')} |`;
  const body = rows.length === 0 ? [words(none)] : [row(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(row)];
  return ['', `## ${words(title)}`, '', ...body, ...(more && rows.length > 0 ? ['', words(more)] : [])];
}

/** Inline Markdown: what a host could read as markup, a link or a mention becomes code. */
const words = (text: string): string => {
  const isPlain = /^[\w .,:;%()/=-]*$/.test(text) && !/:\/\/|www\.|__/i.test(text);
  return isPlain ? text : asCode(text).replaceAll('|', '\\|');
};

/** A fence that no line of the text can close. */
function fenced(text: string): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}diff`, text.trimEnd(), fence];
}
