import { createHash } from 'node:crypto'
import { migrationsFrom } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { HEADER, clientOf, generate } from '../testing/uploading.ts'
import { serve, tokenOf } from '../../testing/serving.ts'

const migrations = await migrationsFrom('payments', new URL('../../migrations/', import.meta.url))
const db = await testDatabase({ migrations: [migrations] })
const { app, url } = await serve(db.pool, { RECONCILIATION_MAX_RECORDS: '50000' })
afterAll(() => app.close())
const ada = await clientOf(url)

async function readStored(): Promise<{ runs: number; records: number }> {
  const { rows } = await db.pool.query(`
    select (select count(*)::int from payments.reconciliation_runs) as runs,
           (select count(*)::int from payments.reconciliation_records) as records`)
  return rows[0] as { runs: number; records: number }
}

beforeEach(() =>
  // Past the history, which only grows.
  db.pool.query(
    'begin; set local session_replication_role = replica; truncate payments.reconciliation_runs, payments.reconciliation_records cascade; commit',
  ),
)

describe('a file that is loaded', () => {
  test('has a run and all of its records, unmatched', async () => {
    const file = `\uFEFF${HEADER}tx_1,12.30,EUR,2026-03-01\n"tx,2",-7,EUR,2026-03-02\r\n\ntx_3,500,JPY,2026-02-28\ntx_4,1.234,KWD,2024-02-29`
    const { status, headers, body } = await ada.upload(file)
    expect(status, JSON.stringify(body)).toBe(201)
    expect(headers.get('location')).toBe(`/api/v1/reconciliations/${body.id}`)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      filename: 'bank.csv',
      total: 4,
      duplicates: 0,
      sums: [
        { currency: 'EUR', records: 2, amount: '530' },
        { currency: 'JPY', records: 1, amount: '500' },
        { currency: 'KWD', records: 1, amount: '1234' },
      ],
      bytes: Buffer.byteLength(file),
      sha256: createHash('sha256').update(file).digest('hex'),
      profile: null,
      format: 'csv',
      pending: 0,
      balances: null,
      gaps: [],
    })
    const { rows } = await db.pool.query(`
      select line_number, external_transaction_id, amount, currency, booked_on::text, status
        from payments.reconciliation_records order by line_number`)
    expect(rows.map((row) => Object.values(row as object))).toEqual([
      [2, 'tx_1', '1230', 'EUR', '2026-03-01', 'unmatched'],
      [3, 'tx,2', '-700', 'EUR', '2026-03-02', 'unmatched'],
      [5, 'tx_3', '500', 'JPY', '2026-02-28', 'unmatched'],
      [6, 'tx_4', '1234', 'KWD', '2024-02-29', 'unmatched'],
    ])
    const runs = await db.pool.query(`
      select org_id, user_id, status, total, unmatched, summary from payments.reconciliation_runs`)
    expect(runs.rows).toEqual([
      {
        org_id: 'acme',
        user_id: 'ada',
        status: 'loaded',
        total: 4,
        unmatched: 4,
        summary: { matched: 0, unmatched: 4, total: 4 },
      },
    ])
  })

  test('may have its columns in any order, and others between', async () => {
    const file = 'note, Date ,CURRENCY,amount,external_transaction_id\nx,2026-03-01,EUR,1,tx\n'
    expect(await ada.upload(file)).toMatchObject({ status: 201, body: { total: 1 } })
  })

  test('keeps ids as they are, also those that COPY would change', async () => {
    const ids = ['\\N', '\\.', 'a\\tb', 'ü 😀', '007', '-5', "'; drop table x"]
    const file = HEADER + ids.map((id) => `${id},1,EUR,2026-03-01\n`).join('')
    expect((await ada.upload(file)).status).toBe(201)
    const { rows } = await db.pool.query<{ id: string }>(`
      select external_transaction_id as id from payments.reconciliation_records order by line_number`)
    expect(rows.map(({ id }) => id)).toEqual(ids)
  })

  test('says which of its records are the same', async () => {
    const same = 'tx_1,1.00,EUR,2026-03-01\n'
    const file = `${HEADER}${same}tx_2,1.00,EUR,2026-03-01\n${same}tx_1,1.00,EUR,2026-03-02\n${same}`
    expect((await ada.upload(file)).body).toMatchObject({ total: 5, duplicates: 2 })
    const { rows } = await db.pool.query(`
      select line_number, occurrence_no, duplicate_of
        from payments.reconciliation_records order by line_number`)
    expect(rows.map((row) => Object.values(row as object))).toEqual([
      [2, 1, null],
      [3, 1, null],
      [4, 2, 2],
      [5, 1, null],
      [6, 3, 2],
    ])
  })

  test('may be a form', async () => {
    const form = new FormData()
    form.append('note', 'x')
    form.append('file', new Blob([`${HEADER}tx_1,1,EUR,2026-03-01\n`]), 'statement é.csv')
    form.append('more', 'y')
    const { status, body } = await ada.upload(form, '')
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body).toMatchObject({ filename: 'statement é.csv', total: 1 })
  })

  test('of many batches is whole', async () => {
    const { status, body } = await ada.upload(generate({ rows: 30_000 }))
    expect(status).toBe(201)
    expect(body).toMatchObject({ total: 30_000, duplicates: 0 })
    const { rows } = await db.pool.query<{ sum: string }>(
      'select sum(amount)::text as sum from payments.reconciliation_records',
    )
    expect(rows[0]?.sum).toBe(body.sums[0].amount)
  })

  test('is in the audit log', async () => {
    const { body } = await ada.upload(`${HEADER}tx_1,1,EUR,2026-03-01\n`)
    const { rows } = await db.pool.query(
      'select actor, action, details from payments.audit_log where entity_id = $1',
      [body.id],
    )
    const sha256 = body.sha256
    const details = { filename: 'bank.csv', format: 'csv', total: 1, balances: null, sha256 }
    expect(rows).toEqual([{ actor: 'ada', action: 'reconciliation.uploaded', details }])
  })
})

describe('the database', () => {
  const file = `${HEADER}tx_1,1,EUR,2026-03-01\ntx_2,1,EUR,2026-03-01\n`

  test('lets the records go with their run', async () => {
    await ada.upload(file)
    await db.pool.query('delete from payments.reconciliation_runs')
    expect(await readStored()).toEqual({ runs: 0, records: 0 })
  })

  test.each([
    [
      'a match without a payment',
      `update payments.reconciliation_records set status = 'matched', decided_by = 'auto'`,
    ],
    ['a state that is none', `update payments.reconciliation_records set status = 'maybe'`],
    ['a currency that is none', `update payments.reconciliation_records set currency = 'EURO'`],
    [
      'a payment that is none',
      `update payments.reconciliation_records set status = 'matched', decided_by = 'auto', matched_payment_id = gen_random_uuid()`,
    ],
    ['counts that do not add up', 'update payments.reconciliation_runs set matched = 1'],
    [
      'a run that ended before it began',
      `update payments.reconciliation_runs set status = 'completed'`,
    ],
  ])('refuses %s', async (_, statement) => {
    await ada.upload(file)
    await expect(db.pool.query(statement)).rejects.toThrow(/constraint/)
  })
})

describe('the same file', () => {
  const file = `${HEADER}tx_1,1,EUR,2026-03-01\n`

  test('is loaded once for an organisation', async () => {
    const first = await ada.upload(file)
    const bob = await clientOf(url, { sub: 'bob' })
    for (const member of [ada, bob]) {
      const again = await member.upload(file, '?filename=other.csv')
      expect(again).toMatchObject({
        status: 409,
        body: { code: 'FILE_ALREADY_UPLOADED', id: first.body.id },
      })
    }
    expect(await readStored()).toEqual({ runs: 1, records: 1 })
  })

  test('is another one of another organisation', async () => {
    const others = [{}, { org: 'other' }]
    for (const caller of others) {
      expect((await (await clientOf(url, caller)).upload(file)).status).toBe(201)
    }
    expect(await readStored()).toEqual({ runs: 2, records: 2 })
  })

  test('several times at once is loaded once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 2 }, () => ada.upload(generate({ rows: 5_000 }))),
    )
    const [first, ...others] = answers.toSorted((a, b) => a.status - b.status)
    expect(first?.status).toBe(201)
    for (const other of others) {
      expect(other).toMatchObject({ status: 409, body: { id: first?.body.id } })
    }
    expect(await readStored()).toEqual({ runs: 1, records: 5_000 })
  })
})

describe('a file that cannot be read', () => {
  const good = 'tx_1,1,EUR,2026-03-01\n'
  const row = (text: string) => `${HEADER}${good}${text}\n${good}`
  const nines = '9'.repeat(40)

  test.each([
    [
      'an unknown header',
      'id,amount,currency,date\n1,1,EUR,2026-03-01\n',
      'line 1, external_transaction_id',
      'is missing in the header',
    ],
    ['a column twice', `amount,${HEADER}`, 'line 1, amount', 'is twice in the header'],
    ['no header', good, 'line 1, external_transaction_id', 'is missing in the header'],
    [
      'another delimiter',
      HEADER.replaceAll(',', ';'),
      'line 1, external_transaction_id',
      'is missing in the header',
    ],
    ['nothing', '', 'line 1', 'has no names of columns'],
    ['empty lines', '\r\n\n', 'line 1', 'has no names of columns'],
    ['a header only', HEADER, 'line 1', 'is all there is: no record follows it'],
    ['a missing field', row('tx_2,1,EUR'), 'line 3', 'has 3 columns where the first row has 4'],
    [
      'a field too many',
      row('tx_2,1,EUR,2026-03-01,x'),
      'line 3',
      'has 5 columns where the first row has 4',
    ],
    ['too many columns', row(','.repeat(500)), 'line 3', 'has more than 200 columns'],
    ['an empty id', row(' ,1,EUR,2026-03-01'), 'line 3, external_transaction_id', 'is empty'],
    [
      'a long id',
      row(`${'x'.repeat(256)},1,EUR,2026-03-01`),
      'line 3, external_transaction_id',
      'is longer than 255 characters',
    ],
    [
      'a formula',
      row('"=cmd|\'/c calc\'!A1",1,EUR,2026-03-01'),
      'line 3, external_transaction_id',
      'looks like a formula',
    ],
    [
      'a full-width formula',
      row('＝1+1,1,EUR,2026-03-01'),
      'line 3, external_transaction_id',
      'looks like a formula',
    ],
    ['a formula as amount', row('tx_2,=1+1,EUR,2026-03-01'), 'line 3, amount', 'is not a number'],
    [
      'a control character',
      row('tx\u0007,1,EUR,2026-03-01'),
      'line 3, external_transaction_id',
      'has a control character',
    ],
    [
      'a line in an id',
      row('"tx\n2",1,EUR,2026-03-01'),
      'line 3, external_transaction_id',
      'has a control character',
    ],
    ['no amount', row('tx_2,,EUR,2026-03-01'), 'line 3, amount', 'is empty'],
    ['words', row('tx_2,one,EUR,2026-03-01'), 'line 3, amount', 'is not a number'],
    ['an exponent', row('tx_2,1e3,EUR,2026-03-01'), 'line 3, amount', 'is not a number'],
    ['a decimal comma', row('tx_2,"1,50",EUR,2026-03-01'), 'line 3, amount', 'is not a number'],
    [
      'too many decimals',
      row('tx_2,1.234,EUR,2026-03-01'),
      'line 3, amount',
      'has more than 2 decimals',
    ],
    [
      'decimals of a yen',
      row('tx_2,1.5,JPY,2026-03-01'),
      'line 3, amount',
      'has more than 0 decimals',
    ],
    ['a huge number', row(`tx_2,${nines},EUR,2026-03-01`), 'line 3, amount', 'is too large'],
    [
      'one cent too much',
      row('tx_2,90071992547409.92,EUR,2026-03-01'),
      'line 3, amount',
      'is too large',
    ],
    [
      'an unknown currency',
      row('tx_2,1,ABC,2026-03-01'),
      'line 3, currency',
      'is not a currency of ISO 4217',
    ],
    [
      'a small currency',
      row('tx_2,1,eur,2026-03-01'),
      'line 3, currency',
      'is not a currency of ISO 4217',
    ],
    ['gold', row('tx_2,1,XAU,2026-03-01'), 'line 3, currency', 'is not a currency of ISO 4217'],
    [
      'a day that is not',
      row('tx_2,1,EUR,2026-02-30'),
      'line 3, date',
      'is not a date as yyyy-MM-dd',
    ],
    [
      'another date format',
      row('tx_2,1,EUR,01.03.2026'),
      'line 3, date',
      'is not a date as yyyy-MM-dd',
    ],
    ['no date', row('tx_2,1,EUR,'), 'line 3, date', 'is not a date as yyyy-MM-dd'],
    [
      'an unclosed quote',
      row('"tx_2,1,EUR,2026-03-01'),
      'line 3, column 1',
      'has a quote that is never closed',
    ],
    [
      'a quote inside',
      row('tx"2,1,EUR,2026-03-01'),
      'line 3, column 1',
      'has a quote inside the text',
    ],
    ['a NUL', row('tx\0,1,EUR,2026-03-01'), 'line 3', 'has a byte that no text has (NUL)'],
  ])('%s', async (_, file, field, reason) => {
    const { status, body } = await ada.upload(file)
    expect(status, JSON.stringify(body)).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED' })
    expect(body.errors[0]).toEqual({ field, reason })
    expect(await readStored()).toEqual({ runs: 0, records: 0 })
  })

  test.each([
    [
      'UTF-16',
      Buffer.from(`\uFEFF${HEADER}${good}`, 'utf16le'),
      'line 1',
      'is UTF-16: save the file as UTF-8',
    ],
    [
      'UTF-16 without its mark',
      Buffer.from(HEADER + good, 'utf16le'),
      'line 1',
      'is UTF-16: save the file as UTF-8',
    ],
    ['latin-1', Buffer.from(row('é,1,EUR,2026-03-01'), 'latin1'), 'line 3', 'is not UTF-8'],
    [
      'a picture',
      Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
      'line 3',
      'has a byte that no text has (NUL)',
    ],
  ])('%s', async (_, file, field, reason) => {
    const { status, body } = await ada.upload(Uint8Array.from(file))
    expect(status).toBe(400)
    expect(body.errors).toEqual([{ field, reason }])
    expect(await readStored()).toEqual({ runs: 0, records: 0 })
  })

  test('with many mistakes has the first twenty', async () => {
    const { body } = await ada.upload(HEADER + 'tx,x,EUR,2026-13-01\n'.repeat(1_000))
    expect(body.errors).toHaveLength(20)
    expect(body.errors[0].field).toBe('line 2, amount')
    expect(body.errors[1].field).toBe('line 2, date')
    expect(body.errors[19].field).toBe('line 11, date')
  })

  test('with more records than a file may have', async () => {
    const { status, body } = await ada.upload(generate({ rows: 60_000 }))
    expect(status).toBe(400)
    expect(body.errors[0].reason).toBe('is more than the 50000 records that a file may have')
    expect(await readStored()).toEqual({ runs: 0, records: 0 })
  })

  test('leaves its connection and the database ready for the next', async () => {
    for (let i = 0; i < 5; i += 1) {
      expect((await ada.upload(generate({ rows: 20_000, instead: { 3: 'x,y\n' } }))).status).toBe(
        400,
      )
    }
    expect((await ada.upload(HEADER + good)).status).toBe(201)
    expect(db.pool.waitingCount).toBe(0)
    expect(db.pool.idleCount).toBe(db.pool.totalCount)
  })
})

describe('a request that is no upload', () => {
  test('has another content type', async () => {
    const { status, body } = await ada.send('POST', '/api/v1/reconciliations', { a: 1 })
    expect(status).toBe(415)
    expect(body.code).toBe('UNSUPPORTED_MEDIA_TYPE')
  })

  test('has no file in its form', async () => {
    const form = new FormData()
    form.append('file', 'only text')
    const { status, body } = await ada.upload(form)
    expect(status).toBe(400)
    expect(body.errors).toEqual([{ field: 'file', reason: 'is required' }])
  })

  test.each([
    ['without a boundary', 'multipart/form-data', 'x'],
    ['that never begins', 'multipart/form-data; boundary=x', 'nothing of it'],
    ['that is cut off', 'multipart/form-data; boundary=x', '--x\r\ncontent-disposition: form-d'],
    ['that is empty', 'multipart/form-data; boundary=x', ''],
  ])('has a form %s', async (_, type, body) => {
    const response = await fetch(`${url}/api/v1/reconciliations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await tokenOf()}`, 'content-type': type },
      body,
    })
    expect(response.status, await response.text()).toBe(400)
    expect(await readStored()).toEqual({ runs: 0, records: 0 })
  })

  test('names an unknown profile', async () => {
    const query = '?filename=a.csv&profile=01890000-0000-7000-8000-000000000000'
    expect((await ada.upload(HEADER, query)).status).toBe(404)
  })

  test('says nonsense', async () => {
    expect((await ada.upload(HEADER, '?filename=')).status).toBe(400)
    expect((await ada.upload(HEADER, '?filename=a%00b')).status).toBe(400)
    expect((await ada.upload(HEADER, '?uploadId=7')).status).toBe(400)
  })
})
