import { createHash, randomBytes } from 'node:crypto'
import {
  callerOf,
  challenge,
  isForeign,
  problem,
  ROLES,
  sessionCookie,
  sessionSecret,
  type App,
  type SessionReader,
  type TokenVerifier,
} from '@posthorn/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { deleteLogin, deleteLoginsOf, findLogin, insertLogin } from '../queries.ts'

/** A session ends with its token, and after this time in any case. */
const LONGEST_MS = 7 * 24 * 3_600_000

export interface SessionOptions {
  readonly pool: Pool
  readonly verify: TokenVerifier
  /** Where browsers reach the server, if that is another address than its own. */
  readonly baseUrl: string | undefined
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** Knows callers by the cookie that a login was answered with. */
export function sessionReader(pool: Pool): SessionReader {
  return async (secret) => {
    const login = await findLogin(pool, digestOf(secret))
    if (!login) throw challenge('TOKEN_EXPIRED', 'The session is over. Log in again.')
    const { sub, org, role, expires_at: expiresAt } = login
    return { sub, org, role, expiresAt: expiresAt.getTime() }
  }
}

const tags = ['session']

const logIn = {
  summary: 'Exchange a token for a session cookie, for browsers',
  description:
    'The cookie is HttpOnly and SameSite=Strict. The session ends when the token expires, after seven days, or at logout. Programs send their token with each request instead.',
  tags,
  body: Type.Object({ token: Type.String({ minLength: 1, maxLength: 16_384 }) }),
  response: {
    201: Type.Object({
      sub: Type.String(),
      org: Type.String(),
      role: Type.Enum(ROLES),
      expiresAt: Type.String({ format: 'date-time' }),
    }),
  },
}

const logOut = {
  summary: 'End the session of this browser',
  tags,
  response: { 204: Type.Null() },
}

const logOutEverywhere = {
  summary: 'End all sessions of the caller, in every browser',
  description: 'Tokens stay valid until they expire.',
  tags,
  response: { 200: Type.Object({ ended: Type.Integer() }) },
}

/** For a server that logs users in itself: a mounted dashboard has the login of its application. */
export function sessionRoutes(app: App, { pool, verify, baseUrl }: SessionOptions): void {
  const setCookie = (reply: FastifyReply, value: string, maxAgeMs: number) => {
    const { request } = reply
    const parts = [
      `${sessionCookie(request)}=${value}`,
      'Path=/',
      `Max-Age=${Math.max(0, Math.floor(maxAgeMs / 1_000))}`,
      'HttpOnly',
      'SameSite=Strict',
      ...(baseUrl?.startsWith('https:') || request.protocol === 'https' ? ['Secure'] : []),
    ]
    return reply.header('set-cookie', parts.join('; '))
  }
  const endThis = async (request: FastifyRequest) => {
    const secret = sessionSecret(request)
    if (secret !== undefined) await deleteLogin(pool, digestOf(secret))
  }

  app.post(
    '/api/v1/session',
    { schema: logIn, config: { access: 'public' } },
    async (request, reply) => {
      if (isForeign(request)) throw problem('CROSS_SITE')
      const { sub, org, role, portal, ...caller } = await verify(request.body.token.trim())
      if (portal !== undefined) throw problem('FORBIDDEN', { detail: 'A portal has no sessions.' })
      await endThis(request)
      const secret = randomBytes(32).toString('base64url')
      const expiresAt = new Date(Math.min(caller.expiresAt, Date.now() + LONGEST_MS))
      await insertLogin(pool, { digest: digestOf(secret), sub, org, role }, expiresAt)
      return setCookie(reply, secret, expiresAt.getTime() - Date.now())
        .code(201)
        .send({ sub, org, role, expiresAt: expiresAt.toISOString() })
    },
  )

  app.delete(
    '/api/v1/session',
    { schema: logOut, config: { access: 'read' } },
    async (request, reply) => {
      await endThis(request)
      return setCookie(reply, '', 0).code(204).send(null)
    },
  )

  app.delete(
    '/api/v1/sessions',
    { schema: logOutEverywhere, config: { access: 'read' } },
    async (request, reply) => {
      const ended = await deleteLoginsOf(pool, callerOf(request))
      return setCookie(reply, '', 0).send({ ended })
    },
  )
}
