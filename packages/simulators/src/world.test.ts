import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HeldConnections } from './world.ts'

const server = createServer((socket) => socket.on('error', () => undefined))
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => void server.close())

async function connectPair(): Promise<{ here: Socket; client: Socket }> {
  const arrives = once(server, 'connection')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => undefined)
  const [here] = (await arrives) as [Socket]
  return { here, client }
}

describe('a connection that hangs', () => {
  test('is cut off in the end', async () => {
    const { here } = await connectPair()
    const started = performance.now()
    await new HeldConnections(new AbortController().signal, 100).hang(here)
    expect(performance.now() - started).toBeGreaterThan(95)
    expect(here.destroyed).toBe(true)
  })

  test('is let go when its client leaves', async () => {
    const { here, client } = await connectPair()
    const hanging = new HeldConnections(new AbortController().signal).hang(here)
    client.destroy()
    await hanging
    expect(here.destroyed).toBe(true)
  })

  test('does not hang when it is gone, or the end has come', async () => {
    const [gone, late] = [await connectPair(), await connectPair()]
    gone.here.destroy()
    await new HeldConnections(new AbortController().signal).hang(gone.here)
    await new HeldConnections(AbortSignal.abort()).hang(late.here)
    expect(late.here.destroyed).toBe(true)
  })
})

describe('a delay', () => {
  test('takes its time', async () => {
    const started = performance.now()
    await new HeldConnections(new AbortController().signal).delay(100)
    expect(performance.now() - started).toBeGreaterThan(95)
  })

  test('ends when the end comes, or has come', async () => {
    const end = new AbortController()
    const delay = new HeldConnections(end.signal).delay(60_000)
    end.abort()
    await delay
    await new HeldConnections(end.signal).delay(60_000)
    expect(end.signal.aborted).toBe(true)
  })
})
