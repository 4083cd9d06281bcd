import { transaction } from '@posthorn/engine'
import { callerOf, invalid, ProblemError, type App } from '@posthorn/http'
import { Id } from '@posthorn/system'
import type { Pool } from 'pg'
import { Type, type Static } from 'typebox'
import { ProposalResource, type FourEyes } from '../../approvals/proposal.ts'
import { AdjustmentKind, RecordResource, recordResource } from '../records/record.ts'
import {
  keyOf,
  Note,
  PATH,
  RecordId,
  recordParams,
  runParams,
  tags,
  type RunKey,
} from '../request.ts'
import { beginRun } from '../runs/reconcile.ts'
import { answerDecision, decideAbout, type Asked } from './answer.ts'
import { explainTaken, tellCounts } from './decide.ts'
import { beginOne, keepOne, undoOne } from './queries.ts'

/** Payments of one record at the most. */
const MOST_PAYMENTS = 1_000

const Version = Type.Optional(
  Type.Integer({
    minimum: 0,
    description: 'Version of the record that you read; 409 if it has changed',
  }),
)

const AdjustmentBody = Type.Object({
  amount: Type.Integer({
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    description:
      "Record's amount less that of payments and refunds, in minor units; a fee is negative",
  }),
  kind: AdjustmentKind,
})

const listOfIds = (description: string) =>
  Type.Optional(
    Type.Array(Id, { minItems: 1, maxItems: MOST_PAYMENTS, uniqueItems: true, description }),
  )

/** What a record is matched with. */
const With = {
  paymentIds: listOfIds('Payments that the record settles; the first one is its main payment'),
  refundIds: listOfIds(
    'Refunds that the record stands for, or that the bank deducted from a payout',
  ),
  disputeIds: listOfIds(
    'Disputes that the record stands for, or that the bank deducted from a payout',
  ),
  part: Type.Optional(
    Type.Boolean({
      description: 'true: the record is one part of a payment that has other records too',
    }),
  ),
  adjustment: Type.Optional(AdjustmentBody),
}

/** A match is with something. */
const WITH_SOMETHING = {
  documented: {
    anyOf: ['paymentId', 'paymentIds', 'refundIds', 'disputeIds'].map((name) => ({
      required: [name],
    })),
    not: { required: ['paymentId', 'paymentIds'] },
  },
}

const matchRecord = {
  tags,
  summary: 'Match a record by hand: with a payment, several, a part of one, refunds or disputes',
  params: recordParams,
  body: Type.Object(
    { paymentId: Type.Optional(Id), ...With, reason: Note, version: Version },
    WITH_SOMETHING,
  ),
  response: { 200: RecordResource, 202: ProposalResource },
}

const decisionSchema = (summary: string) => ({
  tags,
  summary,
  params: recordParams,
  body: Type.Object({ reason: Note, version: Version }),
  response: { 200: RecordResource, 202: ProposalResource },
})

const PLAIN_DECISIONS = [
  {
    kind: 'unmatch',
    schema: decisionSchema('Undo a match; no run matches the record again'),
  },
  { kind: 'ignore', schema: decisionSchema('Ignore a record: it is no longer an exception') },
  { kind: 'reopen', schema: decisionSchema('Reopen a record, so that runs consider it again') },
] as const

/** Decisions of one request at the most. */
const MOST_DECISIONS = 500

const About = { recordId: RecordId, version: Version }

const decideMany = {
  tags,
  summary: 'Decide on many records of a file at once',
  description:
    'Matches, ignores and reopens records, undoes matches and accepts suggestions in one transaction. Refused decisions change nothing and are listed in `refused` with the reason; all others are stored together.',
  params: runParams,
  body: Type.Object({
    reason: Note,
    decisions: Type.Array(
      Type.Union([
        Type.Object({ do: Type.Enum(['ignore', 'reopen', 'unmatch']), ...About }),
        Type.Object({ do: Type.Literal('match'), ...About, ...With }, WITH_SOMETHING),
        Type.Object({ do: Type.Literal('accept'), suggestionId: Id }),
      ]),
      { minItems: 1, maxItems: MOST_DECISIONS },
    ),
  }),
  response: {
    200: Type.Object({
      applied: Type.Array(RecordResource),
      refused: Type.Array(
        Type.Object({
          index: Type.Integer({ description: 'Index of the decision, from 0' }),
          recordId: Type.Optional(Type.String()),
          suggestionId: Type.Optional(Type.String()),
          code: Type.String(),
          detail: Type.String(),
        }),
      ),
    }),
  },
}

export function decisionRoutes(
  app: App,
  options: { readonly pool: Pool; readonly fourEyes: FourEyes },
): void {
  const record = `${PATH}/:id/records/:recordId`

  app.post(`${record}/match`, { schema: matchRecord }, async (request, reply) => {
    const { reason: note, version, paymentId, ...match } = request.body
    if (paymentId !== undefined && match.paymentIds !== undefined) {
      throw invalid([{ field: 'paymentId', reason: 'or paymentIds is required, not both' }])
    }
    const one = paymentId === undefined ? {} : { paymentIds: [paymentId] }
    const decision = { note, version, ...matchIn({ ...match, ...one }, '') }
    const line = Number(request.params.recordId)
    return answerDecision(options, { request, reply }, { line, decision })
  })

  app.post(`${PATH}/:id/decisions`, { schema: decideMany }, async (request) => {
    const { reason: note, decisions } = request.body
    return decideAll(options, keyOf(request), {
      by: callerOf(request).sub,
      items: decisions.map((one, index) => itemOf(one, { note, index })),
    })
  })

  for (const { kind, schema } of PLAIN_DECISIONS) {
    app.post(`${record}/${kind}`, { schema }, async (request, reply) => {
      const { reason: note, version } = request.body
      const line = Number(request.params.recordId)
      return answerDecision(
        options,
        { request, reply },
        { line, decision: { kind, note, version } },
      )
    })
  }
}

const Matched = Type.Object(With)

/** What a match is with; or what is wrong with that, by its place in the body. */
function matchIn(
  { paymentIds, refundIds, disputeIds, part, adjustment }: Static<typeof Matched>,
  place: string,
) {
  // As Postgres writes them, so that the same one twice is seen.
  const plain = (ids: readonly string[] = []) => [...new Set(ids.map((id) => id.toLowerCase()))]
  const payments = plain(paymentIds)
  const refunds = plain(refundIds)
  const disputes = plain(disputeIds)
  const reversals = refunds.length + disputes.length
  if (payments.length + reversals === 0) {
    throw invalid([
      { field: `${place}paymentIds`, reason: 'or refundIds or disputeIds is required' },
    ])
  }
  if (part === true && (payments.length !== 1 || reversals > 0)) {
    throw invalid([
      { field: `${place}part`, reason: 'needs one payment, and no refund or dispute' },
    ])
  }
  if (adjustment?.amount === 0) {
    throw invalid([{ field: `${place}adjustment.amount`, reason: 'must not be 0: leave it out' }])
  }
  return {
    kind: 'match' as const,
    ...{ paymentIds: payments, refundIds: refunds, disputeIds: disputes },
    ...{ isPart: part === true, adjustment },
  }
}

function itemOf(
  one: Static<typeof decideMany.body>['decisions'][number],
  { note, index }: { note: string; index: number },
): Asked {
  if (one.do === 'accept') return { suggestionId: one.suggestionId, note }
  const about = { note, version: one.version }
  const decision =
    one.do === 'match'
      ? { ...about, ...matchIn(one, `decisions.${index}.`) }
      : { ...about, kind: one.do }
  return { line: Number(one.recordId), decision }
}

type Outcome = Static<(typeof decideMany.response)[200]>

/**
 * Decides about many records in one transaction, one after the other. What is refused changes nothing
 * and says why; the others are stored together.
 */
async function decideAll(
  { pool, fourEyes: approval }: { readonly pool: Pool; readonly fourEyes: FourEyes },
  key: RunKey,
  { by, items }: { readonly by: string; readonly items: readonly Asked[] },
): Promise<Outcome> {
  return transaction(pool, async (tx) => {
    const run = await beginRun(tx, key)
    const outcome: Outcome = { applied: [], refused: [] }
    for (const [index, asked] of items.entries()) {
      await beginOne(tx)
      try {
        const record = await decideAbout(tx, run, { by, approval, asked })
        await keepOne(tx)
        outcome.applied.push(recordResource(record))
      } catch (error) {
        const refusal = explainTaken(error)
        if (!(refusal instanceof ProblemError)) throw refusal
        await undoOne(tx)
        const about =
          'line' in asked ? { recordId: String(asked.line) } : { suggestionId: asked.suggestionId }
        outcome.refused.push({ index, ...about, code: refusal.code, detail: refusal.message })
      }
    }
    if (outcome.applied.length > 0) await tellCounts(tx, run)
    return outcome
  })
}
