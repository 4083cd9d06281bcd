import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { keepHeaders } from './exchange.ts'
import { keepBody, keepMultipart } from './kept-body.ts'
import { MultipartParser } from './multipart.ts'

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

describe('a body is kept', () => {
  test.each([
    ['', null],
    ['{"a":[1]}', { a: [1] }],
    ['4', 4],
    ['{"a":', '{"a":'],
    ['a=1&b=2', 'a=1&b=2'],
    ['größe', 'größe'],
  ])('%j as %j', (text, expected) => {
    expect(keepBody(Buffer.from(text)).show()).toEqual(expected)
  })

  test('as base64 if it is binary', () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe])
    expect(keepBody(bytes).show()).toEqual({ base64: '/wD+', size: 3, sha256: hash(bytes) })
  })

  test('in part if it is big, with size and hash of the whole', () => {
    const bytes = Buffer.from(`{"a":"${'ä'.repeat(50_000)}"}`)
    const kept = keepBody(bytes)
    expect(kept.bytes).toBeLessThan(20_000)
    const shown = kept.show() as { start: string }
    expect(shown).toMatchObject({ cut: true, size: bytes.length, sha256: hash(bytes) })
    expect(shown.start.startsWith('{"a":"ää')).toBe(true)
  })

  test('by size and hash if it is big and binary', () => {
    const bytes = Buffer.concat([Buffer.from([0xff]), randomBytes(100_000)])
    expect(keepBody(bytes).show()).toEqual({ cut: true, size: 100_001, sha256: hash(bytes) })
  })

  test('without the bytes of its files', async () => {
    const form = new FormData()
    form.append('case_id', 'C-1')
    form.append('tag', 'a')
    form.append('tag', 'b')
    form.append('__proto__', 'x')
    form.append('files', new File(['one'], 'one.pdf', { type: 'application/pdf' }))
    form.append('files', new File(['zwei'], 'zwei.png'))
    const sent = new Response(form)
    const bytes = Buffer.from(await sent.arrayBuffer())
    const parser = new MultipartParser(sent.headers.get('content-type') ?? '')
    parser.write(bytes)
    const multipart = parser.end()
    expect(multipart.files[1]).toMatchObject({ field: 'files', type: 'application/octet-stream' })
    expect(keepMultipart(multipart).show()).toEqual({
      fields: Object.fromEntries([
        ['case_id', 'C-1'],
        ['tag', ['a', 'b']],
        ['__proto__', 'x'],
      ]),
      files: [
        { name: 'one.pdf', size: 3, sha256: hash(Buffer.from('one')) },
        { name: 'zwei.png', size: 4, sha256: hash(Buffer.from('zwei')) },
      ],
    })
  })

  test('in part if there are very many fields', async () => {
    const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`f${n}`, 'x']))
    expect(keepMultipart({ fields, files: [] }).show()).toMatchObject({ cut: true })
  })
})

test('of a secret header only the scheme is kept', () => {
  expect(
    keepHeaders({
      authorization: 'Bearer abc.def',
      cookie: 'session=1; b=2',
      'x-api-key': 'k',
      'x-amz-security-token': 't',
      'x-hub-signature-256': 'sha256=00',
      'idempotency-key': 'row-1',
      'x-many': ['a', 'b'],
    }),
  ).toEqual({
    authorization: 'Bearer [redacted]',
    cookie: '[redacted]',
    'x-api-key': '[redacted]',
    'x-amz-security-token': '[redacted]',
    'x-hub-signature-256': 'sha256=00',
    'idempotency-key': 'row-1',
    'x-many': ['a', 'b'],
  })
})
