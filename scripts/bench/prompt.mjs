#!/usr/bin/env node
// What it costs to make the prompt for a stage with 200 files and a log of 1 GB, every secret masked: against tail and cat
// for the time, and for the memory against a node script that only reads the same.
import { closeSync, mkdirSync, openSync, statfsSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bench, compare, ROOT, run, scratch, short, sideBySide, writeFiles } from './measure.mjs';

const LOG_BYTES = 1_000_000_000;
const SPARE = 200_000_000;
const FILES = 200;
const SECRETS = 40;
const ROUNDS = 7;
const LOG = 'ai/logs/talos/r-1.log';

const url = (path) => JSON.stringify(pathToFileURL(join(ROOT, path)).href);

// Both read the paths from argv: the repository, then each file of the stage.
const OURS = `
import ${url('scripts/typescript.mjs')};
const { maskedPrompt } = await import(${url('src/mend/documents.ts')});
const { placesOf } = await import(${url('src/mend/places.ts')});
const { logEnd } = await import(${url('src/mend/context.ts')});
const { parseContextMap } = await import(${url('src/config/parse.ts')});
const { readFile } = await import('node:fs/promises');
const [home, ...files] = process.argv.slice(2);
const { value: map } = parseContextMap('stages: { talos: { command: stages/talos/run.sh } }\\ncarry: [.env]\\n', 'map');
const failure = { class: 'unknown', log: '${LOG}', error_lines: ['config/app-7.yaml:12: did not find expected key'] };
const facts = { stage: { name: 'talos', ...map.stages.talos }, failure, files, tree: files, tries: [], limits: { files: 3, changed_lines: 100 } };
const snapshot = { files: new Map(files.map((path) => [path, {}])), text: (path) => readFile(home + '/' + path, 'utf8') };
// The base commit has instructions and no memo.
const instructions = Buffer.from('Mend it.');
const objects = {
  files: async () => new Map([['ai/executor_instructions.md', { mode: '100644', id: 'instructions' }]]),
  info: async () => ({ size: instructions.length }),
  read: async () => instructions,
};
const run = { journal: { stages: { stages: {} } }, layout: { home }, config: { map, loop: { redact: [] } }, env: {}, tree: { objects, base: { commit: '' } } };
const [began, used] = [performance.now(), process.cpuUsage()];
const failureLog = logEnd(home + '/' + failure.log);
const places = await placesOf({ stage: facts.stage, failure, log: failureLog }, snapshot, files, []);
const { text: prompt } = await maskedPrompt(run, { endText: 'exit code 1', steps: ['talos'] }, { facts, places, snapshot, failureLog });
const made = performance.now() - began;
const { user, system } = process.cpuUsage(used);
if (prompt.includes('s3cr3t') || !prompt.includes('SECRET_')) throw new Error('the prompt is not masked');
console.log(JSON.stringify({ made, cpu: (user + system) / 1000, peakMb: process.resourceUsage().maxRSS / 1000, characters: prompt.length }));
`;

const READER = `
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
const [home, ...files] = process.argv.slice(2);
const fd = openSync(home + '/${LOG}');
const end = Buffer.alloc(65536);
readSync(fd, end, 0, end.length, fstatSync(fd).size - end.length);
closeSync(fd);
const text = [end.toString(), ...files.map((path) => readFileSync(home + '/' + path, 'utf8'))].join('\\n');
console.log(JSON.stringify({ peakMb: process.resourceUsage().maxRSS / 1000, characters: text.length }));
`;

await bench('prompt', async () => {
  const { bavail, bsize } = statfsSync(scratch);
  if (bavail * bsize < LOG_BYTES + SPARE) throw new Error('less than 1.2 GB is free where temporary files go');
  const [home, ours, reader] = ['home', 'ours.mjs', 'reader.mjs'].map((name) => join(scratch, name));
  const files = homelab(home);
  writeFileSync(ours, OURS);
  writeFileSync(reader, READER);

  const node = async (script) => {
    const { ms, stdout } = await run(process.execPath, [script, home, ...files], { cwd: home });
    return { ms, ...JSON.parse(stdout) };
  };
  const shell = `tail -c 65536 '${LOG}'; cat ${files.join(' ')}`;
  const took = await sideBySide(
    {
      ours: () => node(ours),
      reader: () => node(reader),
      shell: async () => ({ ms: (await run('bash', ['-c', shell], { cwd: home })).ms }),
    },
    { rounds: ROUNDS },
  );
  return {
    rows: [
      compare('prompt, made', 'ms', took.ours.made, took.shell.ms, `(target < 1000 ms; ${took.ours.range.made})`),
      compare('prompt, whole process', 'ms', took.ours.ms, took.reader.ms, `(${took.ours.range.ms})`),
      compare('prompt, peak memory', 'MB', took.ours.peakMb, took.reader.peakMb, '(target < 150 MB)'),
    ],
    notes: [
      `a stage with ${FILES} files, ${SECRETS} carried secrets, a log of 1 GB; ${short(took.ours.characters)} characters of prompt; median of ${ROUNDS} rounds; made with ${short(took.ours.cpu)} ms of processor time`,
      'peer of "made": tail -c 64K of the log and cat of all files; of the others: a node script that reads just these',
    ],
  };
});

/** Writes the repository; returns the paths of the stage's files. */
function homelab(home) {
  const secret = (n) => `s3cr3t-${(n * 2654435761).toString(36)}-${(n * 40503).toString(36)}`;
  const files = Object.fromEntries(
    Array.from({ length: FILES }, (_, n) => [`config/app-${n}.yaml`, manifest(n, secret(n % SECRETS))]),
  );
  const env = Array.from({ length: SECRETS }, (_, n) => `API_TOKEN_${n}=${secret(n)}\n`).join('');
  writeFiles(home, { ...files, '.env': env });
  mkdirSync(join(home, 'ai/logs/talos'), { recursive: true });
  const lines = Array.from(
    { length: 10_000 },
    (_, n) =>
      `2026-11-16T05:00:${n % 60}Z INFO reconciled app-${n % FILES} in ${n} ms, login ${n % 50 ? 'ok' : secret(7)}`,
  );
  const block = Buffer.from(`${lines.join('\n')}\n`);
  const log = openSync(join(home, LOG), 'w');
  for (let bytes = 0; bytes < LOG_BYTES; bytes += block.length) writeSync(log, block);
  writeSync(log, 'config/app-7.yaml:12: did not find expected key\n');
  closeSync(log);
  return Object.keys(files);
}

function manifest(n, token) {
  const entries = Array.from({ length: 60 }, (_, i) => `    - name: setting-${i}\n      value: "${n * i} of app ${n}"`);
  return `kind: Deployment\nmetadata:\n  name: app-${n}\nspec:\n  token: ${token}\n  env:\n${entries.join('\n')}\n`;
}
