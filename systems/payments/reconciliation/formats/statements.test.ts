import { makeZip } from '@posthorn/bulk/zip/testing'
import { describe, expect, test } from 'vitest'
import { paymentsDatabase } from '../../testing/running.ts'
import { CAMT_02, CAMT_08, MT940_GERMAN } from '../formats/testing/samples.ts'
import type { Rules } from '../profiles/rules.ts'
import { STANDARD_RULES } from '../profiles/standard.ts'
import { reconcilerOf, runReconciling } from '../testing/reconciling.ts'

const db = await paymentsDatabase()
const running = await runReconciling(db)
const { newUser } = running

async function profileOf(org: string, rules: Partial<Rules>): Promise<string> {
  const client = await running.as({ org })
  const { body, text } = await client.send('/api/v1/reconciliation-profiles', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: `p-${Math.random()}`, rules: { ...STANDARD_RULES, ...rules } }),
  })
  expect(body['id'], text).toBeDefined()
  return `&profile=${String(body['id'])}`
}

describe('a statement', () => {
  test('in camt.053 is matched with the payments, and its balances tie out', async () => {
    const me = await newUser()
    const paid = await me.pay('order-1', 10_000, { status: 'succeeded' })
    const { status, body, text } = await me.send(CAMT_02)
    expect(status, text).toBe(201)
    expect(body).toMatchObject({
      format: 'camt.053',
      total: 5,
      pending: 1,
      sums: [{ currency: 'EUR', records: 5, amount: '18950' }],
      balances: { tied: 1, differing: 0, unknown: 0 },
    })
    const id = String(body['id'])
    expect(await me.run(id)).toMatchObject({ matched: 1, total: 5 })
    expect((await me.records(id))[1]).toMatchObject({ id: '2', matchedPaymentId: paid })
    const run = (await me.get(`/${id}`)).body
    expect(run).toMatchObject({ format: 'camt.053', balances: { tied: 1 }, pending: 1 })
    expect((await me.get(`/${id}/statements`)).body).toEqual({
      items: [
        {
          number: 1,
          currency: 'EUR',
          statementId: '0352C5320260307',
          account: 'DE02120300000000202051',
          from: '2026-03-06',
          to: '2026-03-07',
          sequence: 44,
          missing: null,
          firstLine: 1,
          lastLine: 5,
          entries: 3,
          booked: '18950',
          opening: '100000',
          closing: '118950',
          difference: '0',
          tiesOut: true,
          reason: null,
        },
      ],
      nextCursor: null,
    })
  })

  test('that does not tie out says by how much, and is of use all the same', async () => {
    const me = await newUser()
    const short = MT940_GERMAN.replace(':62F:C260307EUR1035,50', ':62F:C260307EUR1035,00')
    const { status, body } = await me.send(short)
    expect([status, body['balances']]).toEqual([201, { tied: 0, differing: 1, unknown: 0 }])
    const { items } = (await me.get(`/${String(body['id'])}/statements`)).body
    expect(items).toMatchObject([
      {
        difference: '-50',
        tiesOut: false,
        reason:
          'The closing balance is 50 minor units less than the opening balance and the entries.',
      },
    ])
    const open = MT940_GERMAN.replace(':62F:C260307EUR1035,50\r\n', '').replace('00044', '00045')
    const half = await me.send(open)
    expect(half.body['balances']).toEqual({ tied: 0, differing: 0, unknown: 1 })
    const unknown = (await me.get(`/${String(half.body['id'])}/statements`)).body['items']
    expect(unknown).toMatchObject([
      { difference: null, tiesOut: null, reason: 'The file says no closing balance.' },
    ])
    // Unless the profile asks for it.
    const strict = await profileOf(me.org, { balances: 'require' })
    const again = await me.send(short.replace('00044', '00046'), strict)
    expect(again).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
    expect(again.body['errors']).toEqual([
      {
        field: 'line 6, statement 1 in EUR',
        reason:
          'does not tie out: the closing balance is -50 more than opening balance and entries, in minor units',
      },
    ])
    expect((await me.get('')).body['items']).toHaveLength(2)
    expect((await me.send(MT940_GERMAN.replace('00044', '00046'), strict)).status).toBe(201)
  })

  test('with a mistake is refused with its place, and nothing is stored', async () => {
    const me = await newUser()
    const wrong = CAMT_08.replace('>2000<', '>20,00<').replace(
      '<Dt>2026-03-31</Dt></BookgDt><Acct',
      '<Dt>x</Dt></BookgDt><Acct',
    )
    const { status, body } = await me.send(wrong)
    expect(status).toBe(400)
    expect(body['errors']).toEqual([
      { field: 'line 8, column 1, Ntry/Amt', reason: 'is not a number' },
      { field: 'line 11, column 1, Ntry/BookgDt', reason: 'is not a date as yyyy-MM-dd' },
    ])
    for (const file of [
      CAMT_08.replaceAll('BOOK', 'PDNG').replaceAll('<Bal>', '<x>').replaceAll('</Bal>', '</x>'),
      '<Document/>',
      '<!DOCTYPE a><a/>',
      ':20:x\n',
    ]) {
      expect((await me.send(file)).status, file.slice(0, 20)).toBe(400)
    }
    expect((await me.get('')).body['items']).toEqual([])
  })

  test('as a workbook is 415 with what to do', async () => {
    const me = await newUser()
    const answer = await me.send(Buffer.from(makeZip([{ name: '[Content_Types].xml' }])))
    expect(answer).toMatchObject({
      status: 415,
      body: { code: 'UNSUPPORTED_MEDIA_TYPE', detail: expect.stringContaining('as CSV') },
    })
  })
})

describe('a file that is discarded', () => {
  test('gives back its payments, keeps what it was, and may come again', async () => {
    const me = await newUser()
    const [one, two, three] = [
      await me.pay('order-1', 10_000),
      await me.pay('x', 1_500),
      await me.pay('y', 500),
    ]
    const first = await me.send(CAMT_02)
    const id = String(first.body['id'])
    await me.run(id)
    const paymentIds = [two, three]
    await me.post(`/${id}/records/4/match`, { paymentIds, reason: 'two of them' })
    expect((await me.get(`/${id}`)).body).toMatchObject({ matched: 2 })
    const bob = reconcilerOf(await running.as({ sub: 'bob', org: me.org }))
    const reason = 'read with the wrong references'
    const { status, body, text } = await bob.post(`/${id}/discard`, { reason })
    expect(status, text).toBe(200)
    expect(body).toMatchObject({
      status: 'discarded',
      matched: 0,
      unmatched: 5,
      discarded: { by: 'bob', reason, at: expect.any(String) },
    })
    expect(await me.records(id)).toMatchObject([
      { reason: 'no_match' },
      { status: 'unmatched', reason: 'discarded', paymentIds: [] },
      {},
      { status: 'unmatched', reason: 'discarded', paymentIds: [] },
      {},
    ])
    const { history } = (await me.get(`/${id}/records/2`)).body as { history: object[] }
    expect(history).toMatchObject([
      { reason: 'discarded', note: reason, actor: 'bob' },
      { reason: 'exact_match', paymentId: one },
    ])
    const audit = await db.pool.query(
      `select actor, details from payments.audit_log where entity_id = $1 and action = $2`,
      [id, 'reconciliation.discarded'],
    )
    expect(audit.rows).toMatchObject([{ actor: 'bob', details: { reason, matched: 2, total: 5 } }])
    // It is settled: neither open, nor counted, nor to be worked on.
    expect((await me.get('/exceptions')).body['items']).toEqual([])
    expect((await me.get('/overview')).body).toMatchObject({ total: 0, openExceptions: 0 })
    expect((await me.get('?status=discarded')).body['items']).toMatchObject([{ id }])
    for (const path of ['run', 'discard', 'records/2/ignore']) {
      const refused = await me.post(`/${id}/${path}`, path === 'run' ? {} : { reason })
      expect(refused).toMatchObject({ status: 409, body: { code: 'RECONCILIATION_DISCARDED' } })
    }
    const again = await me.send(
      CAMT_02,
      await profileOf(me.org, { camtReferences: ['EndToEndId'] }),
    )
    expect(again.status, again.text).toBe(201)
    expect(await me.run(String(again.body['id']))).toMatchObject({ matched: 1 })
    // And only once.
    expect((await me.send(CAMT_02)).body).toMatchObject({
      code: 'FILE_ALREADY_UPLOADED',
      id: again.body['id'],
    })
  })

  test('needs a reason', async () => {
    const me = await newUser()
    const id = await me.upload([{ name: 'A', amount: '1.00' }])
    expect((await me.post(`/${id}/discard`, {})).status).toBe(400)
    expect((await me.post(`/${id}/discard`, { reason: 'never to have come' })).status).toBe(200)
  })
})
