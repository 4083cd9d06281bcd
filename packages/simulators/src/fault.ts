import { Type, type Static } from 'typebox'

/*
 * A fault is posted once and applies to what arrives afterwards:
 *
 *   posted ──▶ waiting (`after` pass) ──▶ applying (`times`, or until cleared) ──▶ spent
 */

/** The body of `POST /sim/{name}/faults`. */
export const FaultOrder = Type.Object(
  {
    mode: Type.Enum(['ok', 'error', 'timeout', 'drop', 'slow'], {
      description:
        'ok clears, error says so, timeout never answers, drop cuts the connection, slow is late',
    }),
    status: Type.Optional(
      Type.Integer({ minimum: 400, maximum: 599, description: 'of an error; 500, SMTP 451' }),
    ),
    code: Type.Optional(
      Type.Union([Type.Integer(), Type.String({ minLength: 1, maxLength: 100 })], {
        description: 'in the body of an error, where the protocol has one',
      }),
    ),
    after: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'how many pass first; 0' }),
    ),
    times: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'how many; until cleared' }),
    ),
    effect: Type.Optional(
      Type.Boolean({ description: 'whether the work is done before it fails; false' }),
    ),
    delayMs: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 60_000, description: 'of slow; 2000' }),
    ),
  },
  { additionalProperties: false },
)
export type FaultOrder = Static<typeof FaultOrder>

/** What happens to one request instead of a plain answer. */
export interface Fault {
  readonly mode: Exclude<FaultOrder['mode'], 'ok'>
  readonly status: number | undefined
  readonly code: string | number | undefined
  /** The work is done first: the caller fails although the effect is there. */
  readonly effect: boolean
  readonly delayMs: number
}

/** A fault and how much of it is left. `times` left out means: until it is cleared. */
export interface FaultPlan {
  readonly fault: Fault
  readonly after: number
  readonly times: number | undefined
}

const SLOW_MS = 2_000

/** The plan an order makes; none for `ok`. */
export function planOf(order: FaultOrder): FaultPlan | undefined {
  if (order.mode === 'ok') return undefined
  return {
    fault: {
      mode: order.mode,
      status: order.status,
      code: order.code,
      effect: order.effect ?? false,
      delayMs: order.delayMs ?? SLOW_MS,
    },
    after: order.after ?? 0,
    times: order.times,
  }
}

/** What the next request meets, and the plan for the one after it. */
export function meet(plan: FaultPlan | undefined): {
  fault: Fault | undefined
  next: FaultPlan | undefined
} {
  if (plan === undefined) return { fault: undefined, next: undefined }
  if (plan.after > 0) return { fault: undefined, next: { ...plan, after: plan.after - 1 } }
  if (plan.times === undefined) return { fault: plan.fault, next: plan }
  const next = plan.times > 1 ? { ...plan, times: plan.times - 1 } : undefined
  return { fault: plan.fault, next }
}
