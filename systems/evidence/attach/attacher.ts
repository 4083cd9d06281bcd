import { setTimeout as sleep } from 'node:timers/promises'
import { confirm, type ConsumeContext, type Log, type Message } from '@posthorn/engine'
import { around, defineInbox } from '@posthorn/engine/inbox'
import type { Pool } from 'pg'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { SystemConsumer } from '../../system.ts'
import { GROUP, TOPIC, TRANSPORT, type RowsOutbox } from '../outbox.ts'
import type { Documents } from './documents.ts'
import { outcomeOf, type Answer } from './outcome.ts'
import { WorkerPaused, type Pause } from './pause.ts'
import { attachArtifacts, findRequested, type RequestedRow } from './queries.ts'

/** Resolves when the publisher that claimed a row has noted that it is published, or seems dead. */
type Noting = (rowId: string, claim: string) => Promise<void>

const NOTED_WITHIN_MS = 2_000
const MOST_DEAD_CLAIMS = 1_000

/** Attempts have ids without a time in them: what is older than this cannot come again. */
export const inbox = defineInbox({
  table: 'evidence.consumer_inbox',
  retention: '90d',
  forgetOthers: '90d',
})

const Request = Type.Object({
  eventId: Type.String({ format: 'uuid' }),
  fileJobId: Type.String(),
  rowId: Type.String({ format: 'uuid' }),
  caseId: Type.String(),
  retryCount: Type.Integer({ minimum: 0 }),
})
type Request = Static<typeof Request>

export interface EvidenceWorkerOptions {
  readonly pool: Pool
  readonly log: Log
  readonly outbox: RowsOutbox
  readonly documents: Documents
  readonly pause: Pause
}

/**
 * Attaches the files of published rows to their cases. The call is made with no transaction open; its
 * outcome, the artifacts and the inbox row are one. A throw is the transport's to repeat, and charges
 * the row nothing.
 */
export function evidenceWorker(options: EvidenceWorkerOptions): SystemConsumer {
  const { log, pool } = options
  const noted = createNoting(pool)
  return {
    transport: TRANSPORT,
    topic: TOPIC,
    group: GROUP,
    async handle(message, context) {
      const { payload } = message
      if (!Value.Check(Request, payload)) {
        return log.warn({ id: message.id }, 'foreign request skipped')
      }
      await attach({ ...options, noted }, { message, request: payload }, context)
    },
  }
}

async function attach(
  options: EvidenceWorkerOptions & { readonly noted: Noting },
  { request, message }: { request: Request; message: Message },
  { signal }: ConsumeContext,
): Promise<void> {
  const { pool, outbox, documents, pause, log, noted } = options
  const { rowId, retryCount } = request
  const row = await findRequested(pool, rowId)
  if (!row || !isCurrent(row, retryCount)) {
    return log.info({ rowId, retryCount, status: row?.status }, 'late request skipped')
  }
  pause.check()
  const receipt = { inbox, consumer: GROUP, id: message.id }
  const attaching = around(pool, receipt, {
    call: async () => {
      const { case_id: caseId, artifacts } = row
      const answer = await documents.attach({ rowId, caseId, artifacts, signal })
      if (answer.kind === 'unauthorised') {
        await pause.shut(answer.status)
        throw new WorkerPaused()
      }
      await pause.open()
      if (row.on_its_way !== null) await noted(rowId, row.on_its_way)
      return answer
    },
    outcome: async (tx, answer: Exclude<Answer, { kind: 'unauthorised' }>) => {
      const outcome = outcomeOf(answer, retryCount)
      const given = [{ id: rowId, attempt: retryCount, outcome }]
      const applied = await confirm(tx, outbox, given, { by: 'EVIDENCE_WORKER' })
      if (applied.length === 0) throw new NotAwaited()
      if (answer.kind === 'attached') await attachArtifacts(tx, rowId, answer.ids)
    },
  })
  await attaching.catch((error: unknown) => {
    if (!(error instanceof NotAwaited)) throw error
    log.info({ rowId, retryCount }, 'outcome dropped: the row does not wait for it')
  })
}

/**
 * The row does not wait for this outcome. That it came must not be remembered: a row that a dead
 * publisher had claimed is free for a moment, and then published again as the same event.
 */
class NotAwaited extends Error {}

/** Whether the row still waits for the outcome of this attempt. */
function isCurrent(row: RequestedRow, retryCount: number): boolean {
  return (row.status === 'PUBLISHED' || row.on_its_way !== null) && row.retry_count === retryCount
}

/**
 * A row may be read before its publisher has noted where it was published. An outcome would end that
 * note, so it waits a moment. If the publisher died, the outcome is applied all the same, and
 * no consumer waits for the other rows of its claim.
 */
function createNoting(pool: Pool): Noting {
  const dead = new Set<string>()
  return async (rowId, claim) => {
    const giveUpAt = performance.now() + NOTED_WITHIN_MS
    for (let pauseMs = 5; !dead.has(claim); pauseMs = Math.min(pauseMs * 2, 200)) {
      const row = await findRequested(pool, rowId)
      if (row?.on_its_way !== claim) return
      if (performance.now() > giveUpAt) {
        if (dead.size >= MOST_DEAD_CLAIMS) dead.clear()
        dead.add(claim)
      } else await sleep(pauseMs)
    }
  }
}
