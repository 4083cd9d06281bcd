import { promises as dns, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { CodedError } from '@posthorn/engine'
import { buildConnector } from 'undici'
import { isAllowedAddress, type Cidr } from './address.ts'

/** All addresses of a name; rejects if it has none. */
type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/** What a name server says when it knows that there is nothing. */
const NOTHING = new Set(['ENOTFOUND', 'ENODATA'])

export interface GuardOptions {
  /** Networks that webhooks may go to although they are not public. */
  readonly opened?: readonly Cidr[]
  /** True: only `https:`. Default false. */
  readonly httpsOnly?: boolean
  /** Addresses that are allowed without a look at what they resolve to: our own simulator, in development. */
  readonly exempt?: (url: URL) => boolean
  /** Default: DNS, then the hosts file. */
  readonly resolve?: Resolve
}

/** Decides where webhooks may go, when an address is given and again at every connection. */
export interface Guard {
  /** Why a URL can never be delivered to; undefined if it may be. */
  refusal(url: string): string | undefined
  /** The same, and where its name leads now. A name that does not resolve in time is let through. */
  refusalNow(url: string): Promise<string | undefined>
  isExempt(url: string): boolean
  /** Connects to allowed addresses only, by any name or notation. */
  readonly connector: buildConnector.connector
}

const MAX_URL = 2_048
const CONNECT_MS = 10_000
/** A client waits for the answer when an endpoint is made. */
const RESOLVE_NOW_MS = 1_500

/** Raised where a connection would go to an address that is not allowed. */
export class BlockedError extends CodedError<'WEBHOOK_BLOCKED'> {
  constructor(message: string) {
    super('WEBHOOK_BLOCKED', message)
  }
}

export function createGuard(options: GuardOptions = {}): Guard {
  const { opened = [], resolve = systemResolve() } = options
  const isAllowed = memoise((address: string) => isAllowedAddress(address, opened))
  const isExempt = (url: URL) => options.exempt?.(url) ?? false

  const refusal = (text: string): string | undefined => {
    if (text.length > MAX_URL) return `is longer than ${MAX_URL} characters`
    if (!URL.canParse(text)) return 'is not a URL'
    const url = new URL(text)
    if (!/^https?:$/.test(url.protocol)) return 'must begin with https:// or http://'
    if (url.username !== '' || url.password !== '') return 'must not hold a user or a password'
    if (isExempt(url)) return undefined
    if (options.httpsOnly && url.protocol !== 'https:') return 'must begin with https://'
    const literal = literalOf(url.hostname)
    return literal !== undefined && !isAllowed(literal) ? notPublic(literal) : undefined
  }

  return {
    refusal,
    async refusalNow(text) {
      const reason = refusal(text)
      if (reason !== undefined) return reason
      const url = new URL(text)
      if (literalOf(url.hostname) !== undefined || isExempt(url)) return undefined
      const found = await within(RESOLVE_NOW_MS, resolve(url.hostname))
      const forbidden = found?.find(({ address }) => !isAllowed(address))
      return forbidden && notPublic(forbidden.address)
    },
    isExempt: (text) => isExempt(new URL(text)),
    connector: guardConnector(isAllowed, resolve),
  }
}

function guardConnector(
  isAllowed: (address: string) => boolean,
  resolve: Resolve,
): buildConnector.connector {
  const connect = buildConnector({
    timeout: CONNECT_MS,
    allowH2: false,
    // The connection is made to what is answered here, so that a name cannot lead elsewhere later.
    lookup: guardLookup(isAllowed, resolve),
  })
  return (options, callback) => {
    // A literal is connected to without any look-up.
    const literal = literalOf(options.hostname)
    if (literal !== undefined && !isAllowed(literal)) {
      queueMicrotask(() => callback(new BlockedError(notPublic(literal)), null))
      return
    }
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null)
      // The last word has the address that was really reached.
      const reached = socket.remoteAddress ?? ''
      if (isAllowed(reached)) return callback(null, socket)
      socket.destroy()
      callback(new BlockedError(notPublic(reached)), null)
    })
  }
}

function guardLookup(isAllowed: (address: string) => boolean, resolve: Resolve): LookupFunction {
  const lookUpAllowed = callbackify(async (hostname: string) => {
    const found = await resolve(hostname)
    // One forbidden address among several is a trick or a mistake; either way no connection is made.
    const forbidden = found.find(({ address }) => !isAllowed(address))
    if (forbidden) throw new BlockedError(notPublic(forbidden.address))
    const [first] = found
    if (!first) throw Object.assign(new Error(`${hostname} has no address`), { code: 'ENODATA' })
    return { first, all: [...found] }
  })
  return (hostname, { all }, callback) => {
    lookUpAllowed(hostname, (error, found) => {
      if (error) callback(error, '')
      else if (all) callback(null, found.all)
      else callback(null, found.first.address, found.first.family)
    })
  }
}

/** Addresses whose answer is remembered. */
const MOST_REMEMBERED = 10_000

/** An address stays what it is: thousands of webhooks to it are looked up, not parsed. */
function memoise(isAllowed: (address: string) => boolean): (address: string) => boolean {
  const answers = new Map<string, boolean>()
  return (address) => {
    const known = answers.get(address)
    if (known !== undefined) return known
    if (answers.size >= MOST_REMEMBERED) answers.clear()
    const answer = isAllowed(address)
    answers.set(address, answer)
    return answer
  }
}

/** The address in a URL that names one; every notation has become the plain one by parsing. */
function literalOf(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return isIP(bare) === 0 ? undefined : bare
}

function notPublic(address: string): string {
  return `leads to ${address || 'no address'}, which webhooks may not go to`
}

async function within<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((done) => (timer = setTimeout(done, ms, undefined)))
  try {
    return await Promise.race([work.catch(() => undefined), late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Resolves by DNS itself, with a time limit and without one of the few threads that
 * `getaddrinfo` needs: a customer's slow name server must not hold up all others. What DNS does not
 * know may stand in the hosts file.
 */
function systemResolve(): Resolve {
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
  return async (hostname) => {
    const answers = await Promise.allSettled([
      resolver.resolve4(hostname).then((found) => found.map(withFamily(4))),
      resolver.resolve6(hostname).then((found) => found.map(withFamily(6))),
    ])
    const found = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    if (found.length > 0) return found
    const errors = answers.flatMap((each) =>
      each.status === 'rejected' ? [each.reason as NodeJS.ErrnoException] : [],
    )
    const trouble = errors.find(({ code }) => !NOTHING.has(code ?? ''))
    // A name without a dot is no customer's: it is the hosts file's or the local network's.
    if (trouble && hostname.includes('.')) throw trouble
    return dns.lookup(hostname, { all: true })
  }
}

function withFamily(family: 4 | 6) {
  return (address: string): LookupAddress => ({ address, family })
}
