import { expect, test } from 'vitest'
import { silentLog, type Log } from './index.ts'

test('the compiler refuses an error under a name that no serializer knows', () => {
  const said: object[] = []
  const log: Log = { ...silentLog, warn: (details) => void said.push(details) }
  const error = new Error('duplicate key')
  log.warn({ err: error, topic: 'orders' }, 'not stored; trying again')
  // @ts-expect-error -- an Error here would be logged as {}
  log.warn({ error, topic: 'orders' }, 'not stored; trying again')
  // @ts-expect-error -- the same under its other usual name
  log.warn({ cause: error }, 'not stored; trying again')
  expect(said).toHaveLength(3)
})
