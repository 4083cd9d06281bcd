export type { SagaActionName } from './operate/actions.ts'
export { cancelSaga, resumeSaga, skipStep, terminateSaga } from './operate/control.ts'
export type { SagaOperator, SkipOptions, Steering } from './operate/control.ts'
export { SAGA_CODES, SagaError } from './errors.ts'
export type { SagaCode } from './errors.ts'
export { SAGA_ID_HEADER, sagaEvents } from './outbox/event-outbox.ts'
export type { SagaEvent, SagaEvents, SagaEventsOptions } from './outbox/event-outbox.ts'
export type { SagaStatus, StepStatus } from './run/instance.ts'
export { sagas } from './start/sagas.ts'
export type { ExecuteOptions, Sagas, SagasOptions } from './start/sagas.ts'
export { endOfSaga, sagaRetention } from './operate/retention.ts'
export type { SagaRetentionOptions } from './operate/retention.ts'
export { getSaga, listSagas } from './operate/reads.ts'
export type { SagaDetails, SagaListOptions, SagaPage } from './operate/reads.ts'
export type {
  SagaActionDetails,
  SagaEventDetails,
  SagaReplyDetails,
  SagaSummary,
  StepBranch,
  StepDetails,
} from './operate/reads.sql.ts'
export { acceptReply, consumerInbox, sagaReplies } from './events/replies.ts'
export type { IncomingReply, SagaName, SagaRepliesOptions } from './events/replies.ts'
export { findSaga } from './start/keys.sql.ts'
export type { SagaKey } from './start/keys.sql.ts'
export type { SagaResult, StepResult, StepResultStatus } from './start/start.ts'
export { defineSaga } from './define/saga.ts'
export type {
  AnySaga,
  OldInstance,
  Saga,
  SagaKind,
  SagaOptions,
  Upgrade,
  UpgradedInstance,
} from './define/saga.ts'
export type { Signal, SignalOutcome } from './events/replies.ts'
export type { ReplyOutcome } from './events/replies.sql.ts'
export { awaitSaga, startSaga, startSagas } from './start/start.ts'
export type { StartOptions, Started } from './start/start.ts'
export type { Stored } from './define/stored.ts'
export { refuse } from './define/step.ts'
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
} from './define/step.ts'
export { sagaTurns } from './outbox/turn-outbox.ts'
export type { Turn, TurnRow } from './outbox/turn-outbox.ts'

export { sagaMigrations } from './migrations.ts'
