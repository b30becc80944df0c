// `mendloop demo`: a small homelab in a folder of its own, five faults in it, and the real loop at work on them, step by step.
import { join } from 'node:path';
import { fixNews } from '../console/run-lines.ts';
import { newTally, note } from '../console/tally.ts';
import { spell, table } from '../console/words.ts';
import { EXIT } from '../errors.ts';
import type { DataOf, LoopEvent, Subscriber } from '../events.ts';
import { openGit } from '../io/git.ts';
import { layout as layoutOf } from '../io/layout.ts';
import type { Output } from '../io/output.ts';
import { copyShipped, emptyFolder, latePort, writeMendloop } from '../io/scratch.ts';
import { createText, readText, writeAtomic } from '../io/store.ts';
import { openCaseStore } from '../mend/case-store.ts';
import { patchFiles } from '../mend/patch-files.ts';
import { runStages } from '../run/run.ts';
import type { RunPorts } from '../stage/run.ts';
import { counted } from '../triage/words.ts';
import { shellWord } from '../worktree/messages.ts';
import { run as cases } from './cases.ts';
import type { Answer, CommandInput } from './command.ts';
import { withPorts } from './ports.ts';
import { run as promote } from './promote.ts';

/** A stage of the demo, what is wrong with it, and how that came into the repository. */
interface Chapter {
  readonly stage: string;
  readonly title: string;
  readonly fault?: { readonly path: string; readonly right: string; readonly wrong: string; readonly subject: string };
  /** Printed when it ends as it should. */
  readonly moral: string;
  readonly ends: 'green' | 'failed';
  /** Its owner is asked about the change, and accepts it. */
  readonly waits?: true;
}

const CHAPTERS: readonly Chapter[] = [
  {
    stage: 'images',
    title: 'the registry is not up yet',
    moral: 'What may pass by itself is waited out: nobody was asked, nothing was changed.',
    ends: 'green',
  },
  {
    stage: 'storage',
    title: 'a mistyped command',
    fault: { path: 'stages/storage.sh', right: 'mkdir', wrong: 'mkdri', subject: 'Tidy the storage script' },
    moral:
      'Proven to be a repair, so it ran at once, and no model was asked. It is a commit on a branch of its own; main is as it was.',
    ends: 'green',
  },
  {
    stage: 'dns',
    title: 'a tab in a YAML file',
    fault: { path: 'config/dns.yaml', right: '  printer', wrong: '\tprinter', subject: 'Name the new printer' },
    moral: 'The command was content, your check was not: green is only what holds.',
    ends: 'green',
  },
  {
    stage: 'ingress',
    title: 'an address that cannot be right',
    fault: {
      path: 'config/ingress.conf',
      right: 'address=192.168.40.200',
      wrong: 'address=192.168.4.200',
      subject: 'Move the ingress to a free address',
    },
    moral:
      'No text proves which address is right, so you are asked first. Accepting is one command; the stage judges all the same.',
    ends: 'green',
    waits: true,
  },
  {
    stage: 'backup',
    title: 'a backup that cannot be restored',
    fault: { path: 'backups/photos.sql', right: ", 'cake.jpg');", wrong: '', subject: 'Take the nightly backup' },
    moral: 'Some things take a person. The case has all the evidence, and you are not asked twice.',
    ends: 'failed',
  },
];

const OWNER = 'Owner of the demo';
/** Git settings of the demo repository: the user's hooks, signing, line ends and ignore file must not matter. */
const SETTINGS = {
  'user.name': OWNER,
  'user.email': 'owner@demo.invalid',
  'commit.gpgSign': 'false',
  'core.autocrlf': 'false',
  'core.excludesFile': '/dev/null',
};

export async function run(input: CommandInput): Promise<Answer | number> {
  const { options, dry, out } = input;
  if (dry) {
    const rows = table(CHAPTERS.map(({ stage, title }) => [`  ${stage}`, title]));
    const text = ['would make a git repository in a folder of its own, and run five stages that fail:', ...rows];
    return { text, json: { stages: CHAPTERS.map(({ stage, title }) => ({ stage, title })) } };
  }
  const home = emptyFolder(options.dir as string | undefined);
  const registry = await latePort('traefik:3\ngrafana:12\n');
  const watch = out.json ? (event: LoopEvent) => out.jsonLine(event) : storyWatcher(out, home);
  const event = (event: LoopEvent) => {
    if (event.type === 'step.retry' && event.stage === 'images') registry.open();
    watch(event);
  };
  let exit: number = EXIT.interrupted;
  try {
    exit = await withPorts([event], (ports) => tell(input, home, registry.port, ports));
    return exit;
  } finally {
    registry.close();
    if (exit === EXIT.interrupted && out.json) out.jsonLine({ demo: { dir: home, done: false } });
    else if (exit === EXIT.interrupted) {
      out.errorLine(
        `\nthe demo was cut off; what there is of it is in ${home}\nto remove it: rm -rf ${shellWord(home)}`,
      );
    }
  }
}

/** The whole demo; resolves to the exit code. */
async function tell(input: CommandInput, home: string, port: number, ports: RunPorts): Promise<number> {
  const { out, options, line } = input;
  const { bold, dim, cyan } = out.colour;
  const { signal, clock } = ports;
  const began = clock.monotonic();
  const isRead = out.isTerminal && !out.json && !out.quiet && options.fast !== true;
  const pause = (ms: number) => clock.sleep(isRead ? ms : 0, signal);
  const title = (text: string) => out.line(`\n${bold(text)}\n`);
  const command = (text: string) => out.line(`  ${dim('$')} ${cyan(text)}`);

  out.line(`${bold('mendloop demo')}: a homelab of five small stages, and each of them is broken\n`);
  const damage = await makeLab(home, port, options);
  out.line(`It is in ${home}, a git repository of its own.`);
  out.line('Nothing else on this machine is touched. The faults are real, and so is what is done about them.');
  await pause(3000);

  const asked = { ...input, words: [], home: () => home, layout: () => layoutOf(home) };
  const statuses: Record<string, string> = {};
  for (const [index, chapter] of CHAPTERS.entries()) {
    if (signal.aborted) return EXIT.interrupted;
    const { stage } = chapter;
    title(`${index + 1} of ${CHAPTERS.length}: ${chapter.title}`);
    await pause(1000);
    let status = await runStage(stage);
    const waiting = chapter.waits && openCaseOf(home, stage);
    if (waiting && !signal.aborted) {
      await pause(2800);
      command(`mendloop cases accept ${waiting}`);
      show((await cases({ ...asked, words: ['accept', waiting], options: {} })) as Answer, /^taken|^the next run/);
      await pause(1500);
      status = await runStage(stage);
    }
    if (signal.aborted) return EXIT.interrupted;
    statuses[stage] = status;
    await pause(700);
    out.line(
      `\n  ${status === chapter.ends ? chapter.moral : `This time it ended ${status}: mendloop explain ${stage}`}`,
    );
    await pause(2800);
  }

  title('What was mended is yours, when you say so');
  await pause(1000);
  const tip = await openGit(home).line(['rev-parse', 'ai/orchestrator-stage1']);
  command('mendloop promote');
  show(await promote({ ...asked, options: {} }), /^ai\/|^ {4}[0-9a-f]{12} |^it merges/);
  out.line(dim('  (shortened: it also says why, for which failure, by whom and in which files)'));
  await pause(2000);
  command(`mendloop promote --accept ${tip}`);
  show(await promote({ ...asked, options: { accept: tip } }), /^landed/);
  await pause(700);
  out.line('\n  Only that moved main, and mendloop rollback takes a fix back again.');
  await pause(2000);
  if (signal.aborted) return EXIT.interrupted;

  const green = Object.values(statuses).filter((status) => status === 'green').length;
  const result = `${green} of ${CHAPTERS.length} stages are green, after ${spell(clock.monotonic() - began)}`;
  const text = ['', bold(`${result}. Look around:`), '', ...lookAround(home, damage)];
  out.answer(text.join('\n'), { demo: { dir: home, done: true, stages: statuses, promoted: tip } });
  // A model may fail to mend `ingress`; that is no failure of the demo.
  const isFaulty = CHAPTERS.some(({ stage, ends }) => stage !== 'ingress' && statuses[stage] !== ends);
  return isFaulty ? EXIT.failed : EXIT.ok;

  async function runStage(stage: string): Promise<string> {
    command(`mendloop ${stage}`);
    const request = { home, command: line, stages: [stage], forced: false, withNeeds: false, recheck: true, ai: true };
    const { stages } = await runStages({ ...request, commands: Object.keys(input.commands) }, ports);
    return stages.stages[stage]?.status ?? 'idle';
  }

  function show({ text, json }: Answer, wanted: RegExp): void {
    if (out.json) out.jsonLine(json);
    for (const line of [text].flat().join('\n').split('\n')) if (wanted.test(line)) out.line(`  ${line}`);
  }
}

/** The case of a stage whose change waits for its owner's word. */
const openCaseOf = (home: string, stage: string): string | undefined =>
  openCaseStore(layoutOf(home))
    .list()
    .find((one) => 'summary' in one && one.summary.stage === stage && one.summary.suggested)?.case;

/** Makes the repository and commits the faults, one by one; the last of these commits. */
async function makeLab(home: string, port: number, { fast, 'no-ai': noAi }: CommandInput['options']): Promise<string> {
  const edits: Record<string, (text: string) => string> = {
    'config/registry.conf': (text) => text.replace('port=0', `port=${port}`),
    'ai/loop.yaml': (text) => {
      const asked = noAi ? text.replace(' ollama,', '').replace(/^# A demo has.*\n.*\n/m, '') : text;
      return fast ? asked.replace(/backoff: .*\]/, 'backoff: [300ms, 1s, 4s]') : asked;
    },
  };
  copyShipped('demo', home, (path, text) => edits[path]?.(text) ?? text);
  writeMendloop(join(home, 'mendloop'), home);
  createText(join(home, '.gitignore'), '/mendloop\n');
  const git = openGit(home);
  const commit = async (subject: string) => {
    await git.run(['add', '--all']);
    await git.run(['commit', '-q', '--author', `${OWNER} <${SETTINGS['user.email']}>`, '-m', subject]);
  };
  await git.run(['init', '-q', '-b', 'main', '--template=']);
  for (const [key, value] of Object.entries(SETTINGS)) await git.run(['config', key, value]);
  await commit('Keep the homelab in git');
  for (const { fault } of CHAPTERS) {
    if (!fault) continue;
    const path = join(home, fault.path);
    writeAtomic(path, (readText(path) ?? '').replace(fault.right, fault.wrong));
    await commit(fault.subject);
  }
  return git.line(['rev-parse', '--short', 'HEAD']);
}

/** Commands to paste, each with what it does. */
function lookAround(home: string, damage: string): string[] {
  const commands = {
    'go there': `cd ${shellWord(home)}`,
    'where every stage stands': './mendloop status',
    'how a failure was known': './mendloop explain storage',
    'what waits for you': './mendloop cases',
    'what a stage printed': './mendloop logs backup',
    'who changed what': 'git log --graph --oneline',
    'bring the good backup back': `git revert --no-edit ${damage}`,
    'and run every stage': './mendloop',
    'remove all of this': `rm -rf ${shellWord(home)}`,
    'then your own repository': 'mendloop init',
  };
  return table(Object.entries(commands).map(([what, how]) => [`  ${what}`, how]));
}

/** What a run does, a line or two for each thing that happens. */
function storyWatcher(out: Output, home: string): Subscriber {
  const { red, green, yellow, dim } = out.colour;
  const tally = newTally();
  const row = (word: string, text: string, colour = dim) => out.line(`  ${colour(word.padEnd(9))}  ${text}`);
  return (event) => {
    note(tally, event);
    const { type, data, step = '' } = event;
    const { took = 0, attempt = 1 } = tally.steps.get(step) ?? {};
    if (type === 'failure.seen') return row('failed', data.excerpt.split('\n').at(-1) ?? '', red);
    if (type === 'failure.decided') return decided(data);
    if (type === 'plugin.said') return row('says', `${data.plugin}: ${data.text}`);
    if (type === 'fix.suggested') return suggested(data);
    if (type === 'fix.committed') return committed(data);
    if (type === 'step.done') return row('green', `${spell(took)}, ${counted(attempt, 'attempt')}`, green);
    const news = type === 'fix.judged' && data.outcome === 'kept' ? undefined : fixNews(event, tally);
    if (news) row(...news, type === 'case.opened' ? yellow : dim);
  };

  function decided({ tier, scope, reason, pause_ms: pause }: DataOf<'failure.decided'>): void {
    if (tier === 'wait') row('waits', `${spell(pause ?? 0)}: ${reason}`);
    if (tier === 'executor') row(scope === 'all' ? 'asks' : 'mends', reason);
    if (tier === 'escalation') row('escalates', reason);
  }

  function committed({ note, hash, shapes = [] }: DataOf<'fix.committed'>): void {
    row('fix', note.fix, yellow);
    changedLines(hash);
    for (const shape of shapes) row('repair', shape);
  }

  function suggested({ note, hash, ask }: DataOf<'fix.suggested'>): void {
    row('asks you', note.fix, yellow);
    changedLines(hash);
    for (const reason of ask?.reasons ?? []) row('because', reason);
  }

  function changedLines(hash: string): void {
    const diff = patchFiles(layoutOf(home)).diffOf(hash) ?? '';
    const changed = diff.split('\n').filter((line) => /^[-+](?![-+]{2} )/.test(line));
    for (const line of changed)
      out.line(`${' '.repeat(13)}${(line.startsWith('+') ? green : red)(line.replaceAll('\t', '→ '))}`);
  }
}
