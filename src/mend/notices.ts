// Telling people: every notifier, in the background, once for each failure and state. What is told is masked like everything
// that leaves. When nobody could be told, a later run tries again.

import type { Happening } from '../events.ts';
import { limited } from '../io/signals.ts';
import type { LedgerStore } from '../journal/ledger-file.ts';
import type { Redactor } from '../outbound/redact/redactor.ts';
import { callHook } from '../plugin/call.ts';
import type { Notice } from '../plugin/contract.ts';
import type { LoadedPlugin } from '../plugin/examine.ts';
import { entryOf } from '../triage/ledger.ts';

export interface NoticeScope {
  run: string;
  notifiers: readonly LoadedPlugin[];
  ledger: LedgerStore;
  /** Made when the first notice goes out. Throws RedactionError. */
  redactor(): Promise<Redactor>;
  record(...happenings: Happening[]): void;
}

export interface About {
  stage: string;
  fingerprint: string;
}

export interface Notices {
  /** Tells of a failure, unless this was the last thing told of it. Returns at once; never throws. */
  tell(notice: Omit<Notice, 'run'>, about?: About): void;
  /** Resolves when everybody is told; after `limitMs`, or with `signal`, whoever is not told yet is not told any more. */
  settled(limitMs: number, signal: AbortSignal): Promise<void>;
}

export function openNotices(scope: NoticeScope): Notices {
  const { ledger, run } = scope;
  const open = new Set<Promise<void>>();
  const stopped = new AbortController();
  const under = new Set<string>();
  return {
    tell(notice, about) {
      if (scope.notifiers.length === 0 || (about && lastTold(about) === notice.reason)) return;
      const key = `${about?.stage}/${about?.fingerprint}/${notice.reason}`;
      if (under.has(key)) return;
      under.add(key);
      const telling = tellAll(notice, about)
        .catch((error: unknown) => failed('', `nobody was told: ${(error as Error).message}`, about))
        .finally(() => open.delete(telling));
      open.add(telling);
    },
    async settled(limitMs, signal) {
      if (open.size === 0) return;
      const limit = limited(limitMs, signal);
      limit.signal.addEventListener('abort', () => stopped.abort());
      if (limit.signal.aborted) stopped.abort();
      await Promise.all(open);
      limit.end();
    },
  };

  function lastTold({ stage, fingerprint }: About): string | undefined {
    return entryOf(ledger.ledger, stage, fingerprint)?.notified;
  }

  async function tellAll(notice: Omit<Notice, 'run'>, about: About | undefined): Promise<void> {
    const { redact } = await scope.redactor();
    const masked = { ...notice, run, title: redact(notice.title), text: redact(notice.text) };
    const told = await Promise.all(scope.notifiers.map((plugin) => tellOne(plugin, masked, redact, about)));
    // One who heard is enough: the others would make a storm of it.
    if (about && told.some(Boolean)) {
      ledger.record({ type: 'notified', ...about, run, data: { state: notice.reason } });
    }
  }

  async function tellOne(
    plugin: LoadedPlugin,
    notice: Notice,
    redact: Redactor['redact'],
    about: About | undefined,
  ): Promise<boolean> {
    const called = await callHook(plugin, 'notify', notice, { signal: stopped.signal });
    if (!('failed' in called)) return true;
    failed(plugin.name, redact(called.failed.replace(': notify threw: ', ': ')), about);
    return false;
  }

  function failed(plugin: string, reason: string, about: About | undefined): void {
    const where = about ? { stage: about.stage } : {};
    scope.record({ type: 'notice', ...where, data: { text: `not told${plugin ? '' : ' anyone'}: ${reason}` } });
  }
}
