import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { call, type ServerProcess } from './server-process.ts'

/** For the data of a server; removed after the test. */
export async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-server-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export async function greet(server: ServerProcess, name: string): Promise<void> {
  const [url, token] = [await server.url(), await server.token()]
  const { status } = await call(`${url}/api/v1/greetings`, { token, body: { name } })
  expect(status).toBe(202)
}

/** Waits until the consumer has counted so many greetings of a name. */
export async function untilCounted(
  server: ServerProcess,
  name: string,
  times: number,
): Promise<void> {
  const [url, token] = [await server.url(), await server.token()]
  const count = async () => (await call(`${url}/api/v1/greetings/${name}`, { token })).body['times']
  // What a killed server had in hand comes back when its leases run out: 30 s for a message that was
  // claimed, 15 s for the partitions of a topic.
  await expect.poll(count, { timeout: 90_000 }).toBe(times)
}
