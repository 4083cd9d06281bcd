import { transaction, uuid, type Outbox, type Transaction } from '@posthorn/engine'
import { callerOf, may, requirePermission, type App } from '@posthorn/http'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type, type Static } from 'typebox'
import type { Sealing } from '@posthorn/system'
import { recordAudit, type AuditEvent } from '../audit.ts'
import type { OutboundMessage } from '../message.ts'
import { problem } from '../problems.ts'
import type { Providers } from '../providers/provider.ts'
import {
  AccountChange,
  AccountResource,
  NewAccount,
  sealSecrets,
  toAccount,
  toOwnAccount,
  type AccountRow,
} from './account.ts'
import {
  deleteAccount,
  findStops,
  hasWaiting,
  insertAccount,
  listAccounts,
  listNotices,
  lockAccount,
  updateAccount,
} from './queries.ts'
import { resumeSending } from './stops.ts'

export interface AccountRoutesOptions {
  readonly pool: Pool
  readonly outbox: Outbox<OutboundMessage>
  readonly providers: Providers
  readonly sealing: Sealing
}

const PATH = '/api/v1/outbound/accounts'
const tags = ['messages']
const params = Type.Object({ id: Type.String({ format: 'uuid' }) })
const ADMIN = { config: { access: 'administer' } } as const

const schemas = {
  list: {
    summary: 'The accounts of the organisation and of the settings, with problems',
    tags,
    response: { 200: Type.Object({ items: Type.Array(AccountResource) }) },
  },
  create: {
    summary: 'Add a WhatsApp account; its secrets are encrypted and never shown',
    tags,
    body: NewAccount,
    response: { 201: AccountResource },
  },
  change: {
    summary: 'Change an account; a new access token lets a stopped one send again',
    ...{ tags, params },
    body: AccountChange,
    response: { 200: AccountResource },
  },
  remove: {
    summary: 'Delete an account without pending messages',
    ...{ tags, params },
    response: { 204: Type.Null() },
  },
  resume: {
    summary: 'Let a stopped account send again',
    tags,
    params: Type.Object({
      id: Type.String({ pattern: '^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z]{1,20})$' }),
    }),
    response: { 200: Type.Object({ resumed: Type.Boolean() }) },
  },
}

export function accountRoutes(app: App, options: AccountRoutesOptions): void {
  const { pool, outbox, providers, sealing } = options

  app.get(PATH, { schema: schemas.list }, async (request) => {
    const caller = callerOf(request)
    const accounts = await listAccounts(pool, caller.org)
    const own = [...providers.values()]
    const ids = accounts.map(({ id }) => id)
    const ownIds = own.map((provider) => provider.own.id)
    const stops = await findStops(pool, [...ids, ...ownIds])
    // Those of a shared account name other organisations' templates.
    const shown = may(caller, 'operate-all') ? [...ids, ...ownIds] : ids
    const notices = await listNotices(pool, shown)
    const watched = <Account extends { readonly id: string }>(account: Account) => ({
      ...account,
      stops: stops.filter((stop) => stop.account_id === account.id),
      notices: notices.filter((notice) => notice.account_id === account.id),
    })
    return {
      items: [
        ...accounts.map((account) => toAccount(watched(account))),
        ...own.map(({ channel, own: account }) => toOwnAccount(watched({ ...account, channel }))),
      ],
    }
  })

  app.post(PATH, { schema: schemas.create, ...ADMIN }, async (request, reply) => {
    const { org: orgId, sub: by } = callerOf(request)
    const { body } = request
    const id = uuid()
    const account = await transaction(pool, async (tx) => {
      const inserted = await insertAccount(tx, {
        ...{ id, org_id: orgId, name: body.name, phone_number_ids: body.phoneNumberIds },
        business_account_id: body.businessAccountId ?? null,
        ...sealSecrets(sealing, id, body),
      })
      if (!inserted) throw problem('ACCOUNT_NAME_TAKEN')
      await record(tx, inserted, { action: 'CREATED', details: `Account ${body.name} added`, by })
      return inserted
    })
    return reply.code(201).send(toAccount({ ...account, stops: [], notices: [] }))
  })

  /** Works on the caller's account under a lock. */
  const change = <Result>(
    request: FastifyRequest<{ Params: { id: string } }>,
    work: (tx: Transaction, account: AccountRow, by: string) => Promise<Result>,
  ): Promise<Result> => {
    const { org: orgId, sub } = callerOf(request)
    return transaction(pool, async (tx) => {
      const account = await lockAccount(tx, { id: request.params.id, orgId })
      if (!account) throw problem('NOT_FOUND')
      return work(tx, account, sub)
    })
  }

  app.patch(`${PATH}/:id`, { schema: schemas.change, ...ADMIN }, (request) =>
    change(request, async (tx, before, by) => {
      const account = await updateAccount(tx, changed(sealing, before, request.body))
      if (!account) throw problem('ACCOUNT_NAME_TAKEN')
      const fields = Object.keys(request.body).join(', ')
      const details = `Account ${account.name} changed: ${fields}`
      await record(tx, account, { action: 'UPDATED', details, by })
      if (request.body.accessToken !== undefined) {
        const because = 'its access token was changed'
        await resumeSending(tx, outbox, { accountId: account.id, by, because })
      }
      const ids = [account.id]
      const [stops, notices] = [await findStops(tx, ids), await listNotices(tx, ids)]
      return toAccount({ ...account, stops, notices })
    }),
  )

  app.delete(`${PATH}/:id`, { schema: schemas.remove, ...ADMIN }, async (request, reply) => {
    await change(request, async (tx, account, by) => {
      if (await hasWaiting(tx, account.id)) throw problem('ACCOUNT_IN_USE')
      const because = 'the account was deleted'
      await resumeSending(tx, outbox, { accountId: account.id, by, because })
      await deleteAccount(tx, account.id)
      const details = `Account ${account.name} deleted`
      await record(tx, account, { action: 'DELETED', details, by })
    })
    return reply.code(204).send(null)
  })

  app.post(`${PATH}/:id/resume`, { schema: schemas.resume, ...ADMIN }, async (request) => {
    const caller = callerOf(request)
    const { id: accountId } = request.params
    const isOwn = [...providers.values()].some(({ own }) => own.id === accountId)
    // The account of the settings is all organisations'.
    if (isOwn) requirePermission(caller, 'operate-all')
    const resumed = await transaction(pool, async (tx) => {
      if (!isOwn && !(await lockOwned(tx, { id: accountId, orgId: caller.org }))) {
        throw problem('NOT_FOUND')
      }
      const because = 'an operator resumed it'
      return resumeSending(tx, outbox, { accountId, by: caller.sub, because })
    })
    return { resumed }
  })
}

async function lockOwned(tx: Transaction, key: { id: string; orgId: string }): Promise<boolean> {
  return key.id.length === 36 && (await lockAccount(tx, key)) !== undefined
}

function changed(
  sealing: Sealing,
  before: AccountRow,
  change: Static<typeof AccountChange>,
): AccountRow {
  return {
    ...before,
    name: change.name ?? before.name,
    phone_number_ids: change.phoneNumberIds ?? before.phone_number_ids,
    business_account_id: change.businessAccountId ?? before.business_account_id,
    ...sealSecrets(sealing, before.id, change),
  }
}

async function record(
  tx: Transaction,
  account: AccountRow,
  { action, details, by: actor }: Pick<AuditEvent, 'action' | 'details'> & { by: string },
): Promise<void> {
  const { id: entityId, org_id: orgId } = account
  await recordAudit(tx, [{ orgId, entity: 'ACCOUNT', entityId, action, details, actor }])
}
