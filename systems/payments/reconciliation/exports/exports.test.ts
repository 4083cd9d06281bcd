import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { paymentsDatabase } from '../../testing/running.ts'
import { tokenOf } from '../../testing/serving.ts'
import { PATH, givePayments, runReconciling } from '../testing/reconciling.ts'
import { inMajorUnits } from './export.ts'

const db = await paymentsDatabase()
const { newUser, url } = await runReconciling(db)

async function authorization(org: string) {
  return { authorization: `Bearer ${await tokenOf({ org, role: 'member' })}` }
}

/** Reads the first bytes and hangs up, on a connection of its own. */
async function leaveEarly(org: string, path: string): Promise<void> {
  const asked = get(`${url}${PATH}${path}`, { agent: false, headers: await authorization(org) })
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  await once(response, 'data')
  asked.destroy()
}

async function readExport(org: string, path: string): Promise<Record<string, string>[]> {
  const response = await fetch(`${url}${PATH}${path}`, { headers: await authorization(org) })
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(response.headers.get('content-disposition')).toContain('attachment')
  return parse(await response.text(), { columns: true })
}

test('an export has each record once, as banks write it', async () => {
  const me = await newUser()
  const [matched, , part, other] = [
    await me.pay('A', 1_050),
    await me.pay('X', 5),
    await me.pay('P', 300),
    await me.pay('Q', 325),
  ]
  const id = await me.upload([
    { name: 'A', amount: '10.50' },
    { name: 'B', amount: '-3.05' },
    { name: 'J', amount: '300', currency: 'JPY' },
    { name: 'S', amount: '6.00' },
  ])
  await me.run(id)
  await me.post(`/${id}/records/5/match`, {
    paymentIds: [part, other],
    adjustment: { amount: -25, kind: 'fee' },
    reason: 'settlement, less the fee',
  })
  const all = await readExport(me.org, `/${id}/export.csv?kind=all`)
  expect(all).toMatchObject([
    { side: 'record', line: '2', amount: '10.50', payment_ids: matched, reason: 'exact_match' },
    { line: '3', amount: '-3.05', status: 'unmatched', payment_ids: '', reason: 'no_match' },
    { line: '4', amount: '300', currency: 'JPY' },
    {
      line: '5',
      payment_ids: [part, other].join(' '),
      adjustment: '-0.25',
      adjustment_kind: 'fee',
      decided_by: 'manual',
      note: 'settlement, less the fee',
    },
    { side: 'missing', external_id: 'X', amount: '0.05', reason: 'missing' },
  ])
  const lines = async (kind: string) =>
    (await readExport(me.org, `/${id}/export.csv?kind=${kind}`)).map(({ line }) => line)
  expect(await lines('matched')).toEqual(['2', '5'])
  expect(await lines('unmatched')).toEqual(['3', '4'])
  expect(await lines('missing')).toEqual([''])
  expect((await me.get(`/${id}/export.csv?kind=secret`)).status).toBe(400)
})

test('an export lists what took money as missing, although a record has its name', async () => {
  const me = await newUser()
  await me.pay('A', 100, { status: 'failed' })
  await me.pay('A', 100, { status: 'pending' })
  const taken = await me.pay('A', 100, { status: 'succeeded' })
  const id = await me.upload([{ name: 'A', amount: '0.97' }])
  await me.run(id)
  const missing = await readExport(me.org, `/${id}/export.csv?kind=missing`)
  expect(missing).toMatchObject([{ payment_ids: taken, status: 'succeeded' }])
})

test('nothing in an export is run by a spreadsheet', async () => {
  const me = await newUser()
  const names = ['=1+1', '+1', '-1', '@a', '＝1', 'plain']
  for (const name of names) await me.pay(name, 100)
  const id = await me.upload([{ name: 'A', amount: '-1.00' }])
  await me.run(id)
  await me.post(`/${id}/records/2/ignore`, { reason: '=HYPERLINK("http://evil")' })
  const [record, ...missing] = await readExport(me.org, `/${id}/export.csv`)
  expect(record).toMatchObject({ note: `'=HYPERLINK("http://evil")`, amount: '-1.00' })
  const safe = [...names.slice(0, 5).map((name) => `'${name}`), 'plain']
  expect(new Set(missing.map((row) => row['external_id']))).toEqual(new Set(safe))
  expect(missing).toHaveLength(safe.length)
})

test('a large one is streamed, and a reader that leaves gives its connection back', async () => {
  const me = await newUser()
  const many = Array.from({ length: 30_000 }, (_, i) => ({ name: `m-${i}`, amount: 1 }))
  await givePayments(
    db.pool,
    many.map((payment) => ({ ...payment, org: me.org })),
  )
  const id = await me.upload([{ name: 'A', amount: '1.00' }])
  const rows = await readExport(me.org, `/${id}/export.csv?kind=missing`)
  expect(rows).toHaveLength(30_000)
  expect(new Set(rows.map((row) => row['payment_ids'])).size).toBe(30_000)
  // More readers that leave than there are connections.
  for (let i = 0; i < 12; i += 1) await leaveEarly(me.org, `/${id}/export.csv`)
  expect((await me.get(`/${id}`)).status).toBe(200)
  await expect.poll(() => db.pool.idleCount).toBe(db.pool.totalCount)
})

test.each([
  ['5', 'EUR', '0.05'],
  ['-1234', 'EUR', '-12.34'],
  ['7', 'JPY', '7'],
  ['-7', 'KWD', '-0.007'],
  ['999999999999', 'EUR', '9999999999.99'],
])('%s of %s is %s', (minor, currency, major) => {
  expect(inMajorUnits(minor, currency)).toBe(major)
})
