import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll } from 'vitest'

export interface Hook {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface Receiver {
  readonly url: string
  readonly hooks: Hook[]
  /** Bodies that came to a path, in their order. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of all shapes
  bodies(path: string): any[]
}

/** A merchant's server on the loopback; closed after the file's tests. */
export async function openReceiver(
  answer: (response: ServerResponse, hook: Hook) => void,
): Promise<Receiver> {
  const hooks: Hook[] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const hook = { path: request.url ?? '', headers: request.headers, text }
      hooks.push(hook)
      answer(response, hook)
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(
    () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  )
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    hooks,
    bodies: (path) =>
      hooks.filter((hook) => hook.path === path).map(({ text }) => JSON.parse(text) as unknown),
  }
}
