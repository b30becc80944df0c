// Asks nobody: the case is written for a person, who is told.
import { definePlugin } from '../../src/plugin/define.ts';

export default definePlugin({
  name: 'case-file',
  kind: 'escalation',
  escalate({ stage, failure, case: { name, version } }) {
    const read = `read ai/escalations/${name}/case_v${version}.md`;
    return { hand_over: `${stage.name} keeps failing (${failure.class}) and needs a person: ${read}` };
  },
});
