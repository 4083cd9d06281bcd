import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { MultipartParser } from './multipart.ts'

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** What a form becomes that arrives in chunks of this size. */
function parseForm(body: Buffer, contentType: string, chunk = body.length) {
  const parser = new MultipartParser(contentType)
  for (let at = 0; at < body.length; at += chunk) parser.write(body.subarray(at, at + chunk))
  return parser.end()
}

const lines = (...text: string[]) => Buffer.from(text.join('\r\n'))
const TYPE = 'multipart/form-data; boundary=xx'
const part = (disposition: string, ...more: string[]) => [
  '--xx',
  `Content-Disposition: form-data; ${disposition}`,
  ...more,
]

test('a form is the same in chunks of any size', async () => {
  const tricky = Buffer.from('\r\n--\r\n--x\r\n\r\n------formdata-undici-0\r')
  const form = new FormData()
  form.append('case_id', 'größe')
  form.append('tag', '')
  form.append('tag', 'b')
  form.append('files', new File([tricky], 'a "b"; c.pdf', { type: 'application/pdf' }))
  form.append('files', new File([], 'größe.png'))
  const sent = new Response(form)
  const body = Buffer.from(await sent.arrayBuffer())
  const type = sent.headers.get('content-type') ?? ''
  const whole = parseForm(body, type)
  expect(whole).toEqual({
    fields: { case_id: 'größe', tag: ['', 'b'] },
    files: [
      {
        field: 'files',
        name: 'a "b"; c.pdf',
        type: 'application/pdf',
        size: tricky.length,
        sha256: hash(tricky),
      },
      {
        field: 'files',
        name: 'größe.png',
        type: 'application/octet-stream',
        size: 0,
        sha256: hash(Buffer.alloc(0)),
      },
    ],
  })
  for (let chunk = 1; chunk < 100; chunk += 1) expect(parseForm(body, type, chunk)).toEqual(whole)
})

test('random bytes keep their size and hash', () => {
  for (let run = 0; run < 50; run += 1) {
    const bytes = randomBytes(run * 37)
    const body = Buffer.concat([
      lines(...part('name=files; filename=a.bin'), '', ''),
      bytes,
      lines('', '--xx--', ''),
    ])
    expect(parseForm(body, TYPE, 1 + run).files).toMatchObject([
      { field: 'files', name: 'a.bin', size: bytes.length, sha256: hash(bytes) },
    ])
  }
})

test('a preamble, padding after delimiters and what follows the end say nothing', () => {
  const body = lines(
    'for old mail programs',
    '--xx  ',
    'CONTENT-DISPOSITION: form-data; name="a"',
    '',
    '1',
    '--xx--',
    '--xx',
  )
  expect(parseForm(body, 'multipart/form-data; charset=utf-8; boundary="xx"')).toEqual({
    fields: { a: '1' },
    files: [],
  })
})

test.each([
  ['nothing', Buffer.alloc(0)],
  ['text', Buffer.from('nothing')],
  ['no end', lines(...part('name="a"'), '', '1')],
  ['no name', lines('--xx', 'Content-Disposition: form-data', '', '1', '--xx--')],
  ['no disposition', lines('--xx', 'Content-Type: text/plain', '', '1', '--xx--')],
  ['a longer delimiter', lines('--xxx', 'A: b', '', '1', '--xxx--')],
  ['endless headers', lines(...part('name="a"', `X: ${'x'.repeat(20_000)}`), '', '1', '--xx--')],
  ['a large field', lines(...part('name="a"'), '', 'x'.repeat(2_000_000), '--xx--')],
  [
    'very many parts',
    lines(...Array.from({ length: 10_001 }, () => [...part('name="a"'), '', '']).flat(), '--xx--'),
  ],
])('%s is no form', (_, body) => {
  expect(() => parseForm(body, TYPE)).toThrow(SyntaxError)
  expect(() => parseForm(body, TYPE, 1_000)).toThrow(SyntaxError)
})

test('a form has a boundary', () => {
  expect(() => parseForm(lines('--', '--'), 'multipart/form-data')).toThrow(SyntaxError)
})
