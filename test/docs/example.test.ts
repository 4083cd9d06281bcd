import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { outboxTableSql } from '@posthorn/engine'
import { expect, test } from 'vitest'
import { shopEvents } from '../../examples/first-outbox/outbox.ts'
import { withEmptyDatabase } from './empty-database.ts'
import { root } from './markdown.ts'
import { runScript } from './program.ts'

const folder = join(root, 'examples/first-outbox')

test('the first outbox stores an order and delivers its message, again and again', async () => {
  await withEmptyDatabase(async (url) => {
    const main = join(folder, 'main.ts')
    const first = await runScript(main, [], { env: { DATABASE_URL: url } })
    expect(first).toEqual({
      status: 0,
      stderr: '',
      stdout: 'order 1 is stored\norder.placed {"orderId":1}\n[{"status":"sent","count":1}]\n',
    })
    const second = await runScript(main, [], { env: { DATABASE_URL: url } })
    expect(second.stdout).toContain('order.placed {"orderId":2}\n[{"status":"sent","count":2}]')
  })
})

test("the first outbox's migration has what the engine asks for", () => {
  const migration = readFileSync(join(folder, 'migrations/0001_shop.sql'), 'utf8')
  expect(migration).toContain(outboxTableSql(shopEvents))
})
