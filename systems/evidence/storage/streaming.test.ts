import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { withBroker } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'

const SCRIPT = fileURLToPath(new URL('./testing/streaming-process.ts', import.meta.url))

async function streamIn(env: NodeJS.ProcessEnv): Promise<unknown> {
  const key = `test-${randomUUID()}`
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, key, '200'], {
    env,
    timeout: 110_000,
  })
  return JSON.parse(stdout)
}

const WHOLE = { size: 200_000_000, isWhole: true }

test('a folder takes and gives 200 MB with little memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-streaming-'))
  const { S3_BUCKET: _, ...env } = process.env
  const result = await streamIn({ ...env, EVIDENCE_FOLDER: folder })
  expect(result).toEqual({ ...WHOLE, grownMb: expect.toSatisfy((mb: number) => mb < 100) })
  await rm(folder, { recursive: true })
})

withBroker('S3_ENDPOINT', () => {
  test('a bucket takes and gives 200 MB with little memory', async () => {
    const result = await streamIn({ S3_BUCKET: 'posthorn-test', ...process.env })
    expect(result).toEqual({ ...WHOLE, grownMb: expect.toSatisfy((mb: number) => mb < 150) })
  })
})
