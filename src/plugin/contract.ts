// The contract of plugins: what each hook is told, what it may answer as a schema (anything more or less is a failure of its
// plugin), which list of ai/loop.yaml calls for it and how long it may take. Contexts are copies, frozen all the way down.
import * as z from 'zod';
import type { Stage } from '../config/context-map.ts';
import type { Frozen } from '../config/freeze.ts';
import { classRuleSchema } from '../config/loop-config.ts';
import type { AttemptEnd, FailureClass } from '../events.ts';
import type { RefusalCode, ShownPlace } from '../fix/edit.ts';
import type { Choice, Try } from '../outbound/context.ts';
import type { Repository } from '../repository/definition.ts';
import type { Place } from '../repository/rank/place.ts';
import type { Vocabularies } from '../repository/vocabulary/vocabulary.ts';

/** The failure that is to be mended. */
export interface FailureFacts {
  readonly fingerprint: string;
  readonly class: FailureClass;
  readonly error_lines: readonly string[];
  /** At most two lines that tell it, for people. */
  readonly excerpt: string;
  /** Where the whole log is, from home. */
  readonly log: string;
}

/** Why an answer of this plugin was refused, earlier in this try. */
export interface RefusedRound {
  /** What it was to do, as its author said. */
  readonly fix?: string;
  readonly code: RefusalCode;
  readonly reasons: readonly string[];
  /** Lines of files that it comes closest to, masked: to show with them how an answer is written. */
  readonly places?: readonly ShownPlace[];
}

/** Names by kind, and the words of tools: what the gate's proofs look at, too. */
export interface Definitions {
  readonly repository: Repository;
  readonly vocabulary: Vocabularies;
}

/** What whoever is asked for a fix is told. */
export interface FixFacts {
  readonly stage: Stage & { readonly name: string };
  readonly failure: FailureFacts;
  /** The files that this stage may change, as paths from the root. */
  readonly files: readonly string[];
  /** The text of one of `files`. Rejects for any other path, and once the call is over. */
  readonly read: (path: string) => Promise<string>;
  /** The text of any path of `tree`, to look at; '' when it is no text. Rejects as `read` does. */
  readonly look: (path: string) => Promise<string>;
  /** Whether bash would take a text for a script: its syntax alone, nothing of it runs. */
  readonly shell: { parses(text: string): Promise<boolean> };
  /** What the repository and the tools define, read when it is first asked for. Rejects once the call is over. */
  readonly definitions: () => Promise<Definitions>;
  /** Every path of the repository, at the commit the stage runs from. */
  readonly tree: readonly string[];
  /**
   * Where the failure points in the whole repository, the likeliest file first, with the lines it means and why. What is not one of
   * `files` may only be looked at.
   */
  readonly places: readonly Place[];
  /** What stages find around them: PATH, and the names of the variables that are set. */
  readonly surroundings: { readonly path: string; readonly variables: readonly string[] };
  /** All of this as a prompt for a model, secrets masked: the only text that may leave the machine. '' for who needs none. */
  readonly prompt: string;
  /** Changes that the prompt offers, numbered from 1; none of them may be right. */
  readonly choices: readonly Choice[];
  /** Earlier tries on the same fingerprint, and what became of them. */
  readonly tries: readonly Try[];
  readonly refused: readonly RefusedRound[];
  readonly limits: { readonly files: number; readonly changed_lines: number };
}

export interface EscalationFacts extends FixFacts {
  readonly case: { readonly name: string; readonly version: number; readonly text: string };
}

/** A change that waits for a word: what a notifier shows of it, all masked, and how it is answered. */
export interface NoticeAsk {
  readonly case: string;
  /** One plain sentence. */
  readonly sentence: string;
  /** The line or two of the log that tell the failure. */
  readonly error: string;
  /** Why a person is asked. */
  readonly reasons: readonly string[];
  /** At most 15 lines. */
  readonly diff: string;
  /** How many lines more it has. */
  readonly more: number;
  /** Works once: with `accept` or `decline` before it. */
  readonly token: string;
  /** Until then. */
  readonly expires: string;
}

/** A message of an answer topic. */
export interface HeardAnswer {
  readonly id: string;
  /** Unix time, in seconds. */
  readonly time: number;
  readonly text: string;
}

/** Something that a person should know. */
export interface Notice {
  readonly reason: 'hand_over' | 'give_up' | 'external' | 'safe_mode' | 'conflict' | 'recovered';
  readonly stage?: string;
  readonly run: string;
  readonly title: string;
  readonly text: string;
  /** It can be answered. */
  readonly ask?: NoticeAsk;
}

/** One command for a backend to run to its end. */
export interface BackendJob {
  readonly step: string;
  readonly command: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly log: string;
  readonly timeout_ms: number;
}

/** Where commands run. `run` resolves however the command ended; it rejects only when the backend itself failed. */
export interface Backend {
  run(job: BackendJob, signal: AbortSignal): Promise<AttemptEnd>;
  /** Cancels what is left, at the end of a run. */
  close?(): Promise<void>;
}

const MAX_ANSWER = 1_000_000;

const filled = z.string().min(1);
const text = (max: number) => filled.max(max, { error: `expected text of at most ${max} characters` });
const words = text(4000);
const noteSchema = z.strictObject({ fix: words, reason: words });

/** What a model said, as it said it: read and judged by the loop. */
const modelAnswer = z.strictObject({ answer: text(MAX_ANSWER), note: noteSchema.optional() });

/** New texts of whole files, and files to be made executable. */
const changedFiles = z
  .strictObject({
    files: z.record(filled, z.string().max(MAX_ANSWER, { error: 'expected a text, not a whole archive' })),
    executable: z.array(filled).optional(),
    note: noteSchema,
  })
  .refine(({ files, executable = [] }) => Object.keys(files).length + executable.length > 0, {
    error: 'it changes no file',
  });

/** No fix, and why. `unsure`: it knows the fault and says why no fix is certain, which is recorded for whoever comes next. */
const pass = z.strictObject({ pass: words, unsure: z.literal(true).optional() });
/** Commands whose output would help: argv each, no shell. */
const diagnostics = z.strictObject({ diagnostics: z.array(z.array(filled).min(1)).min(1) });
/** Somebody answered, and nothing that could be used; why, for whoever is asked again. */
const unreadable = z.strictObject({ unreadable: words });
/** This needs a person; what to tell them. */
const handOver = z.strictObject({ hand_over: text(MAX_ANSWER) });

export const proposalSchema = z.union([modelAnswer, changedFiles, pass, unreadable], {
  error: 'expected exactly one of answer, files, pass and unreadable',
});

export const escalationSchema = z.union([modelAnswer, changedFiles, pass, unreadable, diagnostics, handOver], {
  error: 'expected exactly one of answer, files, pass, unreadable, diagnostics and hand_over',
});

const classRulesSchema = z.array(classRuleSchema);

/** The one answer that is no plain data: an object that runs commands. */
const backendSchema = z.custom<object>(
  (value) => typeof (value as { run?: unknown } | null)?.run === 'function' && typeof value === 'object',
  { error: 'expected an object with a function run' },
);

/** What a notifier returns does not matter: it told somebody, or it threw. */
const anything = z.unknown().transform(() => undefined);

export type ClassRules = Frozen<z.input<typeof classRulesSchema>>;
export type Proposal = Frozen<z.output<typeof proposalSchema>>;
/** A proposal that is one. */
export type Change = Exclude<Proposal, { pass: string } | { unreadable: string }>;
export type Escalation = Frozen<z.output<typeof escalationSchema>>;

/** What the loop gives to each hook, and what it gets back once that is checked. */
interface HookTypes {
  classify: { given: Record<never, never>; answer: Frozen<z.output<typeof classRulesSchema>> };
  check: { given: Record<never, never>; answer: string };
  propose: { given: FixFacts; answer: Proposal };
  escalate: { given: EscalationFacts; answer: Escalation };
  notify: { given: Notice; answer: undefined };
  answers: { given: { readonly follow: boolean; readonly since: number }; answer: undefined };
  backend: { given: { readonly run: string }; answer: Backend };
}

export type HookName = keyof HookTypes;
export type Given<H extends HookName> = HookTypes[H]['given'];
export type Answer<H extends HookName> = HookTypes[H]['answer'];

/** How fast a model gave one answer; what its host did not tell is absent. */
export interface Speed {
  /** Tokens that it had not read before, and the milliseconds until its first word, without `load_ms`. */
  readonly read?: { readonly tokens: number; readonly ms: number };
  readonly wrote?: { readonly tokens: number; readonly ms: number };
  /** Until the model was in memory. */
  readonly load_ms?: number;
  /** The answer came in one piece. */
  readonly whole?: true;
}

/** The last answers of each model, kept in ai/state. `who` is a host and a model. */
export interface Speeds {
  of(who: string): readonly Speed[];
  add(who: string, speed: Speed): void;
}

/** What a plugin may tell while it works. */
export interface Reporting {
  /** One line for people, kept in the journal: whom it asks, and why. Heard until the call is over. */
  readonly say: (text: string) => void;
  /** What changes by the second, for whoever watches; kept nowhere. Heard until the call is over. */
  readonly progress: (text: string) => void;
  /** Tells each message of its answer topic, for `answers`. */
  readonly heard: (message: HeardAnswer) => void;
  /** A text with every secret masked: what a model said goes back to it only like this. */
  readonly mask: (text: string) => string;
  /** Tokens that a model read and wrote, and what they cost. They count for the day, whatever comes of the answer. */
  readonly used: (tokens: number, dollars?: number) => void;
  /** Milliseconds until the run must end; Infinity outside of one. */
  readonly timeLeft: () => number;
  readonly speeds: Speeds;
}

/** What a plugin sees: what it was given, its own settings, whom to tell, and when to stop. */
export type Context<H extends HookName, O = unknown> = Given<H> &
  Reporting & {
    readonly options: Frozen<O>;
    /** Of this call: given when its time is up, when the run stops, and once it has answered. */
    readonly signal: AbortSignal;
  };

/** The keys of ai/loop.yaml that name plugins, and what one such plugin is called. */
export const KINDS = {
  executors: 'executor',
  escalations: 'escalation',
  notifiers: 'notifier',
  backends: 'backend',
} as const;

export type List = keyof typeof KINDS;
export const LISTS = Object.keys(KINDS) as readonly List[];

/** The key under which ai/loop.yaml names plugins of a list. */
export const keyOf = (list: List): string => (list === 'backends' ? 'backend' : list);

export interface Hook {
  /** null: any plugin may have it. */
  readonly list: List | null;
  readonly answer: z.ZodType;
  /** Whether the answer must be plain data; it is then copied before anyone looks at it. */
  readonly plain: boolean;
  /** Infinity: as long as the run; whoever is asked there may need hours. */
  readonly timeoutMs: number;
}

export const HOOKS: Readonly<Record<HookName, Hook>> = {
  classify: { list: null, answer: classRulesSchema, plain: true, timeoutMs: 10_000 },
  check: { list: null, answer: words, plain: true, timeoutMs: 10_000 },
  propose: { list: 'executors', answer: proposalSchema, plain: true, timeoutMs: Number.POSITIVE_INFINITY },
  escalate: { list: 'escalations', answer: escalationSchema, plain: true, timeoutMs: Number.POSITIVE_INFINITY },
  notify: { list: 'notifiers', answer: anything, plain: false, timeoutMs: 30_000 },
  answers: { list: null, answer: anything, plain: false, timeoutMs: 10_000 },
  backend: { list: 'backends', answer: backendSchema, plain: false, timeoutMs: 30_000 },
};

export const HOOK_NAMES = Object.keys(HOOKS) as readonly HookName[];

/** The hook that a plugin must have to stand in `list`. */
export const hookOf = (list: List): HookName => HOOK_NAMES.find((name) => HOOKS[name].list === list) as HookName;

type Eventually<T> = T | Promise<T>;

/** What a plugin file exports by default: its name is that of its file, each hook is optional, and at least one is there. */
export interface Plugin<O extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** Only for readers, and checked: which list may name it. */
  readonly kind?: (typeof KINDS)[List];
  /** The settings it takes under `plugins.<name>` in ai/loop.yaml; without it, none. They must be plain data. */
  readonly options?: O;
  /** Rules that class failures, asked for once, before the first stage. When it fails, the run does not start. */
  classify?(context: Context<'classify', z.output<O>>): Eventually<ClassRules>;
  /** For `doctor`: who would be asked, in one line. Throws what is wrong, and what to do. */
  check?(context: Context<'check', z.output<O>>): Eventually<string>;
  /** A fix for a failure. Throws when whoever it asks cannot be reached: that is no try. */
  propose?(context: Context<'propose', z.output<O>>): Eventually<Proposal>;
  /** A fix, a request for diagnostics, or a hand-over, for a failure that keeps coming back. Throws as `propose` does. */
  escalate?(context: Context<'escalate', z.output<O>>): Eventually<Escalation>;
  /** Tells a person. Throws when it could not, which is only noted. */
  notify?(context: Context<'notify', z.output<O>>): unknown;
  /** Of a notifier: tells what came on its answer topic since a time, and with `follow` what comes, until it is stopped. */
  answers?(context: Context<'answers', z.output<O>>): unknown;
  /** Where commands run. When it fails, the run does not start. */
  backend?(context: Context<'backend', z.output<O>>): Eventually<Backend>;
}

/** Returns `plugin` as it is: only there so that an editor knows the types of every hook. */
export function definePlugin<O extends z.ZodType>(plugin: Plugin<O>): Plugin<O> {
  return plugin;
}
