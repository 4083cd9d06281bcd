import { expect, onTestFinished, test, vi } from 'vitest'
import { PosthornError } from './errors.ts'
import { consoleLog, LineLimit, silentLog, type Log } from './log.ts'

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

test('where no log was chosen, warnings and errors are printed: what, why with its code, where', () => {
  const printed: string[] = []
  for (const level of ['log', 'info', 'debug', 'warn', 'error'] as const) {
    const spy = vi.spyOn(console, level)
    spy.mockImplementation((line: string) => void printed.push(`${level} ${line}`))
    onTestFinished(() => spy.mockRestore())
  }
  consoleLog.debug({ outbox: 'shop.outbox' }, 'claimed')
  consoleLog.info({ outbox: 'shop.outbox' }, 'started')
  consoleLog.warn({ outbox: 'shop.outbox', left: 3 }, 'no index for the claim')
  const missing = new PosthornError('TABLE_MISMATCH', 'there is no table shop.outbox')
  consoleLog.error({ err: missing, pauseMs: 100 }, 'relay step failed; backing off')
  // A database error carries the row that it is about.
  const duplicate = Object.assign(new Error('duplicate key'), { code: '23505', detail: 'secret' })
  consoleLog.error({ err: duplicate }, 'not stored')
  consoleLog.error({ err: new Error('plain') }, 'not stored')
  consoleLog.error({ err: 'thrown text' }, 'not stored')
  expect(printed).toEqual([
    'warn posthorn: no index for the claim outbox=shop.outbox left=3',
    'error posthorn: relay step failed; backing off: TABLE_MISMATCH: there is no table shop.outbox pauseMs=100',
    'error posthorn: not stored: 23505: duplicate key',
    'error posthorn: not stored: plain',
    'error posthorn: not stored: thrown text',
  ])
})

test('of many lines of one kind five are written, then one with the number of the others', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const limit = new LineLimit()
  const written: string[] = []
  const write = (kind: string) => {
    const sum = (more: number) => void written.push(`${more} more ${kind}`)
    if (limit.allows(kind, sum)) written.push(kind)
  }
  for (let i = 0; i < 300; i += 1) write('dead')
  write('late')
  expect(written).toEqual([...Array.from({ length: 5 }, () => 'dead'), 'late'])
  vi.advanceTimersByTime(10_000)
  expect(written.splice(0)).toHaveLength(7)
  write('dead')
  vi.advanceTimersByTime(10_000)
  expect(written).toEqual(['dead'])
})
