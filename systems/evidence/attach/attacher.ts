import { setTimeout as sleep } from 'node:timers/promises'
import { type Handled, type Log, type Message, confirm } from '@posthorn/engine'
import { type Answered, aroundAll, defineInbox } from '@posthorn/engine/inbox'
import type { Pool } from 'pg'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { type SystemConsumer, Semaphore } from '@posthorn/system'
import { GROUP, type RowsOutbox, TOPIC, TRANSPORT } from '../outbox.ts'
import { type Documents, type SmallFiles, createSmallFiles } from './documents.ts'
import { type Answer, outcomeOf } from './outcome.ts'
import { type Pause, WorkerPaused } from './pause.ts'
import { type RequestedRow, attachArtifacts, findRequested, isClaimed } from './queries.ts'

/** Resolves when the publisher that claimed a row has noted that it is published, or seems dead. */
type Noting = (rowId: string, claim: string) => Promise<void>

const NOTED_WITHIN_MS = 2_000
const MOST_DEAD_CLAIMS = 1_000

/**
 * A row may be read before its publisher has noted where it was published. An outcome would end that
 * note, so it waits a moment. The rows of a claim are noted together: one look serves all of them. If
 * the publisher died, the outcome is applied all the same, and no consumer waits for the other rows
 * of its claim.
 */
function createNoting(pool: Pool): Noting {
  const dead = new Set<string>()
  const waiting = new Map<string, Promise<void>>()

  async function untilNoted(rowId: string, claim: string): Promise<void> {
    const giveUpAt = performance.now() + NOTED_WITHIN_MS
    for (let pauseMs = 5; !dead.has(claim); pauseMs = Math.min(pauseMs * 2, 200)) {
      if (!(await isClaimed(pool, rowId, claim))) return
      if (performance.now() > giveUpAt) {
        if (dead.size >= MOST_DEAD_CLAIMS) dead.clear()
        dead.add(claim)
      } else await sleep(pauseMs)
    }
  }

  return (rowId, claim) => {
    const looking = waiting.get(claim)
    if (looking) return looking
    const started = untilNoted(rowId, claim).finally(() => waiting.delete(claim))
    waiting.set(claim, started)
    return started
  }
}

/** Attempts have ids without a time in them: what is older than this cannot come again. */
export const inbox = defineInbox({
  table: 'evidence.consumer_inbox',
  retention: '90d',
  forgetOthers: '90d',
})

/** Rows whose outcomes are one transaction; more would only hold their locks longer. */
const POLL = 100

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
  /** Calls at once, of all polls together. */
  readonly callsAtOnce: number
}

interface Worker extends EvidenceWorkerOptions {
  readonly noted: Noting
  readonly places: Semaphore
}

/** A message whose row waits for the outcome of this attempt. */
interface Asked {
  readonly id: string
  readonly key: string | undefined
  readonly retryCount: number
  readonly row: RequestedRow
}

type Given = Exclude<Answer, { kind: 'unauthorised' }>

/**
 * Attaches the files of published rows to their cases, a poll at a time. Calls are made with no
 * transaction open; the outcomes of a poll, their artifacts and inbox rows are one. A failure that is
 * no answer of the API is the transport's to repeat, and charges the row nothing.
 */
export function evidenceWorker(options: EvidenceWorkerOptions): SystemConsumer {
  const noted = createNoting(options.pool)
  const worker = { ...options, noted, places: new Semaphore(options.callsAtOnce) }
  return {
    transport: TRANSPORT,
    topic: TOPIC,
    group: GROUP,
    async handle(message, { signal }) {
      const [result] = await attachAll(worker, [message], signal)
      if (typeof result === 'object') throw result.error
    },
    batch: {
      size: POLL,
      handle: (messages, { signal }) => attachAll(worker, messages, signal),
    },
  }
}

async function attachAll(
  worker: Worker,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<Handled[]> {
  const { pool, callsAtOnce, documents } = worker
  const asked = await askedBy(worker, messages)
  const results = new Map<Message, Handled>()
  if (asked.size > 0) {
    const small = createSmallFiles(documents.storage)
    const receipts = { inbox, consumer: GROUP, messages: [...asked.values()] }
    const handled = await aroundAll(pool, receipts, {
      ...{ atOnce: callsAtOnce, signal },
      call: (each) => worker.places.run(() => callFor(worker, each, { small, signal })),
      outcome: (tx, answered) => settleAll(tx, worker, answered),
    })
    ;[...asked.keys()].forEach((message, at) => results.set(message, handled[at] ?? 'untried'))
  }
  return messages.map((message) => results.get(message) ?? 'done')
}

/** The messages of which the row waits; the others are done. */
async function askedBy(
  { pool, log }: Worker,
  messages: readonly Message[],
): Promise<Map<Message, Asked>> {
  const requests = new Map<Message, Request>()
  for (const message of messages) {
    const { id, payload } = message
    if (Value.Check(Request, payload)) requests.set(message, payload)
    else log.warn({ id }, 'foreign request skipped')
  }
  const rowIds = [...requests.values()].map(({ rowId }) => rowId)
  const rows = await findRequested(pool, rowIds)
  const asked = new Map<Message, Asked>()
  for (const [message, { rowId, retryCount }] of requests) {
    const row = rows.get(rowId.toLowerCase())
    if (row && isCurrent(row, retryCount)) {
      asked.set(message, { id: message.id, key: message.key, retryCount, row })
    } else {
      log.info({ rowId, retryCount, status: row?.status }, 'late request skipped')
    }
  }
  return asked
}

/** Whether the row still waits for the outcome of this attempt. */
function isCurrent(row: RequestedRow, retryCount: number): boolean {
  return (row.status === 'PUBLISHED' || row.on_its_way !== null) && row.retry_count === retryCount
}

async function callFor(
  { documents, pause, noted }: Worker,
  { row }: Asked,
  { small, signal }: { small: SmallFiles; signal: AbortSignal },
): Promise<Given> {
  signal.throwIfAborted()
  pause.check()
  const { id: rowId, case_id: caseId, artifacts } = row
  const answer = await documents.attach({ rowId, caseId, artifacts, signal, small })
  if (answer.kind === 'unauthorised') {
    await pause.shut(answer.status)
    throw new WorkerPaused()
  }
  await pause.open()
  if (row.on_its_way !== null) await noted(rowId, row.on_its_way)
  return answer
}

/**
 * Applies the outcomes of a poll. That one came for which its row does not wait must not be
 * remembered: a row that a dead publisher had claimed is free for a moment, and then published again
 * as the same event.
 */
async function settleAll(
  tx: Parameters<typeof confirm>[0],
  { outbox, log }: Worker,
  answered: readonly Answered<Asked, Given>[],
): Promise<Asked[]> {
  const given = answered.map(({ message: { row, retryCount }, answer }) => ({
    id: row.id,
    attempt: retryCount,
    outcome: outcomeOf(answer, retryCount),
  }))
  const applied = new Set(await confirm(tx, outbox, given, { by: 'EVIDENCE_WORKER' }))
  const attached = answered.flatMap(({ message: { row }, answer }) =>
    answer.kind === 'attached' && applied.has(row.id)
      ? row.artifacts.map(({ position }, at) => ({
          ...{ rowId: row.id, position, documentId: answer.ids[at] ?? '' },
        }))
      : [],
  )
  if (attached.length > 0) await attachArtifacts(tx, attached)
  const dropped = answered.filter(({ message }) => !applied.has(message.row.id))
  for (const { message } of dropped) {
    const { row, retryCount } = message
    log.info({ rowId: row.id, retryCount }, 'outcome dropped: the row no longer waits for it')
  }
  return dropped.map(({ message }) => message)
}
