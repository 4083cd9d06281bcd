import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/*
 * A merchant's server in a process of its own: answers 200 at once, never on paths below /hang, and
 * tells when each webhook first came.
 */

const arrivals = new Map<string, number>()

const server = createServer((request, response) => {
  const id = request.headers['webhook-id']
  request.resume()
  request.on('end', () => {
    if (request.url?.startsWith('/hang')) return
    if (typeof id === 'string' && !arrivals.has(id)) {
      arrivals.set(id, performance.timeOrigin + performance.now())
    }
    response.end('ok')
  })
})
server.keepAliveTimeout = 60_000

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.(`http://127.0.0.1:${port}`)
})

// The parent is gone.
process.on('disconnect', () => process.exit())

process.on('message', () => {
  process.send?.([...arrivals])
  arrivals.clear()
})
