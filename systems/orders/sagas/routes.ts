import { PosthornError, type Queryable } from '@posthorn/engine'
import { PageQuery, callerOf, pageOf, sortable, type App } from '@posthorn/http'
import { getSaga, listSagas, type SagaDetails, type SagaPage } from '@posthorn/saga'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { problem } from '../problems.ts'
import { SAGA_STATES, SagaItem, SagaResource, toDetails, toItem } from './resource.ts'

const PATH = '/api/v1/sagas'
const tags = ['sagas']
const params = Type.Object({ id: Type.String({ format: 'uuid' }) })

const schemas = {
  list: {
    summary: 'Sagas of the organisation, newest first',
    tags,
    querystring: Type.Object({
      ...PageQuery.properties,
      sort: sortable(['-createdAt', 'createdAt']).parameter,
      status: Type.Optional(Type.Enum([...SAGA_STATES])),
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    }),
    response: { 200: pageOf(SagaItem) },
  },
  one: {
    summary: 'A saga with its steps, events, replies, compensations and what operators did to it',
    ...{ tags, params },
    response: { 200: SagaResource },
  },
}

interface SagaKey {
  readonly id: string
  readonly org: string
}

export function sagaRoutes(app: App, pool: Pool): void {
  app.get(PATH, { schema: schemas.list }, async (request) => {
    const { org: tenant } = callerOf(request)
    const { sort: wanted, ...query } = request.query
    const sort = wanted === 'createdAt' ? 'oldest' : 'newest'
    const { items, nextCursor = null } = await page(() =>
      listSagas(pool, { ...query, sort, tenant }),
    )
    return { items: items.map(toItem), nextCursor }
  })

  app.get(`${PATH}/:id`, { schema: schemas.one }, async (request) => {
    const { org } = callerOf(request)
    return toDetails(await findOwn(pool, { id: request.params.id, org }))
  })
}

export async function findOwn(db: Queryable, { id, org }: SagaKey): Promise<SagaDetails> {
  const saga = await getSaga(db, id)
  if (saga?.tenant !== org) throw problem('NOT_FOUND')
  return saga
}

/** A cursor that is none is the caller's mistake. */
async function page(list: () => Promise<SagaPage>): Promise<SagaPage> {
  try {
    return await list()
  } catch (error) {
    if (!(error instanceof PosthornError && error.code === 'CURSOR_INVALID')) throw error
    throw problem('CURSOR_INVALID', {
      errors: [{ field: 'cursor', reason: 'is not valid for this list' }],
      cause: error,
    })
  }
}
