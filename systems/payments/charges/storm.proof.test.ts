import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startChild } from '../testing/child.ts'
import {
  clientOf,
  paymentsDatabase,
  runPayments,
  type Answer,
  type Client,
} from '../testing/running.ts'

const db = await paymentsDatabase()
const survivor = await runPayments(db)
const gatewayUrl = `${survivor.url}/sim/gateway`
const ada = await survivor.as({})

const PAYMENTS = 60
const ENDINGS = [0, 1, 2, 8, 50, 99]
const orderOf = (n: number) => ({
  amount: 100 * (n + 1) + (ENDINGS[n % ENDINGS.length] ?? 0),
  currency: 'EUR',
})

/** Repeats until there is an answer that stays. */
async function untilSettled(client: Client, key: string, order: object): Promise<Answer> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const answer = await client.pay(key, order)
    const isOpen =
      answer.status === 409 || answer.status >= 500 || answer.body['retryable'] === true
    if (!isOpen) return answer
    await sleep(200)
  }
  throw new Error(`${key} was never settled`)
}

test.each([1, 2])(
  'storm %i: processes die at any moment, and the books agree',
  { timeout: 120_000 },
  async (storm) => {
    await survivor.gateway('faults', {
      mode: 'drop',
      after: 20,
      times: 15,
      effect: storm % 2 === 0,
    })
    const child = await startChild(db.url, { GATEWAY_URL: gatewayUrl, GATEWAY_TIMEOUT_MS: '400' })
    const doomed = await clientOf(child.url)
    const keys = Array.from({ length: PAYMENTS }, (_, n) => `storm ${storm} payment ${n}`)
    const first = keys.map((key, n) =>
      sleep(Math.random() * 400).then(() => doomed.pay(key, orderOf(n)).catch(() => undefined)),
    )
    await sleep(100 + Math.random() * 300)
    await child.kill()
    const early = await Promise.all(first)

    const answers = await Promise.all(keys.map((key, n) => untilSettled(ada, key, orderOf(n))))
    answers.forEach((answer, n) => {
      const ending = orderOf(n).amount % 100
      expect(answer.status, keys[n]).toBeOneOf(ending === 2 || ending === 50 ? [422] : [200, 201])
      // What was answered before the crash stands.
      const before = early[n]
      if (before?.status === 201) expect(answer.text).toBe(before.text)
    })

    const { rows } = await db.pool.query<{
      id: string
      gateway_ref: string | null
      charges: number
    }>(
      `select p.id, p.gateway_ref, count(*)::int as charges
       from payments.payments p join payments.transactions t on t.payment_id = p.id
      group by p.id`,
    )
    expect(rows).toHaveLength(storm * PAYMENTS)
    expect(rows.filter(({ charges }) => charges !== 1)).toEqual([])
    const { charges } = await survivor.ledger()
    const references = charges.map(({ reference }) => reference)
    expect(new Set(references).size).toBe(references.length)
    const refs = new Set(rows.map(({ gateway_ref: ref }) => ref))
    expect(charges.filter(({ id }) => !refs.has(id))).toEqual([])
    const { rows: open } = await db.pool.query(
      'select key from payments.idempotency_keys where completed_at is null',
    )
    expect(open).toEqual([])
  },
)
