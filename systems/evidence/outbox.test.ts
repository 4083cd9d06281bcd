import {
  confirm,
  createRelay,
  delivered,
  retryLater,
  transaction,
  unreachable,
  uuid,
  type Outbox,
} from '@posthorn/engine'
import { advanceClock, replay } from '@posthorn/operate'
import {
  everywhere,
  fakeTransport,
  outboxConformance,
  printStatements,
} from '@posthorn/engine/testing'
import { beforeEach, describe, expect, test } from 'vitest'
import { ILLEGAL_MOVES, outboxLines } from '../../proof/kit/stand/engine-lines.ts'
import { outcomeOf } from './attach/outcome.ts'
import { rowsOutbox, type Moved } from './outbox.ts'
import { mailsOutbox } from './results/mails.ts'
import type { FileOutboxRow } from './rows/row.ts'
import { storeJob } from './testing/queries.ts'
import { evidenceDatabase } from './testing/running.ts'

const db = await evidenceDatabase()
const outbox = rowsOutbox({ perMerchant: 1_000 })
const jobId = uuid()
await storeJob(db.pool, outbox, { id: jobId, cases: [] })

let number = 0
const sample = (n: number): Partial<FileOutboxRow> => ({
  ...{ file_job_id: jobId, org_id: `merchant-${n % 3}`, case_id: `case-${n}` },
  evidence_files: 'a.pdf',
  row_number: (number += 1),
  line_number: 2,
})

outboxConformance(outbox, {
  pool: () => db.pool,
  transports: ['kafka'],
  sample,
})

describe('evidence.rows', () => {
  const transport = fakeTransport()
  const relay = createRelay({
    pool: db.pool,
    outboxes: [outbox],
    transports: everywhere(transport, ['kafka']),
    mode: 'poll',
  })
  const settle = async () => {
    for (let i = 0; i < 50 && (await relay.runOnce()) > 0; i += 1);
  }
  const rowOf = async (id: string): Promise<FileOutboxRow> => {
    const { rows } = await db.pool.query<FileOutboxRow>(
      'select * from evidence.file_outbox_row where id = $1',
      [id],
    )
    return rows[0] as FileOutboxRow
  }
  const movesOf = async (id: string): Promise<string[]> => {
    const { rows } = await db.pool.query<{ move: string }>(
      `select concat_ws(' ', coalesce(old_status, '-'), new_status, retry_count, error_code,
                        transitioned_by) as move
         from evidence.file_outbox_row_audit where file_outbox_row_id = $1 order by id`,
      [id],
    )
    return rows.map(({ move }) => move)
  }
  const failed = outcomeOf({ kind: 'failed', message: 'not today' }, 0)
  const outcome = (id: string, given: Moved, attempt?: number) =>
    transaction(db.pool, (tx) =>
      confirm(tx, outbox, [{ id, outcome: given, ...(attempt !== undefined && { attempt }) }]),
    )
  const put = async () => (await storeJob(db.pool, outbox, { cases: ['case-1'] }))[0] as string

  beforeEach(() => {
    transport.arrived.length = 0
    transport.attempted.length = 0
    transport.answer = () => delivered({ partition: 3, offset: '17' })
  })

  test('publishes what the worker needs, keyed by case, and notes where it went', async () => {
    const id = await put()
    await settle()
    const row = await rowOf(id)
    expect(row).toMatchObject({ status: 'PUBLISHED', kafka_partition: 3, kafka_offset: '17' })
    expect(transport.arrived).toMatchObject([
      {
        id: row.event_id,
        key: 'case-1',
        tenant: 'acme',
        payload: {
          eventId: row.event_id,
          fileJobId: row.file_job_id,
          rowId: id,
          caseId: 'case-1',
          retryCount: 0,
        },
      },
    ])
  })

  test('counts a retry when it is claimed, with a new event; a failed publish charges nothing', async () => {
    const id = await put()
    await settle()
    const first = await rowOf(id)
    await outcome(id, failed, 0)
    expect(await rowOf(id)).toMatchObject({
      status: 'FAILED',
      retry_count: 0,
      error_code: 'API_ERROR',
    })
    await settle()
    expect((await rowOf(id)).status).toBe('FAILED')

    await advanceClock(db.pool, '6h')
    transport.answer = () => unreachable(new Error('no broker'))
    await settle()
    expect(await rowOf(id)).toMatchObject({ status: 'FAILED', retry_count: 0 })
    transport.answer = () => delivered({ partition: 3, offset: '18' })
    await advanceClock(db.pool, '1m')
    await settle()
    const second = await rowOf(id)
    expect(second).toMatchObject({ status: 'PUBLISHED', retry_count: 1, kafka_offset: '18' })
    expect(second.event_id).not.toBe(first.event_id)
    expect(await movesOf(id)).toEqual([
      'PENDING PUBLISHED 0 PUBLISHER',
      'PUBLISHED FAILED 0 API_ERROR EVIDENCE_WORKER',
      'FAILED PUBLISHED 1 PUBLISHER',
    ])
  })

  test('an outcome of another attempt is dropped', async () => {
    const id = await put()
    await settle()
    expect(await outcome(id, failed, 1)).toEqual([])
    expect(await outcome(id, failed, 0)).toEqual([id])
    expect(await outcome(id, outcomeOf({ kind: 'attached', ids: [] }, 0), 0)).toEqual([])
    expect((await rowOf(id)).status).toBe('FAILED')
  })

  test('is published again, the same, only if its group has gone by', async () => {
    const id = await put()
    await settle()
    const first = await rowOf(id)
    await db.pool.query(
      `update evidence.file_outbox_row set published_at = now() - interval '31 min' where id = $1`,
      [id],
    )
    let hasPassed = false
    const passing = {
      ...transport,
      passed: async (sent: readonly unknown[]) => sent.map(() => hasPassed),
    }
    const looking = createRelay({
      pool: db.pool,
      outboxes: [outbox],
      transports: { kafka: passing },
      mode: 'poll',
    })
    await looking.runOnce()
    expect(transport.arrived).toHaveLength(1)
    hasPassed = true
    await db.pool.query(`update evidence.file_outbox_row set claimed_until = now() where id = $1`, [
      id,
    ])
    await looking.runOnce()
    expect(transport.arrived.map((message) => message.id)).toEqual([first.event_id, first.event_id])
    expect((await rowOf(id)).retry_count).toBe(0)
    expect(await movesOf(id)).toEqual([
      'PENDING PUBLISHED 0 PUBLISHER',
      'PUBLISHED PUBLISHED 0 PUBLISHER',
    ])
  })

  test('an outcome may overtake a publisher that died before it noted anything', async () => {
    const id = await put()
    transport.answer = () => new Promise(() => undefined)
    void relay.runOnce().catch(() => undefined)
    await expect.poll(() => transport.attempted.length).toBe(1)
    expect(await outcome(id, outcomeOf({ kind: 'attached', ids: [] }, 0), 0)).toEqual([id])
    expect(await movesOf(id)).toEqual([
      'PENDING PUBLISHED 0 PUBLISHER',
      'PUBLISHED SUCCESS 0 EVIDENCE_WORKER',
    ])
  })

  test('outcomes that come together are written in the order of each row', async () => {
    const published = await put()
    await settle()
    transport.attempted.length = 0
    transport.answer = () => new Promise(() => undefined)
    const overtaken = [await put(), await put()]
    void relay.runOnce().catch(() => undefined)
    await expect.poll(() => transport.attempted.length).toBe(1)
    const [succeeding, failing] = overtaken as [string, string]
    const attached = outcomeOf({ kind: 'attached', ids: [] }, 0)
    const confirmations = [
      { id: published, outcome: attached },
      { id: succeeding, outcome: attached },
      { id: failing, outcome: failed },
    ]
    await transaction(db.pool, (tx) => confirm(tx, outbox, confirmations))
    const moves = ['PENDING PUBLISHED 0 PUBLISHER', 'PUBLISHED SUCCESS 0 EVIDENCE_WORKER']
    expect(await movesOf(published)).toEqual(moves)
    expect(await movesOf(succeeding)).toEqual(moves)
    expect((await movesOf(failing)).map((move) => move.split(' ').slice(0, 2).join(' '))).toEqual([
      'PENDING PUBLISHED',
      'PUBLISHED FAILED',
    ])
    // What the ledgers of the proofs say of it: an outcome, also a failure, may overtake a publisher.
    const lines = new Map(
      (await outboxLines(db.pool, [outbox as unknown as Outbox])).map((line) => [line.name, line]),
    )
    expect(lines.get(ILLEGAL_MOVES)?.value).not.toContain('PENDING → FAILED')
  })

  test('a bad row cannot be replayed', async () => {
    const [bad, good] = (await storeJob(db.pool, outbox, { cases: ['bad', 'good'] })) as [
      string,
      string,
    ]
    await db.pool.query(
      `update evidence.file_outbox_row set status = 'ERROR', error_code = 'INVALID_ROW' where id = $1`,
      [bad],
    )
    await db.pool.query(
      `update evidence.file_outbox_row set status = 'ERROR', error_code = 'API_422' where id = $1`,
      [good],
    )
    const replayed = await transaction(db.pool, (tx) =>
      replay(tx, outbox, { filter: { ids: [bad, good] }, by: 'ops' }),
    )
    expect(replayed).toEqual([good])
    expect(await rowOf(bad)).toMatchObject({ status: 'ERROR', error_code: 'INVALID_ROW' })
    expect(await rowOf(good)).toMatchObject({ status: 'PENDING', error_code: null, retry_count: 0 })
    expect(await movesOf(good)).toEqual(['ERROR PENDING 0 API_422 OPERATOR'])
  })

  test('a failure that is not the worker’s is no move', async () => {
    const id = await put()
    transport.answer = () => retryLater(new Error('busy'))
    await settle()
    expect(await rowOf(id)).toMatchObject({ status: 'PENDING', retry_count: 0 })
    expect(await movesOf(id)).toEqual([])
  })
})

test('the statements stand whole in statements/', async () => {
  await expect(printStatements(outbox)).toMatchFileSnapshot('./statements/rows.sql')
  await expect(printStatements(mailsOutbox)).toMatchFileSnapshot('./statements/mails.sql')
})
