import * as engine from '@posthorn/engine'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Pool } from 'pg'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '@posthorn/engine/testing'
import { root } from './markdown.ts'

/** The rows of the page's tables: what is written, the code of the error, and its message. */
const rows = readFileSync(join(root, 'docs/guide/mistakes.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, written, code, message] = /^\| `(.+?)` +\| `(\w+)` +\| (.+?) +\|$/.exec(line) ?? []
    return message === undefined ? [] : [[written, code, message] as const]
  })

const { pool, url } = await testDatabase()
const { outbox, posthorn } = engine
const ship = async () => undefined
const events = outbox('shop.outbox', { order: 'key' })
const placed = events.handle({ 'order.placed': ship })
const app = await posthorn({ pool, handlers: placed, log: engine.silentLog }).setUp()
const scope = {
  ...engine,
  ...{ Type, Pool, pool, url, ship, events, placed, app },
  kafka: engine.consoleTransport(),
  mails: outbox('shop.mails', { destination: { transport: 'kafka', topic: 'mails' } }),
  checked: outbox('shop.outbox', {
    order: 'key',
    schemas: { 'order.placed': Compile(Type.Object({ order: Type.Number() })) },
  }),
  definition: {
    name: 'shop.outbox',
    table: 'shop.outbox',
    states: { ready: 'pending', sent: 'sent', dead: 'dead' },
    columns: { dueAt: 'due_at' },
    retry: engine.fixed('1m', { attempts: 3 }),
    destination: { transport: 'kafka', topic: 'x' },
    message: () => ({ type: 'x', payload: {} }),
  },
}
afterAll(() => app.stop())

test('the page has mistakes of every kind', () => {
  expect(rows.length).toBeGreaterThan(25)
})

test.each(rows)('%s', async (written, code, message) => {
  // oxlint-disable-next-line typescript/no-implied-eval, no-new-func -- the page's own text is run
  const make = new Function(...Object.keys(scope), `return (async () => ${written})()`)
  const error = await (make(...Object.values(scope)) as Promise<unknown>).then(
    () => new Error('nothing was refused'),
    (thrown: unknown) => thrown as Error,
  )
  const said = { code: (error as { code?: string }).code, message: error.message }
  const [start, cut] = message.endsWith('…') ? [message.slice(0, -1), true] : [message, false]
  expect(said).toEqual({
    code,
    message: cut ? expect.stringContaining(start.trimEnd()) : start,
  })
  const { rows: stored } = await pool.query('select from shop.outbox')
  expect(stored, 'nothing was stored').toEqual([])
})
