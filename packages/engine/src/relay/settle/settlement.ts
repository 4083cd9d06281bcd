import type { Attempted } from '../attempt/attempt.ts'
import type { Claim } from './claim.ts'
import {
  decide,
  decideDelivered,
  decideLost,
  decideWaited,
  factsOf,
  fatal,
  type Decision,
  type FatalCode,
} from './decide.ts'
import type { Outbox } from '../../outbox/define.ts'
import type { OutboxRow } from '../../outbox/resolved-definition.ts'
import { PosthornError, type ErrorCode, type Failure } from '../../errors.ts'
import { unknown, wasTried, type Outcome } from '../../outbox/outcome.ts'
import { LOST_CLAIMS_LIMIT } from '../../outbox/retry.ts'

/** One message with what became of it. */
export interface Settlement {
  readonly row: OutboxRow
  readonly outcome: Outcome
  readonly decision: Decision
}

/** What a claim came to for one message. A message that is only scheduled is not claimed, and not counted. */
export type Result = 'delivered' | 'failed' | 'postponed' | 'dead'

export function resultOf({ outcome, decision: { role } }: Settlement): Result {
  if (role === 'sent' || role === 'confirmed') return 'delivered'
  if (role === 'dead' || role === 'quarantined') return 'dead'
  return wasTried(outcome) ? 'failed' : 'postponed'
}

export function idOf(outbox: Outbox, row: OutboxRow): string {
  return String(row[outbox.columns.id])
}

/**
 * A message that is not tried again: claimed alone after too many lost claims, or sent again after as
 * many times that it could not be settled. Where a policy never gives up, what was sent goes on.
 */
export function isFatal({ states }: Outbox, { kind }: Claim, row: OutboxRow): boolean {
  const ends = kind === 'suspect' || (kind === 'resend' && states.dead !== undefined)
  return ends && Number(row['lost_claims']) > LOST_CLAIMS_LIMIT
}

const EXPIRED: Failure<ErrorCode> = {
  code: 'CLAIM_EXPIRED',
  message: 'The relay that held it is gone.',
}

const LOST = unknown(EXPIRED)

const UNCONFIRMED: Failure<ErrorCode> = {
  code: 'DELIVERY_UNKNOWN',
  message: 'Whether it arrived is not known, and no confirmation came in its time.',
}

/** A claim whose relay never came back, or an unknown outcome that was not confirmed in its time. */
export function lostSettlement(outbox: Outbox, row: OutboxRow): Settlement {
  if (row['claim_waited'] === true) {
    const dueMs = Number(row['claim_due_ms'] ?? 0)
    const decision = decideWaited(outbox, factsOf(outbox, row), { failure: UNCONFIRMED, dueMs })
    return { row, outcome: { kind: 'unknown', failure: UNCONFIRMED }, decision }
  }
  return { row, outcome: LOST, decision: decideLost(outbox, factsOf(outbox, row)) }
}

export function fatalSettlement(outbox: Outbox, row: OutboxRow): Settlement {
  return { row, outcome: LOST, decision: fatal(outbox, 'CLAIM_FATAL') }
}

/** An attempt with the decision it leads to. */
export function settlementOf(outbox: Outbox, row: OutboxRow, attempted: Attempted): Settlement {
  if ('unreadable' in attempted) {
    const outcome = unknown(attempted.unreadable)
    const code = unreadableCode(attempted.unreadable)
    return { row, outcome, decision: fatal(outbox, code, attempted.unreadable) }
  }
  const { outcome } = attempted
  const decision =
    outcome.kind === 'delivered'
      ? decideDelivered(outcome)
      : decide(outbox, factsOf(outbox, row), attempted)
  return { row, outcome, decision }
}

/** An encrypted payload says by its code whether an operator can do anything about it. */
function unreadableCode(error: unknown): FatalCode {
  const code = error instanceof PosthornError ? error.code : undefined
  return code === 'PAYLOAD_SHREDDED' || code === 'PAYLOAD_TAMPERED' ? code : 'MESSAGE_UNREADABLE'
}

/** A message that was sent stays sent; if sending it again failed, it waits under its claim. */
export function resendSettlement(outbox: Outbox, settlement: Settlement): Settlement {
  if (settlement.decision.role === 'sent') return settlement
  return { ...settlement, decision: waits(outbox, settlement.decision) }
}

function waits(outbox: Outbox, decision: Decision): Decision {
  const delayMs = Math.min(outbox.confirmWithinMs ?? 60_000, 60_000)
  return { ...decision, role: 'await', delayMs, bump: 0 }
}

/** A message that could not be settled: it waits to be claimed alone, and its key with it. */
export function unsettledSettlement({ row, outcome }: Settlement, delayMs: number): Settlement {
  const lost = Number(row['lost_claims'] ?? 0) + 1
  const decision: Decision = {
    role: 'stay',
    delayMs,
    bump: 0,
    lost,
    failure: undefined,
    ref: undefined,
  }
  return { row, outcome, decision }
}
