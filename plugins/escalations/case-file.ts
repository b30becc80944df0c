// Asks nobody: the case is written for a person, who is told.
import { definePlugin } from '../../src/plugin/define.ts';

export default definePlugin({
  name: 'case-file',
  kind: 'escalation',
  escalate({ stage, failure, tries, case: { name, version } }) {
    const count = tries.length === 1 ? '1 try' : `${tries.length} tries`;
    const after = tries.length === 0 ? '' : ` after ${count}`;
    const read = `read ai/escalations/${name}/case_v${version}.md`;
    return { hand_over: `${stage.name} keeps failing (${failure.class})${after} and needs a person: ${read}` };
  },
});
