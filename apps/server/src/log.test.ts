import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createLog, withoutSecrets } from './log.ts'

function captureLog(write: (log: ReturnType<typeof createLog>) => void): string {
  let text = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk)
      done()
    },
  })
  write(createLog('debug', stream))
  return text
}

test('hides secrets wherever they stand', () => {
  const text = captureLog((log) => {
    log.info(
      { token: 'hush', headers: { authorization: 'hush' }, a: { b: { secret: 'hush' } } },
      'x',
    )
  })
  expect(text).not.toContain('hush')
  expect(text).toContain('"msg":"x"')
})

test('says of an error what helps, and neither rows nor connection settings', () => {
  const cause = new Error('connect to postgres://app:hush@db:5432/x failed')
  const error = Object.assign(new Error('not stored', { cause }), {
    code: '23505',
    detail: 'Key (token)=(hush) already exists.',
    connectionString: 'postgres://app:hush@db/x',
  })
  const line = JSON.parse(captureLog((log) => log.error({ err: error }, 'failed'))) as {
    err: { code: string; cause: { message: string } }
  }
  expect(JSON.stringify(line)).not.toContain('hush')
  expect(line.err.code).toBe('23505')
  expect(line.err.cause.message).toBe('connect to postgres://app:…@db:5432/x failed')
})

test('a query is not shown: it may have a key', () => {
  const text = 'Reply was already sent in "/sim/hooks?key=4711&b=c" (POST), and http://a.b/c?d=e'
  expect(withoutSecrets(text)).toBe(
    'Reply was already sent in "/sim/hooks?…" (POST), and http://a.b/c?…',
  )
})

test('an address without a password stays as it is', () => {
  expect(withoutSecrets('amqp://rabbit:5672/x and http://a.b/c:d@e')).toBe(
    'amqp://rabbit:5672/x and http://a.b/c:d@e',
  )
})
