import { DeliveryError, refused, retryLater, unreachable, type Outcome } from '@posthorn/engine'
import { protocolErrorsCodesById } from '@platformatic/kafka'
import { TransportError } from '../errors.ts'
import type { Faulty } from '../deliver/gate.ts'

/** Trying again cannot help: an operator has to change the message, the topic or the rights. */
const NEVER = new Set([
  'CLUSTER_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'INVALID_RECORD',
  'INVALID_TOPIC_EXCEPTION',
  'POLICY_VIOLATION',
  'TOPIC_AUTHORIZATION_FAILED',
  'UNSUPPORTED_FOR_MESSAGE_FORMAT',
])

/** Said about a partition's whole batch; a smaller one may pass. */
const TOO_LARGE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'])

/** The partition's leader is another broker, or none yet. */
const MOVED = new Set([
  'FENCED_LEADER_EPOCH',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_OR_FOLLOWER',
  'UNKNOWN_TOPIC_OR_PARTITION',
])

/**
 * No broker can take messages yet: the cluster has just started, or brokers have left. Where too few
 * replicas are in sync, nothing is appended.
 */
const NOT_READY = new Set([
  ...MOVED,
  'BROKER_NOT_AVAILABLE',
  'COORDINATOR_LOAD_IN_PROGRESS',
  'COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR',
  'NOT_ENOUGH_REPLICAS',
])

/** The connection was never made, so nothing was sent. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
])

/** The brokers do not let us in: a password that was changed says nothing about any message. */
const NOT_LET_IN = new Set([
  'ILLEGAL_SASL_STATE',
  'PLT_KFK_AUTHENTICATION',
  'SASL_AUTHENTICATION_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
])

/** What Kafka's own error code of a partition means for the messages that went there. */
export function outcomeOfCode(code: number, message: string | null): Outcome | Faulty {
  const id = nameOf(code)
  const error = new DeliveryError(id, message ?? `Kafka answered ${id}`)
  if (TOO_LARGE.has(id)) return { kind: 'faulty', error }
  if (NOT_READY.has(id)) return unreachable(error)
  return NEVER.has(id) ? refused(error) : retryLater(error)
}

/** Whether the same request may find the leader a moment later. */
export function hasMoved(code: number): boolean {
  return MOVED.has(nameOf(code))
}

/** Whether all that went wrong is a broker's answer that it, or the cluster, is not ready yet. */
export function isNotReady(error: unknown): boolean {
  const causes = [...tree(error)].filter(
    ({ errors, cause }) => !isRecord(cause) && !(Array.isArray(errors) && errors.length > 0),
  )
  return causes.length > 0 && causes.every(({ apiId }) => NOT_READY.has(String(apiId)))
}

/** What an error without a code for the partition means. */
export function outcomeOfError(error: unknown): Outcome {
  for (const each of tree(error)) {
    if (NOT_CONNECTED.has(String(each['code']))) return unreachable(error)
    if (NOT_LET_IN.has(String(each['apiId'] ?? each['code']))) return unreachable(error)
    if (NEVER.has(String(each['apiId']))) return refused(toDeliveryError(each))
    if (NOT_READY.has(String(each['apiId']))) return unreachable(toDeliveryError(each))
    if (each['code'] === 'TOPIC_INVALID') return refused(each)
  }
  for (const each of tree(error)) if (each['apiId']) return retryLater(toDeliveryError(each))
  return retryLater(error)
}

/** The same for what went wrong before anything was sent: no answer means no way to the brokers. */
export function outcomeBeforeSending(error: unknown): Outcome {
  const answered = [...tree(error)].some((each) => each['apiId'] !== undefined)
  return answered || error instanceof TransportError ? outcomeOfError(error) : unreachable(error)
}

/** The one error inside that no time mends, by Kafka's name of it; else the error as it is. */
export function finalError(error: unknown): unknown {
  for (const each of tree(error)) {
    if (NEVER.has(String(each['apiId']))) return toDeliveryError(each, { retryable: false })
  }
  return error
}

/** Whether one of the errors inside is Kafka's answer of that name. */
export function isAnswer(error: unknown, apiId: string): boolean {
  return [...tree(error)].some((each) => each['apiId'] === apiId)
}

/** The error, the errors inside it and their causes: the library nests them by broker and retry. */
export function* tree(error: unknown): Generator<Record<string, unknown>> {
  if (!isRecord(error)) return
  yield error
  if (Array.isArray(error['errors'])) for (const inner of error['errors']) yield* tree(inner)
  yield* tree(error['cause'])
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function toDeliveryError(
  error: Record<string, unknown>,
  { retryable = true }: { retryable?: boolean } = {},
): DeliveryError {
  const { apiId, message } = error
  return new DeliveryError(String(apiId), String(message), { cause: error, retryable })
}

function nameOf(code: number): string {
  return protocolErrorsCodesById[code] ?? String(code)
}
