import { expect, it, vi } from 'vitest'
import { transaction } from '../../database/transaction.ts'
import { DeliveryError } from '../../errors.ts'
import {
  dropDeadLetters,
  listDeadLetters,
  replayDeadLetters,
  type SetAsideMessage,
} from '../../consume/dead-letters.ts'
import type { Message } from '../../outbox/message.ts'
import { fixed } from '../../outbox/retry.ts'
import type { Delivery } from '../../outbox/transport.ts'
import {
  byKey,
  converse,
  deliverAll,
  numberDelivery,
  type Recorder,
  recorder,
  wait,
} from './recorder.ts'
import type { Client, TransportUnderTest } from './transport-conformance.ts'

const QUICK = fixed('20ms', { attempts: 3 })
/** Longer than a message may hold up what is behind it. */
const SLOW = fixed('2500ms', { attempts: 2 })

const numberOf = ({ payload }: Message): number => (payload as { n: number }).n
const idsOf = (deliveries: readonly Delivery[]): string[] =>
  deliveries.map(({ message }) => message.id)
/** Messages of `numbered` with three keys: the third one and those behind it. */
const POISON = 2
const isBehind = (n: number): boolean => n > POISON && n % 3 === POISON % 3

/** What a transport promises about messages that a handler does not take. */
export function deadLetterConformance(client: Client): void {
  const lettersOf = async (
    { letters }: TransportUnderTest,
    { topic }: Recorder,
  ): Promise<readonly SetAsideMessage[]> => (await listDeadLetters(letters, { topic })).items
  const hasDied = async (under: TransportUnderTest, log: Recorder): Promise<SetAsideMessage> => {
    await vi.waitFor(async () => {
      expect((await lettersOf(under, log)).some(({ state }) => state === 'dead')).toBe(true)
    }, wait)
    const dead = (await lettersOf(under, log)).find(({ state }) => state === 'dead')
    return dead as SetAsideMessage
  }
  const isEmpty = (under: TransportUnderTest, log: Recorder) =>
    vi.waitFor(async () => expect(await lettersOf(under, log)).toEqual([]), wait)

  it('ends a message that keeps failing as a dead letter and goes on with the others', async () => {
    let attempts = 0
    const { log, batch, ...under } = await converse(client, {
      retry: QUICK,
      async handle(message) {
        if (numberOf(message) !== POISON) return
        attempts++
        throw Object.assign(new Error('never'), { code: 'MY_CODE' })
      },
    })

    const others = batch.filter((_, n) => n !== POISON)
    await log.has(others)
    expect(log.byKey()).toEqual(byKey(others))
    const dead = await hasDied(under, log)
    expect(dead).toMatchObject({
      ...{ messageId: batch[POISON]?.message.id, key: 'key-2', state: 'dead', attempts: 3 },
      ...{ code: 'MY_CODE', error: 'never', payload: { n: POISON }, type: 'conformance.numbered' },
      group: log.consumer.group,
    })
    expect(attempts).toBe(3)
    const source = `${log.topic}/${log.consumer.group}`
    const { rows: alerts } = await under.letters.query(
      'select subject, code, acknowledged_at from posthorn.alert where source = $1',
      [source],
    )
    expect(alerts).toEqual([{ subject: dead.id, code: 'MY_CODE', acknowledged_at: null }])
    await vi.waitFor(async () => expect(await under.transport.lag(log.consumer)).toBe(0), wait)
  })

  it('sets a message aside for a long wait, with what follows of its key and nothing else', async () => {
    const order: number[] = []
    let failures = 0
    const { log, batch, ...under } = await converse(client, {
      retry: SLOW,
      async handle(message) {
        if (numberOf(message) === POISON && failures++ === 0) throw new Error('not yet')
        order.push(numberOf(message))
      },
    })

    await log.has(batch)
    expect(log.byKey()).toEqual(byKey(batch))
    const waited = order.slice(order.indexOf(POISON))
    expect(waited.filter((n) => n !== POISON).every(isBehind)).toBe(true)
    await isEmpty(under, log)
  })

  it('goes on behind a dead letter of the same key by default', async () => {
    const { log, batch, ...under } = await converse(client, {
      retry: SLOW,
      async handle(message) {
        if (numberOf(message) === POISON) throw new Error('never')
      },
    })

    await hasDied(under, log)
    const others = batch.filter((_, n) => n !== POISON)
    await log.has(others)
    expect(log.byKey()).toEqual(byKey(others))
  })

  it('blocks the key of a dead letter if asked to, and hands it over again when replayed', async () => {
    let broken = true
    const { log, batch, ...under } = await converse(client, {
      ...{ retry: QUICK, dead: 'block' },
      async handle(message) {
        if (broken && numberOf(message) === POISON) throw new Error('not yet')
      },
    })

    const free = batch.filter((_, n) => n !== POISON && !isBehind(n))
    await log.has(free)
    const dead = await hasDied(under, log)
    await vi.waitFor(async () => expect((await lettersOf(under, log)).length).toBe(10), wait)
    expect(log.byKey()).toEqual(byKey(free))

    broken = false
    const replay = { filter: { ids: [dead.id] }, by: 'operator' }
    expect(await transaction(under.letters, (tx) => replayDeadLetters(tx, replay))).toEqual([
      dead.id,
    ])
    await log.has(batch)
    expect(log.byKey()).toEqual(byKey(batch))
    await isEmpty(under, log)
    const later = numberDelivery(log.topic, { count: 6, keys: 3, from: 30 })
    await deliverAll(under.transport, later)
    await log.has(later)
    expect(log.byKey()).toEqual(byKey([...batch, ...later]))
  })

  it('goes on behind a dead letter that is dropped', async () => {
    const { log, batch, ...under } = await converse(client, {
      ...{ retry: QUICK, dead: 'block' },
      async handle(message) {
        if (numberOf(message) === POISON) throw new Error('never')
      },
    })

    const dead = await hasDied(under, log)
    await vi.waitFor(async () => expect((await lettersOf(under, log)).length).toBe(10), wait)
    const drop = { filter: { ids: [dead.id] }, by: 'operator' }
    expect(await transaction(under.letters, (tx) => dropDeadLetters(tx, drop))).toEqual([dead.id])
    const others = batch.filter((_, n) => n !== POISON)
    await log.has(others)
    expect(log.byKey()).toEqual(byKey(others))
    await isEmpty(under, log)
  })

  it('charges no attempt for what is unreachable, and makes only one where no retry helps', async () => {
    let tries = 0
    let refusals = 0
    const { log, batch, ...under } = await converse(client, {
      numbers: { count: 4, keys: 4 },
      retry: fixed('10ms', { attempts: 2 }),
      async handle(message) {
        if (numberOf(message) === 0 && tries++ < 3) {
          throw new DeliveryError('AWAY', 'not reachable', { unreachable: true })
        }
        if (numberOf(message) !== 1) return
        refusals++
        throw new DeliveryError('NO_SUCH_THING', 'never', { retryable: false })
      },
    })

    await log.has(batch.filter((_, n) => n !== 1))
    expect(await hasDied(under, log)).toMatchObject({ code: 'NO_SUCH_THING', attempts: 1 })
    expect({ tries, refusals }).toEqual({ tries: 4, refusals: 1 })
  })

  it('keeps a dead letter once when it comes again unacknowledged', async () => {
    const dying = await client()
    const log = recorder({
      async handle() {
        await dying.cut()
        throw new DeliveryError('NO_SUCH_THING', 'never', { retryable: false })
      },
    })
    await dying.transport.subscribe(log.consumer)
    const living = await client()
    const batch = numberDelivery(log.topic, { count: 1, keys: 1 })
    await deliverAll(living.transport, batch)
    await hasDied(dying, log)

    const after = recorder({ topic: log.topic, group: log.consumer.group })
    await living.transport.subscribe(after.consumer)
    const next = numberDelivery(log.topic, { count: 3, keys: 1 })
    await deliverAll(living.transport, next)
    await after.has(next)
    expect(after.seen.map(({ message }) => message.id)).toEqual(idsOf(next))
    expect((await lettersOf(living, log)).length).toBe(1)
  })

  it('knows how far a group is behind', async () => {
    let open = (): void => undefined
    const gate = new Promise<void>((resolve) => (open = resolve))
    const numbers = { count: 200, keys: 50 }
    const { transport, log, batch } = await converse(client, { numbers, handle: () => gate })
    await vi.waitFor(async () => {
      // A broker may leave out what it has given to the consumer already.
      const lag = await transport.lag(log.consumer)
      expect(lag).toBeGreaterThanOrEqual(150)
      expect(lag).toBeLessThanOrEqual(200)
    }, wait)
    open()
    await log.has(batch)
    await vi.waitFor(async () => expect(await transport.lag(log.consumer)).toBe(0), wait)
    expect(await transport.lag({ topic: `${log.topic}-none`, group: 'none' })).toBe(0)
  })
}
