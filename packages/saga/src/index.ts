export type { SagaActionName } from './actions.ts'
export {
  cancelSaga,
  completeSaga,
  restartSaga,
  resumeSaga,
  skipStep,
  terminateSaga,
} from './control.ts'
export type { RestartOptions, SagaOperator, SkipOptions, Steering } from './control.ts'
export { SAGA_CODES, SagaError } from './errors.ts'
export type { SagaCode } from './errors.ts'
export { SAGA_ID_HEADER, sagaEvents } from './event-outbox.ts'
export type { SagaEvent, SagaEvents, SagaEventsOptions } from './event-outbox.ts'
export type { SagaStatus, StepStatus } from './instance.ts'
export { localSaga } from './local.ts'
export type { LocalSaga } from './local.ts'
export { sagaMigrations } from './migrations.ts'
export { createOrchestrator, sagaTransport } from './orchestrator.ts'
export type { OrchestratorOptions, SagaTransportOptions } from './orchestrator.ts'
export { getSaga, listSagas } from './reads.ts'
export type {
  SagaActionDetails,
  SagaDetails,
  SagaEventDetails,
  SagaListOptions,
  SagaPage,
  SagaReplyDetails,
  SagaSummary,
  StepBranch,
  StepDetails,
} from './reads.ts'
export { acceptReply, consumerInbox, sagaReplies } from './replies.ts'
export type { IncomingReply, SagaRepliesOptions } from './replies.ts'
export type { SagaResult, StepResult, StepResultStatus } from './result.ts'
export { defineSaga } from './saga.ts'
export type { AnySaga, Saga, SagaKind, SagaOptions } from './saga.ts'
export { signalSaga } from './signals.ts'
export type { Signal, SignalOutcome } from './signals.ts'
export type { ReplyOutcome } from './sql/replies.ts'
export { awaitSaga, durableSaga, startSaga, startSagas } from './start.ts'
export type { DurableSaga, StartOptions, Started } from './start.ts'
export { refuse } from './step.ts'
export type {
  Compensate,
  Conditional,
  Effect,
  EventInit,
  Refusal,
  Reply,
  ReplyOptions,
  ReplyRun,
  SignalOptions,
  SignalRun,
  StepOptions,
  StepRun,
  TimerOptions,
} from './step.ts'
export { sagaTurns } from './turn-outbox.ts'
export type { Turn, TurnRow } from './turn-outbox.ts'
export type { OldInstance, Upgrade, UpgradedInstance } from './upgrade.ts'
