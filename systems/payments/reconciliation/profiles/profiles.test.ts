import { migrationsFrom } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { clientOf, type Client } from '../testing/uploading.ts'
import { serve } from '../../testing/serving.ts'

const migrations = await migrationsFrom('payments', new URL('../../migrations/', import.meta.url))
const db = await testDatabase({ migrations: [migrations] })
const { app, url } = await serve(db.pool)
afterAll(() => app.close())
const ada = await clientOf(url)
const eve = await clientOf(url, { org: 'other' })

const PATH = '/api/v1/reconciliation-profiles'

/** As a German bank exports it. */
const GERMAN = {
  delimiter: ';',
  encoding: 'windows-1252',
  headerLine: 4,
  columns: { externalTransactionId: 'Verwendungszweck', date: 'Buchung', amount: 'Betrag' },
  currency: 'EUR',
  decimal: ',',
  thousands: '.',
  dateFormat: 'dd.MM.yyyy',
}
const GERMAN_FILE = Buffer.from(
  'Kontoauszug;Müller\n\nStand: 01.04.2026\nBuchung;Verwendungszweck;Betrag;Saldo\n' +
    '07.03.2026;größe_1;1.234,50;0,00\n08.03.2026;tx_2;-12,00;0,00\n',
  'latin1',
)

let names = 0
async function make(rules: object, client: Client = ada) {
  names += 1
  const { status, body } = await client.send('POST', PATH, { name: `bank ${names}`, rules })
  expect(status, JSON.stringify(body)).toBe(201)
  return body as { id: string; name: string; version: number; rules: object }
}

const preview = (rules: object, file: string | Buffer) =>
  ada.send('POST', `${PATH}/preview`, { rules, content: Buffer.from(file).toString('base64') })

async function records(runId: string) {
  const { rows } = await db.pool.query(
    `select line_number as line, external_transaction_id as id, amount::int, currency,
            booked_on::text as date
       from payments.reconciliation_records where run_id = $1 order by line_number`,
    [runId],
  )
  return rows.map((row) => Object.values(row as object))
}

describe('profiles', () => {
  test('are made with the usual where nothing is said', async () => {
    const { rules, version } = await make({
      columns: { externalTransactionId: 'id', date: 'day', amount: 'sum', currency: 'cur' },
    })
    expect(version).toBe(1)
    expect(rules).toMatchObject({ delimiter: ',', headerLine: 1, sign: 'signed', decimal: '.' })
  })

  test('get a new version by other rules, and keep the old one', async () => {
    const { id } = await make(GERMAN)
    const rules = { ...GERMAN, decimal: '.', thousands: ',' }
    const changed = await ada.send('PATCH', `${PATH}/${id}`, { rules, version: 1 })
    expect(changed).toMatchObject({ status: 200, body: { version: 2, rules } })
    const same = await ada.send('PATCH', `${PATH}/${id}`, { rules, name: 'another name' })
    expect(same.body).toMatchObject({ version: 2, name: 'another name' })
    const stale = await ada.send('PATCH', `${PATH}/${id}`, { rules: GERMAN, version: 1 })
    expect(stale).toMatchObject({ status: 409, body: { code: 'PROFILE_CHANGED', version: 2 } })
    const { body } = await ada.send('GET', `${PATH}/${id}/versions`)
    expect(body.items).toMatchObject([{ version: 2 }, { version: 1, createdBy: 'ada' }])
  })

  test('changed by many at once have every version once', async () => {
    const { id } = await make(GERMAN)
    const changes = Array.from({ length: 8 }, (_, i) =>
      ada.send('PATCH', `${PATH}/${id}`, { rules: { ...GERMAN, headerLine: i + 10 } }),
    )
    const versions = (await Promise.all(changes)).map(({ body }) => body.version as number)
    expect(versions.toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  })

  test('have a name of their own', async () => {
    const { name } = await make(GERMAN)
    const again = await ada.send('POST', PATH, { name, rules: GERMAN })
    expect(again).toMatchObject({ status: 409, body: { code: 'PROFILE_NAME_TAKEN' } })
    expect((await eve.send('POST', PATH, { name, rules: GERMAN })).status).toBe(201)
  })

  test('are listed, and gone once deleted', async () => {
    const { id } = await make(GERMAN)
    const listed = await ada.send('GET', `${PATH}?limit=1`)
    expect(listed.body.items).toMatchObject([{ id }])
    expect(listed.body.nextCursor).toEqual(expect.any(String))
    expect((await ada.send('DELETE', `${PATH}/${id}`)).status).toBe(204)
    expect((await ada.send('DELETE', `${PATH}/${id}`)).status).toBe(404)
    expect((await ada.send('GET', `${PATH}/${id}`)).status).toBe(404)
    expect((await ada.send('GET', `${PATH}/${id}/versions`)).status).toBe(200)
    const { rows } = await db.pool.query<{ action: string }>(
      'select action from payments.audit_log where entity_id = $1 order by seq',
      [id],
    )
    expect(rows.map(({ action }) => action)).toEqual([
      'reconciliation_profile.created',
      'reconciliation_profile.deleted',
    ])
  })

  test('of another organisation are not there', async () => {
    const { id } = await make(GERMAN)
    expect((await eve.send('GET', `${PATH}/${id}`)).status).toBe(404)
    expect((await eve.send('GET', `${PATH}/${id}/versions`)).status).toBe(404)
    expect((await eve.send('PATCH', `${PATH}/${id}`, { name: 'mine' })).status).toBe(404)
    expect((await eve.send('DELETE', `${PATH}/${id}`)).status).toBe(404)
    const content = Buffer.from('x').toString('base64')
    expect((await eve.send('POST', `${PATH}/preview`, { profile: id, content })).status).toBe(404)
    expect((await eve.upload(Uint8Array.from(GERMAN_FILE), `?profile=${id}`)).status).toBe(404)
  })

  const columns = { externalTransactionId: 'a', date: 'b', amount: 'c' }
  test.each([
    ['no amount', { columns: { externalTransactionId: 'a', date: 'b' } }, 'columns.amount'],
    ['a debit too many', { columns: { ...columns, debit: 'd' } }, 'columns.debit'],
    ['a column twice', { columns: { ...columns, amount: 'b' } }, 'columns.date'],
    ['names without a header', { headerLine: null, columns }, 'columns.externalTransactionId'],
    ['no currency', { columns, currency: undefined }, 'currency'],
    ['two currencies', { columns: { ...columns, currency: 'd' } }, 'currency'],
    ['no such currency', { columns, currency: 'ABC' }, 'currency'],
    ['one sign for two things', { columns, decimal: ',', thousands: ',' }, 'thousands'],
    ['a date without a day', { columns, dateFormat: 'yyyy-MM' }, 'dateFormat'],
    ['a date with words', { columns, dateFormat: 'yyyy-MM-dd (day)' }, 'dateFormat'],
    ['unused flags', { columns, debitFlags: ['D'] }, 'debitFlags'],
    ['no flags', { columns: { ...columns, flag: 'f' }, sign: 'flag' }, 'debitFlags'],
  ])('are refused with %s', async (_, rules, field) => {
    const body = { name: 'x', rules: { currency: 'EUR', ...rules } }
    const answer = await ada.send('POST', PATH, body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(400)
    expect(answer.body.errors).toContainEqual({
      field: `rules.${field}`,
      reason: expect.any(String),
    })
  })
})

describe('a file read by a profile', () => {
  test('of a German bank, and its run says which version', async () => {
    const { id } = await make(GERMAN)
    const { status, body } = await ada.upload(Uint8Array.from(GERMAN_FILE), `?profile=${id}`)
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body.profile).toEqual({ id, version: 1 })
    expect(await records(body.id as string)).toEqual([
      [5, 'größe_1', 123_450, 'EUR', '2026-03-07'],
      [6, 'tx_2', -1_200, 'EUR', '2026-03-08'],
    ])
    await ada.send('PATCH', `${PATH}/${id}`, { rules: { ...GERMAN, delimiter: ',' } })
    const { rows } = await db.pool.query(
      'select profile_id, profile_version from payments.reconciliation_runs where id = $1',
      [body.id],
    )
    expect(rows).toEqual([{ profile_id: id, profile_version: 1 }])
  })

  test('with columns of debit and credit', async () => {
    const { id } = await make({
      columns: { externalTransactionId: 'id', date: 'date', debit: 'out', credit: 'in' },
      sign: 'debit-credit',
      currency: 'USD',
      dateFormat: 'M/d/yy',
    })
    const file = 'id,date,out,in\na,3/7/26,,5.00\nb,12/31/25,1.50,\nc,1/1/26,-2,0.00\n'
    const { body } = await ada.upload(file, `?profile=${id}`)
    expect(await records(body.id as string)).toEqual([
      [2, 'a', 500, 'USD', '2026-03-07'],
      [3, 'b', -150, 'USD', '2025-12-31'],
      [4, 'c', -200, 'USD', '2026-01-01'],
    ])
    const bad = 'id,date,out,in\na,3/7/26,1,5.00\nb,3/7/26,,\nc,3/7/26,x,\n'
    expect((await ada.upload(bad, `?profile=${id}`)).body.errors).toEqual([
      { field: 'line 2, in', reason: 'is there beside a debit' },
      { field: 'line 3, in', reason: 'is empty, and the debit too' },
      { field: 'line 4, out', reason: 'is not a number' },
    ])
  })

  test('with a flag, by positions and without a header', async () => {
    const { id } = await make({
      delimiter: '\t',
      headerLine: null,
      columns: { externalTransactionId: 2, date: 1, amount: 3, flag: 4, currency: 5 },
      sign: 'flag',
      debitFlags: ['S'],
      creditFlags: ['H'],
      dateFormat: 'yyyyMMdd',
    })
    const file = '20260307\ta\t1\tH\tEUR\n20260308\tb\t2.5\tS\tEUR\n'
    const { status, body } = await ada.upload(file, `?profile=${id}`)
    expect(status, JSON.stringify(body)).toBe(201)
    expect(await records(body.id as string)).toEqual([
      [1, 'a', 100, 'EUR', '2026-03-07'],
      [2, 'b', -250, 'EUR', '2026-03-08'],
    ])
    const bad = await ada.upload('20260307\ta\t1\tX\tEUR\n', `?profile=${id}`)
    expect(bad.body.errors).toEqual([
      { field: 'line 1, column 4', reason: 'is neither a debit flag nor a credit flag' },
    ])
    const short = await ada.upload('20260307\ta\t1\n', `?profile=${id}`)
    expect(short.body.errors).toEqual([
      { field: 'line 1, column 4', reason: 'is missing: the row has 3 columns' },
      { field: 'line 1, column 5', reason: 'is missing: the row has 3 columns' },
    ])
  })
})

describe('a preview', () => {
  test('shows rows as they are read, and stores nothing', async () => {
    const { status, body } = await preview(GERMAN, GERMAN_FILE)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toEqual({
      format: 'csv',
      statements: [],
      header: ['Buchung', 'Verwendungszweck', 'Betrag', 'Saldo'],
      truncated: false,
      errors: [],
      rows: [
        {
          line: 5,
          values: ['07.03.2026', 'größe_1', '1.234,50', '0,00'],
          record: {
            externalTransactionId: 'größe_1',
            amount: 123_450,
            currency: 'EUR',
            date: '2026-03-07',
          },
          errors: [],
        },
        expect.objectContaining({ line: 6 }),
      ],
    })
  })

  test('shows what is wrong with a row beside it', async () => {
    const file = 'Buchung;Verwendungszweck;Betrag\n7.3.2026;a;1,5,0\n'
    const { body } = await preview({ ...GERMAN, headerLine: 1 }, file)
    expect(body.rows).toMatchObject([
      {
        record: null,
        errors: [
          { field: 'line 2, Betrag', reason: 'is not a number' },
          { field: 'line 2, Buchung', reason: 'is not a date as dd.MM.yyyy' },
        ],
      },
    ])
  })

  test('shows what is wrong with the file', async () => {
    const lost = await preview({ ...GERMAN, headerLine: 1 }, 'a;b\n1;2\n')
    expect(lost.body).toMatchObject({ header: ['a', 'b'], rows: [] })
    expect(lost.body.errors).toHaveLength(3)
    const quote = await preview({ ...GERMAN, headerLine: 1 }, '"a;b\n1;2\n')
    expect(quote.body.errors).toEqual([
      { field: 'line 1, column 1', reason: 'has a quote that is never closed' },
    ])
    expect((await preview(GERMAN, '')).body.errors).toEqual([
      { field: 'content', reason: 'has no record' },
    ])
  })

  test('is of twenty rows, also where its bytes end in the middle of one', async () => {
    const rows = '07.03.2026;tx;1,00\n'.repeat(5_000)
    const file = Buffer.from(`Buchung;Verwendungszweck;Betrag\n${rows}`).subarray(0, 65_536)
    const { status, body } = await preview({ ...GERMAN, headerLine: 1 }, file)
    expect(status).toBe(200)
    expect(body.truncated).toBe(true)
    expect(body.rows).toHaveLength(20)
    expect(body.errors).toEqual([])
    const wide = Buffer.from(`Buchung;Verwendungszweck;Betrag\n${'x'.repeat(7_000)};a;`.repeat(12))
    const cut = await preview({ ...GERMAN, headerLine: 1 }, wide.subarray(0, 65_536))
    expect(cut.status).toBe(200)
  })

  test('takes no more than it needs', async () => {
    expect((await preview(GERMAN, Buffer.alloc(65_540, 'a'))).status).toBe(400)
    const neither = await ada.send('POST', `${PATH}/preview`, { content: '' })
    expect(neither.status).toBe(400)
  })
})
