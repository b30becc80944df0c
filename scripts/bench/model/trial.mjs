// One exam through the whole loop, in a repository of its own, with one model and one form of answer.
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import '../../typescript.mjs';
import { ENTRY, run, scratch, writeFiles } from '../measure.mjs';

const { compareWith } = await import('./compare.ts');
const { isShown, oneLine, outcomeOf, refusalsOf, soonOf } = await import('./outcome.ts');

const AI = 'ai/orchestrator-stage1';
const STAGE = 'web';

/** What became of it, as `Trial` of table.ts has it. Never throws. */
export async function trial(exam, settings, number) {
  const folder = join(scratch, `trial-${number}`);
  const began = performance.now();
  try {
    return await tried(exam, settings, folder);
  } catch (error) {
    const why = oneLine(error.message);
    const ms = performance.now() - began;
    return { outcome: 'not measured', why, soon: null, refusals: [], shown: null, ms, tokens: null };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tried(exam, settings, folder) {
  const { stage, group, judge } = exam;
  const wanted = 'mended' in judge && (await alone(stage, join(folder, 'mended/lab'), (lab) => put(lab, judge.mended)));
  // A tool may be missing on this machine; that is no model's fault.
  if (wanted && wanted.exit !== 0) throw new Error(`mended, it does not succeed on this machine: ${wanted.stderr}`);
  const home = join(folder, 'home/lab');
  const git = await repository(home, exam, settings);
  const { ms, exit, said } = await theLoop(home, 'standIn' in judge ? standInFor(folder, judge.standIn) : {});
  const kept = join(home, 'ai/logs');
  if (settings.keep && existsSync(kept)) cpSync(kept, join(settings.keep, slug(exam, settings)), { recursive: true });
  const { status } = readJson(join(home, 'ai/state/stages.json'))?.stages?.[STAGE] ?? {};
  const events = eventsOf(home);
  const tokens = readJson(join(home, 'ai/state/ledger.json'))?.day?.tokens || null;
  const found = outcomeOf({ exit, status, events, said, mustDecline: group === 'declined' });
  const ended = (outcome, why) => {
    const asked = { soon: soonOf(outcome, events), refusals: refusalsOf(events), shown: shownFirst(home, exam) };
    return { outcome, why, ...asked, ms, tokens };
  };
  if (found !== 'green') {
    // What did not help is taken back; a change that is still there is worth knowing.
    const stayed = found.word === 'wrong' && (await git('diff', '--name-only', 'main', AI)).trim();
    return ended(found.word, stayed ? `${found.why}; ${stayed} stays changed` : found.why);
  }
  // What stood in for the tools has looked at every file of the branch.
  if (!wanted) return ended('fixed', '');
  const branch = join(folder, 'branch/lab');
  const got = await alone(stage, branch, () => git('clone', '--quiet', '--branch', AI, home, branch));
  const why = compareWith({ files: stage.files, group, wanted, got });
  return ended(why === '' ? 'fixed' : 'wrong', why);
}

/** Whether the first prompt shows what has to change; null: nobody was asked, or nothing has to. */
function shownFirst(home, { right: [change] }) {
  const folder = join(home, 'ai/logs/executor');
  const [first] = change && existsSync(folder) ? readdirSync(folder).sort() : [];
  return first === undefined ? null : isShown(readFileSync(join(folder, first), 'utf8'), change);
}

const slug = ({ name }, { format, repeat }) =>
  join(format, String(repeat), name.toLowerCase().replaceAll(/[^a-z\d]+/g, '-'));

/** The exam's files, committed. Returns git in it. */
async function repository(home, exam, { host, model, format, timeout }) {
  const { files, plain, stage, protectedFiles } = exam;
  put(home, files, plain);
  writeFiles(home, {
    'ai/context_map.yaml': JSON.stringify({ stages: { [STAGE]: stage }, protected_files: protectedFiles }),
    'ai/loop.yaml': JSON.stringify({
      unattended: 'all',
      ...{ executors: ['ollama'], escalations: [], wait: { backoff: ['50ms', '100ms', '200ms'] } },
      plugins: { ollama: { host, model, format, timeout } },
    }),
  });
  const git = async (...args) => (await run('git', args, { cwd: home })).stdout;
  await git('init', '--quiet', '--initial-branch=main');
  // The broken texts are committed as they are, carriage returns too.
  await git('-c', 'core.autocrlf=false', '-c', 'core.safecrlf=false', 'add', '--all');
  await git('-c', 'user.name=Bench', '-c', 'user.email=bench@example.org', 'commit', '--quiet', '--message=broken');
  return git;
}

function put(folder, files, plain = []) {
  writeFiles(folder, files);
  for (const path of Object.keys(files)) chmodSync(join(folder, path), plain.includes(path) ? 0o644 : 0o755);
}

/**
 * The environment in which whatever bash starts for the stage is the stand-in instead; other uses of bash are as ever.
 */
function standInFor(folder, script) {
  const [start, facts] = [join(folder, 'stand-in.sh'), join(folder, 'stand-in.json')];
  const program = `"${process.execPath}" "${join(import.meta.dirname, 'stand-in.mjs')}" "${facts}"`;
  writeFiles(folder, {
    'stand-in.json': JSON.stringify(script),
    'stand-in.sh': `if [ -n "\${MENDLOOP_STEP-}" ]; then\n  unset BASH_ENV\n  exec ${program} "$BASH_EXECUTION_STRING"\nfi\n`,
  });
  return { BASH_ENV: start };
}

/** At most so many changes that wait for a word are accepted, as an owner would who agrees to all: the effect says who was right. */
const MAX_ACCEPTED = 3;

async function theLoop(home, more) {
  const began = performance.now();
  let ended = await mendloop(home, [], more);
  for (let left = MAX_ACCEPTED; left > 0; left--) {
    const name = offered(home);
    if (name === undefined) break;
    await mendloop(home, ['cases', 'accept', name], more);
    ended = await mendloop(home, [], more);
  }
  return { ...ended, ms: performance.now() - began };
}

async function mendloop(home, words, more) {
  // A stage that is not mended is no success; what it left behind says more.
  const ended = await run(process.execPath, [ENTRY, '--root', home, ...words], { cwd: home, more }).catch(
    (error) => error,
  );
  if (!(ended instanceof Error)) return { exit: 0, said: '' };
  const [, code] = / ended with (\w+): /.exec(ended.message) ?? [];
  return { exit: /^\d+$/.test(code) ? Number(code) : null, said: ended.message.split('\n').slice(-3).join(' ') };
}

/** The open case with a change to accept, if there is one. */
function offered(home) {
  const folder = join(home, 'ai/escalations');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : [];
  return names.find((name) => {
    const summary = readJson(join(folder, name, 'summary.json'));
    return summary?.state === 'open' && summary.suggested !== undefined;
  });
}

function eventsOf(home) {
  const runs = join(home, 'ai/state/runs');
  if (!existsSync(runs)) return [];
  const lines = readdirSync(runs).flatMap((one) => readFileSync(join(runs, one, 'events.jsonl'), 'utf8').split('\n'));
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}

const readJson = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined);

/** The stage's command without the loop, in a folder that `make` fills: how it ended, what it said, what it left. */
async function alone({ command }, folder, make) {
  mkdirSync(join(folder, '..'), { recursive: true });
  await make(folder);
  const before = textsBelow(folder);
  const argv = typeof command === 'string' ? ['-c', command] : ['-c', 'exec "$@"', 'bash', ...command];
  const ended = await new Promise((done, failed) => {
    const env = { ...process.env, MENDLOOP_STAGE: STAGE };
    const child = spawn('bash', argv, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => (said[name] += chunk));
    child.once('error', failed).once('close', (exit) => done({ exit, ...said }));
  });
  return { ...ended, before, after: textsBelow(folder) };
}

/** Every file below a folder with its text, and every folder; without what belongs to git and to the loop. */
function textsBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const named = entries.map((entry) => [join(entry.parentPath, entry.name).slice(folder.length + 1), entry]);
  const ours = named.filter(([path]) => !/^(?:\.git|ai)(?:\/|$)/.test(path));
  return Object.fromEntries(
    ours.map(([path, entry]) => (entry.isFile() ? [path, readFileSync(join(folder, path), 'utf8')] : [`${path}/`, ''])),
  );
}
