import { AsyncLocalStorage } from 'node:async_hooks'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { CodedError } from '@posthorn/engine'
import { buildConnector } from 'undici'
import { isAllowedAddress, type Cidr } from './address.ts'
import { within } from '../timing.ts'
import { createResolver, type Resolve } from './resolver.ts'

export interface GuardOptions {
  /** Networks that webhooks may go to although they are not public. */
  readonly opened?: readonly Cidr[]
  /** True: only `https:`. Default false. */
  readonly httpsOnly?: boolean
  /** Addresses that are allowed without a look at what they resolve to: our own simulator, in development. */
  readonly exempt?: (url: URL) => boolean
  /** Default `createResolver()`: the hosts file, then DNS. */
  readonly resolve?: Resolve
}

/** Decides where webhooks may go, when an address is given and again at every connection. */
export interface Guard {
  /** Why a URL can never be delivered to; undefined if it may be. */
  refusal(url: string): string | undefined
  /**
   * The same, and where its name leads now. A name that does not resolve in time is let through.
   * `tenant` is on whose behalf it is looked up.
   */
  refusalNow(url: string, tenant?: string): Promise<string | undefined>
  isExempt(url: string): boolean
  /**
   * Looks the name of a URL up on behalf of a tenant before a connection needs it, so that its
   * look-ups are counted as that tenant's. Rejects if there is no address; undefined where there is
   * nothing to look up.
   */
  locate(url: string, tenant: string | undefined): Promise<unknown> | undefined
  /**
   * Does `work`; a name that its connections still have to look up counts as that tenant's. Clients
   * of HTTP tell their connector the address alone.
   */
  onBehalfOf<Result>(tenant: string | undefined, work: () => Result): Result
  /** By the same resolver, to any address: for the operator's own URLs, which need no look. */
  readonly lookup: LookupFunction
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
  const { opened = [], resolve = createResolver() } = options
  const isAllowed = memoise((address: string) => isAllowedAddress(address, opened))
  const isExempt = (url: URL) => options.exempt?.(url) ?? false
  const tenants = new AsyncLocalStorage<string | undefined>()
  const resolveForTenant: Resolve = (hostname) => resolve(hostname, tenants.getStore())

  const refusal = (text: string): string | undefined => {
    if (text.length > MAX_URL) return `is longer than ${MAX_URL} characters`
    if (!URL.canParse(text)) return 'is not a URL'
    const url = new URL(text)
    if (!/^https?:$/.test(url.protocol)) return 'must begin with https:// or http://'
    if (url.username !== '' || url.password !== '') return 'must not hold a user or a password'
    if (isExempt(url)) return undefined
    if (options.httpsOnly && url.protocol !== 'https:') return 'must begin with https://'
    const literal = literalOf(url.hostname)
    return literal !== undefined && !isAllowed(literal) ? NOT_PUBLIC : undefined
  }

  return {
    refusal,
    async refusalNow(text, tenant) {
      const reason = refusal(text)
      if (reason !== undefined) return reason
      const url = new URL(text)
      if (literalOf(url.hostname) !== undefined || isExempt(url)) return undefined
      const looked = resolve(url.hostname, tenant).catch(() => undefined)
      const found = await within(looked, RESOLVE_NOW_MS, () => undefined)
      return found?.every(({ address }) => isAllowed(address)) === false ? NOT_PUBLIC : undefined
    },
    isExempt: (text) => isExempt(new URL(text)),
    locate(text, tenant) {
      const { hostname } = new URL(text)
      return literalOf(hostname) === undefined ? resolve(hostname, tenant) : undefined
    },
    onBehalfOf: (tenant, work) => tenants.run(tenant, work),
    lookup: lookupBy(resolve),
    connector: guardConnector(isAllowed, resolveForTenant),
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
      queueMicrotask(() => callback(new BlockedError(NOT_PUBLIC), null))
      return
    }
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null)
      // The last word has the address that was really reached.
      const reached = socket.remoteAddress ?? ''
      if (isAllowed(reached)) return callback(null, socket)
      socket.destroy()
      callback(new BlockedError(NOT_PUBLIC), null)
    })
  }
}

function guardLookup(isAllowed: (address: string) => boolean, resolve: Resolve): LookupFunction {
  return lookupBy(async (hostname) => {
    const found = await resolve(hostname)
    // One forbidden address among several is a trick or a mistake; either way no connection is made.
    if (!found.every(({ address }) => isAllowed(address))) throw new BlockedError(NOT_PUBLIC)
    return found
  })
}

/** What sockets ask for addresses. */
function lookupBy(resolve: Resolve): LookupFunction {
  const lookUp = callbackify(async (hostname: string) => {
    const found = await resolve(hostname)
    const [first] = found
    if (!first) throw Object.assign(new Error(`${hostname} has no address`), { code: 'ENODATA' })
    return { first, all: [...found] }
  })
  return (hostname, { all }, callback) => {
    lookUp(hostname, (error, found) => {
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

/** Without the address: a name's owner need not learn what it resolves to inside our network. */
const NOT_PUBLIC = 'leads to an address that webhooks may not go to'
