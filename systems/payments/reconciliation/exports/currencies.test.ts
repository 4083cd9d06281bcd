import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { MINOR_UNITS } from '@posthorn/system'
import { paymentsDatabase } from '../../testing/running.ts'
import { PATH, reconcilerOf, runReconciling } from '../testing/reconciling.ts'

const db = await paymentsDatabase()
const running = await runReconciling(db)
// Without the webhooks nothing but the requests is under way.
await running.gateway('webhooks', { copies: 0 })

const AMOUNT = 123_456_789

function inMajorUnits(digits: number): string {
  return digits === 0 ? String(AMOUNT) : (AMOUNT / 10 ** digits).toFixed(digits)
}

test('every currency is paid, exported and read back as the same amount', async () => {
  const client = await running.as({ org: 'of the world' })
  const reconciler = reconcilerOf(client)
  for (const currency of Object.keys(MINOR_UNITS)) {
    const order = { amount: AMOUNT, currency, externalPaymentId: currency }
    expect((await client.pay(currency, order)).status, currency).toBe(201)
  }
  const empty = await reconciler.upload([{ name: 'none of them', amount: '1.00' }])
  const { text } = await client.send(`${PATH}/${empty}/export.csv?kind=missing`)
  const exported: Record<string, string>[] = parse(text, { columns: true })
  const amounts = exported.map((row) => [row['currency'], row['amount']])
  expect(Object.fromEntries(amounts)).toEqual(
    Object.fromEntries(
      Object.entries(MINOR_UNITS).map(([code, digits]) => [code, inMajorUnits(digits)]),
    ),
  )
  const statement = await reconciler.upload(
    exported.map((row) => ({
      name: String(row['external_id']),
      amount: String(row['amount']),
      currency: String(row['currency']),
    })),
  )
  const total = exported.length
  expect(await reconciler.run(statement)).toMatchObject({ matched: total, unmatched: 0, total })
})

test.each(['XDR', 'XSU', 'XXX', 'XAU', 'DEM'])('neither takes %s', async (currency) => {
  const client = await running.as({ org: `payer of ${currency}` })
  expect(await client.pay(currency, { amount: 100, currency })).toMatchObject({
    status: 400,
    body: { errors: [{ field: 'currency', reason: 'must be a currency of ISO 4217' }] },
  })
  const { status } = await client.send(`${PATH}?filename=bank.csv`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: `external_transaction_id,amount,currency,date\nA,1,${currency},2026-11-02\n`,
  })
  expect(status).toBe(400)
})
