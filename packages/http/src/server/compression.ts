import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

const compress = promisify(gzip)

/** A shorter answer fits into one packet as it is. */
const LEAST_BYTES = 1_400

/** Gzip by its name or `*`, and not with the weight 0. */
const GZIP = /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?=,|$)/i

/**
 * Compresses long JSON that is read. Answers to writes stay as they are: they are short, or have a secret beside what
 * the caller sent, whose length would then tell of it.
 */
export function addCompression(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const isJson = /json/.test(String(reply.getHeader('content-type')))
    const isLong = typeof payload === 'string' && payload.length >= LEAST_BYTES
    if (request.method !== 'GET' || !isJson || !isLong) return payload
    reply.header('vary', 'accept-encoding')
    if (!GZIP.test(request.headers['accept-encoding'] ?? '')) return payload
    reply.header('content-encoding', 'gzip').removeHeader('content-length')
    return compress(payload)
  })
}
