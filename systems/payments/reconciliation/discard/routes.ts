import type { App } from '@posthorn/http'
import type { Pool } from 'pg'
import type { FourEyes } from '../../approvals/proposal.ts'
import { proposalResource } from '../../approvals/proposal.ts'
import { doOrPropose, type Proposed } from '../../approvals/proposal.ts'
import { memberOf } from '../owner.ts'
import { PATH } from '../runs/routes.ts'
import { runResource } from '../runs/run.ts'
import { discardRun } from './discard.ts'
import * as schemas from './schemas.ts'

export function discardRoutes(
  app: App,
  { pool, fourEyes }: { readonly pool: Pool; readonly fourEyes: FourEyes },
): void {
  app.post(`${PATH}/:id/discard`, { schema: schemas.discardRun }, async (request, reply) => {
    const { org, user: by } = memberOf(request)
    const key = { org, id: request.params.id }
    const { reason: note } = request.body
    const proposed: Proposed = {
      ...{ org, by, kind: 'discard', subject: key.id, request: { runId: key.id, note } },
      ...{ reason: note, requestKey: null },
    }
    const outcome = await doOrPropose(pool, proposed, () =>
      discardRun(pool, key, { by, note, approval: fourEyes }),
    )
    if ('proposal' in outcome) return reply.code(202).send(proposalResource(outcome.proposal))
    return reply.code(200).send(runResource(outcome.done))
  })
}
