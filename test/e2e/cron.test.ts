// `cron` with the real crontab of Debian, its spool bound to a folder of the test in a mount namespace: nothing of this machine's
// is touched. The very line is run with cron's environment; the daemon and its minute are waited for in `npm run test:long`.
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, symlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_COMMAND } from '../../src/cron/crontab.ts';
import { needs } from '../needs.ts';
import { cases } from '../sweep.ts';
import { contextMap, ENTRY, folder, type Scenario, scenario, startProcess, until, write } from './scenario.ts';

const SPOOL = '/var/spool/cron/crontabs';
const real = needs('crontab', 'user root', 'right to mount');

/** Programs of ours in front of those of the system; `rest` instead of these. */
function machine(programs: Record<string, string>, rest = process.env.PATH ?? '') {
  const bin = folder();
  write(bin, Object.fromEntries(Object.entries(programs).map(([name, text]) => [name, `#!/bin/sh\n${text}\n`])));
  return { bin, env: { PATH: `${bin}:${rest}` } };
}

/** A machine whose crontab is the real one, of a user who has none yet. */
function withCrontab() {
  const spool = folder();
  const inside = `mount --bind '${spool}' ${SPOOL} && exec /usr/bin/crontab "$@"`;
  const made = machine({ crontab: `exec unshare --mount /bin/sh -c '${inside.replaceAll("'", `'\\''`)}' sh "$@"` });
  const crontab = (args: string[], input?: Buffer) =>
    execFileSync(join(made.bin, 'crontab'), args, { input, stdio: ['pipe', 'pipe', 'pipe'] });
  return {
    ...made,
    spool,
    /** The file itself, without what crontab writes at its head: -l would spell some characters out. One character a byte. */
    list: () => readFileSync(join(spool, 'root'), 'latin1').replace(/^(?:#.*\n){3}/, ''),
    write: (text: string) => void crontab(['-'], Buffer.from(text, 'latin1')),
  };
}

const lab = (stage: object = {}): Scenario =>
  scenario({
    'ai/context_map.yaml': contextMap({ a: { command: './a.sh', ...stage } }),
    'a.sh': '#!/bin/sh\necho ran >>"$MENDLOOP_HOME/ran"\n',
  });

/** What only this machine has, as what it is. */
const plain = (s: Scenario, text: string) =>
  s
    .plain(text)
    .replaceAll(/PATH=\S+/g, 'PATH=<path>')
    .replaceAll(process.execPath, '<node>')
    .replaceAll(ENTRY, '<entry>')
    .replaceAll(/\S*\/node(?= <entry>)/g, '<node>')
    .replaceAll(/since \S+/g, 'since <since>')
    .replaceAll(/next \d{4}.*/g, 'next <time>');

const COMMAND = 'OLLAMA_HOST=http://127.0.0.1:1 PATH=<path> MENDLOOP_HOME=<home> <node> <entry> --quiet';
const MARK = '# mendloop cron <commit> since <since>';

real('install asks, writes, is content with what it wrote, replaces it; remove leaves every other byte', async () => {
  const [s, m] = [lab(), withCrontab()];
  const before = "# caf\xe9 \r\n\n5 4 * * * printf '\\r50\\%'  \n@daily x # mendloop cron 0123456789ab since 2026\n";
  m.write(before);
  const cron = (...words: string[]) => s.run(['cron', ...words], { env: m.env });
  const printed = await cron();
  assert.is(plain(s, printed.stdout), `17 * * * * ${COMMAND} ${MARK}\n`);
  assert.is(plain(s, (await cron('print')).stdout), plain(s, printed.stdout));
  const [asked, dry] = [await cron('install'), await cron('install', '--dry-run')];
  const shown = `writes into your crontab:\n    17 * * * * ${COMMAND} ${MARK}\n`;
  assert.equal([asked.exit, dry.exit, plain(s, dry.stdout)], [2, 0, shown]);
  assert.is(
    plain(s, asked.stderr),
    `error E_CRON_ASK: this is what would be done\n${shown.trimEnd().replace(/^/gm, '  - ')}\n  next:  to do it: the same with --yes\n`,
  );
  assert.is(m.list(), before, 'only said');
  const done = await cron('install', '--yes');
  assert.is(
    plain(s, done.stdout + done.stderr),
    'installed for crontab: every hour at minute 17; next <time>\nsee how it goes: mendloop cron status\n',
  );
  const after = m.list();
  assert.is(after, before + printed.stdout);
  assert.is((await cron('install', '--yes')).stdout, 'it is installed already: every hour at minute 17\n');
  assert.is(m.list(), after);
  const daily = JSON.parse(
    (await cron('install', '--yes', '--at', '03:30', '--no-ai', '--deadline', '2h', '--json')).stdout,
  );
  assert.equal([daily.changed, daily.scheduler, daily.when], [true, 'crontab', 'every day at 03:30']);
  const ours = m.list().slice(before.length);
  const passed = `${COMMAND} --no-ai --deadline 2h ${MARK}`;
  assert.is(
    plain(s, ours.replaceAll('--deadline 2h --no-ai', '--no-ai --deadline 2h')),
    `30 3 * * * ${passed}\n@reboot sleep 60; ${passed}\n`,
  );
  assert.equal([(await cron('remove', '--dry-run')).exit, m.list().length > before.length], [0, true]);
  m.write(m.list().replace(/^30 3/m, '#30 3'));
  assert.match(
    (await cron('status')).stdout,
    /^nothing is scheduled here; to have it run by itself: mendloop cron install\n$/,
    'its owner commented it out',
  );
  assert.match((await cron('remove')).stdout, /^removed the line of your crontab: #30 3 \* \* \* /, 'and it is ours');
  assert.is(m.list(), before);
  assert.is((await cron('remove')).stdout, 'nothing is scheduled here\n');
});

real('a line of the greatest length is one that cron takes; a longer one is refused before', async () => {
  const [s, m] = [lab(), withCrontab()];
  const line = (length: number) => `17 * * * * ${'x'.repeat(length)}\n`;
  m.write(line(MAX_COMMAND));
  assert.throws(() => m.write(line(MAX_COMMAND + 1)), /command too long/);
  const long = Array.from({ length: 9 }, (_, at) => join(folder(), `${at}`.repeat(100)));
  for (const path of long) mkdirSync(path);
  const { exit, stderr } = await s.run(['cron', 'install', '--yes'], {
    env: { PATH: `${m.env.PATH}:${long.join(':')}` },
  });
  assert.is(exit, 2);
  assert.match(
    stderr,
    /^error E_CRON_UNFIT: the line would have \d{4} characters, and cron takes 998; most of them are PATH\n/,
  );
  assert.match(stderr, 'next:  with a short one: PATH=/usr/local/bin:/usr/bin:/bin mendloop cron install\n');
  assert.is(m.list(), line(MAX_COMMAND));
});

/** A home that has all that cron and a shell would take for something else. */
async function nastyLab(): Promise<Scenario> {
  const s = lab();
  const nasty = `${s.home} it's 50% "off" $HOME #1`;
  execFileSync('mv', [s.home, nasty]);
  symlinkSync(nasty, s.home);
  return s;
}

real('the very line runs with what cron gives it, says nothing when all is green, and status knows of it', async () => {
  const [s, m] = [await nastyLab(), withCrontab()];
  assert.is((await s.run(['cron', 'install', '--yes'], { env: m.env })).exit, 0);
  const line = m.list();
  const command = line
    .trimEnd()
    .replace(/^(?:\S+ ){5}/, '')
    .replaceAll('\\%', '%');
  const given = { HOME: folder(), LOGNAME: 'root', SHELL: '/bin/sh', PATH: '/usr/bin:/bin' };
  const cron = spawnSync('/bin/sh', ['-c', command], { env: given, cwd: given.HOME, encoding: 'utf8' });
  assert.equal([cron.status, cron.stdout, cron.stderr], [0, '', '']);
  assert.is(s.read('ran'), 'ran\n');
  // As if it had been installed five hours ago: the runs before this one are missed.
  const since = new Date(Date.now() - 5 * 3_600_000).toISOString().slice(0, 16);
  m.write(line.replace(/since \S+/, `since ${since}Z`));
  const status = await s.run(['cron', 'status'], { env: m.env });
  const [run] = s.runs();
  assert.match(
    status.stdout,
    new RegExp(
      `^crontab {2}17 \\* \\* \\* \\*: every hour at minute 17\nlast {5}run ${run}, just now, exit 0\nnext {5}20`,
    ),
  );
  assert.match(
    status.stdout,
    /^missed {3}[345] of the last [45] times: no run began at \S+ \d\d:17, \S+ \d\d:17, \S+ \d\d:17 \(is it at work\? /m,
  );
  const json = JSON.parse((await s.run(['cron', 'status', '--json'], { env: m.env })).stdout);
  assert.equal(
    [json.last.run, json.last.exit, json.schedules[0].missed.length < json.schedules[0].past + 1],
    [run, 0, true],
  );
  assert.equal(new Date(json.schedules[0].next).getUTCMinutes() % 15, 2, 'minute 17, in zones of whole quarters');
});

real(
  'doctor and uninstall know of the schedule: what its PATH and environment lack, and that it is taken away',
  async () => {
    const tools = machine({ labctl: 'true', other: 'true' });
    const s = lab({ requires: { tools: ['labctl'], env: ['LAB_TOKEN', 'LAB_HOST'] }, verify: ['other --version'] });
    const m = withCrontab();
    const env = { PATH: `${tools.bin}:${m.env.PATH}`, LAB_TOKEN: 'very-secret-value', LAB_HOST: 'pve1' };
    const doctor = async () => (await s.run(['doctor'], { env })).stdout;
    assert.not.match(await doctor(), 'schedule');
    const installed = await s.run(['cron', 'install', '--yes'], { env: { ...env, PATH: m.env.PATH } });
    assert.match(
      installed.stdout,
      'note: LAB_TOKEN is not set where the schedule runs; a secret is never written there\n',
    );
    const line = m.list();
    assert.match(line, ' LAB_HOST=pve1 ');
    assert.not.match(line, 'very-secret-value');
    const lacks = await doctor();
    assert.match(lacks, /^ok {7}scheduled by crontab: 17 \* \* \* \*$/m);
    for (const tool of ['labctl', 'other'])
      assert.match(
        lacks,
        `problem  the schedule does not find ${tool}; here it is ${tools.bin}/${tool}\n         next: where all is found: mendloop cron install\n`,
      );
    assert.match(lacks, 'problem  LAB_TOKEN is not set where the schedule runs; a secret is never written there\n');
    assert.not.match(lacks, 'LAB_HOST');
    await s.run(['cron', 'install', '--yes'], { env });
    assert.not.match(await doctor(), 'does not find');
    m.write(`0 1 * * * mendloop --quiet\n${m.list().replace(ENTRY, '/gone/mendloop.mjs')}`);
    assert.match(await doctor(), 'problem  the schedule starts /gone/mendloop.mjs, which is not there\n');
    const taken = await s.run(['uninstall', '--yes'], { env });
    assert.match(taken.stdout, /^removed the line of your crontab: 17 \* \* \* \* /m);
    assert.match(taken.stdout, /^left the line of your crontab that you wrote: 0 1 \* \* \* mendloop --quiet$/m);
    assert.is(m.list(), '0 1 * * * mendloop --quiet\n');
  },
);

real('at a terminal it shows and asks, and only a yes is one', async () => {
  const [s, m] = [lab(), withCrontab()];
  const typed = async (keys: string) => {
    const fifo = join(folder(), 'keys');
    execFileSync('mkfifo', [fifo]);
    const end = openSync(fifo, 'r+');
    const line = `exec script -qec "'${process.execPath}' '${ENTRY}' cron install" /dev/null < '${fifo}'`;
    const started = s.start([], { command: ['bash', '-c', line], env: { ...m.env, TERM: 'dumb' } });
    await until('it asks', () => started.output().includes('do it? [y]es, [N]o: '));
    writeSync(end, keys);
    return (await started.done.finally(() => closeSync(end))).stdout;
  };
  assert.match(await typed('\n'), /writes into your crontab:[\s\S]*nothing was changed/);
  assert.equal(readdirSync(m.spool), []);
  assert.match(await typed('y\n'), /installed for crontab: every hour/);
  assert.match(m.list(), /^17 \* \* \* \* OLLAMA_HOST=/);
});

const NO_BUS = 'echo "Failed to connect to bus: No medium found" >&2; exit 1';

test('without the program, without a session, or where it refuses: what, and what else to do', async () => {
  const s = lab();
  const tools = folder();
  for (const tool of ['git', 'bash', 'sh', 'env', 'node', 'cat']) {
    const found = execFileSync('bash', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim();
    symlinkSync(found, join(tools, tool));
  }
  const told = async (programs: Record<string, string>, ...words: string[]) => {
    const { exit, stdout, stderr } = await s.run(['cron', ...words], { env: machine(programs, tools).env });
    return [exit, stdout + stderr];
  };
  const timer = '         or take a timer of systemd: mendloop cron install --systemd\n';
  const line = '         or take a line of crontab: mendloop cron install --crontab\n';
  assert.equal(await told({}, 'install', '--yes', '--crontab'), [
    2,
    `error E_SCHEDULER: there is no program crontab here\n  next:  install it (Debian: apt install cron)\n${timer}`,
  ]);
  assert.equal(await told({}, 'install', '--yes'), [
    2,
    `error E_SCHEDULER: there is no program systemctl here\n  next:  this machine is not run by systemd, it seems\n${line}`,
  ]);
  assert.equal(await told({ systemctl: NO_BUS }, 'install', '--yes', '--systemd'), [
    2,
    'error E_SCHEDULER: systemctl refused\n  - Failed to connect to bus: No medium found\n' +
      `  next:  log in as this user, not by su or sudo, and see for yourself: systemctl --user status\n${line}`,
  ]);
  const kept = join(folder(), 'kept');
  const crontab = `[ "$1" = -l ] || touch ${kept}; echo "You (lab) are not allowed to use this program (crontab)" >&2; exit 1`;
  for (const words of [['install', '--yes'], ['remove']])
    assert.equal(await told({ crontab }, ...words), [
      2,
      'error E_SCHEDULER: crontab refused\n  - You (lab) are not allowed to use this program (crontab)\n' +
        `  next:  see for yourself: crontab -l; who may have one stands in /etc/cron.allow and /etc/cron.deny\n${timer}`,
    ]);
  assert.throws(() => openSync(kept, 'r'), /ENOENT/, 'what cannot be read is never written');
  assert.is((await told({ crontab }, 'status'))[0], 0);
  assert.match((await told({}, 'install', '--crontab', '--systemd'))[1] as string, 'are two schedulers');
  assert.match(
    (await told({}, 'instal'))[1] as string,
    'error E_USAGE: cron does not know instal; did you mean "install"?\n  next:  mendloop cron print|install|status|remove\n',
  );
  assert.match((await told({}, '--workers', 'x'))[1] as string, 'error E_USAGE: --workers x is not a number');
});

needs('systemd-analyze')(
  'units are such as systemd takes; crontab and systemd take turns, and nothing is left',
  async () => {
    const [s, calls, config] = [await nastyLab(), join(folder(), 'calls'), folder()];
    const spool = join(folder(), 'spool');
    // No systemd runs in a container: what it is told is written down, and what it would read is shown to systemd-analyze.
    const { bin, env: path } = machine({
      systemctl: `echo "$@" >>${calls}`,
      crontab: `[ "$1" = -l ] && { cat ${spool} 2>/dev/null || { echo "no crontab for lab" >&2; exit 1; }; exit; }; cat >${spool}`,
    });
    const env = { ...path, XDG_CONFIG_HOME: config, USER: 'nobody-at-all', KUBECONFIG: '/k/50%' };
    const done = await s.run(['cron', 'install', '--yes', '--systemd', '--at', '03:30'], { env });
    assert.match(
      done.stdout,
      /^installed for systemd: every day at 03:30; .*\nnote: it runs only while you are logged in, unless/,
    );
    const folderOf = join(config, 'systemd/user');
    const units = readdirSync(folderOf).sort();
    const [name = ''] = units.map((unit) => unit.replace(/\.\w+$/, ''));
    assert.equal(units, [`${name}.service`, `${name}.timer`]);
    assert.equal(execFileSync('cat', [calls], { encoding: 'utf8' }).split('\n').slice(0, -1), [
      '--user show-environment',
      '--user daemon-reload',
      `--user enable ${name}.timer`,
      `--user restart ${name}.timer`,
    ]);
    const verified = spawnSync(
      'systemd-analyze',
      ['verify', '--user', '--man=no', ...units.map((unit) => join(folderOf, unit))],
      {
        encoding: 'utf8',
        env: { ...process.env, XDG_RUNTIME_DIR: folder(), SYSTEMD_UNIT_PATH: `${folderOf}:` },
      },
    );
    assert.equal([verified.status, verified.stderr], [0, '']);
    assert.is(
      (await s.run(['cron', 'install', '--yes', '--systemd', '--at', '03:30'], { env })).stdout,
      'it is installed already: every day at 03:30\n',
    );
    assert.match((await s.run(['doctor'], { env })).stdout, 'scheduled by systemd: *-*-* 03:30:00\n');
    const turn = await s.run(['cron', 'install', '--dry-run', '--crontab'], { env });
    assert.match(
      turn.stdout,
      new RegExp(
        `^removes ${folderOf}/${name}.service\nremoves ${folderOf}/${name}.timer\nwrites into your crontab:\n`,
      ),
    );
    await s.run(['cron', 'install', '--yes', '--crontab'], { env });
    assert.equal(readdirSync(folderOf), []);
    assert.match(execFileSync('cat', [spool], { encoding: 'utf8' }), ' KUBECONFIG=/k/50\\% ');
    await s.run(['cron', 'install', '--yes', '--systemd'], { env });
    assert.match((await s.run(['cron', 'remove'], { env })).stdout, /^removed \/.*\.service\nremoved \/.*\.timer\n$/);
    assert.equal([readdirSync(folderOf), bin.length > 0], [[], true]);
  },
);

/** The daemon, with a spool of its own and no table of the system's. */
const DAEMON = `mount --bind "$0" ${SPOOL} && mount -t tmpfs none /etc/cron.d && mount --bind /dev/null /etc/crontab &&
mount -t tmpfs none /run && exec cron -f`;

if (cases(false, true))
  real('the daemon of Debian runs what was installed, at its minute and after the start of the machine', async () => {
    const m = withCrontab();
    const [minutely, daily] = [await nastyLab(), await nastyLab()];
    const far = `${(new Date().getHours() + 6) % 24}:00`;
    assert.is((await minutely.run(['cron', 'install', '--yes', '--every', '1m'], { env: m.env })).exit, 0);
    assert.is((await daily.run(['cron', 'install', '--yes', '--at', far], { env: m.env })).exit, 0);
    const daemon = startProcess(['unshare', '--mount', '/bin/sh', '-c', DAEMON, m.spool], {
      cwd: m.spool,
      limitMs: 180_000,
    });
    const isOver = (s: Scenario) => s.events().at(-1)?.type === 'run.ended';
    await until('both ran', () => isOver(minutely) && isOver(daily), 150_000);
    daemon.kill('SIGTERM');
    await daemon.done;
    for (const s of [minutely, daily])
      assert.equal([s.events().at(-1)?.data.exit, s.read('ran').slice(0, 4)], [0, 'ran\n']);
    const status = JSON.parse((await minutely.run(['cron', 'status', '--json'], { env: m.env })).stdout);
    assert.equal(status.schedules[0].missed, []);
  });

test.run();
