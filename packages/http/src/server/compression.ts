import { gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

/** A shorter answer fits into one packet as it is. */
const LEAST_BYTES = 1_400

/** Gzip by its name or `*`, and not with the weight 0. */
const GZIP = /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?=,|$)/i

/**
 * Compresses long JSON that is read. Answers to writes stay as they are: they are short, or have a secret beside what
 * the caller sent, whose length would then tell of it.
 */
export function addCompression(app: FastifyInstance): void {
  // With a callback an answer that stays uncompressed is sent at once, so a handler sees that it has answered.
  // oxlint-disable-next-line max-params -- as Fastify calls it
  app.addHook('onSend', (request, reply, payload, done) => {
    const isJson = /json/.test(String(reply.getHeader('content-type')))
    const isLong = typeof payload === 'string' && payload.length >= LEAST_BYTES
    if (request.method !== 'GET' || !isJson || !isLong) return done(null, payload)
    reply.header('vary', 'accept-encoding')
    if (!GZIP.test(request.headers['accept-encoding'] ?? '')) return done(null, payload)
    reply.header('content-encoding', 'gzip').removeHeader('content-length')
    gzip(payload, done)
  })
}
