// The words behind a program as options, verbs and operands, however they are spelled: joined short options, long ones cut short.
import type { Word } from '../shell/words.ts';

/** Options of cluster tools that stand before the verb, with a value. */
const VALUED =
  /^--(?:namespace|context|kubeconfig|kube-context|talosconfig|nodes|endpoints|cluster|server|profile|region)$/;

export class Arguments {
  readonly words: readonly string[];
  /** What is no option, in order. */
  readonly operands: readonly string[];
  readonly all: string;

  constructor(words: readonly Pick<Word, 'text'>[]) {
    this.words = words.map(({ text }) => text);
    this.operands = this.words.filter(
      (word, i) => (!/^[-+]/.test(word) || word === '-') && !VALUED.test(this.words[i - 1] ?? ''),
    );
    this.all = this.words.join(' ');
  }

  /** Whether one of the short options (letters) or long ones stands here; tools take `--recurs` for `--recursive`. */
  has(short: string, ...long: string[]): boolean {
    return this.words.some((word) => {
      if (/^--?[\w-]{2,}/.test(word) && long.some((name) => isLong(word, name))) return true;
      return short !== '' && /^-[^-]/.test(word) && new RegExp(`[${short}]`).test(word.replace(/=.*/, '').slice(1));
    });
  }

  /** Whether one of the first `within` operands is one of these. */
  verb(verbs: RegExp, within = 3): boolean {
    return this.operands.slice(0, within).some((word) => verbs.test(word));
  }

  /** Whether the operands begin with these, others between left out. */
  verbs(...verbs: RegExp[]): boolean {
    let at = 0;
    for (const verb of verbs) {
      const next = this.operands.findIndex((word, i) => i >= at && verb.test(word));
      if (next === -1 || next > at + 2) return false;
      at = next + 1;
    }
    return true;
  }

  /** The value of an option, in the same word or the next. */
  value(pattern: RegExp): string | undefined {
    for (const [i, word] of this.words.entries()) {
      const [option = '', ...rest] = word.split('=');
      if (!pattern.test(option)) continue;
      return rest.length > 0 ? rest.join('=') : this.words[i + 1];
    }
    return undefined;
  }

  any(pattern: RegExp): boolean {
    return this.words.some((word) => pattern.test(word));
  }
}

const CLUSTER_TOOLS = /^(?:kubectl|k|oc|helm|helmfile|flux|talosctl|velero|cilium)$/;

/** What a tool is told to do: its first operand; of cluster tools the one behind `-n namespace`. */
export function verbOf({ program, args }: { program: string; args: readonly Pick<Word, 'text'>[] }): string {
  const words = CLUSTER_TOOLS.test(program) ? args.filter((_, i) => args[i - 1]?.text !== '-n') : args;
  return new Arguments(words).operands[0] ?? '';
}

/** Whether it removes whole trees. */
export const removesTrees = ({ program, args }: { program: string; args: readonly Pick<Word, 'text'>[] }): boolean =>
  program === 'rm' && new Arguments(args).has('rR', 'recursive');

function isLong(word: string, name: string): boolean {
  const given = word.replace(/^--?/, '').replace(/=.*/, '');
  return word.startsWith('--') ? given === name || (given.length >= 3 && name.startsWith(given)) : given === name;
}
