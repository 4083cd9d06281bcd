import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A child process of `payments.ts`: a gateway that accepts every charge at once. */
let charges = 0
const gateway = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    charges += 1
    response.writeHead(201, { 'content-type': 'application/json' })
    response.end(`{"id":"ch_${charges}","status":"succeeded"}`)
  })
})
gateway.keepAliveTimeout = 60_000
gateway.listen(0, '127.0.0.1', () => {
  const { port } = gateway.address() as AddressInfo
  process.send?.(`http://127.0.0.1:${port}`)
})
process.once('disconnect', () => process.exit())
