import { BlockList, isIPv6, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { networkOf } from '../access/caller.ts'

export interface ConnectionLimit {
  /** Open at once from one network. */
  readonly perNetwork: number
  /** Whose connections are many clients' own: they are not counted. As `trustProxy`. */
  readonly proxies: number | readonly string[] | undefined
}

/**
 * Ends connections that one network has beyond its share as soon as they are made: each takes a file
 * handle, and without handles nothing works, the database included.
 */
export function addConnectionLimit(
  app: FastifyInstance,
  { perNetwork, proxies }: ConnectionLimit,
): void {
  // What connects to us directly is a proxy then.
  if (typeof proxies === 'number') return
  const trusted = blockListOf(proxies ?? [])
  const open = new Map<string, number>()
  const count = (network: string, by: number) => {
    const left = (open.get(network) ?? 0) + by
    if (left > 0) open.set(network, left)
    else open.delete(network)
  }
  app.server.on('connection', (socket: Socket) => {
    const { remoteAddress: address } = socket
    if (address === undefined) return
    if (trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return
    const network = networkOf(address)
    if ((open.get(network) ?? 0) >= perNetwork) return void socket.destroy()
    count(network, 1)
    socket.once('close', () => count(network, -1))
  })
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return list
}
