import { transaction } from '@posthorn/engine'
import { callerOf, may, problem, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { makePortalToken, type Sealing } from '@posthorn/system'
import { recordAudit } from '../../queries.ts'

/** Routes that a portal shows. */
export const READ = { config: { portal: 'read' } } as const

/** Routes that change endpoints or send again: for portals that may. */
export const CHANGE = { config: { portal: 'write', access: 'administer' } } as const

export interface PortalOptions {
  readonly pool: Pool
  readonly sealing: Sealing
  baseUrl(): string
}

/** What a person sees of a shop is meant for minutes: a host page makes another when it is over. */
const EXPIRES = { least: 60, most: 3_600, usual: 900 }

/** No control characters; said so that generators in other languages understand it. */
const PRINTABLE = '^[^\\u0000-\\u001f\\u007f-\\u009f]+$'
const Name = Type.String({ minLength: 1, maxLength: 200, pattern: PRINTABLE })

const createPortalToken = {
  summary: "Create a short-lived token for an organisation's embedded portal",
  description:
    'Call it from your server for a user who is logged in to your site, and embed `url` in a frame. The token gives access only to the webhook routes of its organisation. PORTAL_FRAME_ANCESTORS lists the origins that may embed the portal.',
  tags: ['webhooks'],
  body: Type.Object({
    user: Type.Optional(Name),
    org: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: PRINTABLE,
        description:
          'Organisation of the portal; default: your own. Only platform operators may name another one',
      }),
    ),
    readOnly: Type.Optional(
      Type.Boolean({ description: 'true: the portal can read but not change anything' }),
    ),
    expiresInSeconds: Type.Optional(
      Type.Integer({
        minimum: EXPIRES.least,
        maximum: EXPIRES.most,
        description: `${EXPIRES.usual} by default`,
      }),
    ),
  }),
  response: {
    201: Type.Object({
      token: Type.String(),
      url: Type.String({
        description:
          'URL to embed, with the token after `#`, which browsers do not send to the server',
      }),
      org: Type.String(),
      readOnly: Type.Boolean(),
      expiresAt: Type.String({ format: 'date-time' }),
    }),
  },
}

export function portalRoutes(app: App, { pool, sealing, baseUrl }: PortalOptions): void {
  app.post(
    '/api/v1/portal-tokens',
    { schema: createPortalToken, config: { access: 'administer' } },
    async (request, reply) => {
      const caller = callerOf(request)
      const { org = caller.org, readOnly = false, user = caller.sub } = request.body
      if (org !== caller.org && !may(caller, 'operate-all')) {
        throw problem('FORBIDDEN', { detail: 'The token would be for another organisation.' })
      }
      const seconds = request.body.expiresInSeconds ?? EXPIRES.usual
      const expiresAt = Date.now() + seconds * 1_000
      // Beside the users of tokens: the audit tells whether it was done in a portal.
      const sub = `portal:${user}`
      const token = makePortalToken(sealing, { sub, org, readOnly, expiresAt })
      const until = new Date(expiresAt).toISOString()
      await transaction(pool, (tx) =>
        recordAudit(tx, {
          ...{ org, actor: caller.sub, action: 'portal_token.created' },
          ...{ entity: 'portal_token', entityId: sub, details: { readOnly, expiresAt: until } },
        }),
      )
      const url = `${baseUrl()}/portal#token=${token}`
      return reply.code(201).send({ token, url, org, readOnly, expiresAt: until })
    },
  )
}
