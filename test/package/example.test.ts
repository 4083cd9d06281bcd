import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { outboxTableSql } from '@posthorn/engine'
import { inboxTableSql } from '@posthorn/engine/inbox'
import { expect, test } from 'vitest'
import { shopEvents, shopInbox } from '../../examples/own-outbox/outbox.ts'
import { withEmptyDatabase } from '../docs/empty-database.ts'
import { root } from '../docs/markdown.ts'
import { runScript } from '../docs/program.ts'

// Real processes on a machine that has other things to do.

const folder = join(root, 'examples/own-outbox')
const main = join(folder, 'main.ts')

test('the own outbox takes an order to its consumer, again and again', async () => {
  await withEmptyDatabase(async (url) => {
    for (const order of [1, 2]) {
      expect(await runScript(main, [], { env: { DATABASE_URL: url } })).toEqual({
        status: 0,
        stderr: '',
        stdout: `order ${order} is stored\norder ${order} is packed\n`,
      })
    }
  })
})

test('copies at the same time pack each order once, and all of them end', async () => {
  await withEmptyDatabase(async (url) => {
    const run = () => runScript(main, [], { env: { DATABASE_URL: url } })
    const runs = await Promise.all([run(), run(), run()])
    expect(runs.map(({ status }) => status)).toEqual([0, 0, 0])
    const lines = runs.flatMap(({ stdout }) => stdout.trim().split('\n'))
    const expected = [1, 2, 3].flatMap((id) => [`order ${id} is packed`, `order ${id} is stored`])
    expect(lines.toSorted()).toEqual(expected)
  })
})

test("the own outbox's migration has what the engine asks for", () => {
  const migration = readFileSync(join(folder, 'migrations/0002_outbox.sql'), 'utf8')
  expect(migration).toContain(outboxTableSql(shopEvents))
  expect(migration).toContain(inboxTableSql(shopInbox).trim())
})
