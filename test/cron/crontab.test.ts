// Our lines of a crontab, and every byte that is not ours.
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandLength, cronLines, editCrontab, handWritten, ourLines, readCrontab } from '../../src/cron/crontab.ts';
import { isPassing, type Job, lastingPath } from '../../src/cron/job.ts';
import { readTimes } from '../../src/cron/times.ts';
import { readUnits, unitsOf } from '../../src/cron/units.ts';
import { folder } from '../environment.ts';
import { needs } from '../needs.ts';
import { fc } from '../sweep.ts';

const NASTY = `/srv/it's 50% "off" $HOME/läb #1 \\ back`;
const jobAt = (home: string, at = '03:17'): Job => ({
  home,
  times: readTimes(at, undefined),
  env: { PATH: `/usr/bin:${home}/bin`, MENDLOOP_HOME: home },
  argv: ['/usr/bin/node', `${home}/mendloop.mjs`, '--quiet', '--deadline', '2h'],
  since: '2026-11-17T06:25Z',
});

/** Lines as people have them, one character a byte; the last may lack its end. */
const anyLine = fc.oneof(
  fc.constantFrom(
    '',
    '# mine',
    'MAILTO=me',
    '*/5 * * * * true',
    '@reboot x # mendloop cron 0123456789ab since 2026',
    '\t',
    'a\r',
  ),
  fc.constantFrom(...cronLines(jobAt('/srv/other')), '0 1 * * * mendloop --quiet'),
  fc
    .array(
      fc.integer({ min: 1, max: 255 }).filter((byte) => byte !== 10),
      { maxLength: 20 },
    )
    .map((bytes) => String.fromCharCode(...bytes)),
);
const anyCrontab = fc
  .tuple(fc.array(anyLine, { maxLength: 8 }), fc.boolean())
  .map(([lines, isWhole]) => lines.join('\n') + (isWhole && lines.length > 0 ? '\n' : ''));
const anyHome = fc.constantFrom('/srv/lab', NASTY, '/srv/other lab', '/a # mendloop cron');

test('what is not ours is kept byte for byte, in its order, whatever is written, replaced and removed', () => {
  fc.assert(
    fc.property(anyCrontab, anyHome, (crontab, home) => {
      const whole = crontab === '' || crontab.endsWith('\n') ? crontab : `${crontab}\n`;
      const first = editCrontab(crontab, home, cronLines(jobAt(home)));
      assert.ok(first.startsWith(whole), 'at its end');
      assert.is(editCrontab(first, home, cronLines(jobAt(home))), first, 'the same once more changes nothing');
      const second = editCrontab(`${first}# behind\n`, home, cronLines(jobAt(home, '04:00')));
      assert.is(editCrontab(second, home, []), `${whole}# behind\n`);
      assert.is(editCrontab(crontab, home, []), crontab, 'nothing of ours, nothing changed');
    }),
  );
});

test('two homes in one crontab do not see each other', () => {
  const [a, b] = [jobAt('/srv/a'), jobAt('/srv/b', '05:00')];
  const both = editCrontab(editCrontab('', a.home, cronLines(a)), b.home, cronLines(b));
  assert.is(readCrontab(both, b.home)?.when, '0 5 * * *');
  assert.is(editCrontab(both, a.home, []), editCrontab('', b.home, cronLines(b)));
});

test('a schedule is read back as it was written, from a crontab and from units', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((one) => !/\p{Cc}|\p{Cs}/u.test(one));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 3 }), text, (words, home) => {
      const job = { ...jobAt(`/${home}`), argv: ['/usr/bin/node', ...words.map((word) => `/${word}`), '--quiet'] };
      const read = [
        readCrontab(editCrontab('', job.home, cronLines(job)), job.home),
        readUnits(unitsOf(job, '/units')),
      ];
      for (const schedule of read) {
        const { env, argv, since, times } = schedule ?? {};
        assert.equal({ env, argv, since, times, home: job.home }, job);
      }
    }),
  );
});

test('the shell that cron starts sees the words as they were meant', () => {
  const job = { ...jobAt(NASTY), argv: ['/usr/bin/env', '-0'] };
  const [line = ''] = cronLines(job);
  assert.not.match(line, /(?<!\\)%/, 'a bare % would end the command');
  const command = line.replace(/^(?:\S+ ){5}/, '').replaceAll('\\%', '%');
  const printed = execFileSync('/bin/sh', ['-c', command], { env: {}, encoding: 'utf8' }).split('\0');
  assert.ok(printed.includes(`MENDLOOP_HOME=${NASTY}`), printed.join('\n'));
  assert.is(commandLength(line), Buffer.byteLength(command.replaceAll('%', '\\%')));
});

needs('systemd-analyze')('systemd reads the units as they were meant, and finds nothing wrong with them', () => {
  const at = folder();
  const units = unitsOf(jobAt(NASTY), at);
  for (const { path = '', text } of units) writeFileSync(path, text);
  const verify = (level: string) => {
    const env = { ...process.env, XDG_RUNTIME_DIR: at, SYSTEMD_UNIT_PATH: `${at}:`, SYSTEMD_LOG_LEVEL: level };
    const words = ['verify', '--user', '--man=no', ...units.map(({ path = '' }) => path)];
    return spawnSync('systemd-analyze', words, { env, encoding: 'utf8' });
  };
  const { status, stderr } = verify('info');
  assert.equal([status, stderr], [0, '']);
  // What it understood; a $$ becomes one when the command is started.
  const lines = verify('debug')
    .stdout.split('\n')
    .map((line) => line.trim());
  const dollars = NASTY.replaceAll('$', '$$$$');
  const word = `"${`${dollars}/mendloop.mjs`.replaceAll(/["\\$]/g, '\\$&')}"`;
  for (const line of [
    `Description: mendloop in ${NASTY}`,
    `Environment: MENDLOOP_HOME=${NASTY}`,
    `Command Line: /usr/bin/env /usr/bin/node ${word} --quiet --deadline 2h`,
    'KillMode: process',
  ])
    assert.ok(lines.includes(line), line);
});

test('what is up to an hour apart needs no line for the start of the machine', () => {
  const lines = (every: string) => cronLines({ ...jobAt('/srv/lab'), times: readTimes(undefined, every) });
  assert.is(lines('1h').length, 1);
  assert.match(lines('2h')[1] ?? '', /^@reboot sleep 60; PATH=/);
});

test('lines that start mendloop by hand are known from ours, from comments and from other programs', () => {
  const [mine, comment, other] = ['17 * * * *  cd ~/lab && mendloop --quiet', '# 1 1 * * * mendloop', '0 0 * * * x'];
  assert.equal(handWritten([mine, comment, other, ...cronLines(jobAt('/srv/lab'))].join('\n')), [mine]);
  const off = cronLines(jobAt('/srv/lab')).map((line) => `#${line}`);
  assert.is(readCrontab(off.join('\n'), '/srv/lab'), undefined, 'one that was commented out is not at work');
  assert.equal(
    ourLines(off.join('\n'), '/srv/lab'),
    off.map((text) => ({ text })),
    'but it is ours: it goes with it',
  );
});

test('a PATH keeps what lasts: each folder once, none of a single shell or call', () => {
  const path =
    '/usr/bin::.:bin:/home/me/bin:/usr/bin:/gone:/run/user/1/fnm_multishells/7_1/bin:/home/me/.npm/_npx/ab/node_modules/.bin';
  assert.is(
    lastingPath(path, (folder) => folder !== '/gone'),
    '/usr/bin:/home/me/bin',
  );
  assert.equal(
    [
      '/home/me/.npm/_npx/ab/node_modules/mendloop/dist/mendloop.mjs',
      '/usr/lib/node_modules/mendloop/dist/mendloop.mjs',
    ].map(isPassing),
    [true, false],
  );
});

test.run();
