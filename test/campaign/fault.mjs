// Loaded before the entry by the campaign: ends the process at a chosen moment, alone or with all that it started, or sets
// its clock. Told by the environment, so that stages and git, which inherit it, know nothing of it.
//   FAULT_AT=fsync:12 | event:fix.committed:2 | before:fix.committed:2    FAULT_WHOLE=1    FAULT_CLOCK=<ms> | <ms>@<fsyncs>    FAULT_STATS=<file>
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const { FAULT_AT = '', FAULT_WHOLE, FAULT_CLOCK = '', FAULT_STATS, CAMPAIGN_MARK } = process.env;

if (isMainThread) {
  const stats = { fsyncs: 0, events: [] };
  const [kind, what = '', count = '1'] = FAULT_AT.split(':');
  const journals = new Set();
  let seen = 0;
  let due = false;

  const { openSync, fsyncSync, writeFileSync } = fs;
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
    if (kind === 'event' && types.some(reached)) due = true;
  };
  fs.fsyncSync = (fd) => {
    fsyncSync(fd);
    stats.fsyncs++;
    if (stats.fsyncs === jumpAt) offset = jump;
    if (due || (kind === 'fsync' && stats.fsyncs === Number(what))) end();
  };
  syncBuiltinESMExports();

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
