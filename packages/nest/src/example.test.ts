import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { testDatabase } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const run = promisify(execFile)

const { pool, url } = await testDatabase({
  sql: `create schema shop;
    create table shop.orders (id int generated always as identity primary key, item text not null);
    create table shop.parcels (order_id int primary key)`,
})

test('the example with decorators compiles, and takes an order to its parcel', async () => {
  const parent = join(root, '.posthorn')
  await mkdir(parent, { recursive: true })
  // Below the repository: its packages are found from there.
  const folder = await mkdtemp(join(parent, 'nest-'))
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const example = join(root, 'examples/nest')
    await run(process.execPath, [compiler, '-p', example, '--outDir', folder])
    const { stdout } = await run(process.execPath, [join(folder, 'main.js')], {
      env: { ...process.env, DATABASE_URL: url },
      timeout: 60_000,
    })
    expect(stdout.split('\n').toSorted().join('\n').trim()).toBe(
      'order 1 is packed: lamp\norder 1 is placed',
    )
    expect((await pool.query('select * from shop.parcels')).rows).toEqual([{ order_id: 1 }])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
