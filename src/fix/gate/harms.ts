// Which commands and tasks of a file take away what cannot be had again: for whoever wonders whether it may be run at all.
import type { ParseShell } from '../shell/node.ts';
import { Arguments, removesTrees } from './arguments.ts';
import { harmOf } from './destructive.ts';
import { type Fact, factsOf } from './facts.ts';
import { shownWords } from './shown.ts';

export interface Harmful {
  readonly line: number;
  /** The command or task, as people read it. */
  readonly words: string;
  /** It runs only where a condition of Ansible holds. */
  readonly guarded: boolean;
}

const KEPT_ELSEWHERE = /^(?:\/(?!tmp\/|var\/tmp\/|dev\/)|~|\$HOME|\$\{HOME\})/;

/** Trees outside of where scripts work; what they made themselves beside them is theirs to remove. */
const removesElsewhere = (fact: Fact): boolean =>
  removesTrees(fact) && new Arguments(fact.args).operands.some((word) => KEPT_ELSEWHERE.test(word));

/** A program that only a template tells is one of the cluster's: what else is written with its path in a variable? */
const asKnown = (fact: Fact): Fact => (/^[\ue000$]/.test(fact.program) ? { ...fact, program: 'kubectl' } : fact);

/** Modules about a tool hold nothing. */
const OF_A_TOOL = /helm_(?:plugin|repository)$/;
const HOLDS_DATA =
  /(?:proxmox|k8s|kubernetes|docker_volume|zfs|lvol|lvg|parted|filesystem|hcloud|ec2|terraform|virt|helm)/;

/** `path` only says what kind of text it is. */
export function harmsOf(path: string, text: string, parse: ParseShell): Harmful[] {
  const { language, commands, functions, tasks } = factsOf(path, text, parse, true);
  // What builds an image happens inside of it.
  if (language === 'docker') return [];
  const isFunction = (name: string) => functions.includes(name);
  const run = commands.filter((fact) => fact.role === 'run');
  return [
    ...run
      .filter((fact) => removesElsewhere(fact) || harmOf(asKnown(fact), isFunction)?.severity === 'refuse')
      .map((fact) => ({
        line: fact.line,
        words: shownWords(fact),
        guarded: fact.around.some((frame) => frame.kind === 'given' && frame.guard.includes('when')),
      })),
    ...tasks
      .filter(({ module }) => HOLDS_DATA.test(module) && !OF_A_TOOL.test(module))
      .filter(({ args }) => args.state === 'absent' || args.force === 'true')
      .map(({ module, args, words, above, line }) => ({
        line,
        words: `${module} ${args.state === 'absent' ? 'state: absent' : 'force: true'}`,
        guarded: 'when' in words || above.includes('when:'),
      })),
  ];
}
