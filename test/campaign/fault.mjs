// Loaded before the entry by the campaign: ends the process at a chosen moment, alone or with all that it started, or sets
// its clock. Told by the environment, so that stages and git, which inherit it, know nothing of it.
//   FAULT_AT=fsync:12 | before:fix.committed:2 | written:fix.committed:2 | event:fix.committed:2 (it is synced, too)    FAULT_WHOLE=1
//   FAULT_CLOCK=<ms> | <ms>@<fsyncs>    FAULT_STATS=<file>
//   FAULT_SYNCED=<file>: of each file that is synced, its inode and size    FAULT_CALLS=<file>: the events, between the calls of git
import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const {
  FAULT_AT = '',
  FAULT_WHOLE,
  FAULT_CLOCK = '',
  FAULT_STATS,
  FAULT_SYNCED,
  FAULT_CALLS,
  CAMPAIGN_MARK,
} = process.env;

if (isMainThread) {
  // bin/git asks whether a call is the loop's own.
  process.env.FAULT_LOOP = String(process.pid);
  const stats = { fsyncs: 0, events: [] };
  const [kind, what = '', count = '1'] = FAULT_AT.split(':');
  const journals = new Set();
  let seen = 0;
  let due = false;

  const { openSync, fstatSync, writeFileSync, appendFileSync } = fs;
  fs.openSync = (path, ...rest) => {
    const fd = openSync(path, ...rest);
    if (/(?:events|actions\/[^/]+)\.jsonl$/.test(String(path))) journals.add(fd);
    else journals.delete(fd);
    return fd;
  };
  fs.writeFileSync = (file, text, ...rest) => {
    const isJournal = typeof file === 'number' && journals.has(file);
    const types = isJournal
      ? String(text)
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line).type)
      : [];
    const reached = (type) => type === what && ++seen === Number(count);
    if (kind === 'before' && types.some(reached)) end();
    writeFileSync(file, text, ...rest);
    stats.events.push(...types);
    if (FAULT_CALLS) for (const type of types) appendFileSync(FAULT_CALLS, `event\t${type}\n`);
    if (kind === 'written' && types.some(reached)) end();
    if (kind === 'event' && types.some(reached)) due = true;
  };
  for (const name of ['fsyncSync', 'fdatasyncSync']) {
    const sync = fs[name];
    fs[name] = (fd) => {
      const size = sizeOf(fd);
      sync(fd);
      synced(size);
    };
  }
  for (const name of ['fsync', 'fdatasync']) {
    const sync = fs[name];
    fs[name] = (fd, done) => {
      const size = sizeOf(fd);
      sync(fd, (error) => {
        if (!error) synced(size);
        done(error);
      });
    };
  }
  syncBuiltinESMExports();
  const handle = await open(process.execPath);
  const handles = Object.getPrototypeOf(handle);
  await handle.close();
  for (const name of ['sync', 'datasync']) {
    const sync = handles[name];
    handles[name] = async function () {
      const size = sizeOf(this.fd);
      await sync.call(this);
      synced(size);
    };
  }

  function sizeOf(fd) {
    const { ino, size } = fstatSync(fd);
    return `${ino} ${size}\n`;
  }

  function synced(size) {
    if (FAULT_SYNCED) appendFileSync(FAULT_SYNCED, size);
    stats.fsyncs++;
    if (stats.fsyncs === jumpAt) offset = jump;
    if (due || (kind === 'fsync' && stats.fsyncs === Number(what))) end();
  }

  const [jumpText, jumpAtText = '0'] = FAULT_CLOCK.split('@');
  const jump = Number(jumpText || 0);
  const jumpAt = Number(jumpAtText);
  let offset = jumpAt === 0 ? jump : 0;
  if (jump !== 0) {
    const Real = Date;
    globalThis.Date = class extends Real {
      constructor(...given) {
        if (given.length > 0) super(...given);
        else super(Real.now() + offset);
      }
      static now() {
        return Real.now() + offset;
      }
    };
  }

  if (FAULT_STATS) process.on('exit', () => writeFileSync(FAULT_STATS, JSON.stringify({ ...stats, ...used() })));

  /** Processor time of this process and of what it waited for, and its memory. */
  function used() {
    const fields = fs
      .readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { cpuMs: ticks * 10, rssKb: process.resourceUsage().maxRSS };
  }

  function end() {
    if (FAULT_WHOLE) for (const pid of marked()) kill(pid);
    process.kill(process.pid, 'SIGKILL');
  }

  /** Every process that carries this case's mark, but this one. */
  function marked() {
    return fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .filter((name) => {
        try {
          return fs
            .readFileSync(`/proc/${name}/environ`, 'utf8')
            .split('\0')
            .includes(`CAMPAIGN_MARK=${CAMPAIGN_MARK}`);
        } catch {
          return false;
        }
      })
      .map(Number);
  }

  function kill(pid) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}
