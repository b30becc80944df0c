// The door for plugin authors, `mendloop/model`: defining a plugin, and what one that asks a model, a host or a program needs.
// The shipped plugins use nothing else of this package. A plugin without settings needs only the types, which load nothing.
export { positiveDurationSchema as durationSetting } from './config/duration.ts';
export type { Note } from './fix/edit.ts';
// The only ways out: a program, an Ollama host, an HTTP host. Whoever is at fault throws ModelFault.
export { type ModelCommand, runModelCommand } from './io/egress/model-command.ts';
export { ModelFault } from './io/egress/model-fault.ts';
export { type ChatEnd, type HostedModel, type ModelHost, machineMemory, openChat } from './io/egress/ollama-chat.ts';
export { type Posted, type PostJson, postJson } from './io/egress/post-json.ts';
export {
  addressFault,
  addressSetting,
  baseAddressSetting,
  isLanAddress,
  isLoopback,
  lanHost,
  lanHostSetting,
  mayReach,
} from './model/address.ts';
// A case: the task, the conversation, and the one reader of its answers.
export { CASE_REMINDER, CASE_TASK, type CaseAnswer, type Consultation, consult, type Turn } from './model/consult.ts';
export { type GuardedAnswer, guardAnswer, type SeenFile, seenFiles } from './model/guard-answer.ts';
export { programEnvironment, programSettings } from './model/program.ts';
export { type ReadReply, readReply } from './model/read-reply.ts';
export { isPassingStatus, pause, retryAfterMs } from './model/retry.ts';
export { repeatsSecret, secretFrom, variableSetting, withoutSecrets } from './model/secrets.ts';
export { followUp, type Refused, withFormat } from './outbound/answer-format.ts';
// A prompt: the form of the answer, why the answer before was refused, and how long a text is for a model.
export type { AnswerFormat } from './outbound/context.ts';
export { readNumbered } from './outbound/shown-files.ts';
export { estimateTokens } from './outbound/text.ts';
export type {
  Backend,
  BackendJob,
  ClassRules,
  Context,
  EarlierTry,
  Escalation,
  EscalationFacts,
  FailureFacts,
  FixFacts,
  Notice,
  Proposal,
  RefusedRound,
  Reporting,
} from './plugin/contract.ts';
export { definePlugin, type Plugin } from './plugin/hooks.ts';
