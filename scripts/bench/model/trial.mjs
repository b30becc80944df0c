// One broken stage through the whole loop, in a repository of its own, with one model and one form of answer.
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import '../../typescript.mjs';
import { ENTRY, run, scratch, writeFiles } from '../measure.mjs';

const { compareWith } = await import('./compare.ts');
const { oneLine, outcomeOf } = await import('./outcome.ts');

const AI = 'ai/orchestrator-stage1';
const STAGE = 'web';

/** What became of it: `{ outcome, why, ms, tokens }`; `tokens` is null when nobody counted. Never throws. */
export async function trial(exam, settings, number) {
  const folder = join(scratch, `trial-${number}`);
  const began = performance.now();
  try {
    return await tried(exam, settings, folder);
  } catch (error) {
    const why = oneLine(error.message);
    return { outcome: 'not measured', why, ms: performance.now() - began, tokens: null };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tried({ stage, group }, settings, folder) {
  const mended = { ...stage.sound, ...stage.mended };
  const wanted = await alone(stage, join(folder, 'mended/lab'), (lab) => put(lab, mended, []));
  // A tool may be missing on this machine; that is no model's fault.
  if (wanted.exit !== 0) throw new Error(`mended, it does not succeed on this machine: ${wanted.stderr}`);
  const home = join(folder, 'home/lab');
  const git = await repository(home, stage, settings);
  const { ms, exit, said } = await theLoop(home);
  const kept = join(home, 'ai/logs');
  if (settings.keep && existsSync(kept)) cpSync(kept, join(settings.keep, slug(stage, settings)), { recursive: true });
  const { status } = readJson(join(home, 'ai/state/stages.json'))?.stages?.[STAGE] ?? {};
  const events = eventsOf(home);
  const tokens = readJson(join(home, 'ai/state/ledger.json'))?.day?.tokens || null;
  const found = outcomeOf({ exit, status, events, said });
  if (found !== 'green') {
    // What did not help is taken back; a change that is still there is worth knowing.
    const stayed = found.word === 'wrong' && (await git('diff', '--name-only', 'main', AI)).trim();
    return { outcome: found.word, why: stayed ? `${found.why}; ${stayed} stays changed` : found.why, ms, tokens };
  }
  const branch = join(folder, 'branch/lab');
  const got = await alone(stage, branch, () => git('clone', '--quiet', '--branch', AI, home, branch));
  const why = compareWith({ stage, group, wanted, got });
  return { outcome: why === '' ? 'fixed' : 'wrong', why, ms, tokens };
}

const slug = ({ fault }, { format }) => join(format, fault.toLowerCase().replaceAll(/[^a-z\d]+/g, '-'));

/** The broken stage, committed. Returns git in it. */
async function repository(home, stage, { host, model, format, timeout }) {
  const files = { ...stage.sound, ...stage.broken };
  const { command, files: may, tools = [] } = stage;
  put(home, files, stage.plain ?? []);
  writeFiles(home, {
    'ai/context_map.yaml': JSON.stringify({ stages: { [STAGE]: { command, files: may, requires: { tools } } } }),
    'ai/loop.yaml': JSON.stringify({
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

function put(folder, files, plain) {
  writeFiles(folder, files);
  for (const path of Object.keys(files)) chmodSync(join(folder, path), plain.includes(path) ? 0o644 : 0o755);
}

async function theLoop(home) {
  const began = performance.now();
  // A stage that is not mended is no success; what it left behind says more.
  const ended = await run(process.execPath, [ENTRY, '--root', home], { cwd: home }).catch((error) => error);
  const ms = performance.now() - began;
  if (!(ended instanceof Error)) return { ms, exit: 0, said: '' };
  const [, code] = / ended with (\w+): /.exec(ended.message) ?? [];
  return { ms, exit: /^\d+$/.test(code) ? Number(code) : null, said: ended.message.split('\n').slice(-3).join(' ') };
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
