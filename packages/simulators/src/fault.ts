import { Type, type Static } from 'typebox'
import { Stream } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Exchange } from './http/exchange.ts'
import type { Failure } from './simulator.ts'
import type { HeldConnections } from './world.ts'

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
        '`ok` clears the fault, `error` answers with an error, `timeout` never answers, `drop` closes the connection, `slow` answers late',
    }),
    status: Type.Optional(
      Type.Integer({
        minimum: 400,
        maximum: 599,
        description: 'Status of an error; default 500, for SMTP 451',
      }),
    ),
    code: Type.Optional(
      Type.Union([Type.Integer(), Type.String({ minLength: 1, maxLength: 100 })], {
        description: 'Code in the body of an error, if the protocol has one',
      }),
    ),
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        description: 'Requests that pass before the fault applies; default 0',
      }),
    ),
    times: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Number of requests that the fault applies to; default: all until cleared',
      }),
    ),
    effect: Type.Optional(
      Type.Boolean({
        description: 'Whether the simulator does the work before it fails; default false',
      }),
    ),
    delayMs: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 60_000, description: 'Delay of `slow`; default 2000' }),
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

/** A fault about to happen to one HTTP exchange. */
interface Mishap {
  readonly fault: Fault
  readonly exchange: Exchange
  readonly reply: FastifyReply
  readonly waiting: HeldConnections
  readonly failure: (fault: Fault) => Failure
}

const FAILED = 500

/** How most JSON APIs say that they failed. */
export function plainFailure({ code }: Fault): Failure {
  return { body: { code: code ?? 'SIMULATED_ERROR', message: 'The simulator was set to fail.' } }
}

/** Happens before the work, which is then done only after `slow`: else the reply is gone. */
export async function strikeBefore(mishap: Mishap): Promise<void> {
  const { fault, exchange, reply, waiting } = mishap
  const { socket } = reply.request.raw
  switch (fault.mode) {
    case 'slow':
      return waiting.delay(fault.delayMs)
    case 'error':
      void reply.send(fail(mishap))
      return
    case 'drop':
      exchange.outcome = 'drop'
      reply.hijack()
      socket.destroy()
      return
    case 'timeout':
      exchange.outcome = 'timeout'
      reply.hijack()
      void waiting.hang(socket)
  }
}

/** Happens to the answer of work that is done. Returns what is sent in its place. */
export async function strikeAfter(mishap: Mishap, answer: unknown): Promise<unknown> {
  const { fault, exchange, reply, waiting } = mishap
  const { socket } = reply.request.raw
  if (fault.mode === 'slow') {
    await waiting.delay(fault.delayMs)
    return answer
  }
  if (answer instanceof Stream.Readable) answer.destroy()
  if (fault.mode === 'error') return fail(mishap)
  exchange.outcome = fault.mode
  if (fault.mode === 'drop') socket.destroy()
  else await waiting.hang(socket)
  return ''
}

function fail({ fault, reply, failure }: Mishap): string {
  const { body, headers } = failure(fault)
  void reply
    .code(fault.status ?? FAILED)
    .headers({ 'content-type': 'application/json; charset=utf-8', ...headers })
  return typeof body === 'string' ? body : JSON.stringify(body)
}
