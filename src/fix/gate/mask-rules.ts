// Added lines that hide a failure instead of mending it: the stage would look green and be broken.
import { keyed, type LineRule, program } from './line-rule.ts';

const MASKS = 'masks';
const END = '(?=\\s?(?:[;)}&|`]|$))';
const QUIET = 'echo|printf|print|log\\S*|warn\\S*|info\\S*|note|say|logger|msg';
const NO_QUESTION = '^(?!(?:\\[|test |! |\\( ?\\(|command |which |type |hash |e?grep ))(?!.*(?:\\$\\(|`))';

export const MASK_RULES: readonly LineRule[] = [
  {
    name: 'failure swallowed',
    code: MASKS,
    why: 'the failure of this command no longer counts; mend why it fails',
    line: [
      new RegExp(`\\|\\| (?:\\{ |\\( ?)?(?:\\S*/)?(?:true|:|exit 0)${END}`),
      // Behind a question they are an answer; behind work they end the matter.
      new RegExp(`${NO_QUESTION}.*\\|\\| (?:\\{ |\\( ?)?(?:return 0|(?:${QUIET}) [^|;]*(?:;? ?[})])?)$`),
      new RegExp(`[^;&|({\\s] ?(?:;|&) ?(?:\\S*/)?(?:true|:)${END}`),
      /(?:^|[;&(] ?)(?:(?:true|:) \|\||false &&|if false ;|while false ;) /,
      /\| ?(?:\S*\/)?(?:true|cat > ?\/dev\/null|:)$/,
    ],
  },
  {
    name: 'ends well whatever happened',
    code: MASKS,
    why: 'ends as if all had gone well; let the real exit code through',
    command: [/^(?:(?:then|else|do|\{|!) )*exit 0+$/, /^(?:(?:then|else|do|\{) )*(?:sys\.|process\.|os\.)?[eE]xit ?0$/],
    line: [/\b(?:sys\.exit|process\.exit|os\._exit|os\.Exit) ?\( ?0 ?\)/],
  },
  {
    name: 'errors switched off',
    code: MASKS,
    why: 'switches off that the script stops at a failure',
    command: [
      /^(?:\S+ )*?set \+(?:[a-df-z]*e[a-z]*|o (?:errexit|pipefail))(?= |$)/,
      /^(?:\S+ )*?set (?:\S+ )*?\+(?:[a-df-z]*e[a-z]*|o (?:errexit|pipefail))(?= |$)/,
      /^(?:\S+ )*?(?:ba|z|k|da)?sh \+e/,
      /^(?:\S+ )*?shopt -uo? (?:errexit|pipefail)/,
      /^(?:\S+ )*?trap (?:-- )?(?:-|''|true|:) (?:\S+ )*?ERR(?= |$)/,
    ],
  },
  {
    name: 'errors not shown',
    code: MASKS,
    why: 'closes or throws away what the command would say about its failure',
    line: [/(?:^|\s)(?:2|&)>&-/, /^(?:exec) .*(?:2>|&>)\/dev\/null/],
  },
  {
    name: 'told to ignore errors',
    code: MASKS,
    why: 'tells the tool to go on as if nothing had failed',
    command: [
      /(?:^|\s)--(?:ignore-errors?|ignore-failures?|ignore-exit-codes?|no-fail(?:-on-\S+)?|never-fail|skip-errors?|allow-failures?|continue-on-errors?|exit-zero|no-exit-code|force-success)(?=[\s=]|$)(?!=(?:false|no|0))/,
      program('g?make', '(?:\\s+\\S+)*?\\s+(?:-\\w*[ik]\\w*|--ignore-errors|--keep-going)(?=\\s|$)'),
    ],
    data: [
      keyed(
        'continue[-_]on[-_]errors?|continueOnError|ignore_errors?|ignoreErrors?|ignore_unreachable|allow_failure|ignore_failed',
        'true|yes|on|always|1',
      ),
      keyed('failed_when|any_errors_fatal|fail_on_error|failOnError|fail-fast', 'false|no|never|off|\\[\\s*\\]'),
    ],
  },
];
