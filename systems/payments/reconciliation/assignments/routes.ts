import { transaction } from '@posthorn/engine'
import type { App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { createAuditLog } from '../../charges/queries.ts'
import { memberOf, requireFound } from '../owner.ts'
import { findRecord } from '../records/queries.ts'
import { findRun } from '../runs/queries.ts'
import { PATH } from '../runs/routes.ts'
import { recordParams, tags } from '../schemas.ts'
import { upsertAssignment } from './queries.ts'

const AssignmentBody = Type.Object({
  owner: Type.Union([Type.String({ minLength: 1, maxLength: 255 }), Type.Null()], {
    description: 'the user who looks after it',
  }),
  note: Type.Union([Type.String({ minLength: 1, maxLength: 2_000 }), Type.Null()]),
  dueOn: Type.Union([Type.String({ format: 'date' }), Type.Null()]),
})

const assignRecord = {
  tags,
  summary: 'Say who looks after an exception, until when, and what is known so far',
  params: recordParams,
  body: AssignmentBody,
  response: { 200: AssignmentBody },
}

export function assignmentRoutes(app: App, pool: Pool): void {
  app.put(`${PATH}/:id/records/:recordId/assignment`, { schema: assignRecord }, async (request) => {
    const { org, user: by } = memberOf(request)
    const { owner, note, dueOn } = request.body
    const line = Number(request.params.recordId)
    await transaction(pool, async (tx) => {
      const found = await findRun(tx, { org, id: request.params.id })
      const { id: runId } = requireFound(found, 'reconciliation')
      requireFound(await findRecord(tx, { runId, line }), 'record')
      await upsertAssignment(tx, { runId, line, by }, { owner, note, due_on: dueOn })
      await createAuditLog(tx, {
        ...{ orgId: org, actor: by, action: 'reconciliation.record_assigned' },
        ...{ entity: 'reconciliation_record', entityId: `${runId}/${line}` },
        details: { owner, note, dueOn },
      })
    })
    return { owner, note, dueOn }
  })
}
