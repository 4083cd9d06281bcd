import { BlockList, isIPv6, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { problem } from '../problem/problem.ts'
import { networkOf } from '../access/caller.ts'

export interface RateLimit {
  /** Requests in a window. */
  readonly max: number
  readonly windowMs: number
}

export interface RateLimiter {
  /** Counts a request; throws `RATE_LIMITED` past the limit. */
  take(key: string): void
  /** Throws `RATE_LIMITED` past the limit, and counts nothing. */
  check(key: string): void
  /** Counts a request, and throws nothing. */
  count(key: string): void
}

/** Counts requests by key in fixed windows, in this process: several servers allow several times as much. */
export function createRateLimiter(
  { max, windowMs, of }: RateLimit & { readonly of?: string },
  now: () => number = Date.now,
): RateLimiter {
  // One window for all keys: a new map forgets all callers at once, so nothing has to be swept.
  let counts = new Map<string, { taken: number }>()
  let ends = 0
  const check = (key: string) => {
    const time = now()
    if (time >= ends) {
      counts = new Map()
      ends = time + windowMs
    }
    if ((counts.get(key)?.taken ?? 0) >= max) {
      throw problem('RATE_LIMITED', {
        detail: `At most ${max} requests${of === undefined ? '' : ` of ${of}`} in ${windowMs / 1_000} s.`,
        retryAfterSeconds: (ends - time) / 1_000,
      })
    }
  }
  const count = (key: string) => {
    const known = counts.get(key)
    if (known) known.taken += 1
    else counts.set(key, { taken: 1 })
  }
  return {
    take(key) {
      check(key)
      count(key)
    },
    check,
    count,
  }
}

interface ConnectionLimit {
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
