// The door for plugin authors, `mendloop/model`. The shipped plugins use nothing else of this package. A plugin without settings
// needs only the types, which load nothing.

// A plugin, what it is told and what it answers.

export type { Note } from './fix/edit.ts';
export {
  type Backend,
  type BackendJob,
  type ClassRules,
  type Context,
  type Definitions,
  definePlugin,
  type Escalation,
  type EscalationFacts,
  type FailureFacts,
  type FixFacts,
  type HeardAnswer,
  type Notice,
  type NoticeAsk,
  type Plugin,
  type Proposal,
  type RefusedRound,
  type Reporting,
  type Speed,
  type Speeds,
} from './plugin/contract.ts';
export type { Place } from './repository/rank/place.ts';

// The only ways out: a program, an Ollama host, an HTTP host. Whoever does not do its part throws ModelFault.

export { type ModelCommand, runModelCommand } from './io/egress/model-command.ts';
export { ModelFault } from './io/egress/model-fault.ts';
export {
  type ChatEnd,
  type HostedModel,
  type ModelHost,
  machineHasGpu,
  machineMemory,
  openChat,
} from './io/egress/ollama-chat.ts';
export { getJson, type Posted, type PostJson, postJson } from './io/egress/post-json.ts';
export { type ReadLines, readLines } from './io/egress/read-lines.ts';
export * from './model/retry.ts';

// Settings, where a plugin may send to, and secrets that no report repeats.

export { positiveDurationSchema as durationSetting } from './config/schema-parts.ts';
export * from './model/address.ts';
export * from './model/environment.ts';

// Asking a model in its time: one question; or for a change, in the form that suits, with the answer checked.

export * from './model/ask-for-change.ts';
export * from './model/ask-model.ts';
export * from './model/guard-answer.ts';
export * from './model/speed.ts';
export { followUp, type Refused, withFormat } from './outbound/answer-format.ts';
export { withChoice } from './outbound/choices.ts';
export type { AnswerFormat, Choice, Try } from './outbound/context.ts';
export { readNumbered } from './outbound/shown-files.ts';
export { estimateTokens } from './outbound/text.ts';

// Asking about a case: the task, the conversation, and the one reader of its answers.

export * from './model/consult.ts';
export * from './model/read-reply.ts';
