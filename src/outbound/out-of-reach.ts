// Whether a failure is one that no fix may mend: what is wrong stands in a file that is not to be changed.
import { MAP_FILE } from '../config/files.ts';
import { complains } from '../failure/meaning.ts';
import type { FailureContext } from './context.ts';
import { hasSuspect, suspicionOf } from './parts/suspicion-of.ts';

/** Of what is missing: another file may have it. Nothing else that is said of a text is made right elsewhere. */
const MISSING = complains('lost', 'unknown');
/** Of the text itself, not of what it means. */
const SYNTAX =
  /\b(?:did not find expected|mapping values are not allowed|cannot start any token|found (?:duplicate|undefined|unexpected|unknown)|duplicated? (?:mapping )?key|bad indentation|could not find expected|while (?:parsing|scanning) a|yaml: line \d+|unexpected (?:token|character|end of)|invalid (?:character|escape|expression)|Unclosed|unterminated|unclosed|Expecting (?:value|property name|',' delimiter)|syntax error)\b/i;
/** A program that says where it was when it failed is not at fault for that. */
const IS_PROGRAM = /\.(?:sh|bash|zsh|py|[cm]?js|ts|rb|pl|go|ps1)$|(?:^|\/)[^./]+$/i;

const isOfText = ({ class: name, error_lines }: FailureContext['failure']): boolean =>
  name === 'yaml_parse_error' ||
  error_lines.some((line) => SYNTAX.test(line)) ||
  !error_lines.some((line) => MISSING.test(line));

/**
 * In a sentence why only a person can mend it, with the line of `files` that would let fixes do it (`mayOpen`: nothing else forbids
 * them); undefined wherever somebody else might: anything that may be changed is suspected.
 */
export function outOfReach(context: FailureContext, mayOpen: (path: string) => boolean): string | undefined {
  const { stage, failure } = context;
  const hasFiles = stage.files === undefined || stage.files.length > 0;
  if (hasFiles && !isOfText(failure)) return undefined;
  const overview = suspicionOf(context);
  const { closed, rendered, isEditable } = overview;
  const made = rendered.filter(({ from }) => !isEditable(from));
  const named = closed.filter((path) => !hasFiles || !IS_PROGRAM.test(path));
  const faulty = [...new Set([...named, ...made.map(({ from }) => from)])];
  const open = faulty.filter(mayOpen).map((path) => JSON.stringify(path));
  const where = `to files of ${stage.name} in ${MAP_FILE}, commit, then: mendloop reset ${stage.name}`;
  const allow =
    open.length === 0
      ? ''
      : `; to let fixes change ${open.length > 1 ? 'them' : 'it'}, add ${open.join(', ')} ${where}`;
  if (!hasFiles)
    return `${stage.name} has no files that a fix may change${allow || `; to have it mended, add some ${where}`}`;
  const [path, ...others] = faulty;
  if (path === undefined || hasSuspect(overview)) return undefined;
  if (others.length > 0) return `the errors are in ${faulty.join(', ')}, which no fix may change${allow}`;
  const source = made.find(({ from }) => from === path);
  const maker = source?.by === undefined ? '' : ` by ${source.by}`;
  const what = source
    ? `${source.written}, made${maker} from ${path}, which no fix of this stage may`
    : `${path}, which no fix may`;
  return `the error is in ${what} change${allow}`;
}
