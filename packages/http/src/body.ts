import type { FastifyInstance, FastifyRequest } from 'fastify'
import { problem, type FieldError } from './problem.ts'
import { unstorable } from './unstorable.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Keeps the exact bytes of a JSON body for `rawBodyOf`: signatures are made over them. */
    rawBody?: boolean
  }
  interface FastifyRequest {
    rawBody: Buffer | undefined
  }
}

/** The bytes of a JSON body, on a route with `config: { rawBody: true }`; empty if there was none. */
export function rawBodyOf(request: FastifyRequest): Buffer {
  return request.rawBody ?? Buffer.alloc(0)
}

/** Takes JSON and nothing else; an empty body is no body. Systems add parsers for what they take. */
export function addJsonParser(app: FastifyInstance): void {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  // A key such as __proto__ is refused, not dropped: no client sends it by accident.
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request, bytes: Buffer, done) => {
      if (request.routeOptions.config.rawBody === true) request.rawBody = bytes
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
    },
  )
}
