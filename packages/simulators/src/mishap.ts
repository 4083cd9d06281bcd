import { Stream } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Exchange } from './http/exchange.ts'
import type { Fault } from './fault.ts'
import type { Failure } from './simulator.ts'
import type { HeldConnections } from './http/held-connections.ts'

/** A fault about to happen to one HTTP exchange. */
export interface Mishap {
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
