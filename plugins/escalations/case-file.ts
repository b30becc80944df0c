// Asks nobody: the case is written for a person, who is told.
import type { Plugin } from '../../src/model.ts';

const plugin: Plugin = {
  name: 'case-file',
  kind: 'escalation',
  escalate({ stage, failure, case: { name, version } }) {
    const read = `read ai/escalations/${name}/case_v${version}.md`;
    return { hand_over: `${stage.name} failed (${failure.class}) and needs a person: ${read}` };
  },
};
export default plugin;
