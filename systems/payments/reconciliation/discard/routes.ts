import type { App } from '@posthorn/http'
import type { Pool } from 'pg'
import { memberOf } from '../owner.ts'
import { PATH } from '../runs/routes.ts'
import { runResource } from '../runs/run.ts'
import { discardRun } from './discard.ts'
import * as schemas from './schemas.ts'

export function discardRoutes(app: App, pool: Pool): void {
  app.post(`${PATH}/:id/discard`, { schema: schemas.discardRun }, async (request) => {
    const { org, user: by } = memberOf(request)
    const key = { org, id: request.params.id }
    return runResource(await discardRun(pool, key, { by, note: request.body.reason }))
  })
}
