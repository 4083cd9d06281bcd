import type { Transaction } from '@posthorn/engine'
import type { IdempotencyStore } from '@posthorn/engine/inbox'
import type { Pool } from 'pg'
import type { Gateway } from '@posthorn/gateway'
import { beginDecision, beginRefund, type Begun, type RefundAsked } from '../charges/work.ts'
import { drive } from '../charges/drive.ts'
import { createAuditLog } from '../charges/queries.ts'
import { decideOn, explainTaken, tellCounts } from '../reconciliation/decisions/decide.ts'
import type { Decision } from '../reconciliation/decisions/decision.ts'
import { discardIn } from '../reconciliation/discard/discard.ts'
import { acceptIn, type Answer } from '../reconciliation/suggestions/suggest.ts'
import { beginRun } from '../reconciliation/runs/reconcile.ts'
import type { Executor, Executors } from './decide.ts'
import { replaceLimits, type Limit } from './queries.ts'

export interface ExecutorOptions {
  readonly pool: Pool
  readonly keys: IdempotencyStore
  readonly gateway: Gateway
}

type Unsigned<Signed> = Omit<Signed, 'by' | 'approval'>

/** A decision about a record, or the suggestion that is accepted. */
type DecisionRequest = { readonly runId: string } & (
  | { readonly line: number; readonly decision: Unsigned<Decision> }
  | ({ readonly suggestionId: string } & Unsigned<Answer>)
)

/** How each kind of proposal is carried out: as the direct call does it, in the proposer's name. */
export function createExecutors({ pool, keys, gateway }: ExecutorOptions): Executors {
  const atGateway = (
    begin: (tx: Transaction, asked: RefundAsked) => Promise<Begun>,
    called = 'transactionId',
  ): Executor => ({
    permission: 'approve',
    async execute(tx, { id, org_id: org, proposed_by: sub, request }) {
      const { paymentId, amount } = request as { paymentId: string; amount?: number }
      const begun = await begin(tx, {
        // Its own key: what was begun goes on by it in any process, and begins once.
        keyed: { scope: 'proposal', key: id, fingerprint: id },
        caller: { sub, org, role: 'clerk', expiresAt: 0 },
        ...{ paymentId, amount, approval: 'approved' },
      })
      if (begun.kind === 'refund') return { result: { [called]: begun.refund.id } }
      if (begun.kind !== 'work') throw new Error(`The key of proposal ${id} was used before.`)
      const { claim, work } = begun
      return {
        result: { [called]: work.transactionId },
        finish: () => drive({ pool, gateway, by: sub }, claim, work),
      }
    },
  })
  return {
    refund: atGateway((tx, asked) => beginRefund(tx, keys, asked), 'refundId'),
    capture: atGateway((tx, asked) => beginDecision(tx, keys, { ...asked, type: 'capture' })),
    void: atGateway((tx, asked) => beginDecision(tx, keys, { ...asked, type: 'void' })),
    decision: {
      permission: 'approve',
      async execute(tx, { org_id: org, proposed_by: by, request }) {
        const { runId, ...asked } = request as unknown as DecisionRequest
        const signed = { by, approval: 'approved' } as const
        try {
          const run = await beginRun(tx, { org, id: runId })
          const record =
            'line' in asked
              ? await decideOn(
                  tx,
                  { run, line: asked.line, accepted: null },
                  { ...asked.decision, ...signed },
                )
              : await acceptIn(tx, { run, id: asked.suggestionId }, { ...asked, ...signed })
          await tellCounts(tx, run)
          return { result: { runId, recordId: String(record.line_number) } }
        } catch (error) {
          throw explainTaken(error)
        }
      },
    },
    discard: {
      permission: 'approve',
      async execute(tx, { org_id: org, proposed_by: by, request }) {
        const { runId, note } = request as { runId: string; note: string }
        await discardIn(tx, { org, id: runId }, { by, note, approval: 'approved' })
        return { result: { runId } }
      },
    },
    limits: {
      permission: 'administer',
      async execute(tx, { org_id: org, proposed_by: by, request }) {
        const { limits } = request as { limits: readonly Limit[] }
        await replaceLimits(tx, { org, by, limits })
        await createAuditLog(tx, {
          ...{ orgId: org, actor: by, action: 'approval_limits.changed' },
          ...{ entity: 'approval_limits', entityId: org, details: { limits } },
        })
        return { result: { limits } }
      },
    },
  }
}
