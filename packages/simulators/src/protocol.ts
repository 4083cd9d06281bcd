import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Exchange } from './http/exchange.ts'
import { planOf, type Fault, type FaultOrder, strikeAfter, strikeBefore } from './fault.ts'
import { readForm, readBody, type RequestBody } from './http/request-body.ts'
import { Journal } from './journal.ts'
import { forgottenBody } from './http/kept-body.ts'
import type { Failure } from './simulator.ts'
import type { World } from './world.ts'

/** Of a request's body, unless the route says otherwise. */
const BODY_LIMIT = 32 * 1024 * 1024

/** What a request needs while it is under way; the journal must not hold on to it. */
interface Visit {
  readonly exchange: Exchange
  bytes: Buffer
  form?: RequestBody
  /** A fault that strikes after the work. */
  late?: Fault
}

/** The HTTP side of one simulator: records every request and lets faults happen to it. */
export class Protocol {
  readonly #world: World
  readonly #journal = new Journal<Exchange>()
  readonly #visits = new WeakMap<FastifyRequest, Visit>()

  constructor(world: World) {
    this.#world = world
  }

  rawBody(request: FastifyRequest): Buffer {
    return this.#visit(request).bytes
  }

  note(request: FastifyRequest, fields: Readonly<Record<string, unknown>>): void {
    this.#visit(request).exchange.note(fields)
  }

  fail(request: FastifyRequest, order: FaultOrder): void {
    const visit = this.#visit(request)
    const fault = planOf(order)?.fault
    // Faults that were posted go before the simulator's own behaviour.
    if (!fault || visit.late) return
    visit.late = fault
    visit.exchange.fault = { ...fault, effect: true }
  }

  arrivals(before: number | undefined): Iterable<Exchange> {
    return this.#journal.newest(before)
  }

  forget(): void {
    this.#journal.forget()
  }

  /** Puts the recording and the faults around all routes of this instance. */
  surround(app: FastifyInstance, failure: (fault: Fault) => Failure): void {
    const { waiting } = this.#world

    app.addHook('onRoute', (route) => {
      route.bodyLimit ??= BODY_LIMIT
      // The protocols are other people's: our own description leaves them out.
      route.schema = { ...route.schema, hide: true }
    })

    // Every body arrives as bytes: signatures are made over those, and rubbish is recorded too.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) => body)
    // But for forms: their files may be many and large.
    app.addContentTypeParser(
      'multipart/form-data',
      async (request: FastifyRequest, payload: Readable) => {
        const contentType = request.headers['content-type'] ?? ''
        const limit = request.routeOptions.bodyLimit
        this.#visit(request).form = await readForm(payload, { contentType, limit })
      },
    )

    app.addHook('onRequest', async (request, reply) => {
      const exchange = this.#journal.add((id) => new Exchange(id, request))
      reply.raw.once('close', () => {
        if (!reply.raw.writableFinished) exchange.abort()
      })
      this.#visits.set(request, { exchange, bytes: Buffer.alloc(0) })
    })

    app.addHook('preValidation', async (request, reply) => {
      const visit = this.#visit(request)
      const { exchange } = visit
      exchange.begin()
      if (Buffer.isBuffer(request.body)) visit.bytes = request.body
      const fault = this.#world.nextFault()
      exchange.fault = fault
      const body = visit.form ?? readBody(visit.bytes, request.headers['content-type'])
      exchange.body = body.kept
      this.#journal.weigh(exchange, {
        bytes: body.kept.bytes,
        drop: () => void (exchange.body = forgottenBody),
      })
      if (fault?.effect) visit.late = fault
      else if (fault) await strikeBefore({ fault, exchange, reply, waiting, failure })
      if (reply.sent) return reply
      if (body.malformed) throw body.malformed
      request.body = body.value
    })

    app.addHook('onSend', async (request, reply, payload) => {
      const visit = this.#visit(request)
      const { exchange, late: fault } = visit
      // Taken away first: an answer that fails is sent once more.
      delete visit.late
      const mishap = fault && { fault, exchange, reply, waiting, failure }
      const answer = mishap ? await strikeAfter(mishap, payload) : payload
      exchange.answer(reply.statusCode)
      return answer
    })
  }

  #visit(request: FastifyRequest): Visit {
    const visit = this.#visits.get(request)
    if (!visit) throw new TypeError('This request did not come through a route of the simulator.')
    return visit
  }
}
