import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Fault } from '../fault.ts'
import { emptyBody, type KeptBody } from './kept-body.ts'

const SECRET_HEADER =
  /^(authorization|proxy-authorization|cookie|x-api-key|.*-(token|secret|password|api-key))$/

/** How a request ended; `aborted` if its client left before the answer. */
export type Outcome = 'pending' | 'ok' | 'aborted' | Fault['mode']

/** A request and what became of it, as the journal keeps it. */
export class Exchange {
  readonly id: number
  readonly #at = new Date().toISOString()
  readonly #method: string
  readonly #path: string
  readonly #query: string
  readonly #headers: Record<string, string | string[]>
  #notes: Readonly<Record<string, unknown>> = {}
  body: KeptBody = emptyBody
  outcome: Outcome = 'pending'
  status: number | undefined
  fault: Fault | undefined
  #isAtWork = false
  #isLeft = false

  constructor(id: number, request: FastifyRequest) {
    const [path = '', query = ''] = request.url.split(/\?(.*)/s)
    this.id = id
    this.#method = request.method
    this.#path = path
    this.#query = query
    this.#headers = keepHeaders(request.headers)
  }

  note(fields: Readonly<Record<string, unknown>>): void {
    this.#notes = { ...this.#notes, ...fields }
  }

  /** From here on the work is done, whether or not its client waits for it. */
  begin(): void {
    this.#isAtWork = true
  }

  /** Settles the outcome by the answer that is about to leave, if the client is still connected. */
  answer(status: number): void {
    this.#isAtWork = false
    if (this.outcome !== 'pending') return
    if (this.#isLeft) return this.abort()
    this.status = status
    if (status >= 400) this.outcome = 'error'
    else this.outcome = this.fault?.mode === 'slow' ? 'slow' : 'ok'
  }

  /**
   * The connection went before the answer was out; unless that was the fault, it was the client. Work
   * that is not done yet keeps the outcome open: what ends has no effect any more.
   */
  abort(): void {
    if (this.#isAtWork) this.#isLeft = true
    else if (this.outcome !== 'drop' && this.outcome !== 'timeout') this.outcome = 'aborted'
  }

  toJSON(): Record<string, unknown> {
    return {
      ...this.#notes,
      id: this.id,
      at: this.#at,
      method: this.#method,
      path: this.#path,
      query: this.#query,
      headers: this.#headers,
      body: this.body.show(),
      outcome: this.outcome,
      status: this.status ?? null,
      fault: this.fault === undefined ? null : { mode: this.fault.mode, effect: this.fault.effect },
    }
  }
}

/** Headers as they are kept: of a secret only its scheme is shown. Signatures are no secrets. */
export function keepHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, SECRET_HEADER.test(name) ? redact(String(value)) : value]],
  )
  return Object.fromEntries(kept) as Record<string, string | string[]>
}

function redact(value: string): string {
  const scheme = /^([A-Za-z][A-Za-z0-9-]{0,19}) \S/.exec(value)?.[1]
  return scheme === undefined ? '[redacted]' : `${scheme} [redacted]`
}
