import { temporaryPostgres } from '@posthorn/postgres'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { limitFiles } from './small-disk.ts'

test('where nothing can be mounted, large tables do not grow while the disk is full', async () => {
  const postgres = await temporaryPostgres({ settings: { fsync: 'off' } })
  onTestFinished(() => postgres.close())
  const client = new Client({ connectionString: postgres.url })
  await client.connect()
  onTestFinished(() => client.end())
  const grow = () =>
    client.query(`insert into letters select repeat('x', 1000) from generate_series(1, 20000)`)
  await client.query('create table letters (text text)')
  const disk = await limitFiles(postgres.folder)
  expect(disk).toBeDefined()
  await disk?.fill()
  await expect(grow()).rejects.toThrow('File too large')
  // Others go on, and so does the log.
  await client.query('create table notes as select 1')
  await disk?.empty()
  await grow()
})
