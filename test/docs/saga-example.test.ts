import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { withEmptyDatabase } from './empty-database.ts'
import { root } from './markdown.ts'

const file = join(root, 'examples/saga/trip.ts')

test("a newcomer's saga with branches, a signal and a compensation has at most 35 lines", () => {
  const lines = readFileSync(file, 'utf8').split('\n')
  const said = lines.filter((line) => line.trim() !== '' && !line.startsWith('//'))
  expect(said.length).toBeLessThanOrEqual(35)
})

test('it runs, undoes what was booked, and its event arrives', async () => {
  await withEmptyDatabase(async (url) => {
    const child = spawn(process.execPath, [file], { env: { ...process.env, DATABASE_URL: url } })
    onTestFinished(() => void child.kill())
    const out: string[] = []
    child.stdout.on('data', (data) => void out.push(String(data)))
    child.stderr.on('data', (data) => void out.push(String(data)))
    const text = () => out.join('')
    await expect.poll(text, { timeout: 60_000 }).toContain('COMPLETED 12A to Rome, room 7\n')
    await expect.poll(text, { timeout: 60_000 }).toContain('COMPENSATED NOT_APPROVED\n')
    const client = new Client({ connectionString: url })
    await client.connect()
    const sent = async () => {
      const { rows } = await client.query(`select event_type, status from sagas.saga_outbox`)
      return rows
    }
    await expect
      .poll(sent, { timeout: 30_000 })
      .toEqual([{ event_type: 'returned', status: 'SENT' }])
    await client.end()
    child.kill()
    await new Promise((resolve) => child.once('exit', resolve))
  })
}, 120_000)
