// Who would be asked for help, and whether they could be: every plugin that can tell is asked by itself.
import type { LoopConfig } from '../config/loop-config.ts';
import type { Layout } from '../io/layout.ts';
import { callAll } from '../plugin/call.ts';
import { pluginsAt } from '../run/own-plugins.ts';
import type { Finding } from './examine.ts';

/** Throws MendError when a plugin does not load: then no run starts. */
export async function pluginFindings(layout: Layout, commit: string, loop: LoopConfig): Promise<Finding[]> {
  const { executors, escalations, notifiers } = await pluginsAt(layout, commit, loop);
  const telling = [...executors, ...escalations, ...notifiers].filter(({ hooks }) => hooks.check !== undefined);
  const checked = await callAll(telling, 'check', {});
  return checked.map((one): Finding => {
    if ('answer' in one) return { level: 'ok', what: `${one.plugin}: ${one.answer}` };
    // Stages run without them; only what fails is not mended.
    return { level: 'note', what: one.failed.replace(': check threw: ', ': ') };
  });
}
