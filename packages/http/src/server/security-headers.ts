import type { FastifyInstance, FastifyRequest } from 'fastify'

/** For data: a browser is to show nothing of it, guess nothing about it and keep nothing of it. */
const DATA = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/**
 * For pages: they load only what this server serves; styles may stand in the page, as the dashboard
 * and /docs write them.
 */
const PAGES = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': [
    "default-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "img-src 'self' data:",
    "object-src 'none'",
    "script-src-attr 'none'",
    "style-src 'self' 'unsafe-inline'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
}

/**
 * What helmet would set, as data, and to each route only what a browser heeds there: on a small
 * answer a dozen headers cost more than the answer. A route that wants a token cannot be a page,
 * since no browser sends one when it goes to an address.
 */
export function addSecurityHeaders(app: FastifyInstance, production: boolean): void {
  // In development the address is plain http, and a browser would remember this for the host.
  const https = production && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
  const data = { ...DATA, ...https }
  const pages = { ...PAGES, ...https }
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(mayBePage(request) ? pages : data).header('x-request-id', request.id)
    done()
  })
}

function mayBePage({ routeOptions }: FastifyRequest): boolean {
  const { url, access } = routeOptions.config
  return url === undefined || access === 'public'
}
