import { transaction, type Transaction } from '@posthorn/engine'
import {
  callerOf,
  decodeCursor,
  invalid,
  PageQuery,
  pageOf,
  toPage,
  type App,
} from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import type { Sealing } from '@posthorn/system'
import { toSendingAccount } from '../accounts/account.ts'
import { findAccount } from '../accounts/queries.ts'
import { recordAudit, type AuditEvent } from '../audit.ts'
import { problem } from '../problems.ts'
import type { TemplateLister } from './import.ts'
import { deleteTemplate, findTemplate, listTemplates, upsertTemplate } from './queries.ts'
import {
  CATEGORIES,
  Components,
  templateErrors,
  TemplateResource,
  toTemplate,
  type TemplateRow,
} from './template.ts'

export interface TemplateRoutesOptions {
  readonly pool: Pool
  readonly sealing: Sealing
  readonly lister: TemplateLister
}

const PATH = '/api/v1/outbound/templates'
const tags = ['messages']
const ADMIN = { config: { access: 'administer' } } as const
const params = Type.Object({
  name: Type.String({ pattern: '^[a-z0-9_]{1,512}$' }),
  language: Type.String({ pattern: '^[a-z]{2,3}(_[A-Z]{2,4})?$' }),
})

const schemas = {
  list: {
    summary: 'Templates that the organisation has registered, by name',
    tags,
    querystring: PageQuery,
    response: { 200: pageOf(TemplateResource) },
  },
  one: { summary: 'A template', ...{ tags, params }, response: { 200: TemplateResource } },
  put: {
    summary: 'Register or change a template; messages that use it are checked when queued',
    ...{ tags, params },
    body: Type.Object({ category: Type.Enum([...CATEGORIES]), components: Components }),
    response: { 200: TemplateResource, 201: TemplateResource },
  },
  remove: {
    summary: 'Remove a template; messages that use it are no longer checked',
    ...{ tags, params },
    response: { 204: Type.Null() },
  },
  import: {
    summary: 'Register the templates of a WhatsApp account as Meta lists them',
    tags,
    body: Type.Object({
      accountId: Type.Optional(
        Type.String({
          format: 'uuid',
          description:
            "Account to import from; default: the server's, which needs WHATSAPP_BUSINESS_ACCOUNT_ID",
        }),
      ),
    }),
    response: {
      200: Type.Object({
        imported: Type.Integer(),
        skipped: Type.Array(Type.String(), {
          description: 'Templates not imported, because their form is not supported',
        }),
      }),
    },
  },
}

const After = Type.Tuple([Type.String(), Type.String()])

export function templateRoutes(app: App, { pool, sealing, lister }: TemplateRoutesOptions): void {
  app.get(PATH, { schema: schemas.list }, async (request) => {
    const { limit, cursor } = request.query
    const after = cursor === undefined ? undefined : decodeCursor(cursor, After)
    const orgId = callerOf(request).org
    const rows = await listTemplates(pool, { orgId, after, limit: limit + 1 })
    return toPage(rows, limit, {
      item: toTemplate,
      after: ({ name, language }) => [name, language],
    })
  })

  app.get(`${PATH}/:name/:language`, { schema: schemas.one }, async (request) => {
    const row = await findTemplate(pool, { orgId: callerOf(request).org, ...request.params })
    if (!row) throw problem('NOT_FOUND')
    return toTemplate(row)
  })

  app.put(`${PATH}/:name/:language`, { schema: schemas.put, ...ADMIN }, async (request, reply) => {
    const { org, sub: by } = callerOf(request)
    const errors = templateErrors(request.body)
    if (errors.length > 0) throw invalid(errors)
    const given = { org_id: org, ...request.params, ...request.body, status: 'APPROVED' }
    const row = await transaction(pool, async (tx) => {
      const stored = await upsertTemplate(tx, given)
      await record(tx, stored, { action: stored.created ? 'CREATED' : 'UPDATED', by })
      return stored
    })
    return reply.code(row.created ? 201 : 200).send(toTemplate(row))
  })

  app.delete(
    `${PATH}/:name/:language`,
    { schema: schemas.remove, ...ADMIN },
    async (request, reply) => {
      const { org: orgId, sub: by } = callerOf(request)
      await transaction(pool, async (tx) => {
        if (!(await deleteTemplate(tx, { orgId, ...request.params }))) throw problem('NOT_FOUND')
        await record(tx, { org_id: orgId, ...request.params }, { action: 'DELETED', by })
      })
      return reply.code(204).send(null)
    },
  )

  app.post(`${PATH}/import`, { schema: schemas.import, ...ADMIN }, async (request) => {
    const { org: orgId, sub: by } = callerOf(request)
    const { accountId: id } = request.body
    const row = id === undefined ? undefined : await findAccount(pool, { id, orgId })
    if (id !== undefined && !row) {
      throw invalid([{ field: 'accountId', reason: 'is not an account of the organisation' }])
    }
    const listed = await lister(
      row && {
        accessToken: toSendingAccount(sealing, row).accessToken,
        businessAccountId: row.business_account_id,
      },
    )
    if (listed.kind === 'unnamed') {
      const reason = 'has no business account id, which the import needs'
      throw invalid([{ field: 'accountId', reason }])
    }
    if (listed.kind === 'refused') throw problem('ACCOUNT_REFUSED', { detail: listed.reason })
    if (listed.kind === 'failed') throw problem('TEMPLATES_UNREADABLE', { detail: listed.reason })
    await transaction(pool, async (tx) => {
      for (const template of listed.templates) {
        const stored = await upsertTemplate(tx, { org_id: orgId, ...template })
        await record(tx, stored, { action: stored.created ? 'CREATED' : 'UPDATED', by })
      }
    })
    return { imported: listed.templates.length, skipped: [...listed.skipped] }
  })
}

const WORDS = { CREATED: 'registered', UPDATED: 'changed', DELETED: 'forgotten' } as const

async function record(
  tx: Transaction,
  { org_id: orgId, name, language }: Pick<TemplateRow, 'org_id' | 'name' | 'language'>,
  { action, by: actor }: { action: keyof typeof WORDS & AuditEvent['action']; by: string },
): Promise<void> {
  const details = `Template ${name} (${language}) ${WORDS[action]}`
  const entityId = `${name}/${language}`
  await recordAudit(tx, [{ orgId, entity: 'TEMPLATE', entityId, action, details, actor }])
}
