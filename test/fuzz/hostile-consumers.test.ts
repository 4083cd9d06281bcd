import { failureOf, toMessage, transaction, uuid, type Delivery } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { SetAsideStore, type ConsumedMessage } from '@posthorn/engine/internal'
import { dropDeadLetters, listAlerts, listDeadLetters, replayDeadLetters } from '@posthorn/operate'
import { postgresTransport, topicMigrations } from '@posthorn/transports/postgres'
import fc from 'fast-check'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { asyncReporter, hostileError, hostileJson, hostileText, Tally } from './hostile-text.ts'

/*
 * What a consumer receives from producers that know no limits, and what its handler throws: it is set aside, tried
 * again, dead, listed and replayed to its end, or dead at once as a reduced letter that says why. Nothing is lost.
 */

const { pool } = await testDatabase({ migrations: [await topicMigrations()] })
const numRuns = process.env['PROOF'] === 'full' ? 80 : 5
const tally = new Tally()
afterAll(() => console.log(`hostile messages of consumers: ${tally.text()}`))

const text = hostileText
const integers = fc.constantFrom(...Array<number>(12).fill(1), 0, -1, 2 ** 31, 2 ** 53)
const drawn = fc.record({
  id: fc.tuple(fc.uuid(), text).map((parts) => parts.join('')),
  ...{ type: text, key: fc.option(text, { nil: undefined }) },
  ...{ tenant: fc.option(text, { nil: undefined }), version: integers },
  headers: fc.dictionary(text, text, { maxKeys: 2 }),
  payload: hostileJson,
  place: fc.boolean(),
  isDecoded: fc.boolean(),
  errors: fc.tuple(hostileError, hostileError),
  operator: fc.record({ by: text, reason: text }),
})
type Drawn = typeof drawn extends fc.Arbitrary<infer Each> ? Each : never

/** What comes off a wire is JSON, or bytes that could not be decoded. */
function received(each: Drawn, offset: number): ConsumedMessage | undefined {
  const { id, place, isDecoded, ...init } = each
  let payload: unknown
  try {
    payload = JSON.parse(JSON.stringify(init.payload.make()) ?? 'null')
  } catch {
    if (!init.payload.name.includes('20000')) return undefined
    payload = init.payload.make()
  }
  const at = place ? { partition: 0, offset } : undefined
  const raw = { headers: init.headers, body: Buffer.from(each.type) }
  if (!isDecoded) return { id, place: at, message: undefined, raw }
  return { id, place: at, message: toMessage({ ...init, id, payload }) }
}

let groups = 0

async function setAside(all: readonly Drawn[]): Promise<void> {
  const consumer = { topic: 'hostile', group: `group-${(groups += 1)}` }
  const store = new SetAsideStore(pool, consumer)
  const messages = all.flatMap((each, i) => received(each, i) ?? [])
  for (const [i, message] of messages.entries()) {
    const [error] = (all[i] as Drawn).errors
    const failed = { attempts: 1, failure: failureOf(error, 'CONSUMER_FAILED') }
    await store.suspect(message.id)
    await store.forget(message.id)
    // The same message twice: its broker has not heard that it is kept.
    for (let time = 0; time < 2; time += 1) {
      if (message.message) await store.retryLater(message, failed, 0)
      else await store.bury(message, failed)
    }
    if (!message.place) expect(await store.has(message.id)).toBe(true)
  }
  const kept = async () => (await listDeadLetters(pool, { ...consumer, limit: 500 })).items
  const before = await kept()
  expect(before).toHaveLength(messages.length)
  for (const claimed of await store.claim(100, 60_000)) {
    const failed = { attempts: 2, failure: failureOf(all[0]?.errors[1], 'CONSUMER_FAILED') }
    await store.postpone(claimed, failed, 0)
  }
  for (const claimed of await store.claim(100, 60_000)) {
    await store.end(claimed, { attempts: 3, failure: claimed.failure })
  }
  const dead = await kept()
  expect(new Set(dead.map(({ state }) => state))).toEqual(new Set(['dead']))
  for (const { code } of dead.filter((each) => each.body !== undefined))
    tally.add(`reduced: ${code?.slice(0, 40)}`)
  await listAlerts(pool, {})
  JSON.stringify(dead)
  const operator = { ...(all[0] as Drawn).operator, filter: consumer }
  const replayed = await transaction(pool, (tx) => replayDeadLetters(tx, operator))
  const again = await store.claim(100, 60_000)
  expect(again).toHaveLength(replayed.length)
  for (const claimed of again) {
    const { id, type, key, tenant, headers, payload } = claimed.message
    const sent = messages.find((each) => clean(each.id) === id && each.message)?.message
    expect({ type, key, tenant }).toEqual({
      ...{ type: clean(sent?.type), key: clean(sent?.key), tenant: clean(sent?.tenant) },
    })
    expect(JSON.stringify([headers, payload])).toBe(JSON.stringify([sent?.headers, sent?.payload]))
    await store.remove(claimed)
    tally.add('handled')
  }
  await transaction(pool, (tx) => dropDeadLetters(tx, operator))
  expect(await kept()).toEqual([])
}

/** What no text of Postgres has in it. */
const clean = (value: string | undefined) => value?.toWellFormed().replaceAll('\0', '')

const LIMITS = { numRuns, seed: 33, endOnFailure: true, asyncReporter }

test('what a consumer sets aside comes to its end', async () => {
  const many = fc.array(drawn, { minLength: 15, maxLength: 15 })
  await fc.assert(fc.asyncProperty(many, setAside), LIMITS)
  expect(tally.of('handled')).toBeGreaterThan(numRuns * 3)
  expect(tally.of('reduced: MESSAGE_UNSTORABLE')).toBeGreaterThan(0)
})

test('a topic takes a message or refuses it, and what it took arrives', async () => {
  const many = fc.array(drawn, { minLength: 15, maxLength: 15 })
  const handled: string[] = []
  const topics = postgresTransport({ pool, deadLetters: pool })
  onTestFinished(() => topics.close())
  const consumer = { topic: 'hostile-topic', group: 'all' }
  await topics.subscribe({ ...consumer, handle: async ({ id }) => void handled.push(id) })
  const taken: string[] = []
  await fc.assert(
    fc.asyncProperty(many, async (all) => {
      for (const { id, payload, ...each } of all) {
        const message = toMessage({ ...each, id: `${uuid()} ${id}`, payload: payload.make() })
        const delivery: Delivery = {
          message,
          destination: { transport: 'topics', topic: consumer.topic },
        }
        const [outcome] = await topics.deliver([delivery], {
          ordered: true,
          signal: new AbortController().signal,
        })
        tally.add(
          `topic: ${outcome?.kind} ${outcome && 'failure' in outcome ? outcome.failure.code : ''}`,
        )
        // Half a character becomes the mark that stands for one.
        if (outcome?.kind === 'delivered') taken.push(message.id.toWellFormed())
        else expect(outcome?.kind).toBe('refused')
      }
    }),
    LIMITS,
  )
  expect(taken.length).toBeGreaterThan(numRuns * 3)
  await expect.poll(() => handled.length).toBeGreaterThanOrEqual(taken.length)
  expect(handled.toSorted()).toEqual(taken.toSorted())
})
