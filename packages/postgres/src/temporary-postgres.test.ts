import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { findPostmaster } from './postmaster.ts'
import { temporaryPostgres } from './temporary-postgres.ts'

async function isAnswering(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  const answers = await client.connect().then(
    () => true,
    () => false,
  )
  await client.end()
  return answers
}

test('can be killed and started again, and leaves nothing behind', async () => {
  const postgres = await temporaryPostgres({ settings: { fsync: 'off' } })
  await postgres.kill()
  expect(await isAnswering(postgres.url)).toBe(false)
  await postgres.restart()
  expect(await isAnswering(postgres.url)).toBe(true)
  const before = await findPostmaster(join(postgres.folder, 'data'))
  await postgres.restart()
  expect(await isAnswering(postgres.url)).toBe(true)
  expect((await findPostmaster(join(postgres.folder, 'data')))?.pid).not.toBe(before?.pid)
  await postgres.close()
  expect(await isAnswering(postgres.url)).toBe(false)
  expect(existsSync(postgres.folder)).toBe(false)
})

test('cleans up after a run that was killed', async () => {
  const source = `
    import { temporaryPostgres } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)}
    console.log((await temporaryPostgres()).folder)
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [folder] = await once(createInterface(child.stdout), 'line')
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(existsSync(String(folder))).toBe(true)
  const next = await temporaryPostgres()
  expect(existsSync(String(folder))).toBe(false)
  await next.close()
})

test('waits a moment for connections that are about to end', async () => {
  const postgres = await temporaryPostgres({ settings: { fsync: 'off' } })
  const client = new Client({ connectionString: postgres.url })
  const errors: unknown[] = []
  client.on('error', (error) => errors.push(error))
  await client.connect()
  setTimeout(() => void client.end(), 150)
  await postgres.close()
  expect(errors).toEqual([])
})
