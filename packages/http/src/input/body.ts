import type { FastifyInstance, FastifyRequest } from 'fastify'
import { problem, type FieldError } from '../problem/problem.ts'
import { unstorable } from './unstorable.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Keeps the exact bytes of a JSON body for `rawBodyOf`: signatures are made over them. */
    rawBody?: boolean
    /**
     * Checks the signature of a request over its bytes, and throws if it is not right. A body is
     * parsed after that: what a stranger sends costs reading it and no more. Implies `rawBody`.
     */
    signed?: (request: FastifyRequest, bytes: Buffer) => void | Promise<void>
  }
  interface FastifyRequest {
    rawBody: Buffer | undefined
  }
}

/** The bytes of a JSON body, on a route with `rawBody` or `signed`; empty if there was none. */
export function rawBodyOf(request: FastifyRequest): Buffer {
  return request.rawBody ?? Buffer.alloc(0)
}

/** Takes JSON and nothing else; an empty body is no body. Systems add parsers for what they take. */
export function addJsonParser(app: FastifyInstance): void {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  // A key such as __proto__ is refused, not dropped: no client sends it by accident.
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  const read = (request: FastifyRequest, bytes: Buffer, done: Done) => {
    if (bytes.length === 0) return done(null, undefined)
    let text: string
    try {
      text = utf8.decode(bytes)
    } catch (cause) {
      return done(problem('MALFORMED_JSON', { detail: 'The body is not UTF-8.', cause }))
    }
    void parse(request, text, (error, value: unknown) => {
      if (error) return done(problem('MALFORMED_JSON', { cause: error }))
      const errors: FieldError[] = unstorable(value)
      if (errors.length > 0) return done(problem('VALIDATION_FAILED', { errors }))
      done(null, value)
    })
  }
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request, bytes: Buffer, done) => {
      const { rawBody, signed } = request.routeOptions.config
      if (rawBody === true || signed) request.rawBody = bytes
      if (!signed) return read(request, bytes, done)
      void checkSignature(request, bytes, (error) =>
        error ? done(error) : read(request, bytes, done),
      )
    },
  )
  // A request without a body meets no parser, and its signature must be right all the same.
  app.addHook('preValidation', (request, _reply, done) => {
    if (!request.routeOptions.config.signed || request.rawBody !== undefined) return done()
    void checkSignature(request, Buffer.alloc(0), done)
  })
}

type Done = (error: Error | null, body?: unknown) => void

/** Calls back with what is wrong with the signature, or with nothing. */
async function checkSignature(
  request: FastifyRequest,
  bytes: Buffer,
  checked: (error?: Error) => void,
): Promise<void> {
  try {
    await request.routeOptions.config.signed?.(request, bytes)
  } catch (error) {
    return checked(error as Error)
  }
  checked()
}
