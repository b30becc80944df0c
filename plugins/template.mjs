// Copy this to plugins/<list>/<name>.mjs in your repository, and delete what you do not need.
import { z } from 'zod';

/** @type {import('mendloop/model').Plugin} */
export default {
  name: 'template',

  options: z.strictObject({ greeting: z.string().default('hello') }),

  // Rules that class failures; `match` is a regular expression on the error lines.
  classify() {
    return [{ match: 'template: no such thing', class: 'missing_file' }];
  },

  // What `mendloop doctor` says of it.
  async check() {
    return 'asks nobody';
  },

  // named under executors
  async propose({ failure }) {
    return { pass: `it knows no fix for ${failure.class}` };
  },

  // named under escalations
  async escalate({ stage, failure }) {
    return { hand_over: `${stage.name} fails with: ${failure.excerpt}` };
  },

  // named under notifiers
  async notify({ title, options }) {
    console.error(`${options.greeting}: ${title}`);
  },

  // of a notifier whose notices can be answered: what came on its topic since then, and with `follow` what comes
  async answers({ since, heard }) {
    for (const { id, time, text } of []) if (time >= since) heard({ id, time, text });
  },

  // named as the backend
  async backend() {
    return {
      async run() {
        throw new Error('the template runs nothing');
      },
    };
  },
};
