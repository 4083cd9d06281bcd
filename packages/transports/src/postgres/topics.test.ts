import {
  fixed,
  toMessage,
  uuid,
  type Consumer,
  type Delivery,
  type Message,
} from '@posthorn/engine'
import { dyingPostgres, testDatabase } from '@posthorn/engine/testing'
import { listDeadLetters } from '@posthorn/operate'
import { randomBytes, randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  postgresTransport,
  topicMigrations,
  type PostgresTransport,
  type PostgresTransportOptions,
} from './index.ts'
import { connect } from './connection.ts'
import { commitOffsets } from './group/queries.ts'
import { appendMessages } from './queries.ts'

const database = await testDatabase({ migrations: [await topicMigrations()] })
const made: PostgresTransport[] = []

afterEach(async () => {
  await Promise.all(made.splice(0).map((each) => each.close()))
})

function topics(options: Partial<PostgresTransportOptions> = {}): PostgresTransport {
  const fresh = postgresTransport({ pool: database.pool, lease: '2s', drain: '1s', ...options })
  made.push(fresh)
  return fresh
}

function delivery(topic: string, init: Partial<Message> = {}): Delivery {
  const message = toMessage({ id: uuid(), type: 'test', payload: { a: 1 }, ...init })
  return { message, destination: { transport: 'postgres', topic } }
}

function many(topic: string, count: number, init: (i: number) => Partial<Message> = () => ({})) {
  return Array.from({ length: count }, (_, i) => delivery(topic, init(i)))
}

const ordered = { ordered: true, signal: new AbortController().signal }
const wait = { timeout: 40_000, interval: 20 }
const newTopic = (): string => `topic-${randomUUID()}`

function consumer(topic: string, group: string, handle: Consumer['handle']): Consumer {
  return { topic, group, handle }
}

async function rows<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
  return (await database.pool.query<Row>(text, values)).rows
}

const holders = (topic: string, group: string) =>
  rows<{ partition: number; member: string | null; token: string; committed_offset: string }>(
    `select * from posthorn.topic_group_partition
      where topic = $1 and group_name = $2 order by partition`,
    [topic, group],
  )

describe('appending', () => {
  it('gives one key one partition, and deals messages without a key out in turn', async () => {
    const topic = newTopic()
    const batch = [...many(topic, 40, (i) => ({ key: `k${i % 4}` })), ...many(topic, 80)]
    const outcomes = await topics().deliver(batch, ordered)
    const partitions = outcomes.map((o) => (o.kind === 'delivered' ? o.ref?.['partition'] : -1))

    for (let k = 0; k < 4; k++) {
      const mine = batch.flatMap(({ message }, i) => (message.key === `k${k}` ? partitions[i] : []))
      expect(new Set(mine).size).toBe(1)
    }
    const unkeyed = Map.groupBy(partitions.slice(40), (partition) => partition)
    expect([...unkeyed.values()].map((each) => each.length)).toEqual(Array(8).fill(10))
  })

  it('numbers each partition without gaps under many writers at once', async () => {
    const topic = newTopic()
    const writers = Array.from({ length: 6 }, () => topics())
    await Promise.all(
      writers.flatMap((writer, w) =>
        Array.from({ length: 10 }, () =>
          writer.deliver(
            many(topic, 23, (i) => (i % 2 ? { key: `k${(i * w) % 11}` } : {})),
            ordered,
          ),
        ),
      ),
    )
    const counted = await rows<{ messages: number; first: number; last: number; next: number }>(
      `select partition, count(*)::int as messages, min(log_offset)::int as first,
              max(log_offset)::int as last, (select next_offset::int from posthorn.topic_partition p
                where p.topic = $1 and p.partition = m.partition) as next
         from posthorn.topic_message m where topic = $1 group by partition`,
      [topic],
    )
    expect(counted.length).toBe(8)
    for (const each of counted) {
      expect(each).toMatchObject({ first: 0, last: each.messages - 1, next: each.messages })
    }
  })

  it('shows no later offset while an earlier one is not committed', async () => {
    const topic = newTopic()
    const one = topics({ partitions: 1 })
    const seen: string[] = []
    await one.subscribe(consumer(topic, 'g', async ({ type }) => void seen.push(type)))
    const open = await database.pool.connect()
    await open.query('begin')
    await appendMessages(open, [delivery(topic, { type: 'slow' })], 0)
    const quick = one.deliver([delivery(topic, { type: 'quick' })], ordered)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(seen).toEqual([])
    await open.query('commit')
    open.release()
    await quick
    await vi.waitFor(() => expect(seen).toEqual(['slow', 'quick']), wait)
  })

  it('refuses the one message whose data Postgres cannot hold', async () => {
    const topic = newTopic()
    const batch = many(topic, 100, (i) => ({ key: i === 37 ? 'nul\0' : `k${i % 10}` }))
    const outcomes = await topics().deliver(batch, ordered)
    expect(outcomes.map(({ kind }) => kind)).toEqual(
      batch.map((_, i) => (i === 37 ? 'refused' : 'delivered')),
    )
    expect(outcomes[37]).toMatchObject({ failure: { code: '22021' } })
    // The others stand there once each, and in the order of their keys.
    const kept = await rows<{ key: string; id: string }>(
      'select key, id from posthorn.topic_message where topic = $1 order by partition, log_offset',
      [topic],
    )
    const sent = batch.filter((_, i) => i !== 37).map(({ message: { key, id } }) => ({ key, id }))
    const byKey = (a: { key: string | undefined }, b: { key: string | undefined }) =>
      (a.key ?? '').localeCompare(b.key ?? '')
    expect(kept.toSorted(byKey)).toEqual(sent.toSorted(byKey))
  })

  it('refuses a topic with a bad name, and makes a deleted one again', async () => {
    const one = topics()
    expect(await one.deliver([delivery('a b')], ordered)).toMatchObject([
      { kind: 'refused', failure: { code: 'TOPIC_INVALID' } },
    ])
    await expect(one.subscribe(consumer('a/b', 'g', async () => undefined))).rejects.toMatchObject({
      code: 'TOPIC_INVALID',
    })

    const topic = newTopic()
    await one.deliver([delivery(topic)], ordered)
    await rows('delete from posthorn.topic_partition where topic = $1', [topic])
    await rows('delete from posthorn.topic where name = $1', [topic])
    expect(await one.deliver([delivery(topic)], ordered)).toMatchObject([
      { kind: 'retryLater', failure: { code: 'TOPIC_MISSING' } },
    ])
    await rows('delete from posthorn.topic_message where topic = $1', [topic])
    expect(await one.deliver([delivery(topic)], ordered)).toMatchObject([{ kind: 'delivered' }])
  })
})

describe('a group', () => {
  it('shares the partitions fairly when members come and go', async () => {
    const topic = newTopic()
    const shares = async (): Promise<number[]> => {
      const held = Map.groupBy(await holders(topic, 'g'), ({ member }) => member)
      return [...held]
        .filter(([member]) => member)
        .map(([, all]) => all.length)
        .toSorted((a, b) => a - b)
    }
    const join = () => topics().subscribe(consumer(topic, 'g', async () => undefined))
    await join()
    expect(await shares()).toEqual([8])
    const second = await join()
    await vi.waitFor(async () => expect(await shares()).toEqual([4, 4]), wait)
    const third = await join()
    await vi.waitFor(async () => expect(await shares()).toEqual([2, 3, 3]), wait)
    await second.close()
    await vi.waitFor(async () => expect(await shares()).toEqual([4, 4]), wait)
    await third.close()
    await vi.waitFor(async () => expect(await shares()).toEqual([8]), wait)
  })

  it('goes by the token: an earlier holder can commit nothing', async () => {
    const topic = newTopic()
    await topics({ partitions: 1 }).subscribe(consumer(topic, 'g', async () => undefined))
    const [held] = await holders(topic, 'g')
    const [{ server } = { server: '' }] = await rows<{ server: string }>(
      'select extract(epoch from pg_postmaster_start_time())::text as server',
      [],
    )
    const me = { topic, group: 'g', member: held?.member ?? '', server }
    const now = { partition: 0, token: Number(held?.token), offset: 5 }
    expect(await commitOffsets(database.pool, me, [{ ...now, token: now.token - 1 }])).toEqual([])
    expect(await commitOffsets(database.pool, { ...me, member: randomUUID() }, [now])).toEqual([])
    expect(await commitOffsets(database.pool, { ...me, server: '1' }, [now])).toEqual([])
    expect(await commitOffsets(database.pool, me, [now])).toEqual([0])
  })

  it('begins anew on another server, which gives offsets a second time', async () => {
    const topic = newTopic()
    const pool = database.connect({ max: 4 })
    let isOther = false
    // A failover, in less time than a lease, to a server that was started at another time.
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (statement: unknown, ...rest: unknown[]) => unknown
      client.query = ((statement: string | { text: string }, ...rest: unknown[]) => {
        if (!isOther || typeof statement === 'string') return query(statement, ...rest)
        const started = `timestamptz '2001-01-01'`
        const text = statement.text.replaceAll('pg_postmaster_start_time()', started)
        return query({ ...statement, text }, ...rest)
      }) as never
    })
    const handled: unknown[] = []
    const reading = topics({ pool, partitions: 1, poll: '20ms', lease: '10s' })
    await reading.subscribe(consumer(topic, 'g', async ({ payload }) => void handled.push(payload)))
    await topics().deliver(
      many(topic, 3, (i) => ({ payload: i })),
      ordered,
    )
    await vi.waitFor(async () => {
      expect((await holders(topic, 'g'))[0]).toMatchObject({ committed_offset: '3' })
    }, wait)
    // It has seen the first message only, and nothing of the group's since then.
    await rows('delete from posthorn.topic_message where topic = $1 and log_offset > 0', [topic])
    await rows('update posthorn.topic_partition set next_offset = 1 where topic = $1', [topic])
    await rows('update posthorn.topic_group_partition set committed_offset = 1 where topic = $1', [
      topic,
    ])
    isOther = true
    await topics().deliver([delivery(topic, { payload: 'again' })], ordered)
    await vi.waitFor(() => expect(handled).toContain('again'), wait)
    await vi.waitFor(async () => {
      expect((await holders(topic, 'g'))[0]).toMatchObject({ committed_offset: '2' })
    }, wait)
  })

  it('aborts the handler of a partition that was taken away, and reads on with a new token', async () => {
    const topic = newTopic()
    const one = topics({ partitions: 1 })
    const calls: AbortSignal[] = []
    await one.subscribe(
      consumer(topic, 'g', async (_, { signal }) => {
        if (calls.push(signal) > 1) return
        await new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('lost'))),
        )
      }),
    )
    await one.deliver([delivery(topic)], ordered)
    await vi.waitFor(() => expect(calls.length).toBe(1), wait)
    // As after a claim whose answer was lost: the member holds it, and does not know.
    await rows('update posthorn.topic_group_partition set token = token + 1 where topic = $1', [
      topic,
    ])
    await vi.waitFor(() => expect(calls.length).toBe(2), wait)
    expect(calls[0]?.aborted).toBe(true)
    await vi.waitFor(async () => {
      expect((await holders(topic, 'g'))[0]).toMatchObject({ committed_offset: '1' })
    }, wait)
  })

  it('costs one heartbeat a process, however many groups it reads', async () => {
    const pool = database.connect({ max: 4 })
    let said: string[] = []
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (statement: unknown, ...rest: unknown[]) => unknown
      client.query = ((statement: string | { text: string }, ...rest: unknown[]) => {
        said.push(typeof statement === 'string' ? statement : statement.text)
        return query(statement, ...rest)
      }) as never
    })
    const reading = topics({ pool, lease: '1500ms' })
    for (let n = 0; n < 5; n++) {
      await reading.subscribe(consumer(newTopic(), 'g', async () => undefined))
    }
    // Until it has heard itself, and looked at what it has claimed.
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    said = []
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    expect(said.length).toBeGreaterThan(1)
    expect(said.length).toBeLessThan(7)
    for (const text of said) expect(text).toContain('update posthorn.topic_reader')
  })

  it('ends readers whose process is gone, and gives their partitions to others', async () => {
    const topic = newTopic()
    const held = async () => [...new Set((await holders(topic, 'g')).map(({ member }) => member))]
    await topics().subscribe(consumer(topic, 'g', async () => undefined))
    const [gone] = await held()
    // As one that was stopped for longer than its lease, in the moment in which it goes on.
    await rows(
      `update posthorn.topic_reader set until = now() - interval '1 s'
        where id in (select reader from posthorn.topic_group_member where topic = $1)`,
      [topic],
    )
    const handled: string[] = []
    await topics().subscribe(consumer(topic, 'g', async ({ id }) => void handled.push(id)))
    await vi.waitFor(async () => {
      const members = await held()
      expect(members.length).toBe(2)
      expect(members).toContain(gone)
    }, wait)
    // Both read: the one that was ended has begun again.
    await topics().deliver(many(topic, 40), ordered)
    await vi.waitFor(async () => {
      const all = await holders(topic, 'g')
      expect(all.reduce((sum, each) => sum + Number(each.committed_offset), 0)).toBe(40)
    }, wait)
  })

  it('keeps a partition for as long as a handler needs, beyond the lease', async () => {
    const topic = newTopic()
    const handled: string[] = []
    for (let n = 0; n < 2; n++) {
      await topics({ lease: '600ms', partitions: 2 }).subscribe(
        consumer(topic, 'g', async ({ id }) => {
          await new Promise((resolve) => setTimeout(resolve, 2_000))
          handled.push(id)
        }),
      )
    }
    await vi.waitFor(async () => {
      const members = (await holders(topic, 'g')).map(({ member }) => member)
      expect(new Set(members).size).toBe(2)
    }, wait)
    await topics().deliver([delivery(topic), delivery(topic)], ordered)
    await vi.waitFor(() => expect(handled.length).toBe(2), wait)
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    expect(handled.length).toBe(2)
    expect(new Set(handled).size).toBe(2)
  })

  it('is read by polling alone', async () => {
    const topic = newTopic()
    const seen: Message[] = []
    await topics({ poll: '50ms' }).subscribe(
      consumer(topic, 'g', async (message) => void seen.push(message)),
    )
    // Appended past the transport: no notification is sent.
    await appendMessages(database.pool, many(topic, 20), 0)
    await vi.waitFor(() => expect(seen.length).toBe(20), wait)
  })

  it('is woken across processes long before it would poll', async () => {
    const topic = newTopic()
    const seen: number[] = []
    await topics({ poll: '1m' }).subscribe(
      consumer(topic, 'g', async () => void seen.push(performance.now())),
    )
    // The connection that listens is made in the background.
    await new Promise((resolve) => setTimeout(resolve, 200))
    const sent = performance.now()
    await topics().deliver([delivery(topic)], ordered)
    await vi.waitFor(() => expect(seen.length).toBe(1), wait)
    expect((seen[0] ?? 0) - sent).toBeLessThan(30_000)
  })

  it('runs no more handlers at once than asked, and never two on one partition', async () => {
    const topic = newTopic()
    const running = new Map<unknown, number>()
    let most = 0
    let handled = 0
    const one = topics({ concurrency: 3 })
    await one.subscribe(
      consumer(topic, 'g', async (_, { ref }) => {
        const partition = ref['partition']
        expect(running.has(partition)).toBe(false)
        running.set(partition, 1)
        most = Math.max(most, running.size)
        await new Promise((resolve) => setTimeout(resolve, 3))
        running.delete(partition)
        handled++
      }),
    )
    await one.deliver(many(topic, 200), ordered)
    await vi.waitFor(() => expect(handled).toBe(200), wait)
    expect(most).toBe(3)
  })

  it('begins at the end if asked to', async () => {
    const topic = newTopic()
    const seen: string[] = []
    const one = topics({ from: 'latest' })
    await one.deliver([delivery(topic, { type: 'before' })], ordered)
    await one.subscribe(consumer(topic, 'g', async ({ type }) => void seen.push(type)))
    await one.deliver([delivery(topic, { type: 'after' })], ordered)
    await vi.waitFor(() => expect(seen).toEqual(['after']), wait)
  })
})

describe('what the database refuses of a message', () => {
  it('is kept in part, and the messages behind it are handled', async () => {
    const topic = newTopic()
    const random = () => randomBytes(2_500).toString('hex')
    const deep = JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`) as unknown
    const bad = [{ key: random() }, { id: random() }, { payload: deep }, { payload: deep }]
    const handled: string[] = []
    const reading = topics({ deadLetters: database.pool, retry: fixed('1ms', { attempts: 1 }) })
    await reading.subscribe(
      consumer(topic, 'g', async ({ type, id }) => {
        if (type === 'bad') throw new Error('never')
        handled.push(id)
      }),
    )
    const good = many(topic, 40)
    const batch = [...bad.map((init) => delivery(topic, { type: 'bad', ...init })), ...good]
    expect((await topics().deliver(batch, ordered)).map(({ kind }) => kind)).toEqual(
      batch.map(() => 'delivered'),
    )
    await expect.poll(() => handled.length, wait).toBe(good.length)
    const dead = async () =>
      (await listDeadLetters(database.pool, { topic })).items
        .map(({ code }) => String(code))
        .toSorted((a, b) => (a < b ? -1 : 1))
    // Keys are indexed by their hash, and ids only where a broker has no positions.
    await expect
      .poll(dead, wait)
      .toEqual([...Array(2).fill('CONSUMER_FAILED'), ...Array(2).fill('MESSAGE_UNSTORABLE')])
  })
})

describe('retention', () => {
  it('prunes what is old and passed by every group, and nothing else', async () => {
    const topic = newTopic()
    const one = topics()
    const countLeft = async (): Promise<number> =>
      (await rows('select 1 from posthorn.topic_message where topic = $1', [topic])).length
    let seen = 0
    await one.subscribe(consumer(topic, 'quick', async () => void seen++))
    const stuck = await one.subscribe(
      consumer(topic, 'stuck', async () => Promise.reject(new Error('never'))),
    )
    await one.deliver(many(topic, 2_500), ordered)
    await vi.waitFor(() => expect(seen).toBe(2_500), wait)
    await vi.waitFor(async () => {
      const done = (await holders(topic, 'quick')).map((each) => Number(each.committed_offset))
      expect(done.reduce((a, b) => a + b)).toBe(2_500)
    }, wait)

    await one.prune('0ms')
    expect(await countLeft()).toBe(2_500)
    await stuck.close()
    await one.forget(topic, 'stuck')
    expect(await one.prune('1h')).toBe(0)
    expect(await countLeft()).toBe(2_500)
    expect(await one.prune('0ms')).toBe(2_500)
    expect(await countLeft()).toBe(0)

    // Offsets go on where they were.
    const [outcome] = await one.deliver([delivery(topic, { key: 'k' })], ordered)
    expect(outcome).toMatchObject({ kind: 'delivered' })
    await vi.waitFor(() => expect(seen).toBe(2_501), wait)
  })
})

it('survives a connection that dies with the bytes that open it', async () => {
  const { url, close } = await dyingPostgres()
  onTestFinished(close)
  const pool = new Pool({ connectionString: url, max: 1 })
  pool.on('error', () => undefined)
  const client = await connect(pool, 10_000)
  await expect(client.query('select 1')).rejects.toThrow(/terminat|connection error/)
  client.release(true)
  await pool.end()
})
