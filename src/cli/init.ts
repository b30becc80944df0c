// `mendloop init`: looks at the repository, proposes its stages, asks, writes ai/ and shows what a run would make of it.
import { join } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { stringify } from 'yaml';
import { LOOP_FILE, MAP_FILE } from '../config/files.ts';
import { table } from '../console/words.ts';
import { fail, failUsage, MendError } from '../errors.ts';
import { look, writeNew } from '../init/look.ts';
import { onlyStages, type Proposal, propose } from '../init/propose.ts';
import { settled } from '../init/settle.ts';
import { type Draft, documentsOf } from '../init/survey.ts';
import { LOOP_TEXT, mapText } from '../init/write-map.ts';
import { examine } from '../inspect/doctor.ts';
import { explainPlan } from '../inspect/plan.ts';
import { validateHome } from '../inspect/validate.ts';
import { openGit } from '../io/git.ts';
import { entryAt } from '../io/links.ts';
import type { Output } from '../io/output.ts';
import { PACKAGE_ROOT } from '../io/package.ts';
import { plainText } from '../io/plain-text.ts';
import { askLine, canAnswer } from '../io/stdin.ts';
import { readText } from '../io/store.ts';
import { mapping } from '../shape.ts';
import { configurationOnDisk } from '../stage/configuration.ts';
import { counted } from '../triage/words.ts';
import { headBranch } from '../worktree/base.ts';
import { checkoutFiles, ignoredBeside } from '../worktree/read.ts';
import type { Answer, CommandInput } from './command.ts';
import { findingLines } from './doctor.ts';
import { PORTS } from './ports.ts';
import { labOverride } from './run-options.ts';

export async function run({ options, dry, out, home: findHome }: CommandInput): Promise<Answer> {
  const home = findHome();
  const isExplained = options.explain === true;
  const old = dry || isExplained ? undefined : await mapThere(home);
  const asks = !dry && !isExplained && old === undefined && options.yes !== true;
  if (asks && (out.json || !canAnswer())) {
    failUsage(
      'nobody is here to be asked about the stages',
      'mendloop init --yes takes all of them, mendloop init --dry-run shows them',
    );
  }
  const progress = progressLine(out);
  const proposal = await proposed(home, progress, asks).finally(progress.end);
  if (isExplained) return { text: explained(proposal), json: summary(proposal) };
  if (old !== undefined) return differences(old, mapText(proposal));
  if (dry)
    return {
      text: mapText(proposal).trimEnd(),
      json: { map: mapText(proposal), ...summary(proposal) },
      forScripts: true,
    };
  const taken = asks ? await askAbout(proposal) : proposal;
  if (taken === undefined || taken.stages.length === 0) return { text: 'nothing was written', json: { written: [] } };
  const written = writeNew(home, [
    { path: MAP_FILE, text: mapText(taken) },
    { path: LOOP_FILE, text: LOOP_TEXT },
    ...SCHEMAS.flatMap((path) => {
      const text = readText(join(PACKAGE_ROOT, path));
      return text === undefined ? [] : [{ path, text }];
    }),
  ]);
  return report(taken, written);

  async function report(taken: Proposal, written: readonly string[]): Promise<Answer> {
    const config = await configurationOnDisk(home, (await checkoutFiles(home))?.files);
    const validation = await validateHome(home, PORTS);
    const findings = await examine(home, PORTS, { lab: labOverride(process.env.MENDLOOP_LAB), given: config });
    const ignored = await ignoredBeside(home, ['ai']);
    const plan = await explainPlan(home, { stages: [], withNeeds: false, forced: false, recheck: true }, config).catch(
      (error: unknown) => {
        if (error instanceof MendError) return { error: `${error.code} ${error.message}`, rows: [] };
        throw error;
      },
    );
    const rows =
      'error' in plan
        ? [`no run could start here: ${plan.error}`]
        : table(plan.rows.map((row) => [row.step, row.state, row.why]));
    const telling = findings.filter(({ level, what }) => level !== 'ok' || /^ollama:|^the lab/.test(what));
    const files = written.filter((path) => !path.startsWith('ai/schema/'));
    return {
      text: [
        `wrote ${[...files, ...(written.length > files.length ? ['ai/schema/'] : [])].join(', ')}; nothing is committed`,
        ...taken.notes.map((note) => `note: left out of check: ${note}`),
        ...(ignored.length > 0 ? [IGNORED] : []),
        '',
        `validate: ok: ${counted(validation.stages.length, 'stage')}`,
        ...validation.warnings.map((warning) => `warning: ${warning}`),
        '',
        'doctor, as if it were committed:',
        ...(telling.length > 0 ? telling.flatMap((finding) => findingLines(finding, out)) : ['no problem found']),
        '',
        'plan, as if it were committed:',
        ...rows,
        '',
        `read ${MAP_FILE}, change what is wrong, then:`,
        `  git add ${ignored.length > 0 ? '--force ' : ''}${written.length > files.length ? [...files, 'ai/schema'].join(' ') : files.join(' ')}`,
        '  git commit -m "Let mendloop run the stages of this repository"',
        taken.stages[0]?.name === 'check'
          ? '  mendloop check  # that stage alone: it touches nothing outside of the worktree'
          : '  mendloop plan',
      ],
      json: { written, ...summary(taken), validation, doctor: findings, plan },
    };
  }
}

const IGNORED =
  'note: git ignores ai/ here: take that out of .gitignore, or --force below; what mendloop itself keeps there it ignores by itself';

const SCHEMAS = ['ai/schema/context_map.schema.json', 'ai/schema/loop.schema.json'];

const summary = ({ stages, left, protect, carry, notes }: Proposal) => ({
  stages: stages.map(({ name, command, needs, tools }) => ({ name, command, needs, tools })),
  left_out: left,
  protected_files: protect,
  carry: carry.map(({ path, secret }) => ({ path, secret })),
  left_out_of_check: notes,
});

/** The map that is there, if any. Refuses another tool's files, and an ai/ that is no folder. */
async function mapThere(home: string): Promise<string | undefined> {
  for (const path of ['ai', MAP_FILE]) {
    const { kind } = await entryAt(join(home, path));
    if (path === 'ai' ? kind === 'file' || kind === 'link' : !['nothing', 'file'].includes(kind))
      fail('E_INIT_EXISTS', { path });
  }
  const text = readText(join(home, MAP_FILE));
  if (text !== undefined && plainStages(text) === undefined) fail('E_INIT_EXISTS', { path: MAP_FILE });
  return text;
}

/** The stages of a map without comments, in the order of their names; undefined when it has none. */
function plainStages(text: string): string | undefined {
  const stages = mapping(mapping(documentsOf(text)[0]).stages);
  return Object.keys(stages).length > 0 ? stringify(stages, { sortMapEntries: true, lineWidth: 0 }) : undefined;
}

/** What init would write today, against the map that is there. */
function differences(old: string, text: string): Answer {
  const [mine = '', today = ''] = [plainStages(old), plainStages(text)];
  const patch = createTwoFilesPatch(MAP_FILE, 'what init would propose today', mine, today, '', '', { context: 2 });
  const changes = patch.split('\n').slice(1);
  const lines = [...changes, `${MAP_FILE} is there, and nothing was written: take over what you want of these lines`];
  return {
    text: mine === today ? [`${MAP_FILE} is what init would propose today; nothing was written`] : lines,
    json: { written: [], same: mine === today, ...(mine === today ? {} : { diff: changes.join('\n') }) },
  };
}

/** Why each entry is a stage or none. */
const explained = ({ stages, left, notes }: Proposal): string[] => [
  ...stages.flatMap(({ name, command, why }) => [
    `${name}: ${command.split('\n').at(-1)}`,
    ...why.map((one) => `  ${one}`),
  ]),
  ...left.map(({ what, why }) => `no stage: ${what}\n  ${why}`),
  ...notes.map((note) => `not in check: ${note}`),
];

const PROGRESS_MS = 800;

/** What is being done, on stderr: at a terminal one line that is written anew, else a line a second, none for what is quick. */
function progressLine({ json, quiet, errorLine }: Output) {
  const { isTTY, columns = 80 } = process.stderr;
  let [latest, said] = ['', ''];
  const timer = setInterval(() => {
    if (latest !== said) errorLine(latest);
    said = latest;
  }, PROGRESS_MS);
  if (json || quiet || isTTY) clearInterval(timer);
  const rewrite = (text: string) => {
    if (isTTY && !json && !quiet) process.stderr.write(`\r\u001b[K${plainText(text).slice(0, columns - 1)}`);
  };
  const say = (text: string): void => {
    latest = text;
    rewrite(text);
  };
  const end = (): void => {
    clearInterval(timer);
    rewrite('');
  };
  return Object.assign(say, { end });
}

/** How many reasons are shown when nothing is proposed. */
const MAX_REASONS = 8;

async function proposed(home: string, progress: ReturnType<typeof progressLine>, asks: boolean): Promise<Proposal> {
  const seen = await look(home, process.env, progress);
  if (!seen) {
    await headBranch(openGit(home), home);
    return fail('E_INIT_NOTHING', { what: 'git tracks no file here, so there is nothing to make a stage of' });
  }
  const { mask } = seen;
  const askOrder = async (unknown: readonly Draft[], known: readonly Draft[]) => {
    progress.end();
    return askForOrder(unknown, known);
  };
  const proposal = await propose(seen.survey, asks ? { ...seen.asked, askOrder } : seen.asked).finally(seen.close);
  const made = await settled(proposal, seen.sources);
  if (made.stages.length === 0)
    return fail(
      'E_INIT_NOTHING',
      { what: 'nothing here is known to bring a lab up, or could be checked' },
      [...made.notes, ...made.left.map(({ what, why }) => `${what}: ${why}`)].slice(0, MAX_REASONS).map(mask),
    );
  return {
    ...made,
    stages: made.stages.map((stage) => ({ ...stage, description: mask(stage.description) })),
    left: made.left.map(({ what, why }) => ({ what: mask(what), why: mask(why) })),
  };
}

const QUESTION = 'take it? [Y]es, [n]o, [a]ll from here on, [q]uit: ';
const WORDS = ['yes', 'no', 'all', 'quit'] as const;

/** Asks until the answer is one of the words or its first letter, or nothing, which is yes; where nobody is left to answer, quit. */
async function askWord(): Promise<(typeof WORDS)[number]> {
  for (;;) {
    const answer = (await askLine(QUESTION))?.trim().toLowerCase();
    if (answer === undefined) return 'quit';
    const word = answer === '' ? 'yes' : WORDS.find((known) => [known, known[0]].includes(answer));
    if (word) return word;
  }
}

/** Asks which of those that nothing gives a place are wanted, and in what order; the known ones come before them. */
async function askForOrder(unknown: readonly Draft[], known: readonly Draft[]): Promise<string[] | undefined> {
  const rows = unknown.map(({ name, command }, i) => `  ${i + 1}  ${name}: ${command.split('\n').at(-1)}\n`);
  const after = known.length > 0 ? `, behind ${known.map(({ name }) => name).join(', ')}` : '';
  process.stdout.write(
    `\nNothing says when these run, or whether (no document, CI job or target that only calls others):\n${rows.join('')}`,
  );
  for (;;) {
    const answer = await askLine(
      `which of them are stages, and in what order${after}? numbers such as 2 1, or nothing: `,
    );
    const words = answer?.split(/[\s,]+/).filter(Boolean) ?? [];
    if (words.length === 0) return undefined;
    const names = words.map((word) => unknown[Number(word) - 1]?.name);
    if (names.every((name) => name !== undefined) && new Set(names).size === names.length)
      return [...known.slice(-1).map(({ name }) => name), ...(names as string[])];
  }
}

/** Asks stage by stage; undefined when the person quits. */
async function askAbout(proposal: Proposal): Promise<Proposal | undefined> {
  const taken = new Set<string>();
  let all = false;
  for (const stage of proposal.stages) {
    if (!all) {
      process.stdout.write(`\n${stageText(proposal, stage.name)}`);
      const word = await askWord();
      if (word === 'quit') return undefined;
      if (word === 'no') continue;
      all = word === 'all';
    }
    taken.add(stage.name);
  }
  return onlyStages(proposal, taken, () => 'you did not want it');
}

/** The lines of one stage, as they will stand in the map. */
function stageText(proposal: Proposal, name: string): string {
  const lines = mapText({
    ...proposal,
    left: [],
    carry: [],
    protect: [],
    stages: proposal.stages.filter((stage) => stage.name === name),
  }).split('\n');
  const at = lines.indexOf('stages:');
  return `${lines
    .slice(at + 1)
    .join('\n')
    .trimEnd()}\n`;
}
