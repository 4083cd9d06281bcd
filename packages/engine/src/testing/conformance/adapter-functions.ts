import { expect, test } from 'vitest'
import type { Pool } from 'pg'
import { confirm } from '../../relay/settle/confirm.ts'
import { listPaused, pause, resume } from '../../control/pause.ts'
import type { Outbox } from '../../outbox/define.ts'
import { enqueue, enqueueAll } from '../../enqueue/enqueue.ts'
import {
  claimKey,
  completeKey,
  defineIdempotency,
  idempotencyTableSql,
  saveState,
  type KeyClaim,
} from '../../inbox/idempotency.ts'
import { defineInbox, inboxTableSql, once } from '../../inbox/inbox.ts'
import { getMessage } from '@posthorn/operate'
import { delivered, refused } from '../../outbox/outcome.ts'
import { createRelay } from '../../relay/relay.ts'
import { cancel, countReplay, replay, unblock } from '../../control/replay.ts'
import { fakeTransport, viewTable } from '../index.ts'
import { parcelRows, clubEvents, outboundLetters, tripEvents, hookDeliveries } from '../outboxes.ts'
import type { Transaction } from '../../database/transaction.ts'
import { uuid } from '../../uuid.ts'

const inbox = defineInbox({ table: 'public.inbox', retention: '1d' })
const keys = defineIdempotency({ table: 'public.idempotency_key' })

export const functionTables = [inboxTableSql(inbox), idempotencyTableSql(keys)].join('\n')

const HOOK = { endpoint_id: 'shop', payload: {} }

/** What runs in a transaction of the library. */
export interface Caller {
  readonly pool: Pool
  inTransaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
}

/** Tests that every function of the engine that takes a transaction does what it does with pg. */
export function functionConformance({ pool, inTransaction }: Caller): void {
  test('every kind of value arrives as it is', async () => {
    const due = new Date('2026-07-08T09:10:11.123Z')
    const payload = {
      text: 'ä "quoted" \\ {1,2} \'$1\' ? \u{1F4EF}\n',
      list: [1, [2.5], null, true],
      json: '{"a": "b"}',
    }
    const payloads = [payload, 'a "text"', 12.5, [], false]
    const message = { topic: 'a,{b}"\\', event_type: 'NULL', next_retry_at: due }
    const ids = await inTransaction(async (tx) => {
      const messages = payloads.map((each) => ({ ...message, payload: each }))
      return (await enqueueAll(tx, tripEvents, messages)).map(({ id }) => id)
    })
    const rows = await viewTable(pool, tripEvents as unknown as Outbox).rows()
    expect(rows).toHaveLength(payloads.length)
    for (const row of rows) {
      expect(row).toMatchObject({ ...message, last_error: null })
      expect(row['payload']).toEqual(payloads[ids.indexOf(row['id'] as string)])
    }
  })

  test('rows are read as pg reads them', async () => {
    const row = { tour_id: uuid(), address_id: '7', kafka_offset: '9007199254740993' }
    await inTransaction(async (tx) => {
      const { id } = await enqueue(tx, parcelRows, { ...row, kafka_partition: 3 })
      const message = await getMessage(tx, parcelRows, id)
      expect(message?.row).toMatchObject({ ...row, id, kafka_partition: 3, error_code: null })
      expect(message?.row['created_at']).toBeInstanceOf(Date)
      expect(message?.createdAt?.getTime()).toBeGreaterThan(Date.now() - 60_000)
      expect(message?.createdAt?.getTime()).toBeLessThan(Date.now() + 60_000)
    })
  })

  test('a dedupe key is found in the same transaction and in the next', async () => {
    const message = {
      org_id: 'acme',
      idempotency_key: uuid(),
      channel: 'sms',
      to_recipient: '+1',
      payload_json: {},
    }
    const first = await inTransaction(async (tx) => {
      const enqueued = await enqueue(tx, outboundLetters, message)
      const again = await enqueue(tx, outboundLetters, message)
      expect(again).toEqual({ id: enqueued.id, created: false })
      return enqueued
    })
    const again = await inTransaction((tx) => enqueue(tx, outboundLetters, message))
    expect(again).toEqual({ id: first.id, created: false })
  })

  test('operators replay, cancel, pause and resume', async () => {
    const topics = fakeTransport(() => refused('no'))
    const outboxes = [hookDeliveries]
    const relay = createRelay({ pool, outboxes, transports: { topics } })
    const [one, two] = await inTransaction((tx) => enqueueAll(tx, hookDeliveries, [HOOK, HOOK]))
    await relay.runOnce()
    const ids = [one, two].map((each) => (each as { id: string }).id)
    const by = 'ada'
    await inTransaction(async (tx) => {
      const filter = {
        ids,
        since: new Date(Date.now() - 60_000),
        until: new Date(Date.now() + 60_000),
      }
      expect(await countReplay(tx, hookDeliveries, filter)).toBe(2)
      const replayed = await replay(tx, hookDeliveries, { filter, by, perSecond: 2 })
      expect(replayed.toSorted()).toEqual(ids.toSorted())
      expect(await cancel(tx, hookDeliveries, { ids: ids.slice(0, 1), by })).toEqual([ids[0]])
      await pause(tx, hookDeliveries, { by, reason: 'moving' })
      expect(await listPaused(tx)).toMatchObject([{ pausedBy: by, reason: 'moving' }])
      expect((await listPaused(tx))[0]?.pausedAt).toBeInstanceOf(Date)
    })
    expect(
      Object.fromEntries(await viewTable(pool, hookDeliveries as unknown as Outbox).states()),
    ).toEqual({
      [ids[0] as string]: 'skipped_disabled',
      [ids[1] as string]: 'pending',
    })
    await inTransaction((tx) => resume(tx, hookDeliveries, { by }))
    expect(await listPaused(pool)).toEqual([])
  })

  test('messages of a key are serialised and unblocked', async () => {
    const event = {
      event_type: 'ClubCreated',
      aggregate_type: 'club',
      aggregate_id: uuid(),
      payload: {},
    }
    await inTransaction(async (tx) => {
      await enqueue(tx, clubEvents, event, { serialise: true, delay: '1s' })
      const unblocked = await unblock(tx, clubEvents, { key: event.aggregate_id, by: 'ada' })
      expect(unblocked).toBe(false)
    })
    const rows = await viewTable(pool, clubEvents as unknown as Outbox).rows()
    expect(rows).toMatchObject([{ ...event, status: 0 }])
  })

  test('an outcome that comes later is confirmed', async () => {
    const topics = fakeTransport()
    const relay = createRelay({ pool, outboxes: [parcelRows], transports: { topics } })
    const { id } = await inTransaction((tx) =>
      enqueue(tx, parcelRows, { tour_id: uuid(), address_id: 'address' }),
    )
    await expect.poll(async () => (await relay.runOnce(), topics.arrived.length)).toBeGreaterThan(0)
    const confirmed = await inTransaction((tx) =>
      confirm(tx, parcelRows, [{ id, outcome: delivered() }], { by: 'consumer' }),
    )
    expect(confirmed).toEqual([id])
    const view = viewTable(pool, parcelRows as unknown as Outbox)
    expect((await view.states()).get(id)).toBe('SUCCESS')
  })

  test('the inbox runs a handler once, and a failed one cannot commit', async () => {
    const receipt = { inbox, consumer: 'stock', id: uuid() }
    const fail = () => Promise.reject(new Error('oops'))
    const swallowed = inTransaction((tx) => once(tx, receipt, fail).catch(() => undefined))
    await swallowed.catch(() => undefined)
    const first = await inTransaction((tx) => once(tx, receipt, async () => 'done'))
    expect(first).toEqual({ first: true, result: 'done' })
    const second = await inTransaction((tx) => once(tx, receipt, async () => 'done'))
    expect(second).toEqual({ first: false })
  })

  test('an idempotency key is claimed, completed and replayed to the byte', async () => {
    const request = { scope: 'api', key: uuid(), fingerprint: 'f' }
    const state = { step: 'a "quoted" word', list: [1] }
    const body = Buffer.from([0, 1, 2, 92, 34, 255])
    const headers = { 'content-type': 'text/plain', 'x-quote': '"\\' }
    const claim = await inTransaction(async (tx) => {
      const claimed = await claimKey(tx, keys, request)
      expect(claimed).toMatchObject({ kind: 'claimed', takeover: false })
      await saveState(tx, claimed as KeyClaim, state)
      return claimed as KeyClaim
    })
    expect(await inTransaction((tx) => claimKey(tx, keys, request))).toMatchObject({
      kind: 'inFlight',
      retryAfterMs: expect.any(Number) as number,
    })
    await inTransaction((tx) => completeKey(tx, claim, { status: 201, headers, body }))
    const again = await inTransaction((tx) => claimKey(tx, keys, request))
    expect(again).toMatchObject({ kind: 'replay', response: { status: 201, headers } })
    const bytes = again.kind === 'replay' ? again.response.body : undefined
    expect(Buffer.from(bytes ?? [])).toEqual(body)
    const other = { ...request, fingerprint: 'g' }
    expect(await inTransaction((tx) => claimKey(tx, keys, other))).toEqual({ kind: 'reused' })
  })
}
