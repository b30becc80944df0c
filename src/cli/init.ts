// `mendloop init`: looks at the repository, proposes its stages, asks, writes ai/ and shows what a run would make of it.
import { join } from 'node:path';
import { LOOP_FILE, MAP_FILE } from '../config/files.ts';
import { table } from '../console/words.ts';
import { fail, failUsage, MendError } from '../errors.ts';
import { look, writeNew } from '../init/look.ts';
import { onlyStages, type Proposal, propose } from '../init/propose.ts';
import { settled } from '../init/settle.ts';
import { LOOP_TEXT, mapText } from '../init/write-map.ts';
import { examine } from '../inspect/doctor.ts';
import { explainPlan } from '../inspect/plan.ts';
import { validateHome } from '../inspect/validate.ts';
import { openGit } from '../io/git.ts';
import { entryAt } from '../io/links.ts';
import { PACKAGE_ROOT } from '../io/package.ts';
import { askLine, canAnswer } from '../io/stdin.ts';
import { readText } from '../io/store.ts';
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
  const asks = !dry && options.yes !== true;
  if (!dry) await refuseExisting(home);
  if (asks && (out.json || !canAnswer())) {
    failUsage(
      'nobody is here to be asked about the stages',
      'mendloop init --yes takes all of them, mendloop init --dry-run shows them',
    );
  }
  const proposal = await proposed(home);
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

/** Also where ai/ is something else than a folder. */
async function refuseExisting(home: string): Promise<void> {
  for (const path of ['ai', MAP_FILE]) {
    const { kind } = await entryAt(join(home, path));
    if (path === 'ai' ? kind === 'file' || kind === 'link' : kind !== 'nothing') fail('E_INIT_EXISTS', { path });
  }
}

/** How many reasons are shown when nothing is proposed. */
const MAX_REASONS = 8;

async function proposed(home: string): Promise<Proposal> {
  const seen = await look(home, process.env);
  if (!seen) {
    await headBranch(openGit(home), home);
    return fail('E_INIT_NOTHING', { what: 'git tracks no file here, so there is nothing to make a stage of' });
  }
  const { mask } = seen;
  const made = await settled(await propose(seen.survey, seen.asked), seen.sources);
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
