import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { makeZip, type MadeEntry } from '@posthorn/bulk/zip/testing'
import { describe, expect, test } from 'vitest'
import { json } from '@posthorn/system/testing/ask'
import { paymentsDatabase } from '../../testing/running.ts'
import { CAMT_02, CAMT_08, MT940_GERMAN } from '../formats/testing/samples.ts'
import type { Rules } from '../profiles/rules.ts'
import { STANDARD_RULES } from '../profiles/standard.ts'
import { PATH, runReconciling, type Person } from '../testing/reconciling.ts'

const db = await paymentsDatabase()
const running = await runReconciling(db)
const { newUser } = running

const A: MadeEntry = { name: 'statements/a.xml', data: CAMT_02 }
const B: MadeEntry = { name: 'statements/b.xml', data: CAMT_08 }

const zipOf = (...entries: MadeEntry[]) => Buffer.from(makeZip(entries))

async function profileOf(org: string, rules: Partial<Rules>): Promise<string> {
  const client = await running.as({ org })
  const { body, text } = await client.send('/api/v1/reconciliation-profiles', {
    ...json('POST', { name: 'bank', rules: { ...STANDARD_RULES, ...rules } }),
  })
  expect(body, text).toHaveProperty('id')
  return `&profile=${String(body['id'])}`
}

interface Sum {
  readonly currency: string
  readonly records: number
  readonly amount: string
}

function added(all: readonly Sum[]): Sum[] {
  return [...new Set(all.map(({ currency }) => currency))].toSorted().map((currency) => {
    const own = all.filter((sum) => sum.currency === currency)
    const records = own.reduce((count, sum) => count + sum.records, 0)
    return { currency, records, amount: String(own.reduce((sum, n) => sum + BigInt(n.amount), 0n)) }
  })
}

async function refuse(me: Person, bytes: Buffer<ArrayBuffer>, query = '') {
  const answer = await me.send(bytes, query)
  expect(answer, answer.text).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
  expect((await me.get('')).body['items']).toEqual([])
  return answer.body['errors'] as { field: string; reason: string }[]
}

describe('a ZIP of camt.053 files', () => {
  test('is one run with all their records, statements and sums', async () => {
    const [me, other] = [await newUser(), await newUser()]
    const one = (await other.send(CAMT_02)).body
    const two = (await other.send(CAMT_08)).body
    const folder = { name: 'statements/', method: 0 }
    const shadow = { name: '__MACOSX/statements/._a.xml', data: 'x' }
    const hidden = { name: 'statements/.keep', data: 'x' }
    const { status, body, text } = await me.send(zipOf(folder, A, shadow, hidden, B))
    expect(status, text).toBe(201)
    expect(body).toMatchObject({
      format: 'camt.053',
      total: Number(one['total']) + Number(two['total']),
      pending: Number(one['pending']) + Number(two['pending']),
      sums: added([...(one['sums'] as Sum[]), ...(two['sums'] as Sum[])]),
    })
    const id = String(body['id'])
    const records = await me.records(id)
    expect(records).toHaveLength(Number(body['total']))
    expect(new Set(records.map((record) => record.status))).toEqual(new Set(['unmatched']))
    const itemsOf = async (who: Person, run: unknown) =>
      (await who.get(`/${String(run)}/statements`)).body['items'] as Record<string, unknown>[]
    const statements = await itemsOf(me, id)
    const alone = [...(await itemsOf(other, one['id'])), ...(await itemsOf(other, two['id']))]
    const shown = ({ account, statementId, booked, closing }: Record<string, unknown>) => {
      return { account, statementId, booked, closing }
    }
    expect(statements.map(shown)).toEqual(alone.map(shown))
    expect(statements.map(({ number }) => number)).toEqual(statements.map((_, i) => i + 1))
    expect(await me.run(id)).toMatchObject({ total: body['total'] })
  })

  test.each([
    ['its own type', 'application/zip', zipOf(A)],
    ['the type of XML', 'application/xml', zipOf(A)],
    ['the type that Windows has for it', 'application/x-zip-compressed', zipOf(A)],
  ])('under %s is loaded', async (_name, type, body) => {
    const { org } = await newUser()
    const client = await running.as({ org })
    const headers = { 'content-type': type }
    const { status, text } = await client.send(PATH, { method: 'POST', headers, body })
    expect(status, text).toBe(201)
  })

  test('in a form is loaded, under its own name', async () => {
    const { org } = await newUser()
    const form = new FormData()
    form.set('file', new Blob([zipOf(A)], { type: 'application/zip' }), 'march.zip')
    const client = await running.as({ org })
    const { status, body, text } = await client.send(PATH, { method: 'POST', body: form })
    expect(status, text).toBe(201)
    expect(body).toMatchObject({ filename: 'march.zip', format: 'camt.053' })
  })

  test('with a statement that is known already is 409 with that one', async () => {
    const me = await newUser()
    const first = await me.send(CAMT_08)
    expect(first.status, first.text).toBe(201)
    expect(await me.send(zipOf(A, B))).toMatchObject({
      status: 409,
      body: {
        code: 'STATEMENT_ALREADY_UPLOADED',
        id: first.body['id'],
        detail: expect.stringContaining('STMT-1'),
      },
    })
    expect((await me.get('')).body['items']).toHaveLength(1)
  })

  test('that comes twice, even at once, is loaded once', async () => {
    const me = await newUser()
    const answers = await Promise.all([1, 2].map(() => me.send(zipOf(A, B))))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
  })
})

describe('a ZIP with one bad file', () => {
  const broken = CAMT_08.replace(/(<Ntry>[^]*?<Amt[^>]*>)[^<]*/, '$1x')
  test.each<[string, MadeEntry, RegExp, RegExp]>([
    [
      'a wrong amount',
      { name: 'c.xml', data: broken },
      /^"c\.xml", line \d+, .*Ntry\/Amt$/,
      /number/,
    ],
    [
      'XML that ends early',
      { name: 'c.xml', data: CAMT_08.slice(0, 900) },
      /^"c\.xml", line \d+/,
      /./,
    ],
    ['another message', { name: 'c.xml', data: '<Document/>' }, /^"c\.xml", line 1/, /camt\.053/],
    ['MT940', { name: 'c.sta', data: MT940_GERMAN }, /^"c\.sta", line 1$/, /is no camt\.053/],
    [
      'a text',
      { name: 'read me.txt', data: 'hello' },
      /^"read me\.txt", line 1$/,
      /is no camt\.053/,
    ],
    ['a workbook', { name: 'c.xlsx', data: zipOf(A) }, /^"c\.xlsx", line 1$/, /is no camt\.053/],
    ['nothing', { name: 'c.xml', data: '' }, /^"c\.xml", line 1$/, /is no camt\.053/],
    [
      'a wrong checksum',
      { name: 'c.xml', data: CAMT_08, local: { crc: 1 }, central: { crc: 1 } },
      /^"c\.xml"$/,
      /checksum/,
    ],
  ])('%s is refused whole, by its name', async (_what, entry, field, reason) => {
    const errors = await refuse(await newUser(), zipOf(A, entry, B))
    expect(errors[0]).toEqual({
      field: expect.stringMatching(field),
      reason: expect.stringMatching(reason),
    })
    expect(errors.every((error) => !error.field.includes('a.xml'))).toBe(true)
  })

  test('names the first twenty of many', async () => {
    const texts = Array.from({ length: 50 }, (_, n) => ({ name: `${n}.txt`, data: 'hello' }))
    expect(await refuse(await newUser(), zipOf(...texts))).toHaveLength(20)
  })

  test('that does not tie out is refused where the profile asks for it', async () => {
    const me = await newUser()
    const strict = await profileOf(me.org, { balances: 'require' })
    const off = { name: 'c.xml', data: CAMT_08.replace(/(CLBD[^]*?<Amt[^>]*>)[^<]*/, '$19') }
    const errors = await refuse(me, zipOf(A, off), strict)
    expect(errors).toEqual([
      {
        field: expect.stringMatching(/^"c\.xml", line \d+, statement \d in JPY$/),
        reason: expect.stringMatching(/^does not tie out/),
      },
    ])
    expect((await me.send(zipOf(A, off))).status).toBe(201)
  })

  test('is refused under a profile that reads CSV', async () => {
    const me = await newUser()
    const csv = await profileOf(me.org, { format: 'csv' })
    expect(await refuse(me, zipOf(A), csv)).toMatchObject([{ field: 'profile' }])
  })
})

describe('a hostile ZIP', () => {
  const trick = (entry: MadeEntry) => zipOf(A, entry)
  const zeros = Buffer.alloc(10_000_000)
  test.each<[string, Buffer<ArrayBuffer>, RegExp]>([
    ['empty', zipOf(), /no statement/],
    [
      'with nothing but what macOS adds',
      zipOf({ name: '__MACOSX/._a', data: 'x' }),
      /no statement/,
    ],
    ['climbing', trick({ name: '../../etc/passwd', data: CAMT_08 }), /climbs out/],
    ['from the root', trick({ name: '/a.xml', data: CAMT_08 }), /root/],
    ['encrypted', trick({ name: 'b.xml', data: CAMT_08, flags: 0x801 }), /encrypted/],
    [
      'with a link',
      trick({ name: 'b.xml', data: '/etc/passwd', mode: 0o120777 }),
      /neither a file/,
    ],
    ['with a ZIP in it', trick({ name: 'b.zip', data: zipOf(B) }), /archive itself/],
    ['with a ZIP called XML', trick({ name: 'b.xml', data: zipOf(B) }), /archive itself/],
    ['with a gzip', trick({ name: 'b', data: gzipSync(CAMT_08) }), /archive itself/],
    ['with two of a name', trick({ name: 'statements/A.xml', data: CAMT_08 }), /the same name/],
    ['with a bomb', trick({ name: 'b.xml', data: zeros }), /:1 is allowed/],
    [
      'with a bomb that lies about its size',
      trick({ name: 'b.xml', data: zeros, local: { size: 900 }, central: { size: 900 } }),
      /more than 900 bytes/,
    ],
    ['that is cut off', zipOf(A, B).subarray(0, 900), /damaged/],
    ['with bytes behind it', Buffer.concat([zipOf(A), randomBytes(9)]), /follow behind/],
    [
      'with more entries than statements can be',
      zipOf(...Array.from({ length: 20_001 }, (_, n) => ({ name: `${n}`, data: '', method: 0 }))),
      /20001 entries/,
    ],
  ])('%s is refused', async (_what, bytes, reason) => {
    const [error] = await refuse(await newUser(), bytes)
    expect(error?.reason).toMatch(reason)
  })
})
