import { transaction, type Transaction } from '@posthorn/engine'
import { callerOf } from '@posthorn/http'
import type { FastifyReply } from 'fastify'
import type { Pool } from 'pg'
import {
  doOrPropose,
  proposalResource,
  type FourEyes,
  type Proposed,
} from '../../approvals/proposal.ts'
import { recordResource, type StatementRecord } from '../records/record.ts'
import { keyOf, type RunKey, type RunRequest } from '../request.ts'
import { beginRun } from '../runs/reconcile.ts'
import type { Run } from '../runs/run.ts'
import { acceptIn, type Answer } from '../suggestions/suggest.ts'
import { decideOn, explainTaken, tellCounts } from './decide.ts'
import type { Decision } from './decision.ts'

/** A decision about a record, or the suggestion that is accepted. */
export type Asked =
  | { readonly line: number; readonly decision: Omit<Decision, keyof Signature> }
  | ({ readonly suggestionId: string } & Omit<Answer, keyof Signature>)

type Signature = Pick<Decision, 'by' | 'approval'>

/** Decides in a transaction that has begun the run. */
export const decideAbout = (
  tx: Transaction,
  run: Run,
  { asked, ...signed }: Signature & { readonly asked: Asked },
): Promise<StatementRecord> =>
  'line' in asked
    ? decideOn(tx, { run, line: asked.line }, { ...asked.decision, ...signed })
    : acceptIn(tx, { run, id: asked.suggestionId }, { ...asked, ...signed })

/** Begins the run and decides, for good: no run undoes it. Returns the record as it is then. */
export async function decideIn(
  tx: Transaction,
  key: RunKey,
  decided: Signature & { readonly asked: Asked },
): Promise<StatementRecord> {
  try {
    const run = await beginRun(tx, key)
    const record = await decideAbout(tx, run, decided)
    await tellCounts(tx, run)
    return record
  } catch (error) {
    throw explainTaken(error)
  }
}

/** Decides and answers with the record, or proposes it where it takes a second person. */
export async function answerDecision(
  { pool, fourEyes }: { readonly pool: Pool; readonly fourEyes: FourEyes },
  { request, reply }: { readonly request: RunRequest; readonly reply: FastifyReply },
  asked: Asked,
): Promise<FastifyReply> {
  const { org, sub: by } = callerOf(request)
  const key = keyOf(request)
  const [place, reason] =
    'line' in asked
      ? [asked.line, asked.decision.note]
      : [`suggestions/${asked.suggestionId}`, asked.note]
  const proposed: Proposed = {
    ...{ org, by, kind: 'decision', subject: `${key.id}/${place}` },
    ...{ request: { runId: key.id, ...asked }, reason, requestKey: null },
  }
  const outcome = await doOrPropose(pool, proposed, () =>
    transaction(pool, (tx) => decideIn(tx, key, { by, approval: fourEyes, asked })),
  )
  if ('proposal' in outcome) return reply.code(202).send(proposalResource(outcome.proposal))
  return reply.code(200).send(recordResource(outcome.done))
}
