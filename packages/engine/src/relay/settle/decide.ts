/*
 * What becomes of a message after an attempt. Pure: definition × facts × outcome → decision.
 *
 *            claim                 delivered              confirm
 *   ready ──────────▶ (claimed) ──────────────▶ sent ──────────────▶ confirmed
 *     ▲                  │  │ │                   │
 *     │   uncharged      │  │ │ refused, or       │ refused, or no attempts left
 *     ├──────────────────┘  │ │ no attempts left  │
 *     │                     │ └────────▶ dead ◀───┤
 *     │   charged           │              │      │
 *   retry ◀─────────────────┘              │      │ charged
 *     ▲                                    │      │
 *     └──────────── replay ────────────────┴──────┘
 *
 *   A claim that is lost goes back the way of "uncharged", marked as a suspect. An unknown
 *   outcome, where there is a claimed state, stays claimed until its wait is over and then goes the
 *   way of "charged"; else it does so at once.
 */
import type { Outbox } from '../../outbox/define.ts'
import type { OutboxRow } from '../../outbox/resolved-definition.ts'
import type { State } from '../../outbox/definition.ts'
import { ERROR_CODES, type ErrorCode, failureOf, type Failure } from '../../errors.ts'
import { type Outcome, type Reference } from '../../outbox/outcome.ts'
import { nextDelay, LOST_CLAIMS_LIMIT } from '../../outbox/retry.ts'
import type { SettleRole } from './settle.sql.ts'

/** What the decision needs to know of the row. */
export interface Facts {
  /** The counter as it stands on the claimed row. */
  readonly counted: number
  /** The row's own limit of attempts. */
  readonly limit: number | undefined
  readonly lostClaims: number
  /** Whether the row waited for a retry when it was claimed. */
  readonly wasRetry: boolean
}

export interface Decision {
  readonly role: SettleRole
  /** Until it is due again; undefined where nothing is due. */
  readonly delayMs: number | undefined
  /** What is added to the counter. */
  readonly bump: number
  /** Lost claims to keep on the row. */
  readonly lost: number
  readonly failure: Failure | undefined
  readonly ref: Reference | undefined
}

export type Rules = Pick<Outbox, 'counter' | 'retry' | 'unknown' | 'states'>

export function factsOf(outbox: Outbox, row: OutboxRow): Facts {
  const limit = outbox.counter.limit === undefined ? null : row[outbox.counter.limit]
  return {
    counted: Number(row[outbox.counter.column] ?? 0),
    limit: limit === null || limit === undefined ? undefined : Number(limit),
    lostClaims: Number(row['lost_claims'] ?? 0),
    wasRetry: String(stateOf(outbox, row)) === String(outbox.states.retry),
  }
}

/** The state a row was claimed from. */
export function stateOf(outbox: Outbox, row: OutboxRow): State {
  return (row['claim_from'] ?? row[outbox.columns.status]) as State
}

/** Attempts made, the one under way included. */
export function triesOf({ counter }: Rules, facts: Facts): number {
  return counter.bumps === 'on-claim' ? Math.max(facts.counted, 1) : facts.counted + 1
}

/** `backoffMs` is how long this relay waits for a destination that it could not reach. */
export function decide(
  rules: Rules,
  facts: Facts,
  { outcome, backoffMs }: { outcome: Outcome; backoffMs: number },
): Decision {
  switch (outcome.kind) {
    case 'delivered':
      return decideDelivered(outcome)
    case 'refused':
      return rules.states.dead === undefined
        ? chargeAttempt(rules, facts, { failure: outcome.failure, afterMs: undefined })
        : { ...end('dead'), bump: bumpOf(rules), failure: outcome.failure }
    case 'unknown':
      return unknownOutcome(rules, facts, outcome)
    case 'retryLater': {
      const free = outcome.unreachable && rules.counter.unreachable === 'free'
      // Where only a retry's claim counts, the attempt that counts is the consumer's, not ours.
      if (!outcome.charge || free || rules.counter.bumps === 'on-retry-claim') {
        return {
          ...end('stay'),
          delayMs: outcome.afterMs ?? backoffMs,
          bump: refundOf(rules, facts),
          failure: outcome.failure,
        }
      }
      return chargeAttempt(rules, facts, { failure: outcome.failure, afterMs: outcome.afterMs })
    }
  }
}

/** What was delivered is sent, whatever its row says. */
export function decideDelivered({ ref }: Extract<Outcome, { kind: 'delivered' }>): Decision {
  return ref === undefined ? SENT : { ...SENT, ref }
}

/** The same for an outcome that came later, from a consumer or a webhook. */
export function decideConfirmed(rules: Rules, facts: Facts, outcome: Outcome): Decision {
  switch (outcome.kind) {
    case 'delivered':
      return { ...end('confirmed'), ref: outcome.ref }
    case 'refused':
      return rules.states.dead === undefined
        ? chargeAttempt(rules, facts, { failure: outcome.failure, afterMs: undefined })
        : { ...end('dead'), bump: bumpOf(rules), failure: outcome.failure }
    case 'retryLater':
      return chargeAttempt(rules, facts, outcome)
    case 'unknown':
      return chargeAttempt(rules, facts, {
        failure: outcome.failure,
        afterMs: resendMs(rules, facts, outcome),
      })
  }
}

/** A claim ran out and the outcome of its attempt is unknown. */
export function decideLost(rules: Rules, facts: Facts): Decision {
  if (facts.lostClaims > LOST_CLAIMS_LIMIT) return fatal(rules, 'CLAIM_FATAL')
  const failure: Failure<ErrorCode> = {
    code: 'CLAIM_EXPIRED',
    message: 'The relay that held the message is gone.',
  }
  const limit = facts.limit ?? rules.retry.attempts
  // What is counted by now was counted when it was claimed, or when its outcome was unknown.
  const spent = limit !== undefined && facts.counted >= limit
  if (spent || rules.unknown.then === 'hold') return { ...end('dead'), failure }
  return { ...end('retry'), delayMs: 0, lost: facts.lostClaims, failure }
}

/**
 * The outcome was unknown and no confirmation came: the message goes out again when it is due. The
 * attempt was counted when its outcome was settled, and no relay was lost: it is no suspect.
 */
export function decideWaited(
  rules: Rules,
  facts: Facts,
  { failure, dueMs }: { failure: Failure; dueMs: number },
): Decision {
  const limit = facts.limit ?? rules.retry.attempts
  const spent = limit !== undefined && facts.counted >= limit
  if (spent || rules.unknown.then === 'hold') return { ...end('dead'), failure }
  return { ...end('retry'), delayMs: Math.max(dueMs, 0), failure }
}

/** Why a message is ended without another attempt. */
export type FatalCode = Extract<
  ErrorCode,
  'CLAIM_FATAL' | 'MESSAGE_UNREADABLE' | 'PAYLOAD_SHREDDED' | 'PAYLOAD_TAMPERED'
>

/** A message that is a danger to its relay or cannot be read: out of the way, with an alert. */
export function fatal(rules: Rules, code: FatalCode, cause?: unknown): Decision {
  const role = rules.states.dead === undefined ? 'quarantined' : 'dead'
  const failure =
    cause === undefined
      ? { code, message: ERROR_CODES[code] }
      : { code, message: failureOf(cause, code).message }
  return { ...end(role), failure }
}

function end(role: SettleRole): Decision {
  return { role, delayMs: undefined, bump: 0, lost: 0, failure: undefined, ref: undefined }
}

/** What nearly every decision is: made once. */
const SENT = end('sent')

function chargeAttempt(
  rules: Rules,
  facts: Facts,
  { failure, afterMs }: { failure: Failure; afterMs: number | undefined },
): Decision {
  const tries = triesOf(rules, facts)
  const limit = facts.limit ?? rules.retry.attempts
  if (limit !== undefined && tries >= limit && rules.states.dead !== undefined) {
    return { ...end('dead'), bump: bumpOf(rules), failure }
  }
  const delayMs = afterMs ?? nextDelay(rules.retry, tries)
  return { ...end('retry'), delayMs, bump: bumpOf(rules), failure }
}

type Unknown = Extract<Outcome, { kind: 'unknown' }>

function unknownOutcome(rules: Rules, facts: Facts, outcome: Unknown): Decision {
  const { failure } = outcome
  // With a claimed state the message stays claimed for a while: a confirmation may settle it.
  if (rules.states.claimed !== undefined) {
    const delayMs = Math.max(rules.unknown.waitMs, resendMs(rules, facts, outcome))
    return { ...end('await'), delayMs, bump: bumpOf(rules), failure }
  }
  if (rules.unknown.then === 'hold' && rules.states.dead !== undefined) {
    return { ...end('dead'), bump: bumpOf(rules), failure }
  }
  return chargeAttempt(rules, facts, { failure, afterMs: resendMs(rules, facts, outcome) })
}

/** Until an unknown message may be sent again: by the policy, and not before the destination said. */
function resendMs(rules: Rules, facts: Facts, { afterMs }: Unknown): number {
  return Math.max(nextDelay(rules.retry, triesOf(rules, facts)), afterMs ?? 0)
}

/** Settling never counts what the claim already counted. */
function bumpOf({ counter }: Rules): number {
  return counter.bumps === 'on-failure' ? 1 : 0
}

/** An attempt that must not count gives back what its claim took. */
function refundOf({ counter }: Rules, facts: Facts): number {
  if (counter.bumps === 'on-claim') return -1
  return counter.bumps === 'on-retry-claim' && facts.wasRetry ? -1 : 0
}
