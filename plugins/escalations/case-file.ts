// Asks nobody: the case is written for a person, who is told.
import { definePlugin } from '../../src/plugin/define.ts';

export default definePlugin({
  name: 'case-file',
  kind: 'escalation',
  escalate({ stage, failure, tries, case: { name } }) {
    const tried = tries.length === 1 ? '1 earlier try' : `${tries.length} earlier tries`;
    return {
      hand_over: `${stage.name} keeps failing (${failure.class}) after ${tried} and needs a person; the case ${name} has the evidence`,
    };
  },
});
