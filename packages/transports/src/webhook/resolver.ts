import { promises as dns, type LookupAddress } from 'node:dns'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { within } from '../timing.ts'

/** All addresses of a name; rejects if it has none. `tenant` is on whose behalf it is asked. */
export type Resolve = (hostname: string, tenant?: string) => Promise<readonly LookupAddress[]>

export interface ResolverOptions {
  /** Name servers, as `127.0.0.1:5353`. Default: those of the machine. */
  readonly servers?: readonly string[]
  /** Default `/etc/hosts`. */
  readonly hostsFile?: string
  /** Domains that are tried behind a name without a dot. Default: those of `/etc/resolv.conf`. */
  readonly search?: readonly string[]
  /** For one name, all its queries and its wait for a free place together. Default 5000. */
  readonly deadlineMs?: number
  /** Names that one tenant may have looked up at once; the others of its names wait. Default 16. */
  readonly perTenant?: number
}

const DEADLINE_MS = 5_000
const PER_TENANT = 16
/** c-ares asks again after this long, and gives up after the second time. */
const QUERY = { timeout: 1_500, tries: 2 }
/** Once one family has answered, the other has this long to do so too. */
const SECOND_FAMILY_MS = 500
/** How long answers count: as their name server says, within these bounds. */
const GOOD_MS = { least: 1_000, most: 60_000 }
/** A name that failed is not asked for again so soon. */
const BAD_MS = 5_000
/** A good answer that its name server no longer gives, since it is silent, serves for this long. */
const STALE_MS = 300_000
/** Names remembered; those that were asked for first go first. */
const MOST_NAMES = 10_000
/** Names of one tenant that wait for a place; more of them fail at once. */
const MOST_WAITING = 1_000

/** What a name server says when it knows that there is nothing. */
const NOTHING = new Set(['ENOTFOUND', 'ENODATA'])

/**
 * Resolves names by DNS itself and never by `getaddrinfo`: that one has no deadline and runs on the
 * few threads which every other connection of the process needs for its own names. A tenant whose
 * name servers stay silent uses up its own places and nothing else.
 */
export function createResolver(options: ResolverOptions = {}): Resolve {
  const resolver = new Resolver(options)
  return (hostname, tenant) => resolver.resolve(hostname, tenant)
}

/** What a name server has said of a name: addresses, or an error. */
interface Known {
  readonly answer: readonly LookupAddress[] | Error
  /** By `performance.now()`. */
  readonly until: number
  /** The last good answer and when it was given. */
  readonly good: { readonly found: readonly LookupAddress[]; readonly atMs: number } | undefined
}

class Resolver {
  readonly #dns = new dns.Resolver(QUERY)
  readonly #hosts: HostsFile
  readonly #search: readonly string[]
  readonly #deadlineMs: number
  readonly #perTenant: number
  readonly #known = new Map<string, Known>()
  /** Of each tenant: those who share a look-up share its place in the tenant's queue too. */
  readonly #underWay = new Map<string, Promise<readonly LookupAddress[]>>()
  readonly #places = new Map<string, Places>()

  constructor(options: ResolverOptions) {
    if (options.servers) this.#dns.setServers(options.servers)
    this.#hosts = new HostsFile(options.hostsFile)
    this.#search = options.search ?? searchDomains()
    this.#deadlineMs = options.deadlineMs ?? DEADLINE_MS
    this.#perTenant = options.perTenant ?? PER_TENANT
  }

  async resolve(hostname: string, tenant = ''): Promise<readonly LookupAddress[]> {
    const local = this.#hosts.find(hostname)
    if (local) return local
    const known = this.#known.get(hostname)
    if (known && known.until > performance.now()) {
      if (known.answer instanceof Error) throw known.answer
      return known.answer
    }
    return this.#ask(hostname, tenant)
  }

  /** Several of a tenant that ask for a name at once share one answer. */
  #ask(hostname: string, tenant: string): Promise<readonly LookupAddress[]> {
    const key = `${tenant}\n${hostname}`
    const underWay = this.#underWay.get(key)
    if (underWay) return underWay
    const answer = this.#answer(hostname, tenant).finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, answer)
    return answer
  }

  /**
   * Asks the name server in one of the tenant's places. Only what the name server says, or does not
   * say in time, is remembered for all tenants: a full queue is the tenant's own trouble.
   */
  async #answer(hostname: string, tenant: string): Promise<readonly LookupAddress[]> {
    const deadline = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => deadline.reject(troubleWith(hostname, 'ETIMEOUT', 'did not resolve in time')),
      this.#deadlineMs,
    )
    const places = this.#placesOf(tenant)
    const place = places.take()
    try {
      if (!place) throw troubleWith(hostname, 'ETIMEOUT', 'has too many names before it')
      await Promise.race([place.free, deadline.promise])
      return await this.#learn(hostname, Promise.race([this.#query(hostname), deadline.promise]))
    } finally {
      clearTimeout(timer)
      if (place) places.leave(place)
      if (places.isEmpty) this.#places.delete(tenant)
    }
  }

  async #learn(hostname: string, answer: Promise<Answer>): Promise<readonly LookupAddress[]> {
    const began = performance.now()
    try {
      const { found, ttlMs } = await answer
      const now = performance.now()
      const good = { found, atMs: now }
      this.#remember(hostname, { answer: found, until: now + ttlMs, good })
      return found
    } catch (cause) {
      const error = cause as NodeJS.ErrnoException
      const now = performance.now()
      // The wait for a place has left the name server no time to answer in.
      if (error.code === 'ETIMEOUT' && now - began < this.#deadlineMs / 2) throw error
      const good = this.#known.get(hostname)?.good
      const isStale = good !== undefined && now - good.atMs < STALE_MS
      const found = isStale && !NOTHING.has(error.code ?? '') ? good.found : undefined
      this.#remember(hostname, { answer: found ?? error, until: now + BAD_MS, good })
      if (found) return found
      throw error
    }
  }

  #remember(hostname: string, known: Known): void {
    this.#known.delete(hostname)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size < MOST_NAMES) break
      this.#known.delete(oldest)
    }
    this.#known.set(hostname, known)
  }

  #placesOf(tenant: string): Places {
    const known = this.#places.get(tenant)
    if (known) return known
    const places = new Places(this.#perTenant)
    this.#places.set(tenant, places)
    return places
  }

  async #query(hostname: string): Promise<Answer> {
    // A name without a dot is the local network's, as in a cluster: its domain is the machine's.
    const domains = hostname.includes('.') ? [] : this.#search
    for (const domain of domains) {
      const answer = await this.#queryBoth(`${hostname}.${domain}`).catch(() => undefined)
      if (answer) return answer
    }
    return this.#queryBoth(hostname)
  }

  async #queryBoth(name: string): Promise<Answer> {
    const found: LookupAddress[] = []
    const errors: NodeJS.ErrnoException[] = []
    let ttlMs = GOOD_MS.most
    const query = async (family: 4 | 6) => {
      try {
        const records = await this.#dns[family === 4 ? 'resolve4' : 'resolve6'](name, { ttl: true })
        for (const { address, ttl } of records) {
          found.push({ address, family })
          ttlMs = Math.min(ttlMs, Math.max(ttl * 1_000, GOOD_MS.least))
        }
      } catch (error) {
        errors.push(error as NodeJS.ErrnoException)
      }
    }
    const families = [query(4), query(6)]
    await Promise.race(families)
    const both = Promise.all(families)
    await (found.length > 0 ? within(both, SECOND_FAMILY_MS, () => undefined) : both)
    if (found.length > 0) return { found: [...found], ttlMs }
    const trouble = errors.find(({ code }) => !NOTHING.has(code ?? '')) ?? errors[0]
    throw trouble ?? troubleWith(name, 'ENODATA', 'has no address')
  }
}

interface Answer {
  readonly found: readonly LookupAddress[]
  readonly ttlMs: number
}

interface Place {
  /** Resolves when the place is the holder's. */
  readonly free: Promise<void>
  begin(): void
}

/** The look-ups of one tenant: a few at once, the others one after the other. */
class Places {
  readonly #most: number
  readonly #taken = new Set<Place>()
  readonly #waiting: Place[] = []

  constructor(most: number) {
    this.#most = most
  }

  get isEmpty(): boolean {
    return this.#taken.size === 0 && this.#waiting.length === 0
  }

  /** Undefined if too many wait already. */
  take(): Place | undefined {
    if (this.#waiting.length >= MOST_WAITING) return undefined
    const { promise: free, resolve: begin } = Promise.withResolvers<void>()
    const place = { free, begin }
    if (this.#taken.size < this.#most) this.#start(place)
    else this.#waiting.push(place)
    return place
  }

  leave(place: Place): void {
    if (!this.#taken.delete(place)) {
      const at = this.#waiting.indexOf(place)
      if (at >= 0) this.#waiting.splice(at, 1)
      return
    }
    const next = this.#waiting.shift()
    if (next) this.#start(next)
  }

  #start(place: Place): void {
    this.#taken.add(place)
    place.begin()
  }
}

function troubleWith(hostname: string, code: string, what: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} ${what}`), { code })
}

/** The domains of this machine, as `search` in resolv.conf names them. */
function searchDomains(): string[] {
  try {
    const lines = readFileSync('/etc/resolv.conf', 'utf8').split('\n')
    const search = lines.findLast((line) => /^search\s/.test(line)) ?? ''
    return search.trim().split(/\s+/).slice(1, 7)
  } catch {
    return []
  }
}

/** How long what was read counts before the file is looked at again. */
const FRESH_MS = 10_000

/**
 * Names that this machine knows by itself. Read without the thread pool: a file of a few lines is
 * read faster than a thread is found, and a pool that others have filled must not stop webhooks.
 */
class HostsFile {
  readonly #path: string
  #names: ReadonlyMap<string, readonly LookupAddress[]> = new Map()
  #changedMs = Number.NaN
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(path = '/etc/hosts') {
    this.#path = path
  }

  /** Undefined for a name that does not stand in the file. */
  find(hostname: string): readonly LookupAddress[] | undefined {
    if (performance.now() - this.#lookedAt > FRESH_MS) this.#read()
    const name = hostname.toLowerCase().replace(/\.$/, '')
    // RFC 6761: a machine without a hosts file has this name all the same.
    return this.#names.get(name) ?? (name === 'localhost' ? LOCALHOST : undefined)
  }

  #read(): void {
    this.#lookedAt = performance.now()
    try {
      const { mtimeMs } = statSync(this.#path)
      if (mtimeMs === this.#changedMs) return
      this.#names = parseHosts(readFileSync(this.#path, 'utf8'))
      this.#changedMs = mtimeMs
    } catch {
      // Some containers have no such file: then it names nothing.
      this.#names = new Map()
      this.#changedMs = Number.NaN
    }
  }
}

const LOCALHOST: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

function parseHosts(text: string): Map<string, LookupAddress[]> {
  const names = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const alias of aliases) {
      const name = alias.toLowerCase()
      names.set(name, [...(names.get(name) ?? []), { address, family }])
    }
  }
  return names
}
