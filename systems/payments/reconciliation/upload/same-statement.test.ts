import { describe, expect, test } from 'vitest'
import { paymentsDatabase } from '../../testing/running.ts'
import { CAMT_02, CAMT_08, MT940_GERMAN } from '../formats/testing/samples.ts'
import { runReconciling } from '../testing/reconciling.ts'

const db = await paymentsDatabase()
const { newUser } = await runReconciling(db)

/** A day of an account without bookings. */
const quiet = (number: number) =>
  [
    `:20:M${number}${Math.random()}`,
    ':25:DE02120300000000202051',
    `:28C:${String(number).padStart(5, '0')}/001`,
    `:60F:C2603${String(number).padStart(2, '0')}EUR10,`,
    `:62F:C2603${String(number + 1).padStart(2, '0')}EUR10,`,
    '-',
    '',
  ].join('\r\n')

describe('a day without bookings', () => {
  const entry = /<(n0:)?Ntry>[^]*?<\/(n0:)?Ntry>/g
  test.each([
    ['camt.053', CAMT_02.replaceAll(entry, '')],
    ['camt.053 with nothing but what is pending', CAMT_08.replaceAll('BOOK', 'PDNG')],
    ['MT940', quiet(1)],
  ])('in %s is loaded with no records, and runs', async (_name, file) => {
    const me = await newUser()
    const { status, body, text } = await me.send(file)
    expect(status, text).toBe(201)
    expect(body).toMatchObject({ total: 0, sums: [] })
    const id = String(body['id'])
    expect(await me.run(id)).toMatchObject({ matched: 0, unmatched: 0, total: 0, matchRate: 0 })
    expect((await me.get(`/${id}/statements`)).body['items']).toMatchObject([{ entries: 0 }])
    expect((await me.get(`/${id}/totals`)).body).toEqual({ runNo: 1, currencies: [] })
  })
})

describe('the same statement', () => {
  test.each([
    ['camt.053', CAMT_08, CAMT_08.replace('<MsgId>M1<', '<MsgId>M2<')],
    ['MT940', MT940_GERMAN, MT940_GERMAN.replace('STARTUMSE', 'ONCEMORE')],
  ])('of %s in another message is 409 with its file', async (_name, file, again) => {
    const me = await newUser()
    const first = await me.send(file)
    expect(first.status, first.text).toBe(201)
    const id = String(first.body['id'])
    const second = await me.send(again)
    expect(second).toMatchObject({
      status: 409,
      body: { code: 'STATEMENT_ALREADY_UPLOADED', id, number: 1 },
    })
    expect((await me.get('')).body['items']).toHaveLength(1)
    // It is another organisation's business what that has.
    expect((await (await newUser()).send(again)).status).toBe(201)
    // Another page, and another year, of the same number.
    for (const [from, to] of [
      ['00044/001', '00044/002'],
      ['<Id>STMT-1<', '<Id>STMT-2<'],
      [/2603(0[67])/g, '2503$1'],
      [/<Dt>2026-/g, '<Dt>2025-'],
    ] as const) {
      const other = again.replace(from, to)
      if (other !== again) expect((await me.send(other)).status).toBe(201)
    }
    await me.post(`/${id}/discard`, { reason: 'the wrong one' })
    expect((await me.send(again)).status).toBe(201)
  })

  test('of many at once is loaded once', async () => {
    const me = await newUser()
    const answers = await Promise.all([1, 2].map(() => me.send(quiet(7))))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
  })
})

describe('statements of an account', () => {
  test('between which some are missing are a warning, until those come', async () => {
    const me = await newUser()
    const send = async (number: number) => {
      const { status, body, text } = await me.send(quiet(number))
      expect(status, text).toBe(201)
      return body
    }
    expect((await send(3))['gaps']).toEqual([])
    expect((await send(4))['gaps']).toEqual([])
    const late = await send(7)
    expect(late['gaps']).toMatchObject([{ sequence: 7, missing: { first: 5, last: 6 } }])
    const missing = async () =>
      (await me.get(`/${String(late['id'])}/statements`)).body['items'] as object[]
    await send(5)
    expect(await missing()).toMatchObject([{ missing: { first: 6, last: 6 } }])
    expect((await send(6))['gaps']).toEqual([])
    expect(await missing()).toMatchObject([{ missing: null }])
  })

  test('begin again at 1', async () => {
    const me = await newUser()
    const from = (number: string) => (file: string) => file.replace(/:28C:\d+/, `:28C:${number}`)
    expect((await me.send(quiet(20))).body['gaps']).toEqual([])
    expect((await me.send(from('1')(quiet(21)))).body['gaps']).toEqual([])
    expect((await me.send(from('3')(quiet(22)))).body['gaps']).toMatchObject([
      { missing: { first: 2, last: 2 } },
    ])
  })
})
