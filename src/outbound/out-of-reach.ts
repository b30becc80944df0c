// Whether a failure is one that no fix may mend: the text of a file does not parse, and that file is not to be changed.
import type { FailureContext } from './context.ts';
import { hasSuspect, suspicionOf } from './parts/suspicion-of.ts';

/** Of the text itself, not of what it means: nothing that is written elsewhere makes it right. */
const SYNTAX =
  /\b(?:did not find expected|mapping values are not allowed|cannot start any token|found (?:duplicate|undefined|unexpected|unknown)|duplicated? (?:mapping )?key|bad indentation|could not find expected|while (?:parsing|scanning) a|yaml: line \d+|unexpected (?:token|character|end of)|invalid (?:character|escape|expression)|Unclosed|unterminated|unclosed|Expecting (?:value|property name|',' delimiter)|syntax error)\b/i;
/** A script that says where it was when it failed is not at fault for that. */
const IS_DATA = /\.(?:ya?ml|json5?|toml|tf|tofu|tfvars|hcl|ini|cfg|conf|env|j2|jinja2?|tmpl|gotmpl|tpl|tftpl)$/i;

/** Whether it is worth asking. */
export const isSyntaxError = ({ class: name, error_lines }: FailureContext['failure']): boolean =>
  name === 'yaml_parse_error' || error_lines.some((line) => SYNTAX.test(line));

/**
 * In a sentence why only a person can mend it; undefined wherever somebody else might: when more than one such file is
 * named, or anything that may be changed is suspected.
 */
export function outOfReach(context: FailureContext): string | undefined {
  if (!isSyntaxError(context.failure)) return undefined;
  const overview = suspicionOf(context);
  const { closed, rendered, isEditable } = overview;
  const made = rendered.filter(({ from }) => !isEditable(from));
  const faulty = [...closed.filter((path) => IS_DATA.test(path)), ...made.map(({ from }) => from)];
  const [path, ...others] = new Set(faulty);
  if (path === undefined || others.length > 0 || hasSuspect(overview)) return undefined;
  const source = made.find(({ from }) => from === path);
  if (!source) return `the error is in ${path}, which no fix may change`;
  const maker = source.by === undefined ? '' : ` by ${source.by}`;
  return `the error is in ${source.written}, made${maker} from ${path}, which no fix of this stage may change`;
}
